"""Reading and searching the benchmarks at size, against peers in the same run; memory at the published size."""

from __future__ import annotations

import json
import statistics
import time
from pathlib import Path

import bm25s
import pytest

from leaderboard.benchmarks.registry import load_benchmark
from leaderboard.catalog.retrievers import BM25
from leaderboard.metrics.tokens import count_tokens
from leaderboard.retrieval.bm25 import BM25Retriever
from leaderboard.retrieval.opening import open_retriever
from tests.performance.full_size import measured, write, write_musique

SHARE = 0.15
"""Of the published sizes: ratios hold at a fraction as well, and the file stays short."""

pytestmark = pytest.mark.performance


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "published"
    write(folder, SHARE)
    return folder


def seconds(function, times: int = 5) -> float:
    """The median of several runs."""
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        function()
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def test_the_generated_files_have_the_published_shape(data):
    benchmarks = [load_benchmark(name, "full", data) for name in ("frames", "musique", "multihop_rag")]
    assert [len(one.questions) for one in benchmarks] == [123, 359, 382]
    assert [len(one.documents) for one in benchmarks] == [390, 7180, 91]
    assert all(one.defects == () for one in benchmarks)
    tokens = [statistics.mean(count_tokens(d.text) for d in one.documents) for one in benchmarks]
    assert [round(mean, -1) for mean in tokens] == [3040, 80, 2040]


def test_loading_costs_at_most_some_parsings_of_the_same_json(data):
    path = data / "musique" / "musique_ans_v1.0_dev.jsonl"

    def parse():
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    own, peer = seconds(lambda: load_benchmark("musique", "full", data)), seconds(parse)
    print(f"load {own:.2f} s, json {peer:.2f} s, ratio {own / peer:.1f}")
    assert own / peer < 8


def test_indexing_costs_at_most_twice_the_librarys_own(data, tmp_path, monkeypatch):
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path))
    benchmark = load_benchmark("musique", "full", data)
    started = time.perf_counter()
    retriever = open_retriever(BM25(kind="bm25"), benchmark)
    own = time.perf_counter() - started
    assert isinstance(retriever, BM25Retriever)
    texts = [passage.indexed for passage in retriever.passages.values()]

    def library():
        import Stemmer

        words = bm25s.tokenize(
            texts, stopwords="english", stemmer=Stemmer.Stemmer("english"), show_progress=False
        )
        index = bm25s.BM25(k1=0.9, b=0.4)
        index.index(words, show_progress=False)

    peer = seconds(library, 3)
    print(f"index {own:.2f} s, bm25s {peer:.2f} s, ratio {own / peer:.2f}")
    assert own / peer < 2


def test_searching_costs_at_most_three_times_the_librarys_own(data, tmp_path, monkeypatch):
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path))
    benchmark = load_benchmark("musique", "full", data)
    retriever = open_retriever(BM25(kind="bm25"), benchmark)
    assert isinstance(retriever, BM25Retriever)
    questions = [question.text for question in benchmark.questions]
    texts = [passage.indexed for passage in retriever.passages.values()]
    words = bm25s.tokenize(texts, stopwords="english", show_progress=False)
    index = bm25s.BM25(k1=0.9, b=0.4)
    index.index(words, show_progress=False)

    def library():
        for question in questions:
            asked = bm25s.tokenize([question], stopwords="english", show_progress=False, return_ids=False)
            index.retrieve(asked, k=10, show_progress=False, backend_selection="numpy")

    own, peer = seconds(lambda: [retriever.search(q, 10) for q in questions], 3), seconds(library, 3)
    print(f"search {own:.2f} s, bm25s {peer:.2f} s, ratio {own / peer:.2f}")
    assert own / peer < 3


def test_a_benchmark_of_the_published_size_stays_far_below_two_gigabytes(tmp_path):
    (tmp_path / "data" / "musique").mkdir(parents=True)
    write_musique(tmp_path / "data" / "musique")
    values = measured(tmp_path / "data", "musique", "bm25", tmp_path / "cache")
    print(values)
    assert values["documents"] == 48340 and values["questions"] == 2417
    assert float(values["peak_mb"]) < 1000
