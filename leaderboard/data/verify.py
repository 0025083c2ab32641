"""Holding what lies on this machine against its digests, and reading it as a build would."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from leaderboard.benchmarks.questions import Benchmark, BenchmarkError
from leaderboard.benchmarks.registry import load_benchmark
from leaderboard.data.files import Wanted, wanted
from leaderboard.fetching.lockfile import Lockfile
from leaderboard.files import sha256_file
from leaderboard.manifest.entries import entry

State = Literal["right", "wrong", "unknown", "missing"]


@dataclass(frozen=True, slots=True)
class Held:
    """A file held against its digest.

    ``expected`` is the manifest's digest, else the lock file's, "" where neither has one (``unknown``); ``found`` is the
    SHA-256 of what lies there, "" where nothing does. ``needed``: the benchmark is not whole without it.
    """

    name: str
    state: State
    expected: str
    found: str
    size_bytes: int
    needed: bool


@dataclass(frozen=True, slots=True)
class Read:
    """A benchmark as its loader reads it, or why it cannot be read. ``defects`` counts the problems by their text."""

    benchmark: str
    questions: int
    documents: int
    defects: tuple[tuple[str, int], ...]
    error: str = ""


def hold(benchmarks: Sequence[str], data_dir: Path, lockfile: Lockfile) -> Iterator[Held]:
    """Yield each file of the benchmarks, held against its digest, as soon as it is known."""
    for file in wanted(benchmarks, data_dir, optional=True):
        if file.path.is_file() or not file.file.optional:
            yield _held(file, lockfile)


def read(benchmarks: Sequence[str], data_dir: Path) -> Iterator[Read]:
    """Load each benchmark that has files in ``data_dir``, and yield what its loader reports."""
    for key in benchmarks:
        folder = data_dir / key
        if not folder.is_dir() or not any(folder.iterdir()):
            continue
        try:
            yield _read(load_benchmark(key, "full", data_dir))
        except BenchmarkError as error:
            yield Read(key, 0, 0, (), str(error))


def _held(file: Wanted, lockfile: Lockfile) -> Held:
    noted = lockfile.entry(file.name)
    expected = file.file.sha256 or (noted.sha256 if noted else "")
    needed = not file.file.optional
    if not file.path.is_file():
        return Held(file.name, "missing", expected, "", 0, needed)
    found = sha256_file(file.path)
    state: State = "unknown" if not expected else "right" if found == expected else "wrong"
    return Held(file.name, state, expected, found, file.path.stat().st_size, needed)


def _read(benchmark: Benchmark) -> Read:
    kinds = Counter(defect.problem.partition(":")[0] for defect in benchmark.defects)
    return Read(
        entry(benchmark.name).name,
        len(benchmark.questions),
        len(benchmark.documents),
        tuple(sorted(kinds.items(), key=lambda item: (-item[1], item[0]))),
    )
