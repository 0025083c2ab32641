"""``python -m leaderboard``."""

from leaderboard.cli import main

raise SystemExit(main())
