"""Searches are recorded once, and a replay answers from the record."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from leaderboard.retrieval.bm25 import BM25Retriever
from leaderboard.retrieval.passages import Passage
from leaderboard.retrieval.recorded import RetrievalCall, RetrievalLog

PASSAGES = [Passage(f"p{i}", f"p{i}", "", f"common word{i} {'more ' * i}") for i in range(6)]


class Counting:
    """A real retriever that counts its searches."""

    def __init__(self, retriever):
        self.retriever, self.searches = retriever, 0
        self.digest, self.passages = retriever.digest, retriever.passages

    def search(self, query, k):
        self.searches += 1
        return self.retriever.search(query, k)


@pytest.fixture
def retriever(tmp_path, monkeypatch):
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path))
    return Counting(BM25Retriever(PASSAGES))


def test_a_search_is_recorded_with_its_ids_and_scores(retriever):
    log = RetrievalLog(retriever)
    hits = log.search("common", 3)
    (row,) = log.rows()
    assert (row.index_digest, row.query, row.k) == (retriever.digest, "common", 3)
    assert row.ids == tuple(hit.passage.id for hit in hits) == ("p0", "p1", "p2")
    assert row.scores == tuple(hit.score for hit in hits)
    assert row.seconds > 0


def test_each_distinct_search_is_one_row_in_a_fixed_order(retriever):
    log = RetrievalLog(retriever)
    for query, k in [("word3", 2), ("common", 5), ("word3", 2), ("common", 1), ("unknown", 1)]:
        log.search(query, k)
    assert [(row.query, row.k) for row in log.rows()] == [
        ("common", 1),
        ("common", 5),
        ("unknown", 1),
        ("word3", 2),
    ]
    assert log.rows()[2].ids == ()
    assert retriever.searches == 4


def test_a_replay_answers_from_the_record(retriever):
    recorded = RetrievalCall(retriever.digest, "common", 2, ("p5", "p0"), (9.5, 9.25), 0.125)
    log = RetrievalLog(retriever, [recorded])
    assert [(hit.passage.id, hit.score) for hit in log.search("common", 2)] == [("p5", 9.5), ("p0", 9.25)]
    assert retriever.searches == 0
    assert log.rows() == [recorded]


def test_a_replay_of_a_log_gives_the_same_rows(retriever):
    first = RetrievalLog(retriever)
    hits = [first.search(query, 4) for query in ("common", "word2 common", "nothing")]
    second = RetrievalLog(retriever, first.rows())
    assert [second.search(query, 4) for query in ("common", "word2 common", "nothing")] == hits
    assert second.rows() == first.rows()
    assert retriever.searches == 3


def test_what_the_run_did_not_ask_is_not_its_row(retriever):
    log = RetrievalLog(retriever, [RetrievalCall(retriever.digest, "common", 2, (), (), 0.1)])
    log.search("word1", 1)
    assert [row.query for row in log.rows()] == ["word1"]


@pytest.mark.parametrize(
    "change",
    [{"ids": ("p5", "gone")}, {"index_digest": "other"}, {"scores": (1.0,)}, {"k": 3}],
    ids=["unknown id", "other index", "scores missing", "other k"],
)
def test_a_record_that_does_not_fit_is_computed_again(retriever, change):
    recorded = RetrievalCall(retriever.digest, "common", 2, ("p5", "p4"), (9.5, 9.25), 0.125)
    log = RetrievalLog(retriever, [replace(recorded, **change)])
    assert [hit.passage.id for hit in log.search("common", 2)] == ["p0", "p1"]
    assert retriever.searches == 1


def test_the_caller_may_change_its_list(retriever):
    log = RetrievalLog(retriever)
    log.search("common", 3).clear()
    assert len(log.search("common", 3)) == 3


def test_threads_share_one_row_a_search(retriever):
    log = RetrievalLog(retriever)
    queries = ["common", "word1", "word2", "word3"] * 50
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda query: log.search(query, 3), queries))
    assert len(log.rows()) == 4
    assert found == [retriever.retriever.search(query, 3) for query in queries]
