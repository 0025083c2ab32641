"""The metrics of evidence and of rounds, each on records written by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.plan import plan
from leaderboard.scoring.declared import BY_KEY, metrics_of, rounds_of
from leaderboard.scoring.evidence import after_round
from leaderboard.scoring.score import score_cell
from tests import tiny
from tests.scoring.cases import article, case, fact, null_question, question, returned, shown, written

FOUR = question(evidence=[fact(f"Fact {number}.") for number in range(4)])


def value(metric, one):
    metric = BY_KEY[metric] if isinstance(metric, str) else metric
    return metric.compute(one) if metric.applies(one.question) else None


@pytest.mark.parametrize(
    ("brought", "seen", "expected"),
    [
        #                                              recall, all returned, shown, complete
        (returned([0], [1, 0], []), shown([0]), (0.5, 0, 0.25, 0)),
        (returned([0, 1, 2, 3]), shown([2], [2, 3]), (1, 1, 0.5, 0)),
        (returned([0], [1], [2], [3]), shown([0, 1], [2, 3]), (1, 1, 1, 1)),
        ((), (), (0, 0, 0, 0)),
    ],
)
def test_what_came_back_and_what_stood_before_the_model(brought, seen, expected):
    one = case(FOUR, returned=brought, shown=seen)
    keys = ("evidence_recall", "evidence_returned", "evidence_shown", "evidence_complete")
    assert tuple(value(key, one) for key in keys) == expected


def test_what_a_later_round_than_the_tenth_brought_counts_too():
    one = case(FOUR, returned=[replace(brought, round=14) for brought in returned([0], [1])])
    assert (value("evidence_recall", one), value(after_round(10)[0], one)) == (0.5, 0)


def test_evidence_says_nothing_of_null_questions():
    one = case(null_question(), returned=returned([]), shown=shown([]))
    for key in ("evidence_recall", "evidence_returned", "evidence_shown", "evidence_complete"):
        assert value(key, one) is None
    assert value(after_round(1)[0], one) is None
    assert value(after_round(1)[1], one) == 1  # a passage came all the same


def test_retrieved_tokens_are_those_of_the_record():
    assert value("retrieved_tokens", case(FOUR, retrieved_tokens=512)) == 512


def test_on_frames_evidence_has_the_fields_names():
    assert BY_KEY["evidence_shown"].label_on("frames") == "Article recall"
    assert BY_KEY["evidence_complete"].label_on("frames") == "All articles"
    assert BY_KEY["evidence_shown"].label_on("musique") == "Evidence shown"


# Rounds

THREE_ROUNDS = (
    *returned([0], [], passages=("a#0-10", "b")),
    *returned([0], [1], round=2, passages=("a#10-20", "c")),
    *returned([], [2, 3], round=3, passages=("c", "d#0-5")),
)


def test_recall_after_a_round_counts_all_rounds_so_far_and_documents_are_new_once():
    one = case(FOUR, returned=THREE_ROUNDS)
    recall, new = zip(*(after_round(number) for number in (1, 2, 3)), strict=True)
    assert [value(metric, one) for metric in recall] == [0.25, 0.5, 1]
    # Documents a, b; then c, since another passage of a is not a new document; then d.
    assert [value(metric, one) for metric in new] == [2, 1, 1]
    assert value("evidence_recall", one) == 1


rounds = st.lists(
    st.lists(st.tuples(st.sampled_from("abcdefg"), st.sets(st.integers(0, 3))), max_size=5), max_size=5
)


@given(rounds)
def test_recall_never_falls_and_new_documents_add_up(brought):
    one = case(
        FOUR,
        returned=tuple(
            hit
            for number, hits in enumerate(brought, start=1)
            for hit in returned(*(sorted(items) for _, items in hits), round=number, passages=[d for d, _ in hits])
        ),
    )  # fmt: skip
    found = [[value(metric, one) for metric in after_round(number)] for number in range(1, 6)]
    recall, new = zip(*found, strict=True)
    assert list(recall) == sorted(recall)
    assert recall[-1] == value("evidence_recall", one)
    assert sum(new) == len({document for hits in brought for document, _ in hits})


@pytest.mark.parametrize(
    ("rounds", "queries", "repeated"),
    [
        ((["Ada Fenn"], ["mill", "  ADA   fenn "]), 3, pytest.approx(1 / 3)),
        ((["mill", "mill"], ["Mill"]), 3, pytest.approx(2 / 3)),
        ((["mill"], []), 1, 0),
        (([], []), 0, None),
    ],
)
def test_queries_are_those_that_the_model_wrote_repeats_aside_letter_case(rounds, queries, repeated):
    one = case(FOUR, trace=written(*rounds))
    assert (value("queries", one), value("repeated_query_share", one)) == (queries, repeated)


def test_other_steps_and_queries_that_are_no_text_are_passed_over():
    trace = ({"step": "search", "written": ["x"]}, {"step": "queries", "written": "x"}, {"step": "queries"})
    mixed = {"step": "queries", "written": ["mill", 3, None, ["x"]]}
    assert value("queries", case(FOUR, trace=(*trace, mixed))) == 1


@pytest.mark.parametrize("step", ["sentence", "follow_up"])
def test_a_sentence_and_a_follow_up_question_are_queries_too(step):
    steps = [
        {"step": step, "round": n, "written": [text]} for n, text in enumerate(["Mill", "lock", "MILL"], 1)
    ]
    one = case(FOUR, trace=(*steps, {"step": "chain_ended", "because": "answer is", "sentence": "mill"}))
    assert (value("queries", one), value("repeated_query_share", one)) == (3, pytest.approx(1 / 3))


# Real runs of a program that searches in rounds


@pytest.mark.parametrize("planning", [False, True])
def test_rounds_of_a_real_run(tmp_path, planning):
    tables = {**tiny.STEPS, "program": {**tiny.STEPS["program"], "planning": planning}}
    cell = tiny.run(tmp_path, tiny.submit(tmp_path, "mill", **tables))
    scores = score_cell(cell, tmp_path / "scores")
    found = {
        metric.key: [None if math.isnan(one) else one for one in scores.of(metric).tolist()]
        for metric in metrics_of(cell)
        if metric.kind == "rounds"
    }
    assert found == {
        "queries": [2, 2, 2, 2],
        # Planning drops the repeated queries of the second and third question before the search: they count.
        "repeated_query_share": [0, 0.5, 0.5, 0],
        "recall_after_1": [0.5, 1, None, 1],
        "recall_after_2": [1, 1, None, 1],
        "new_documents_1": [1, 1, 0, 1],
        "new_documents_2": [1, 0, 0, 0],
    }


def test_only_systems_that_search_in_rounds_have_rounds_and_as_many_as_they_have(tmp_path):
    def keys(name, tables):
        cell = tiny.run(tmp_path, tiny.submit(tmp_path, name, **tables))
        return [metric.key for metric in metrics_of(cell) if metric.kind == "rounds"]

    assert keys("reader", tiny.READER) == []
    three = {**tiny.STEPS, "program": {**tiny.STEPS["program"], "rounds": 3}}
    sentences = {**tiny.STEPS, "program": {"kind": "ircot", "max_steps": 2}}
    for name, tables in (("three", three), ("sentences", sentences)):
        assert [key for key in keys(name, tables) if key.startswith("recall")] == [
            "recall_after_1",
            "recall_after_2",
            "recall_after_3",
        ]


def test_an_article_counts_by_any_part_of_it():
    of = question(evidence=[article("A"), article("B")])
    one = case(of, returned=returned([0], [0], passages=("A#0-9", "A#9-20")), shown=shown([0]))
    assert (value("evidence_recall", one), value("evidence_shown", one)) == (0.5, 0.5)


def test_a_system_of_more_than_ten_rounds_has_metrics_of_the_first_ten(tmp_path):
    table = {"retriever": {"kind": "bm25"}, "program": {"kind": "react", "max_loops": 15}}
    [cell] = plan([tiny.submit(tmp_path, "react", **table)], [tiny.benchmark()], tmp_path / "results")
    assert rounds_of(cell) == 10
    keys = {metric.key for metric in metrics_of(cell)}
    assert (after_round(10)[0].key in keys, after_round(11)[0].key in keys) == (True, False)
