"""``python -m leaderboard``."""

from leaderboard.cli import run

run()
