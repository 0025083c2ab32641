"""From a submission's table to a retriever."""

import subprocess
import sys

import pytest

from leaderboard.benchmarks.questions import Benchmark, Document
from leaderboard.catalog.retrievers import BM25, Gold, NoRetriever
from leaderboard.retrieval.opening import open_retriever

LONG = Document("long", "Long", "The red fox ran. " * 20 + "A blue whale swam.")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path))


def benchmark(*, chunked: bool) -> Benchmark:
    return Benchmark("frames", "FRAMES-like (sample)", "sample", (), (LONG,), (), chunked)


def test_bm25_finds_a_chunk_of_an_article():
    retriever = open_retriever(BM25(kind="bm25", chunk_tokens=16), benchmark(chunked=True))
    assert retriever is not None
    (hit,) = retriever.search("blue whales", 5)
    assert hit.passage.document == "long"
    assert hit.passage.text.endswith("A blue whale swam.")
    assert hit.passage.id.startswith("long#")


@pytest.mark.parametrize(("unit", "chunked"), [("article", True), ("passage", False)])
def test_articles_and_paragraphs_stay_whole(unit, chunked):
    retriever = open_retriever(BM25(kind="bm25", unit=unit, chunk_tokens=16), benchmark(chunked=chunked))
    assert retriever is not None
    assert list(retriever.passages) == ["long"]


def test_parameters_reach_the_index():
    digests = {
        retriever.digest
        for parameters in (
            BM25(kind="bm25"),
            BM25(kind="bm25", k1=1.2),
            BM25(kind="bm25", b=0.75),
            BM25(kind="bm25", chunk_tokens=16),
        )
        if (retriever := open_retriever(parameters, benchmark(chunked=True))) is not None
    }
    assert len(digests) == 4


@pytest.mark.parametrize("parameters", [NoRetriever(kind="none"), Gold(kind="gold")])
def test_none_and_gold_do_not_search(parameters):
    assert open_retriever(parameters, benchmark(chunked=True)) is None


def test_opening_imports_no_index_library_before_it_is_needed():
    program = (
        "import sys, leaderboard.retrieval.opening; print('bm25s' in sys.modules, 'numpy' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout == "False False\n"
