"""Fetching what the manifest lists: each file once, verified, its digest noted where nobody published one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from leaderboard.data.articles import Pages, make_articles
from leaderboard.data.files import Wanted, wanted
from leaderboard.fetching.keeping import ensure_file
from leaderboard.fetching.lockfile import Lockfile
from leaderboard.fetching.pinned import FetchError

State = Literal["there", "fetched", "made", "failed"]


@dataclass(frozen=True, slots=True)
class Fetched:
    """What became of a file. ``said`` tells why it failed, "" where it did not."""

    name: str
    state: State
    path: Path
    size_bytes: int
    said: str = ""


def fetch(
    benchmarks: Sequence[str],
    data_dir: Path,
    lockfile: Lockfile,
    *,
    optional: bool = False,
    offline: bool = False,
    pages: Pages | None = None,
    progress: bool = True,
    tell: Callable[[Fetched], None] = lambda _: None,
) -> tuple[Fetched, ...]:
    """Bring every file of the benchmarks into ``data_dir``; return what became of each, in order.

    A file that cannot be had does not stop the others. ``pages`` says which of Wikipedia's pages FRAMES' corpus is made
    of; ``tell`` hears of each file as it ends. What lies there and is verified is not fetched again.
    """
    outcomes = []
    for file in wanted(benchmarks, data_dir, optional=optional):
        try:
            outcome = _fetch_one(file, lockfile, pages or Pages(), offline=offline, progress=progress)
        except FetchError as error:
            outcome = Fetched(file.name, "failed", file.path, 0, str(error))
        outcomes.append(outcome)
        tell(outcome)
    return tuple(outcomes)


def _fetch_one(file: Wanted, lockfile: Lockfile, pages: Pages, *, offline: bool, progress: bool) -> Fetched:
    before = file.path.is_file()
    if file.file.made:
        path = make_articles(file, lockfile, pages, offline=offline, progress=progress)
    else:
        path = ensure_file(
            file.pinned, file.folder, progress=progress, offline=offline, lockfile=lockfile, name=file.name
        )
    state: State = "there" if before else "made" if file.file.made else "fetched"
    return Fetched(file.name, state, path, path.stat().st_size)
