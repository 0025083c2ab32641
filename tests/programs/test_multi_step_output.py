"""Multi-step retrieval and a model that keeps to no protocol: what is searched for then, and that nothing breaks."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaderboard.programs.lines import MOST_CHARACTERS
from leaderboard.results.records import Outcome
from tests import scripted
from tests.programs.played import ASKED, QUESTION, fields, multi_step, said

MANY = "\n".join(f"query number {n}" for n in range(10_000))


@pytest.mark.parametrize(
    ("text", "asked", "repairs"),
    [
        ("Salt Wedding\nLindrake", ["Salt Wedding", "Lindrake"], 1),
        (said(querys="Salt Wedding\nLindrake"), ["Salt Wedding", "Lindrake"], 1),
        ('["Salt Wedding", "Lindrake"]', ["Salt Wedding", "Lindrake"], 1),
        (said(queries='["Salt Wedding", "Lindrake"]'), ["Salt Wedding", "Lindrake"], 0),
        (said(queries='```json\n["Salt Wedding",\n "Lindrake"]\n```'), ["Salt Wedding", "Lindrake"], 0),
        (said(queries="1. Salt Wedding\n2) Lindrake"), ["Salt Wedding", "Lindrake"], 0),
        (said(queries='"Salt Wedding"\n- “Lindrake”'), ["Salt Wedding", "Lindrake"], 0),
        (said(queries="Query 1: Salt Wedding\nQuery 2: Lindrake"), ["Salt Wedding", "Lindrake"], 0),
        ("", [ASKED, ASKED], 1),
        (" \n\t", [ASKED, ASKED], 1),
        ("[[ ## completed ## ]]", [ASKED, ASKED], 1),
        (said(querys=""), [ASKED, ASKED], 1),
        (said(queries=""), [ASKED, ASKED], 0),  # the field is there, and empty
        (said(queries="---\n***\n???"), [ASKED, ASKED], 0),
        (said(queries="[1, 2]"), [ASKED, ASKED], 0),
        (said(queries="Salt Wedding\n\n\n"), ["Salt Wedding", ASKED], 0),
        (MANY, ["query number 0", "query number 1"], 1),
        (said(queries=MANY), ["query number 0", "query number 1"], 0),
        ("\x00\ufffd", [ASKED, ASKED], 1),
        (said(queries='["mayor \\ud800", "Lindrake"]'), ["mayor \ufffd", "Lindrake"], 0),
    ],
)
def test_whatever_the_model_writes_the_question_is_the_worst_query(stage, text, asked, repairs):
    played = stage.play(
        multi_step(rounds=1), lambda request: said(answer="x") if fields(request) == ["answer"] else text
    )
    assert played.asked == [asked]
    assert [query for query, _ in played.searches] == asked
    assert (played.record.parse_repairs, played.record.outcome) == (repairs, Outcome.ANSWERED)
    assert len(played.record.calls) == 2


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        # Without markers, thoughts come first and queries last.
        ("The composer is missing.\nSo I ask:\nSalt Wedding\nLindrake", ["Salt Wedding", "Lindrake"]),
        (MANY, ["query number 9998", "query number 9999"]),
        ("[[ ## reasoning ## ]]\nThe composer is missing.", ["The composer is missing.", ASKED]),
        ("[[ ## reasoning ## ]]\n[[ ## completed ## ]]", [ASKED]),
        ("[[ ## queries ## ]]\nSalt Wedding\nLindrake", ["Salt Wedding", "Lindrake"]),
        # A field that is there is taken, whatever stands before it.
        ("Let me think.\n[[ ## queries ## ]]\nSalt Wedding", ["Salt Wedding", ASKED]),
        (
            "Let me think.\n[[ ## queries ## ]]\nSalt Wedding\nLindrake\nMawbrough",
            ["Salt Wedding", "Lindrake"],
        ),
        ("", [ASKED]),
    ],
)
def test_a_plan_that_keeps_no_protocol_is_read_as_far_as_it_goes(stage, text, asked):
    played = stage.play(
        multi_step(rounds=1, planning=True),
        lambda request: said(answer="x") if fields(request) == ["answer"] else text,
    )
    assert (played.asked, played.record.parse_repairs) == ([asked], 1)
    assert played.record.outcome == Outcome.ANSWERED


def test_repairs_add_up_over_the_rounds_and_the_answer(stage):
    texts = iter(["Salt Wedding", "harbour at noon", said(queries="Livia\nSarnforth"), "Abel Tranter"])
    record = stage.play(multi_step(rounds=3), lambda _: next(texts)).record
    assert (record.parse_repairs, record.final_answer) == (3, "Abel Tranter")


@pytest.mark.parametrize("planning", [False, True])
def test_a_model_that_never_stops_writing_asks_one_bounded_query(stage, planning):
    endless = "salt wedding opera " * 20_000

    def write(request):
        return scripted.said(endless, "length") if fields(request) != ["answer"] else said(answer="x")

    played = stage.play(multi_step(rounds=2, planning=planning), write)
    assert {len(query) for query, _ in played.searches} == {MOST_CHARACTERS, len(ASKED)}
    assert len(played.searches) == (2 if planning else 4)
    assert played.record.outcome == Outcome.ANSWERED  # what counts is how the answer's call ended
    assert max(len(str(request)) for request in played.requests) < 5000


@pytest.mark.parametrize("planning", [False, True])
def test_any_output_at_all_is_survived(stage, planning):
    parameters = multi_step(rounds=2, planning=planning)
    markers = st.sampled_from(["[[ ## queries ## ]]", "[[ ## reasoning ## ]]", "[[ ## completed ## ]]"])
    pieces = st.one_of(markers, st.text(max_size=40), st.sampled_from(["\n", "- ", '["', '"]', "1. "]))

    numbers = itertools.count()

    @settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.lists(pieces, max_size=12).map("".join))
    def survive(text):
        asked = f"{ASKED} {next(numbers)}"  # another question each time, so that nothing is replayed
        played = stage.play(
            parameters,
            lambda request: said(answer="x") if fields(request) == ["answer"] else text,
            question=replace(QUESTION, text=asked),
        )
        assert len(played.requests) >= 2
        record = played.record
        assert (record.outcome, record.error, record.final_answer) == (Outcome.ANSWERED, "", "x")
        assert len(record.calls) == 3
        assert len(played.searches) <= 4
        for query, k in played.searches:
            assert k == 1
            assert query == asked or (query.strip() == query and 0 < len(query) <= MOST_CHARACTERS)

    survive()
