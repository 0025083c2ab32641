"""What a program's notebook takes down of passages that several calls show."""

from __future__ import annotations

from leaderboard.benchmarks.questions import Evidence, Question
from leaderboard.programs.task import Task
from leaderboard.retrieval.passages import Passage

FACT = Evidence("Ada built it in 1881.", "fact", "", "Ada built it in 1881.", "mill")
QUESTION = Question("q1", "Who built the mill?", "Ada", (), (FACT,), {})
MILL = Passage("mill", "mill", "The mill", "It is of stone. Ada built it in 1881.")  # 5 + 6 tokens
WEIR = Passage("weir", "weir", "The weir", "It holds the water.")  # 5 tokens


def notes(task: Task) -> list[tuple]:
    """What stands in the notebook once the model was asked."""
    task.saw()
    return [(shown.passage, shown.tokens, shown.truncated, shown.evidence) for shown in task.shown]


def test_the_longest_part_shown_counts_with_its_evidence_whichever_call_came_first():
    for budgets in ((6, 100), (100, 6)):
        task = Task(QUESTION)
        for budget in budgets:
            task.show([MILL], budget)
        assert notes(task) == [("mill", 11, False, (0,))]
    task = Task(QUESTION)
    task.show([MILL], 6)
    task.show([MILL], 8)
    assert notes(task) == [("mill", 8, True, ())]


def test_passages_keep_the_place_in_which_they_were_shown_first():
    task = Task(QUESTION)
    task.show([MILL, WEIR], 13)
    task.show([WEIR, MILL], 100)
    assert notes(task) == [("mill", 11, False, (0,)), ("weir", 5, False, ())]


def test_a_passage_given_twice_stands_in_the_prompt_once_and_numbers_go_on():
    task = Task(QUESTION)
    text = task.show([MILL, MILL, WEIR, MILL], 100)
    assert text == f"[1] The mill\n{MILL.text}\n\n[2] The weir\n{WEIR.text}"
    assert notes(task) == [("mill", 11, False, (0,)), ("weir", 5, False, ())]


def test_nothing_follows_the_passage_that_did_not_fit():
    task = Task(QUESTION)
    assert task.show([MILL, WEIR], 8) == "[1] The mill\nIt is of stone. Ada built it"
    assert notes(task) == [("mill", 8, True, ())]
    assert task.trace == [{"step": "context_truncated", "passage": "mill", "tokens": 8}]


def test_what_was_made_ready_for_a_call_that_was_never_made_was_not_shown():
    task = Task(QUESTION)
    task.show([WEIR], 100)
    task.saw()
    task.show([WEIR, MILL], 100)
    assert [shown.passage for shown in task.shown] == ["weir"]
