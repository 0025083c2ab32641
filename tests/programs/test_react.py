"""ReAct played through: thoughts, searches, whole passages once, and its budgets."""

import itertools
from dataclasses import replace

import pytest

from leaderboard.benchmarks.questions import Document
from leaderboard.catalog.tool_programs import ReAct
from leaderboard.metrics.tokens import count_tokens
from leaderboard.results.records import Outcome
from tests.programs.played import QUESTION, fields, said, section


def react(**parameters):
    return ReAct(kind="react", **{"max_loops": 4, "passages_per_search": 1, **parameters})


def thinks(*steps, answer="Abel Tranter"):
    """A model that thinks and acts so, one pair a step, and gives ``answer`` when it is forced to."""
    left = iter(steps)

    def write(request):
        if fields(request) == ["answer"]:
            return said(answer=answer)
        thought, action = next(left)
        return said(thought=thought, action=action)

    return write


def test_thoughts_searches_and_passages_grow_the_transcript(stage):
    played = stage.play(
        react(),
        thinks(
            ("The composer is missing.", 'search("Salt Wedding")'),
            ("She is Livia Brodrigh.", 'search("Livia Brodrigh grew up")'),
            ("The mayor of Sarnforth is missing.", 'search("Sarnforth mayor")'),
            ("It is Abel Tranter.", 'answer("Abel Tranter")'),
        ),
    )
    assert section(played.requests[2], "steps").rstrip() == (
        "Thought: The composer is missing.\n"
        'Passages for "Salt Wedding":\nThe Salt Wedding\nThe Salt Wedding is an opera by Livia Brodrigh.\n'
        "Thought: She is Livia Brodrigh.\n"
        'Passages for "Livia Brodrigh grew up":\n'
        "Livia Brodrigh\nLivia Brodrigh wrote operas. She grew up in Sarnforth."
    )
    record = played.record
    assert (record.outcome, record.final_answer, record.rounds) == (Outcome.ANSWERED, "Abel Tranter", 3)
    assert [(s.passage, s.evidence) for s in record.shown] == [
        ("opera", (0,)),
        ("composer", (1,)),
        ("town", (2,)),
    ]
    assert [step["thought"] for step in played.steps("act")][-1] == "It is Abel Tranter."


def test_a_passage_that_comes_again_is_not_shown_again(stage):
    played = stage.play(
        react(),
        thinks(("One.", 'search("mayor")'), ("Two.", 'search("mayor of the town")'), ("", "answer(x)")),
    )
    assert (
        section(played.requests[2], "steps")
        .rstrip()
        .endswith("Sarnforth: you have seen this passage before.")
    )
    assert len(played.record.shown) == 1


@pytest.mark.parametrize(
    ("parameters", "limit", "calls", "budget"),
    [
        ({"max_loops": 2}, None, 3, "loops"),
        ({"max_loops": 50}, 3, 3, "calls"),
        ({"max_loops": 50, "token_budget": 50}, None, 3, "tokens"),
    ],
)
def test_a_model_that_never_stops_is_stopped_and_has_to_answer(stage, parameters, limit, calls, budget):
    numbers = itertools.count()

    def write(request):
        if fields(request) == ["answer"]:
            return said(answer="noon")
        return said(thought="More.", action=f'search("ferry town opera {next(numbers)}")')

    played = stage.play(react(**{"passages_per_search": 2, **parameters}), write, calls_per_question=limit)
    assert (played.record.outcome, played.record.final_answer) == (Outcome.FORCED, "noon")
    assert len(played.record.calls) == calls
    assert played.record.trace[-1] == {"step": "forced", "budget": budget}


def test_an_output_without_fields_is_read_as_what_it_calls(stage):
    played = stage.play(
        react(), lambda request: said(answer="x") if fields(request) == ["answer"] else 'search("mayor")'
    )
    assert [r.passage for r in played.record.returned] == ["town"]
    assert played.record.parse_repairs == 4


def test_titles_count_in_the_token_budget_too(stage):
    documents = [
        Document(
            f"d{n:02}", f"Minutes of the {n}. meeting of the committee for the mayor", f"The mayor of {n}."
        )
        for n in range(40)
    ]
    played = stage.play(
        react(passages_per_search=20, token_budget=60),
        thinks(("One.", 'search("mayor")')),
        documents=documents,
        question=replace(QUESTION, evidence=()),
    )
    told = section(played.requests[1], "steps").rstrip()
    assert told.endswith("\nNo room is left for more.")
    assert 0 < told.count("Minutes") < 6
    assert count_tokens(told) <= 60 + 24
