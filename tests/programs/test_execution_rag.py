"""ExecutionRAG beside the case studies: how it ends, its budgets, its ablations, and models that keep to nothing."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaderboard.benchmarks.questions import Document
from leaderboard.catalog.programs import PROGRAMS
from leaderboard.metrics.tokens import count_tokens
from leaderboard.programs.opening import open_program
from leaderboard.programs.requirement_prompts import AGAIN
from leaderboard.programs.requirements import TRANSITIONS
from leaderboard.results.records import Outcome
from tests.programs.executed import (
    answered,
    execution_rag,
    names,
    question,
    register,
    script,
    states,
    told,
)
from tests.programs.played import fields, said, section
from tests.retrieval.word_encoder import WordEncoder

DOCUMENTS = [
    Document(f"d{n}", f"Lock {n}", f"Lock {n} was built by builder{n}. It has {n} gates.")
    for n in range(1, 9)
]
ASKED = question("Who built Lock 1?", "builder1", DOCUMENTS[:1])
OPENED = register(req_0=("active", "who built Lock 1"), req_1=("pending", "how many gates has Lock 2"))
ENCODER = WordEncoder("built", "builder", "gates")
READING = [f"read_chunk({n})" for n in range(2, 9)]
"""Calls that each read a new chunk: the first one is read before the first step."""


def run(stage, model, limit=None, **parameters):
    """Play the question through."""
    stage.encoder = ENCODER
    return stage.play(
        execution_rag(**parameters),
        model,
        documents=DOCUMENTS,
        question=ASKED,
        calls_per_question=limit,
    )


def test_the_register_stands_in_the_prompt_once_and_every_prompt_begins_the_next(stage):
    played = run(stage, script([OPENED], READING, ["{}"] * 8), max_loops=3)
    prompts = [request for request in played.requests if fields(request) == ["tool_call"]]
    steps = [section(request, "steps").rstrip() for request in prompts]
    assert all(later.startswith(earlier + "\n") for earlier, later in itertools.pairwise(steps))
    assert steps[-1].count("req_1 (pending): how many gates has Lock 2") == 1
    heads = {request["messages"][-1]["content"].split("[[ ## steps ## ]]")[0] for request in prompts}
    assert heads == {f"[[ ## question ## ]]\n{ASKED.text}\n\n"}


def test_an_answer_with_something_open_is_given_back_once_and_accepted_the_second_time(stage):
    played = run(stage, script([OPENED], ['answer("early")', 'answer("early again")']))
    assert names(played) == [
        "semantic_search",
        "register",
        "act",
        "reminder",
        "act",
        "premature_stop",
    ]
    assert played.steps("reminder")[0]["open"] == ["req_0", "req_1"]
    assert played.steps("premature_stop") == [
        {"step": "premature_stop", "round": 2, "open": ["req_0", "req_1"]}
    ]
    assert (played.record.outcome, played.record.raw_answer) == (Outcome.ANSWERED, "early again")
    assert section(played.requests[2], "steps").endswith(
        "An answer was given while this is open: req_0: who built Lock 1; req_1: how many gates has Lock 2. "
        "Search for it. If it cannot be found, answer again."
    )


def test_a_model_that_was_reminded_may_still_close_everything(stage):
    both = (
        '{"req_0": {"status": "answered", "evidence": [1]}, "req_1": {"status": "answered", "evidence": [2]}}'
    )
    played = run(stage, script([OPENED], ['answer("early")', "read_chunk(1, 2)"], [both], "builder1"))
    assert names(played)[-2:] == ["update", "closure"]
    assert (played.record.outcome, played.record.raw_answer) == (Outcome.ANSWERED, "builder1")


def test_when_the_active_item_closes_the_next_one_is_in_work(stage):
    played = run(
        stage,
        script([OPENED], READING, [answered("req_0", "builder1", 1), answered("req_1", "2 gates", 2)]),
    )
    assert [states(step) for step in played.steps("update")] == [
        {"req_0": "answered", "req_1": "active"},
        {"req_0": "answered", "req_1": "answered"},
    ]
    assert played.steps("update")[0]["changes"][1] == {"item": "req_1", "from": "pending", "to": "active"}


def test_only_chunks_that_are_new_are_followed_by_an_update(stage):
    calls = [
        "read_chunk(1)",
        "read_chunk(3)",
        "read_chunk(1, 3, 99)",
        'keyword_search("gates")',
        "no_tool(1)",
        "answer(x)",
        "answer(x)",
    ]
    played = run(stage, script([OPENED], calls, ["{}"]))
    assert told(played).count("changes") == 1
    assert section(played.requests[3], "new_evidence") == f"[3] Lock 3\n{DOCUMENTS[2].text}"
    assert section(played.requests[3], "requirements").startswith("req_0 (active): who built Lock 1\n")


@pytest.mark.parametrize(
    ("parameters", "limit", "budget", "calls"),
    [
        ({"max_loops": 3}, None, "loops", 1 + 3 * 2 + 1),
        ({"max_loops": 1}, None, "loops", 1 + 2 + 1),
        ({"token_budget": 50}, None, "tokens", 2),  # the first search and the register fill it
        ({"token_budget": 150}, None, "tokens", None),
        ({}, 1, "calls", 1),
        ({}, 2, "calls", 2),
        ({}, 3, "calls", 3),  # the step's update would be the call that the answer needs
        ({}, 6, "calls", 6),
    ],
)
def test_a_model_that_never_stops_is_made_to_answer(stage, parameters, limit, budget, calls):
    played = run(stage, script([OPENED], READING, ["{}"] * 9, "bounded"), limit, **parameters)
    assert (played.record.outcome, played.record.raw_answer) == (Outcome.FORCED, "bounded")
    assert played.steps("forced") == [{"step": "forced", "budget": budget}]
    assert told(played)[-1] == "answer"
    assert calls is None or len(played.record.calls) == calls
    assert played.steps("still_open")[0]["open"] == (["req_0", "req_1"] if limit != 1 else ["req_0"])


def test_a_model_that_keeps_it_busy_is_called_exactly_as_often_as_the_catalog_says(stage):
    for parameters in (
        {},
        {"initialise": False},
        {"progress": False},
        {"initialise": False, "progress": False},
    ):
        model = script(["nothing", "at all"], READING, ["nonsense"] * 9)
        played = run(stage, model, max_loops=4, **parameters)
        bound = PROGRAMS["execution_rag"].calls(execution_rag(max_loops=4, **parameters))
        assert len(played.record.calls) == bound
    assert bound == 5


def test_an_unreadable_register_is_asked_for_once_more_by_another_request(stage):
    played = run(stage, script(["no JSON", OPENED], ["answer(x)", "answer(x)"]))
    assert played.steps("register")[0]["made_by"] == "second attempt"
    assert [section(request, "evidence").endswith(AGAIN) for request in played.requests[:2]] == [False, True]
    assert played.record.parse_repairs == 1


def test_without_a_readable_register_the_question_is_its_one_item(stage):
    played = run(stage, script(["no JSON", "{}"], ["answer(x)", "answer(x)"]))
    [opened] = played.steps("register")
    assert (opened["made_by"], opened["requirements"][0]["text"]) == ("fallback", ASKED.text)
    assert states(opened) == {"req_0": "active"}
    assert len(played.steps("register_unreadable")) == 1  # "{}" is readable, and empty


def test_an_unreadable_update_leaves_the_register_as_it_is(stage):
    played = run(stage, script([OPENED], ["read_chunk(2)", "answer(x)", "answer(x)"], ["req_0: answered"]))
    assert played.steps("update_unreadable") == [{"step": "update_unreadable", "round": 1}]
    assert played.steps("update") == []
    assert played.steps("reminder")[0]["open"] == ["req_0", "req_1"]
    assert played.record.parse_repairs == 1


def test_a_chunk_that_no_search_brought_is_no_evidence(stage):
    played = run(
        stage,
        script([OPENED], ["read_chunk(2)", "answer(x)", "answer(x)"], [answered("req_0", "builder8", 8)]),
    )
    assert [step["rule"] for step in played.steps("register_violation")] == [
        "evidence that was not retrieved",
        "answered without a retrieved passage",
    ]
    assert states(played.steps("update")[0]) == {"req_0": "active", "req_1": "pending"}


def test_a_register_of_several_active_items_is_repaired_and_that_is_noted(stage):
    both = register(a=("active", "one"), b=("active", "two"))
    played = run(stage, script([both], ["answer(x)", "answer(x)"]))
    assert states(played.steps("register")[0]) == {"a": "active", "b": "pending"}
    assert played.steps("register_violation") == [
        {"step": "register_violation", "rule": "several active", "item": "b", "repair": "pending"}
    ]


def test_the_summary_of_the_first_search_is_told_once(stage):
    opened = '{"evidence_summary": "Lock 1 has a builder.", "requirement_register": {"r": {"text": "who", "status": "active"}}}'
    played = run(stage, script([opened], ["answer(x)", "answer(x)"]))
    assert section(played.requests[1], "steps").count("Known: Lock 1 has a builder.") == 1


def test_without_initialising_the_question_is_the_register_and_updates_make_it_grow(stage):
    grow = '{"req_1": {"text": "how many gates", "status": "pending"}, "req_0": {"status": "answered", "evidence": [2]}}'
    played = run(stage, script([], READING, [grow, answered("req_1", "2", 2)], "builder1"), initialise=False)
    assert "requirements" not in told(played)
    assert played.steps("semantic_search") == []
    [opened] = played.steps("register")
    assert (opened["made_by"], opened["requirements"][0]["text"]) == ("question", ASKED.text)
    assert [states(step) for step in played.steps("update")] == [
        {"req_0": "answered", "req_1": "active"},
        {"req_0": "answered", "req_1": "answered"},
    ]
    assert names(played)[-1] == "closure"


def test_without_progress_nothing_is_updated_and_the_first_answer_counts(stage):
    played = run(stage, script([OPENED], ["read_chunk(2)", "answer(builder1)"]), progress=False)
    assert told(played) == ["requirements", "tool_call", "tool_call"]
    assert names(played) == ["semantic_search", "register", "act", "read_chunk", "act", "stop"]
    assert "[Progress]\n" not in section(played.requests[-1], "steps")
    assert (played.record.outcome, played.record.raw_answer) == (Outcome.ANSWERED, "builder1")


def test_the_predictors_are_the_declared_ones():
    for initialise, progress in itertools.product((True, False), repeat=2):
        parameters = execution_rag(initialise=initialise, progress=progress)
        found = {
            name: (tuple(one.signature.input_fields), tuple(one.signature.output_fields))
            for name, one in open_program(parameters).named_predictors()
        }
        assert found == PROGRAMS["execution_rag"].predictors(parameters)


_OUTPUTS = st.sampled_from(
    [
        "", "nonsense", "{", "[]", "{}", OPENED, register(x=("answered", "t"), y=("active", "u")),
        answered("req_0", "n", 1), answered("req_1", "n", 2), answered("req_0", "n", 7),
        '{"req_0": {"status": "retired", "evidence_notes": "n"}, "new": {"text": "t", "status": "active"}}',
        '{"req_1": {"status": "active"}, "req_0": {"status": "pending"}}',
        '{"req_1": "retired", "req_2": "find it"}', "read_chunk(1, 2)", "read_chunk(7)", "read_chunk(3)",
        'keyword_search("gates")', 'semantic_search("builder")', 'answer("x")', "[[ ## answer ## ]]\nx",
    ]
)  # fmt: skip


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    outputs=st.lists(_OUTPUTS, min_size=3, max_size=14),
    wrapped=st.booleans(),
    limit=st.none() | st.integers(1, 8),
    budget=st.sampled_from([50, 120, 100_000]),
    ablated=st.sampled_from([{}, {}, {"initialise": False}, {"progress": False}]),
)
def test_no_sequence_of_outputs_breaks_the_register_or_a_budget(
    stage, outputs, wrapped, limit, budget, ablated
):
    left = itertools.cycle(outputs)

    def model(request):
        return said(**{fields(request)[0]: next(left)}) if wrapped else next(left)

    parameters = {"max_loops": 4, "token_budget": budget, **ablated}
    played = run(stage, model, limit, **parameters)
    record = played.record
    assert record.outcome in (Outcome.ANSWERED, Outcome.FORCED, Outcome.UNPARSED)
    most = PROGRAMS["execution_rag"].calls(execution_rag(**parameters))
    assert len(record.calls) <= (most if limit is None else min(most, limit))
    assert record.retrieved_tokens <= budget
    before = None
    for step in record.trace:
        if "requirements" in step:
            now = {item["id"]: item for item in step["requirements"]}
            _hold(now.values())
            for id, item in (before or {}).items():
                change = (item["status"], now[id]["status"])
                assert change[0] == change[1] or change in {(a.value, b.value) for a, b in TRANSITIONS}
            before = now
    assert before is not None
    retrieved = {returned.passage for returned in record.returned}
    assert {one["passage"] for item in before.values() for one in item["evidence"]} <= retrieved
    if "closure" in names(played):
        assert not {item["status"] for item in before.values()} & {"pending", "active"}
    assert sum(shown.tokens for shown in record.shown) <= budget
    assert count_tokens(record.raw_answer) < 200


def _hold(items) -> None:
    statuses = [item["status"] for item in items]
    assert 1 <= len(statuses) <= 8
    assert statuses.count("active") == (1 if {"pending", "active"} & set(statuses) else 0)
    for item in items:
        assert item["status"] != "answered" or item["evidence"]
        assert item["status"] != "retired" or item["evidence_notes"]
