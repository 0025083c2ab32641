"""Everything a submission can name: programs, retrievers and their parameters. No heavy import."""
