"""The benchmarks by name, and where their files are."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Protocol, cast

from leaderboard.benchmarks.questions import Benchmark, BenchmarkError, Question, Track

DATA_VARIABLE = "LEADERBOARD_DATA_DIR"


class Loader(Protocol):
    """What loads a benchmark: from its folder, with its corpus file where that lies elsewhere."""

    def __call__(self, folder: Path, track: Track, corpus: Path | None = None) -> Benchmark: ...


@dataclass(frozen=True, slots=True)
class BenchmarkSpec:
    """What is known of a benchmark before its files are read.

    ``loader`` is "module:function", imported when first needed. ``expected_files`` and ``home`` are what an
    error tells someone who lacks the files. ``sample_corpus`` is the sample track's corpus file, from the
    sample folder, where it isn't in the benchmark's own folder.
    """

    key: str
    name: str
    summary: str
    citation: str
    arxiv: str
    licence: str
    home: str
    expected_files: tuple[str, ...]
    loader: str
    sample_corpus: str = ""

    def load(self, folder: Path, track: Track, corpus: Path | None = None) -> Benchmark:
        """Import the loader and call it. Raises BenchmarkError."""
        module, _, function = self.loader.partition(":")
        return cast(Loader, getattr(import_module(module), function))(folder, track, corpus)


BENCHMARKS: Mapping[str, BenchmarkSpec] = {
    spec.key: spec
    for spec in (
        BenchmarkSpec(
            key="frames",
            name="FRAMES",
            summary="824 questions that each need two or more Wikipedia articles and one or more kinds of reasoning.",
            citation=(
                "Satyapriya Krishna et al. Fact, Fetch, and Reason: A Unified Evaluation of Retrieval-Augmented"
                " Generation. arXiv:2409.12941, 2024."
            ),
            arxiv="2409.12941",
            licence="Apache-2.0; its Wikipedia pages CC BY-SA",
            home="https://huggingface.co/datasets/google/frames-benchmark",
            expected_files=("test.tsv", "articles.jsonl"),
            loader="leaderboard.benchmarks.frames:load",
            sample_corpus="encyclopedia/articles.jsonl",
        ),
        BenchmarkSpec(
            key="musique",
            name="MuSiQue",
            summary="Questions of two to four hops composed of single-hop questions, so that no hop can be skipped.",
            citation=(
                "Harsh Trivedi et al. MuSiQue: Multihop Questions via Single-hop Question Composition."
                " arXiv:2108.00573, TACL 2022."
            ),
            arxiv="2108.00573",
            licence="CC BY 4.0",
            home="https://github.com/StonyBrookNLP/musique",
            expected_files=("musique_ans_v1.0_dev.jsonl",),
            loader="leaderboard.benchmarks.musique:load",
        ),
        BenchmarkSpec(
            key="multihop_rag",
            name="MultiHop-RAG",
            summary="Questions over news articles that join two to four facts, and questions the news can't answer.",
            citation=(
                "Yixuan Tang and Yi Yang. MultiHop-RAG: Benchmarking Retrieval-Augmented Generation for Multi-Hop"
                " Queries. arXiv:2401.15391, 2024."
            ),
            arxiv="2401.15391",
            licence="ODC-BY 1.0; its news text is its publishers'",
            home="https://huggingface.co/datasets/yixuantt/MultiHopRAG",
            expected_files=("MultiHopRAG.json", "corpus.json"),
            loader="leaderboard.benchmarks.multihop_rag:load",
        ),
    )
}
"""Key → benchmark, in the order of the site."""


def load_benchmark(
    name: str, track: Track, data_dir: Path | None = None, limit: int | None = None, each: str | None = None
) -> Benchmark:
    """Load a benchmark by its key.

    The sample track reads the package's own ``sample/<name>/``. The full track reads ``<data_dir>/<name>/``,
    or ``$LEADERBOARD_DATA_DIR/<name>/`` where ``data_dir`` is left out. ``limit`` keeps the first questions,
    or with ``each``, a breakdown's name, the first of each of its groups;
    the corpus stays whole. Raises BenchmarkError for an unknown name, a missing folder or file, and files that
    cannot be used.
    """
    if name not in BENCHMARKS:
        raise BenchmarkError(f"expected a benchmark of {', '.join(BENCHMARKS)}, found {ascii(name)[:80]}.")
    if limit is not None and limit < 1:
        raise BenchmarkError(f"{name}: expected a limit of at least 1 question, found {limit}.")
    spec = BENCHMARKS[name]
    if track == "sample":
        sample = Path(str(files("leaderboard"))) / "sample"
        folder = sample / name
        advice = "The sample comes with the package: install it again."
        corpus = sample / spec.sample_corpus if spec.sample_corpus else None
    else:
        folder, corpus = _data_dir(spec, data_dir) / name, None
        advice = f"Put the published files there ({spec.home})."
    if not folder.is_dir():
        wanted = " and ".join(spec.expected_files)
        raise BenchmarkError(f"{folder}: expected a folder with {wanted}, found no folder. {advice}")
    benchmark = spec.load(folder, track, corpus)
    if limit is None:
        return benchmark
    return replace(benchmark, questions=_first(benchmark.questions, limit, each))


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


def _data_dir(spec: BenchmarkSpec, data_dir: Path | None) -> Path:
    if data_dir is not None:
        return data_dir
    if chosen := os.environ.get(DATA_VARIABLE):
        return Path(chosen).expanduser()
    wanted = " and ".join(spec.expected_files)
    raise BenchmarkError(
        f"{spec.name}: expected a folder of data with {spec.key}/ ({wanted}), found none named. Fetch the files from"
        f" {spec.home} and name their folder with --data-dir or {DATA_VARIABLE}."
    )
