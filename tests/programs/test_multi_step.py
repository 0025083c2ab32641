"""Multi-step retrieval played through: what each call sees, what is searched, what the record says of it."""

from __future__ import annotations

import re

import pytest

from leaderboard.benchmarks.questions import Document
from leaderboard.metrics.tokens import count_tokens
from leaderboard.programs.multi_step import NOTHING_YET
from leaderboard.results.records import Outcome
from tests.programs.played import (
    ASKED,
    COMPOSER,
    HARBOUR,
    OPERA,
    TOWN,
    block,
    fields,
    multi_step,
    queries,
    rounds,
    said,
    section,
)


def by_found(*texts, answer="Abel Tranter"):
    """A model that writes the n-th text when n documents were found so far, then the answer."""

    def write(request):
        if fields(request) == ["answer"]:
            return said(answer=answer)
        return queries(request, texts[len(re.findall(r"^\[\d+\] ", section(request, "found"), re.M))])

    return write


def test_three_rounds_search_what_was_written_and_show_what_was_found_before(stage):
    played = stage.play(
        multi_step(rounds=3),
        rounds(
            "Salt Wedding\nharbour noon",
            "Livia Brodrigh\nwedding opera salt",  # the second one brings what is there already
            "Sarnforth mayor\nunheard of",
        ),
    )
    assert played.searches == [
        ("Salt Wedding", 1),
        ("harbour noon", 1),
        ("Livia Brodrigh", 1),
        ("wedding opera salt", 1),
        ("Sarnforth mayor", 1),
        ("unheard of", 1),
    ]
    found = [block(n, d) for n, d in enumerate((OPERA, HARBOUR, COMPOSER, TOWN), start=1)]
    assert [section(request, "found") for request in played.requests[:3]] == [
        NOTHING_YET,
        "\n\n".join(found[:2]),
        "\n\n".join(found[:3]),
    ]
    assert section(played.requests[3], "context") == "\n\n".join(found)
    assert [section(request, "question") for request in played.requests] == [ASKED] * 4
    assert [fields(request) for request in played.requests] == [["queries"]] * 3 + [["answer"]]
    record = played.record
    assert (record.outcome, record.final_answer, record.parse_repairs) == (
        Outcome.ANSWERED,
        "Abel Tranter",
        0,
    )
    assert (len(record.calls), record.prompt_tokens, record.completion_tokens) == (4, 40, 20)
    assert record.rounds == 3


def test_the_record_says_which_round_and_query_brought_which_gold(stage):
    record = stage.play(
        multi_step(rounds=3), rounds("Salt Wedding\nharbour", "Livia\nopera", "Sarnforth mayor\nunheard of")
    ).record
    assert [(r.round, r.query, r.rank, r.passage, r.evidence) for r in record.returned] == [
        (1, "Salt Wedding", 1, "opera", (0,)),
        (1, "harbour", 1, "harbour", ()),
        (2, "Livia", 1, "composer", (1,)),
        (2, "opera", 1, "opera", (0,)),
        (3, "Sarnforth mayor", 1, "town", (2,)),
    ]
    assert [(s.passage, s.tokens, s.truncated, s.evidence) for s in record.shown] == [
        ("opera", 10, False, (0,)),
        ("harbour", 11, False, ()),
        ("composer", 11, False, (1,)),
        ("town", 11, False, (2,)),
    ]
    assert record.retrieved_tokens == 43


def test_the_trace_holds_each_rounds_queries_and_what_each_brought(stage):
    record = stage.play(multi_step(rounds=2), rounds("1. Salt Wedding\n2. unheard of", "Livia")).record
    assert list(record.trace) == [
        {
            "step": "queries",
            "round": 1,
            "written": ["Salt Wedding", "unheard of"],
            "asked": ["Salt Wedding", "unheard of"],
        },
        {"step": "search", "round": 1, "query": "Salt Wedding", "passages": ["opera"]},
        {"step": "search", "round": 1, "query": "unheard of", "passages": []},
        {"step": "queries", "round": 2, "written": ["Livia"], "asked": ["Livia", ASKED]},
        {"step": "search", "round": 2, "query": "Livia", "passages": ["composer"]},
        {"step": "search", "round": 2, "query": ASKED, "passages": ["opera"]},
    ]


def test_several_passages_a_query_come_in_their_order_each_once(stage):
    played = stage.play(
        multi_step(rounds=1, queries_per_round=2, passages_per_query=2), rounds("ferry secret\nharbour ferry")
    )
    assert [(r.query, r.rank, r.passage) for r in played.record.returned] == [
        ("ferry secret", 1, "ferry"),
        ("ferry secret", 2, "harbour"),
        ("harbour ferry", 1, "harbour"),
        ("harbour ferry", 2, "ferry"),
    ]
    assert section(played.requests[1], "context").count("Little Obstinate\n") == 1
    assert [s.passage for s in played.record.shown] == ["ferry", "harbour"]


def test_systems_that_differ_in_rounds_share_their_first_calls(stage):
    """The second system pays only for what the first did not ask."""
    writer = by_found("Salt Wedding\nharbour", "", "Livia\nopera", "Sarnforth\nmayor")
    one, two, three = (stage.play(multi_step(rounds=n), writer) for n in (1, 2, 3))
    assert [len(played.record.calls) for played in (one, two, three)] == [2, 3, 4]
    assert one.record.calls[:1] == two.record.calls[:1] == three.record.calls[:1]
    assert two.record.calls[:2] == three.record.calls[:2]
    assert len({one.record.calls[-1], two.record.calls[-1], three.record.calls[-1]}) == 3
    assert [[fields(request) for request in played.requests] for played in (one, two, three)] == [
        [["queries"], ["answer"]],
        [["queries"], ["answer"]],
        [["queries"], ["answer"]],
    ]
    assert [section(played.requests[0], "found") for played in (one, two, three)] == [
        NOTHING_YET,
        "\n\n".join([block(1, OPERA), block(2, HARBOUR)]),
        "\n\n".join([block(1, OPERA), block(2, HARBOUR), block(3, COMPOSER)]),
    ]


@pytest.mark.parametrize("planning", [False, True])
@pytest.mark.parametrize("number", [1, 2, 3, 10])
def test_a_question_costs_a_call_a_round_and_one_for_the_answer(stage, number, planning):
    texts = [f"Salt Wedding {n}" for n in range(number)]
    played = stage.play(multi_step(rounds=number, queries_per_round=1, planning=planning), rounds(*texts))
    # Without planning nothing tells one round from the next once nothing new is found: the call is replayed.
    assert len(played.record.calls) == number + 1
    assert [step["round"] for step in played.steps("queries")] == list(range(1, number + 1))


def test_planning_shows_the_queries_so_far_and_vanilla_does_not(stage):
    texts = ("Salt Wedding\nharbour", "Livia\nopera", "Sarnforth\nmayor")
    planned = stage.play(multi_step(rounds=3, planning=True), rounds(*texts))
    assert [section(request, "queries_so_far") for request in planned.requests[:3]] == [
        NOTHING_YET,
        "Salt Wedding\nharbour",
        "Salt Wedding\nharbour\nLivia\nopera",
    ]
    assert fields(planned.requests[0]) == ["reasoning", "queries"]
    vanilla = stage.play(multi_step(rounds=3), rounds(*texts))
    assert not any("queries_so_far" in str(request) for request in vanilla.requests[:3])


@pytest.mark.parametrize(
    ("first", "second", "asked"),
    [
        ("Salt Wedding\nSalt Wedding", "x", ["Salt Wedding"]),
        ("Salt Wedding\nSALT  wedding", "x", ["Salt Wedding"]),
        ("Salt Wedding\n\tsalt\u00a0Wedding ", "x", ["Salt Wedding"]),
        ("Café Marée\nCafe\u0301 Mare\u0301e", "x", ["Café Marée"]),
        ("straße\nSTRASSE", "x", ["straße"]),
        (f"{ASKED}\n{ASKED.upper()}", "x", [ASKED]),
        ("Salt Wedding\nharbour", "HARBOUR\n“salt wedding”", ["Salt Wedding", "harbour"]),
        ("Salt Wedding\nharbour", "harbour.\nLivia", ["Salt Wedding", "harbour", "harbour.", "Livia"]),
    ],
)
def test_planning_repeats_no_query_in_the_round_or_of_an_earlier_one(stage, first, second, asked):
    played = stage.play(multi_step(rounds=2, planning=True), rounds(first, second))
    found = [query for query in [*played.asked[0], *played.asked[1]] if query not in ("x", ASKED)]
    assert found == [query for query in asked if query != ASKED]
    assert [query for query, _ in played.searches] == [*played.asked[0], *played.asked[1]]


def test_a_round_of_repeats_alone_searches_nothing_and_still_counts_as_a_call(stage):
    played = stage.play(
        multi_step(rounds=2, planning=True), rounds("Salt Wedding\nharbour", "Harbour\nSalt wedding")
    )
    assert played.asked == [["Salt Wedding", "harbour"], []]
    assert played.steps("queries")[1]["written"] == ["Harbour", "Salt wedding"]
    assert len(played.record.calls) == 3
    # The record counts rounds by what they brought.
    assert {r.round for r in played.record.returned} == {1}
    assert played.record.rounds == 1


def test_vanilla_searches_again_what_it_asks_again(stage):
    played = stage.play(multi_step(rounds=2), rounds("Salt Wedding\nSalt Wedding", "Salt Wedding\nLivia"))
    assert [query for query, _ in played.searches] == ["Salt Wedding"] * 3 + ["Livia"]
    assert [(r.round, r.passage) for r in played.record.returned] == [
        (1, "opera"),
        (1, "opera"),
        (2, "opera"),
        (2, "composer"),
    ]
    assert section(played.requests[1], "found") == block(1, OPERA)


def test_too_few_queries_are_filled_with_the_question_and_too_many_are_cut(stage):
    parameters = multi_step(rounds=2, queries_per_round=3)
    played = stage.play(parameters, rounds("Salt Wedding", "one\ntwo\nthree\nfour"))
    assert played.asked == [["Salt Wedding", ASKED, ASKED], ["one", "two", "three"]]
    planned = stage.play(parameters.model_copy(update={"planning": True}), rounds("Salt Wedding", "Livia"))
    assert planned.asked == [["Salt Wedding", ASKED], ["Livia"]]  # the question was asked before


LONG = tuple(
    Document(name, f"Chronicle of {name}", f"It tells of {name} in full. " + "So it went on. " * 20)
    for name in ("Amber", "Birch", "Cedar", "Dunes")
)
"""Documents of 107 tokens."""
NAMES = tuple(document.id for document in LONG)


@pytest.mark.parametrize("budget", [50, 107, 120, 214, 300])
@pytest.mark.parametrize("planning", [False, True])
def test_the_context_budget_holds_in_every_call(stage, budget, planning):
    played = stage.play(
        multi_step(rounds=4, queries_per_round=1, planning=planning, context_tokens=budget),
        rounds(*NAMES),
        documents=LONG,
    )
    sizes = []
    for request in played.requests[1:]:
        seen = section(request, "context" if fields(request) == ["answer"] else "found")
        texts = re.split(r"(?:^|\n\n)\[\d+\] Chronicle of \w+\n", seen)[1:]
        sizes.append(sum(count_tokens(text) for text in texts))
    assert sizes[:4] == [min(budget, 107 * found) for found in (1, 2, 3, 4)][: len(sizes)]
    assert sizes[-1] == played.record.retrieved_tokens == budget
    whole, cut = divmod(budget, 107)
    assert [shown.truncated for shown in played.record.shown] == [False] * whole + [True] * bool(cut)


def test_what_a_passage_shows_in_several_calls_counts_once_with_the_longest_part(stage):
    played = stage.play(
        multi_step(rounds=2, queries_per_round=1, context_tokens=116),
        rounds(*NAMES[:2]),
        documents=LONG,
    )
    assert [(s.passage, s.tokens, s.truncated) for s in played.record.shown] == [
        ("Amber", 107, False),
        ("Birch", 9, True),
    ]
    assert played.steps("context_truncated") == [
        {"step": "context_truncated", "passage": "Birch", "tokens": 9}
    ]


def test_the_submissions_limit_ends_the_rounds_and_keeps_a_call_for_the_answer(stage):
    texts = ("Salt Wedding\nharbour", "Livia\nopera")
    stopped = stage.play(multi_step(rounds=2), rounds(*texts), calls_per_question=2).record
    assert (stopped.outcome, stopped.final_answer) == (Outcome.FORCED, "Abel Tranter")
    assert (len(stopped.calls), stopped.rounds, stopped.error) == (2, 1, "")
    assert [r.passage for r in stopped.returned] == ["opera", "harbour"]
    # The first round's call is replayed.
    enough = stage.play(multi_step(rounds=2), rounds(*texts[1:]), calls_per_question=3).record
    assert [s.passage for s in enough.shown] == ["opera", "harbour", "composer"]
    assert (enough.outcome, enough.final_answer) == (Outcome.ANSWERED, "Abel Tranter")


def test_nothing_found_at_all_is_answered_from_nothing(stage):
    played = stage.play(multi_step(rounds=1), rounds("unheard\nof it", answer="Insufficient information."))
    assert section(played.requests[1], "context").strip() == ""
    assert (played.record.returned, played.record.shown, played.record.rounds) == ((), (), 0)
    assert played.record.outcome == Outcome.ANSWERED
