"""BM25: right scores, one order, hostile queries."""

import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.retrieval.bm25 import BM25Retriever
from leaderboard.retrieval.passages import Passage, RetrievalError

CATS = Passage(
    "cats", "cats", "Cats", "Cats chase mice, and a cat sleeps"
)  # cat chase mice cat sleep + title: cat
DOGS = Passage("dogs", "dogs", "Dogs", "Dogs chase cats")  # dog dog chase cat
FISH = Passage("fish", "fish", "Fish", "Fish swim")  # fish fish swim


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def ranked(retriever, query, k=10):
    return [hit.passage.id for hit in retriever.search(query, k)]


def lucene(frequency, holders, length, *, k1, b, passages=3, average=13 / 3):
    idf = math.log(1 + (passages - holders + 0.5) / (holders + 0.5))
    return idf * frequency / (frequency + k1 * (1 - b + b * length / average))


@pytest.mark.parametrize(("k1", "b"), [(0.9, 0.4), (1.5, 0.75), (0.9, 0.0)])
def test_scores_are_those_of_the_formula(k1, b):
    hits = BM25Retriever([FISH, DOGS, CATS], k1=k1, b=b).search("the cats chasing", 10)
    expected = {
        "cats": lucene(3, 2, 6, k1=k1, b=b) + lucene(1, 2, 6, k1=k1, b=b),
        "dogs": lucene(1, 2, 4, k1=k1, b=b) + lucene(1, 2, 4, k1=k1, b=b),
    }
    assert {hit.passage.id: hit.score for hit in hits} == pytest.approx(expected, rel=1e-6)
    assert hits[0].passage == CATS


def test_the_defaults_are_k1_0_9_and_b_0_4():
    assert BM25Retriever([CATS, DOGS]).digest == BM25Retriever([CATS, DOGS], k1=0.9, b=0.4).digest


def test_a_word_counts_as_often_as_the_query_says_it():
    retriever = BM25Retriever([CATS, DOGS, FISH])
    once, twice = retriever.search("swim", 1)[0].score, retriever.search("swim swims", 1)[0].score
    assert twice == pytest.approx(2 * once)


def test_stems_stop_words_title_and_compatibility_forms():
    retriever = BM25Retriever([CATS, DOGS, FISH, Passage("x", "x", "Eiffel Tower", "Built in 1889")])
    assert ranked(retriever, "SWIMMING") == ["fish"]
    assert ranked(retriever, "eiffel") == ["x"]
    assert ranked(retriever, "ﬁsh") == ["fish"]
    assert ranked(retriever, "the and of") == []


@pytest.mark.parametrize(
    ("stemmer", "query", "expected"),
    [
        ("english", "generously", ["generously"]),
        ("porter", "generously", ["general", "generously"]),  # the older algorithm makes "gener" of both
        ("none", "generously", ["generously"]),
        ("english", "generals", ["general"]),
        ("none", "generals", []),
    ],
)
def test_the_stemmer_decides_which_words_are_one(stemmer, query, expected):
    texts = [Passage(word, word, "", word) for word in ("general", "generously")]
    assert sorted(ranked(BM25Retriever(texts, stemmer=stemmer), query)) == expected


def test_stop_words_count_where_none_are_left_out():
    band = Passage("w", "w", "The Who", "The Who were a band")
    assert ranked(BM25Retriever([CATS, band]), "the") == []
    assert ranked(BM25Retriever([CATS, band], stop_words="none"), "the") == ["w"]


def test_the_digest_follows_stemmer_and_stop_words():
    digests = {
        BM25Retriever([CATS, DOGS], stemmer=stemmer, stop_words=stop_words).digest
        for stemmer in ("english", "porter", "none")
        for stop_words in ("english", "none")
    }
    assert len(digests) == 6
    assert BM25Retriever([CATS, DOGS]).digest in digests


def test_an_index_without_stemmer_and_stop_words_is_loaded_as_it_was_built():
    built = BM25Retriever([CATS, DOGS, FISH], stemmer="none", stop_words="none")
    loaded = BM25Retriever([CATS, DOGS, FISH], stemmer="none", stop_words="none")
    assert loaded.search("and cats", 5) == built.search("and cats", 5) != []


def test_the_digest_of_the_defaults_stays_that_of_the_recorded_runs():
    versions = version("bm25s"), version("PyStemmer")
    if versions != ("0.3.16", "3.1.0"):
        pytest.skip(f"the digest below is that of other versions than {versions}")
    assert (
        BM25Retriever([CATS, DOGS, FISH]).digest
        == "c6e368ba232997d8a0d98708f7f011fa5637be39dd46a0a32d8af15d91501a2f"
    )


def test_ties_come_in_the_order_of_ids_whatever_the_order_of_passages():
    texts = [Passage(f"p{i:03}", f"p{i:03}", "Same", "equal words here") for i in range(200)]
    forward, backward = BM25Retriever(texts), BM25Retriever(texts[::-1])
    assert ranked(forward, "equal", 7) == [f"p{i:03}" for i in range(7)]
    assert forward.search("equal words", 50) == backward.search("equal words", 50)
    assert forward.digest == backward.digest


def test_ties_at_the_cut_keep_the_lowest_ids():
    ties = [Passage(f"t{i}", f"t{i}", "", "rare filler filler") for i in range(5)]
    best = Passage("z", "z", "", "rare rare rare")
    assert ranked(BM25Retriever([*ties, best]), "rare", 3) == ["z", "t0", "t1"]


def test_passages_without_a_query_word_are_no_hits_and_k_may_exceed_the_corpus():
    assert ranked(BM25Retriever([CATS, DOGS, FISH]), "chase", 1000) == ["dogs", "cats"]


def test_results_are_the_same_in_another_process(cache):
    program = (
        "from leaderboard.retrieval.bm25 import BM25Retriever\n"
        "from leaderboard.retrieval.passages import Passage\n"
        "ps = [Passage(f'p{i}', f'p{i}', 'T', f'red blue{i % 7} green{i % 3} word') for i in range(60)]\n"
        "r = BM25Retriever(ps)\n"
        "print(r.digest, [(h.passage.id, h.score) for h in r.search('green1 red blue4', 20)])\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=env
        ).stdout
        for env in (
            os.environ | {"PYTHONHASHSEED": seed, "LEADERBOARD_CACHE_DIR": str(cache / seed)} for seed in "12"
        )
    }
    assert len(outputs) == 1


@pytest.mark.parametrize(
    "query",
    [
        "",
        " ",
        "\n\x00",
        "unknownword",
        "🙂🙂",
        "東京タワー",
        "\ud800",
        "the",
        "x" * 50_000,
        "?!" * 25_000,
        "a b c",
    ],
    ids=lambda query: ascii(query[:8]),
)
def test_queries_without_a_known_word_find_nothing(query):
    assert BM25Retriever([CATS, DOGS, FISH]).search(query, 5) == []


def test_a_query_of_fifty_thousand_characters_is_ranked():
    assert ranked(BM25Retriever([CATS, DOGS, FISH]), "dogs fish " * 5_000, 2) == ["fish", "dogs"]


def test_other_scripts_and_emoji_are_indexed():
    retriever = BM25Retriever(
        [CATS, Passage("t", "t", "東京", "東京 は 首都 🙂"), Passage("r", "r", "", "Москва")]
    )
    assert ranked(retriever, "東京") == ["t"]
    assert ranked(retriever, "москва 🙂") == ["r"]


@pytest.mark.parametrize("k", [0, -3])
def test_no_hits_for_a_k_below_one(k):
    assert BM25Retriever([CATS]).search("cat", k) == []


@pytest.mark.parametrize("passages", [[], [Passage("e", "e", "", "")], [Passage("s", "s", "The", "🙂 a ?")]])
def test_a_corpus_without_words_finds_nothing(passages):
    retriever = BM25Retriever(passages)
    assert retriever.search("cat", 5) == []
    assert list(retriever.passages.values()) == passages


def test_an_empty_passage_beside_others_is_never_found():
    assert ranked(BM25Retriever([Passage("e", "e", "", ""), CATS]), "cat e") == ["cats"]


def test_two_passages_with_one_id_are_refused():
    with pytest.raises(RetrievalError, match="'cats' stands twice"):
        BM25Retriever([CATS, DOGS, CATS])


def test_searches_from_threads_agree():
    retriever = BM25Retriever([CATS, DOGS, FISH])
    queries = ["cats chasing", "swimming fish", "dogs"] * 40
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda query: retriever.search(query, 3), queries))
    assert found == [retriever.search(query, 3) for query in queries]


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200), st.integers(-1, 6))
def test_any_query_gives_ordered_positive_hits(query, k):
    hits = BM25Retriever([CATS, DOGS, FISH]).search(query + " cat fish", k)
    assert len(hits) <= max(k, 0)
    assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.passage.id))
    assert all(hit.score > 0 for hit in hits)
