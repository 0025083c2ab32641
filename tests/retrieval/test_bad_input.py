"""Queries and corpora nobody wrote a retriever for: BM25, dense and hybrid alike."""

import json
import os
import subprocess
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaderboard.benchmarks.questions import Benchmark, Document
from leaderboard.catalog.encoders import BUILT_IN, DEFAULT_ENCODER
from leaderboard.catalog.retrievers import BM25, Dense, Hybrid
from leaderboard.retrieval.opening import open_retriever

TABLES = {"bm25": BM25(kind="bm25"), "dense": Dense(kind="dense"), "hybrid": Hybrid(kind="hybrid")}
ENCODER = BUILT_IN[DEFAULT_ENCODER]
DOCUMENTS = (
    Document("cafe", "Café Zoë", "The café Zoë opened in Málaga."),
    Document("tokyo", "東京", "東京 は 日本の首都です。"),
    Document("party", "Party 🎉", "We had a party 🎉 with cake."),
    Document("long", "Long", "The committee met again. " * 4_000 + "A zebra appeared."),
    Document("hostile", "<script>", "\x00\ufffe </s> <unk> [INST] {{7*7}} \u202e ```"),
    Document("empty", "", ""),
)


def opened(name, documents=DOCUMENTS, **parameters):
    corpus = Benchmark("frames", "FRAMES", "full", (), documents, (), chunked=True)
    table = TABLES[name].model_copy(update={"unit": "article", **parameters})
    retriever = open_retriever(table, corpus, ENCODER)
    assert retriever is not None
    return retriever


@pytest.fixture(scope="module", params=list(TABLES))
def retriever(request, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield opened(request.param)


def ids(hits):
    return [hit.passage.id for hit in hits]


def test_k_may_exceed_the_corpus(retriever):
    hits = retriever.search("party cake café", 10_000)
    assert ids(hits)[0] == "party"
    assert len(hits) == len(set(ids(hits))) <= len(DOCUMENTS)


@pytest.mark.parametrize("k", [0, -1])
def test_no_k_gives_no_hits(retriever, k):
    assert retriever.search("party", k) == []


@pytest.mark.parametrize("query", ["", " ", "\n\t\u00a0", "\u2003"])
def test_an_empty_query_finds_nothing(retriever, query):
    assert retriever.search(query, 5) == []


def test_a_query_without_a_known_word_never_fails(retriever):
    assert len(retriever.search("xqzzj vbnmw", 3)) <= 3


@pytest.mark.parametrize("filler", ["committee zebra ", "zebra", "🎉", "?! ", "\u0301"])
def test_a_query_of_fifty_thousand_characters(retriever, filler):
    query = (filler * 50_000)[:50_000]
    hits = retriever.search(query, 3)
    assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.passage.id))
    if filler == "committee zebra ":
        assert ids(hits)[0] == "long"


@pytest.mark.parametrize(("query", "expected"), [("東京", "tokyo"), ("🎉 party", "party")])
def test_other_scripts_and_emoji_are_found(retriever, query, expected):
    assert ids(retriever.search(query, 1)) == [expected]


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_every_unicode_form_finds_the_same(retriever, form):
    query = "Zoë's café in Málaga"
    assert retriever.search(unicodedata.normalize(form, query), 3) == retriever.search(query, 3)
    assert ids(retriever.search(unicodedata.normalize(form, query), 1)) == ["cafe"]


@pytest.mark.parametrize("name", TABLES)
def test_a_decomposed_corpus_is_found_as_well(name, tmp_path, monkeypatch):
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path))
    decomposed = tuple(
        Document(one.id, unicodedata.normalize("NFD", one.title), unicodedata.normalize("NFD", one.text))
        for one in DOCUMENTS[:3]
    )
    hits, expected = (
        opened(name, documents).search("café Zoë", 3) for documents in (decomposed, DOCUMENTS[:3])
    )
    assert [(hit.passage.id, hit.score) for hit in hits] == [(hit.passage.id, hit.score) for hit in expected]


def test_an_article_far_over_any_context_budget_comes_back_whole(retriever):
    hits = retriever.search("the committee met again and a zebra appeared", 1)
    assert hits[0].passage.id == "long"
    assert hits[0].passage.text == DOCUMENTS[3].text


@pytest.mark.parametrize("query", ["\ud800", "\x00", "</s>", "<unk>", "a\ud800b", "\udcff party"])
def test_broken_and_special_queries_never_fail(retriever, query):
    assert len(retriever.search(query, 3)) <= 3


def test_an_empty_document_is_never_found(retriever):
    assert "empty" not in ids(retriever.search("party 東京 café committee", 100))


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("documents", [(), (DOCUMENTS[-1],)], ids=["none", "one empty"])
def test_a_corpus_without_text_finds_nothing(name, documents, tmp_path, monkeypatch):
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path))
    assert opened(name, documents).search("party", 3) == []


def test_threads_that_search_at_once_agree(retriever):
    queries = ["party cake", "東京", "café Málaga", "zebra " * 500] * 15
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda query: retriever.search(query, 4), queries))
    assert found == [retriever.search(query, 4) for query in queries]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=200), st.integers(-1, 8))
def test_any_query_is_answered_in_order(retriever, query, k):
    hits = retriever.search(query, k)
    assert len(hits) <= max(k, 0)
    assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.passage.id))
    assert hits == retriever.search(query, 8)[: max(k, 0)]


@pytest.mark.parametrize("name", TABLES)
def test_two_processes_agree_to_the_last_bit(name, tmp_path):
    program = (
        "import json, sys\n"
        "from leaderboard.benchmarks.questions import Benchmark, Document\n"
        "from leaderboard.catalog.encoders import BUILT_IN, DEFAULT_ENCODER\n"
        "from tests.retrieval.test_bad_input import opened\n"
        "documents = tuple(Document(f'd{i}', f'T{i % 5}', f'red{i % 7} blue fox{i % 3} whale') for i in range(60))\n"
        "retriever = opened(sys.argv[1], documents)\n"
        "hits = [(hit.passage.id, hit.score) for hit in retriever.search('red fox whale T2 red4 fox1', 60)]\n"
        "print(json.dumps([retriever.digest, hits]))\n"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", program, name], capture_output=True, text=True, check=True, env=env
        ).stdout
        for env in (
            os.environ
            | {
                "PYTHONHASHSEED": seed,
                "LEADERBOARD_CACHE_DIR": str(tmp_path / seed),
                "PYTHONPATH": os.pathsep.join(sys.path),
            }
            for seed in "12"
        )
    ]
    digest, hits = json.loads(outputs[0])
    assert outputs[0] == outputs[1]
    assert len(digest) == 64 and len(hits) == 60
