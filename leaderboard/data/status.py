"""What is there of the published files, told without reading or fetching them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from leaderboard.data.files import wanted
from leaderboard.fetching.keeping import State, file_status
from leaderboard.fetching.lockfile import Lockfile


@dataclass(frozen=True, slots=True)
class Status:
    """A file's state on this machine; sizes in bytes, ``expected_bytes`` None where nobody published one."""

    name: str
    state: State
    present_bytes: int
    expected_bytes: int | None
    digest: str
    """The digest it has to have: the manifest's, else the lock file's, "" where neither has one yet."""

    optional: bool


def status(benchmarks: Sequence[str], data_dir: Path, lockfile: Lockfile) -> tuple[Status, ...]:
    """Return the state of every file of the benchmarks, those on request included."""
    found = []
    for file in wanted(benchmarks, data_dir, optional=True):
        noted = lockfile.entry(file.name)
        about = file_status(file.pinned, file.folder, lockfile=lockfile, name=file.name)
        found.append(
            Status(
                file.name,
                about.state,
                about.present_bytes,
                file.file.bytes or (noted.size_bytes if noted else None),
                file.file.sha256 or (noted.sha256 if noted else ""),
                file.file.optional,
            )
        )
    return tuple(found)
