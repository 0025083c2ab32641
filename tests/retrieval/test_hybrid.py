"""Reciprocal-rank fusion of two rankings."""

import pytest

from leaderboard.retrieval.hybrid import HybridRetriever
from leaderboard.retrieval.passages import Hit, Passage, RetrievalError

PASSAGES = {name: Passage(name, name, "", name) for name in "abcde"}


class Ranking:
    """A retriever with one ranking for every query."""

    def __init__(self, order, digest="0" * 64, passages=PASSAGES):
        self.order = order
        self.digest = digest
        self.passages = passages
        self.asked = []

    def search(self, query, k):
        self.asked.append((query, k))
        return [Hit(self.passages[name], 1 / rank) for rank, name in enumerate(self.order[:k], 1)]


def fused(lexical, dense, k=10, **parameters):
    retriever = HybridRetriever(Ranking(lexical), Ranking(dense), **parameters)
    return [(hit.passage.id, hit.score) for hit in retriever.search("q", k)]


def test_each_ranking_gives_one_over_its_rank_plus_the_constant():
    assert fused("ab", "bc", rrf_k=60) == [
        ("b", pytest.approx(1 / 62 + 1 / 61)),
        ("a", pytest.approx(1 / 61)),
        ("c", pytest.approx(1 / 62)),
    ]


def test_a_small_constant_prefers_one_first_place_and_a_large_one_two_middling_places():
    assert fused("abcde", "ecb", k=3, rrf_k=1) == [
        ("e", pytest.approx(1 / 6 + 1 / 2)),
        ("b", pytest.approx(1 / 3 + 1 / 4)),
        ("c", pytest.approx(1 / 4 + 1 / 3)),
    ]
    assert [name for name, _ in fused("abcde", "ecb", k=3, rrf_k=1000)] == ["b", "c", "e"]


def test_equal_scores_come_by_id():
    assert [name for name, _ in fused("ab", "ba")] == ["a", "b"]
    assert [name for name, _ in fused("d", "c")] == ["c", "d"]


def test_rankings_are_read_to_the_depth_whatever_k_is():
    lexical, dense = Ranking("abcde"), Ranking("edcba")
    retriever = HybridRetriever(lexical, dense, depth=2)
    assert [hit.passage.id for hit in retriever.search("q", 10)] == ["a", "e", "b", "d"]
    assert [hit.passage.id for hit in retriever.search("q", 1)] == ["a"]
    assert lexical.asked == dense.asked == [("q", 2), ("q", 2)]


def test_where_one_ranking_is_empty_the_other_decides():
    assert [name for name, _ in fused("", "cab")] == ["c", "a", "b"]
    assert [name for name, _ in fused("cab", "")] == ["c", "a", "b"]
    assert fused("", "") == []


@pytest.mark.parametrize("k", [0, -1])
def test_no_hits_for_a_k_below_one(k):
    assert fused("ab", "ba", k=k) == []


def test_the_digest_follows_both_halves_and_the_parameters():
    one, other = Ranking("a", "1" * 64), Ranking("a", "2" * 64)
    digests = {
        HybridRetriever(one, other).digest,
        HybridRetriever(other, one).digest,
        HybridRetriever(one, one).digest,
        HybridRetriever(one, other, rrf_k=61).digest,
        HybridRetriever(one, other, depth=99).digest,
    }
    assert len(digests) == 5
    assert HybridRetriever(one, other, rrf_k=60, depth=100).digest in digests


def test_halves_over_different_passages_are_refused():
    with pytest.raises(RetrievalError, match="must search the same passages"):
        HybridRetriever(Ranking("a"), Ranking("a", passages={"a": PASSAGES["a"]}))
