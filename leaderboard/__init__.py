"""A leaderboard of multi-hop RAG systems in which every number is recomputed from recorded calls."""
