"""The retrieval scorecard from records: what the pure functions give on the same lists (seed 3; spec §§ 2.2, 2.3)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.benchmarks.questions import Document
from leaderboard.metrics.ranking import (
    all_gold_at,
    ap_cumulative_at,
    fact_recall_at,
    hits_at,
    map_at,
    mrr_at,
)
from leaderboard.retrieval.evidence import covered
from leaderboard.scoring.declared import BY_KEY
from leaderboard.scoring.ranking import RANKING
from tests.scoring.cases import article, case, fact, null_question, question, returned

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "retrieval.json").read_text("utf-8"))
CASES = {one["id"]: one for one in VECTORS["cases"]}
ANSWERABLE = [one for one in VECTORS["cases"] if one["question_type"] != "null_query"]
NAMES = {
    "hits@4": "hits_4",
    "hits@10": "hits_10",
    "fact_recall@10": "fact_recall_10",
    "all_gold@10": "all_gold_10",
    "mrr@10": "mrr_10",
    "map@10": "map_10",
    "ap_cumulative@10": "ap_cumulative_10",
}
MODES = {"verbatim": "fact_recall_10_verbatim", "loose": "fact_recall_10_loose"}


def value(key, one):
    metric = BY_KEY[key]
    return metric.compute(one) if metric.applies(one.question) else None


def scores(one):
    return {metric.key: value(metric.key, one) for metric in RANKING}


def of_documents(vector):
    """The case of a vector: each chunk an article of its own."""
    documents = [Document(f"c{place}", "", text) for place, text in enumerate(vector["chunks"])]
    of = question(evidence=[fact(text) for text in vector["facts"]])
    hits = returned(*(covered(of, d.id, d.text) for d in documents), passages=[d.id for d in documents])
    return case(of, documents={document.id: document for document in documents}, returned=hits)


def of_slices(vector):
    """The same case with all chunks as slices of one article, whose id says where each begins and ends."""
    text, names = "", []
    for chunk in vector["chunks"]:
        names.append(f"article#{len(text)}-{len(text) + len(chunk)}")
        text += f"{chunk}\n\n"
    of = question(evidence=[fact(text) for text in vector["facts"]])
    hits = returned(*(covered(of, "article", chunk) for chunk in vector["chunks"]), passages=names)
    return case(of, documents={"article": Document("article", "", text)}, returned=hits)


@pytest.mark.parametrize("made", [of_documents, of_slices])
@pytest.mark.parametrize("vector", ANSWERABLE, ids=lambda vector: vector["id"])
def test_vector(vector, made):
    expected = {name: vector["expected"]["official"][of] for of, name in NAMES.items()}
    expected |= {name: vector["expected"][mode]["fact_recall@10"] for mode, name in MODES.items()}
    assert scores(made(vector)) == {key: pytest.approx(want, abs=5e-7) for key, want in expected.items()}


def test_the_vectors_cover_every_metric_of_the_scorecard():
    assert len(ANSWERABLE) == 21
    assert {*NAMES.values(), *MODES.values()} == {metric.key for metric in RANKING}


def test_a_null_question_has_no_score():
    assert CASES["r13"]["facts"] == []
    assert set(scores(of_documents(CASES["r13"])).values()) == {None}
    one = case(null_question(), returned=returned([], []))
    assert set(scores(one).values()) == {None}


@pytest.mark.parametrize("again", ["Ada built the mill.", "Ada  built\nthe mill."])
def test_a_gold_fact_that_is_listed_twice_counts_once(again):
    of = question(evidence=[fact("Ada built the mill."), fact(again), fact("The lock is older.")])
    text = "Ada built the mill."
    one = case(of, documents={"d": Document("d", "", text)}, returned=returned([0, 1], passages=["d"]))
    found = scores(one)
    assert (found["fact_recall_10"], found["all_gold_10"], found["map_10"]) == (0.5, 0, 0.5)
    assert found["fact_recall_10_verbatim"] == found["fact_recall_10_loose"] == 0.5
    both = case(of, returned=returned([0, 1], [2]))
    assert (value("all_gold_10", both), value("map_10", both)) == (1, 0.75)


def test_passages_are_read_by_rank_whatever_their_order_in_the_record():
    of = question(evidence=[article("A"), article("B")])
    hits = returned([], [0], [1])
    assert value("mrr_10", case(of, returned=hits[::-1])) == value("mrr_10", case(of, returned=hits)) == 0.5
    assert value("map_10", case(of, returned=hits[::-1])) == pytest.approx((1 / 2 + 1 / 3) / 2)


def test_the_eleventh_passage_counts_nowhere():
    of = question(evidence=[article("A")])
    assert set(scores(case(of, returned=returned(*([[]] * 10), [0]))).values()) <= {0, None}


def test_matching_in_other_ways_is_for_facts_alone():
    one = case(question(evidence=[article("A")]), returned=returned([0]))
    assert [value(key, one) for key in MODES.values()] == [None, None]
    assert not any(BY_KEY[key].on(name) for key in MODES.values() for name in ("frames", "musique"))


@given(st.integers(1, 5).flatmap(lambda gold: st.tuples(st.just(gold), st.lists(st.frozensets(st.integers(0, gold - 1)), max_size=12))))  # fmt: skip
def test_every_list_is_scored_as_the_pure_functions_score_it(listed):
    gold, found = listed
    one = case(
        question(evidence=[article(str(number)) for number in range(gold)]),
        returned=returned(*(sorted(items) for items in found)),
    )
    assert {key: score for key, score in scores(one).items() if key not in MODES.values()} == {
        "all_gold_10": all_gold_at(found, gold, 10),
        "hits_4": hits_at(found, 4),
        "hits_10": hits_at(found, 10),
        "fact_recall_10": fact_recall_at(found, gold, 10),
        "mrr_10": mrr_at(found, 10),
        "map_10": map_at(found, gold, 10),
        "ap_cumulative_10": ap_cumulative_at(found, gold, 10),
    }
