"""The published benchmark files on this machine: fetched, frozen, verified. ``leaderboard data`` is its command."""
