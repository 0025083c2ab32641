"""A note beside a file that says when it was verified, so that half a gigabyte isn't hashed at every start."""

from __future__ import annotations

import json
from pathlib import Path

from leaderboard.files import write_json


def vouch(path: Path, sha256: str) -> None:
    """Write down that ``path``, as it lies there now, has the digest ``sha256``."""
    about = path.stat()
    write_json(_note(path), {"bytes": about.st_size, "mtime_ns": about.st_mtime_ns, "sha256": sha256})


def is_vouched(path: Path, sha256: str | None) -> bool:
    """Whether ``path`` was found to have ``sha256`` and is unchanged since; never where no digest is known."""
    try:
        about = path.stat()
        noted = json.loads(_note(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    now = {"bytes": about.st_size, "mtime_ns": about.st_mtime_ns, "sha256": sha256}
    return sha256 is not None and bool(noted == now)


def _note(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")
