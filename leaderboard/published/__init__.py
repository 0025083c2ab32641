"""Reference numbers that others published, each with its source and its caveat."""
