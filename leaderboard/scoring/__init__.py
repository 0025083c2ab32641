"""Scores: one declaration a metric, a row a question."""
