"""What a disk refuses, in words that say what to do."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

from leaderboard.fetching.pinned import FetchError, PinnedFile
from leaderboard.fetching.space import NoSpace
from leaderboard.files import CACHE_VARIABLE, cache_dir

_NO_SPACE = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}


def disk_error(file: PinnedFile, folder: Path, error: OSError) -> FetchError:
    """Return the error that tells why ``file`` can't be kept in ``folder``."""
    cached = folder.absolute().is_relative_to(cache_dir().absolute())
    move = f"or set {CACHE_VARIABLE} to a folder elsewhere" if cached else "or choose a folder elsewhere"
    if error.errno in _NO_SPACE:
        needed_bytes = error.needed_bytes if isinstance(error, NoSpace) else file.size_bytes
        needed = "more" if needed_bytes is None else f"{needed_bytes:,} bytes"
        free_bytes = shutil.disk_usage(folder).free
        return FetchError(
            f"no space left for {file}: {needed} {'is' if needed_bytes is None else 'are'} needed in {folder}, "
            f"{free_bytes:,} bytes are free. Make room and run again (what has come is kept), {move}."
        )
    if error.errno == errno.EFBIG:
        return FetchError(
            f"{file} can't be kept in {folder}: a limit forbids a file that large. "
            f"Lift the limit (ulimit -f, the file system) and run again (what has come is kept), {move}."
        )
    return FetchError(f"{file} can't be kept in {folder}: {error}. Make the folder writable, {move}.")
