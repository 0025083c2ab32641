"""The benchmarks by name, and where their files are."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Protocol, cast

from leaderboard.benchmarks.questions import Benchmark, BenchmarkError, Question, Track
from leaderboard.manifest import KEYS
from leaderboard.manifest.entries import Entry, entry

DATA_VARIABLE = "LEADERBOARD_DATA_DIR"


class Loader(Protocol):
    """What loads a benchmark: from its folder, with its corpus file where that lies elsewhere."""

    def __call__(self, folder: Path, track: Track, corpus: Path | None = None) -> Benchmark: ...


def load_benchmark(
    name: str, track: Track, data_dir: Path | None = None, limit: int | None = None, each: str | None = None
) -> Benchmark:
    """Load a benchmark by its key.

    The sample track reads the package's own ``sample/<name>/``. The full track reads ``<data_dir>/<name>/``,
    in the folder of ``chosen_data_dir``. ``limit`` keeps the first questions,
    or with ``each``, a breakdown's name, the first of each of its groups;
    the corpus stays whole. Raises BenchmarkError for an unknown name, a missing folder or file, and files that
    cannot be used.
    """
    about = _known(name)
    if limit is not None and limit < 1:
        raise BenchmarkError(f"{name}: expected a limit of at least 1 question, found {limit}.")
    benchmark = _loader(about.loader)(*_place(name, track, data_dir))
    if limit is None:
        return benchmark
    return replace(benchmark, questions=_first(benchmark.questions, limit, each))


def load_train(name: str, track: Track, data_dir: Path | None = None) -> Benchmark:
    """Load the train split of a benchmark by its key: what programs are compiled on, never scored.

    It lies where ``load_benchmark`` looks, and its corpus is its own. Raises BenchmarkError as that does, and for a
    benchmark that has no train split here.
    """
    about = _known(name)
    if not about.train_loader:
        trained = ", ".join(key for key in KEYS if entry(key).train_loader)
        raise BenchmarkError(
            f"{name}: expected a benchmark with a train split ({trained}); there is none of {about.name} here, and what is scored "
            "is never compiled on."
        )
    return _loader(about.train_loader)(*_place(name, track, data_dir))


def _known(name: str) -> Entry:
    if name not in KEYS:
        raise BenchmarkError(f"expected a benchmark of {', '.join(KEYS)}, found {ascii(name)[:80]}.")
    return entry(name)


def _place(name: str, track: Track, data_dir: Path | None) -> tuple[Path, Track, Path | None]:
    """Return the folder of a benchmark's files, the track, and its corpus file where that lies elsewhere."""
    about = entry(name)
    if track == "sample":
        sample = Path(str(files("leaderboard"))) / "sample"
        folder = sample / name
        advice = "The sample comes with the package: install it again."
        corpus = sample / about.sample_corpus if about.sample_corpus else None
    else:
        folder, corpus = chosen_data_dir(data_dir) / name, None
        advice = f"Fetch them with: leaderboard data fetch {name} (or put the files of {about.home} there)."
    if not folder.is_dir():
        wanted = " and ".join(about.needed_files)
        raise BenchmarkError(f"{folder}: expected a folder with {wanted}, found no folder. {advice}")
    return folder, track, corpus


def _first(questions: tuple[Question, ...], limit: int, each: str | None) -> tuple[Question, ...]:
    """Return the first ``limit`` questions, or those that are among the first ``limit`` of one of their groups."""
    if each is None:
        return questions[:limit]
    seen: Counter[str] = Counter()
    kept = []
    for question in questions:
        labels = question.groups.get(each, ())
        if any(seen[label] < limit for label in labels):
            kept.append(question)
        seen.update(labels)
    return tuple(kept)


def _loader(place: str) -> Loader:
    module, _, function = place.partition(":")
    return cast(Loader, getattr(import_module(module), function))


def chosen_data_dir(data_dir: Path | None = None) -> Path:
    """Return the folder of published files: ``data_dir``, else ``$LEADERBOARD_DATA_DIR``, else the user's data folder."""
    if data_dir is not None:
        return data_dir.expanduser()
    if chosen := os.environ.get(DATA_VARIABLE):
        return Path(chosen).expanduser()
    import platformdirs

    return Path(platformdirs.user_data_dir("multihop-rag-leaderboard"))
