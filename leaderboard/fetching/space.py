"""Room on the disk, asked for before anything is written."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path


class NoSpace(OSError):
    """``needed_bytes`` don't fit on the disk any more."""

    def __init__(self, needed_bytes: int) -> None:
        super().__init__(errno.ENOSPC, "not enough space")
        self.needed_bytes = needed_bytes


def require_space(folder: Path, needed_bytes: int) -> None:
    """Raise ``NoSpace`` unless ``needed_bytes`` are free on the disk of ``folder``."""
    if shutil.disk_usage(folder).free < needed_bytes:
        raise NoSpace(needed_bytes)
