"""From a submission's table to a retriever."""

import subprocess
import sys

import pytest

from leaderboard.benchmarks.questions import Benchmark, Document
from leaderboard.catalog.encoders import BUILT_IN, DEFAULT_ENCODER
from leaderboard.catalog.retrievers import BM25, Dense, Gold, Hybrid, NoRetriever
from leaderboard.retrieval import opening
from leaderboard.retrieval.opening import index_passages, open_retriever

ENCODER = BUILT_IN[DEFAULT_ENCODER]
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
            BM25(kind="bm25", stemmer="none"),
            BM25(kind="bm25", stop_words="none"),
            BM25(kind="bm25", chunk_tokens=16),
            BM25(kind="bm25", chunk_tokens=16, overlap_tokens=7),
            Dense(kind="dense"),
            Dense(kind="dense", chunk_tokens=16),
            Hybrid(kind="hybrid"),
            Hybrid(kind="hybrid", k1=1.2),
            Hybrid(kind="hybrid", stemmer="porter"),
            Hybrid(kind="hybrid", rrf_k=10),
            Hybrid(kind="hybrid", depth=10),
            Hybrid(kind="hybrid", chunk_tokens=16),
        )
        if (retriever := open_retriever(parameters, benchmark(chunked=True), ENCODER)) is not None
    }
    assert len(digests) == 15


@pytest.mark.parametrize(
    "parameters", [Dense(kind="dense", chunk_tokens=16), Hybrid(kind="hybrid", chunk_tokens=16)]
)
def test_dense_and_hybrid_find_a_chunk_by_its_meaning(parameters):
    retriever = open_retriever(parameters, benchmark(chunked=True), ENCODER)
    assert retriever is not None
    assert retriever.search("sea mammals swim", 1)[0].passage.text.endswith("A blue whale swam.")


def test_a_hybrid_fuses_what_bm25_and_dense_find_alone():
    tables = (BM25(kind="bm25", chunk_tokens=16), Dense(kind="dense", chunk_tokens=16))
    lexical, dense = (open_retriever(table, benchmark(chunked=True), ENCODER) for table in tables)
    hybrid = open_retriever(Hybrid(kind="hybrid", chunk_tokens=16, rrf_k=7), benchmark(chunked=True), ENCODER)
    assert lexical is not None and dense is not None and hybrid is not None
    expected: dict[str, float] = {}
    for retriever in (lexical, dense):
        for rank, hit in enumerate(retriever.search("red whale", 100), 1):
            expected[hit.passage.id] = expected.get(hit.passage.id, 0) + 1 / (7 + rank)
    assert {hit.passage.id: hit.score for hit in hybrid.search("red whale", 100)} == pytest.approx(expected)


def test_a_dense_retriever_without_its_encoder_is_an_error_of_the_caller():
    with pytest.raises(ValueError, match="expected the encoder 'wordllama-l2-256'"):
        open_retriever(Dense(kind="dense"), benchmark(chunked=True))


def test_systems_that_share_a_chunking_share_its_passages():
    first = index_passages(benchmark(chunked=True), "passage", 16, 0)
    assert index_passages(benchmark(chunked=True), "passage", 16, 0) is first
    assert index_passages(benchmark(chunked=True), "passage", 32, 0) is not first
    assert index_passages(benchmark(chunked=True), "passage", 16, 7) != first
    assert index_passages(benchmark(chunked=False), "passage", 16, 0) != first
    whole = index_passages(benchmark(chunked=True), "article", 16, 0)
    assert index_passages(benchmark(chunked=True), "article", 64, 8) is whole
    assert [passage.id for passage in whole] == ["long"]


def test_only_the_last_chunkings_are_kept():
    first = index_passages(benchmark(chunked=True), "passage", 16, 0)
    for tokens in range(17, 25):
        index_passages(benchmark(chunked=True), "passage", tokens, 0)
    assert len(opening._passages) == 8
    again = index_passages(benchmark(chunked=True), "passage", 16, 0)
    assert again is not first and again == first


@pytest.mark.parametrize("parameters", [NoRetriever(kind="none"), Gold(kind="gold")])
def test_none_and_gold_do_not_search(parameters):
    assert open_retriever(parameters, benchmark(chunked=True)) is None


def test_opening_imports_no_index_library_before_it_is_needed():
    program = (
        "import sys, leaderboard.retrieval.opening; print('bm25s' in sys.modules, 'numpy' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout == "False False\n"
