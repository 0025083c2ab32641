"""The board: tables of means and intervals, made from scores."""
