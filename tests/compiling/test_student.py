"""The program as a student: a task of its own for every run, its own answer never shown, no fault taken for an answer."""

from __future__ import annotations

import copy
import inspect

import dspy
import pytest

from leaderboard.compiling.ending import Stopped
from leaderboard.compiling.labels import label
from leaderboard.compiling.scoreboard import Scoreboard
from leaderboard.compiling.student import (
    Asked,
    example,
    feedback,
    metric,
    predictors_of,
    student_of,
    whole_demos,
)
from leaderboard.models.engine import open_lm
from leaderboard.programs.answering import adapter
from leaderboard.programs.single_step import SingleStep
from leaderboard.programs.system import open_system
from tests import tiny
from tests.compiling.school import QUESTIONS, TRAIN, submit
from tests.programs.played import said

MILL, LOCK = QUESTIONS[:2]


class Listener:
    """Answers by a script and keeps the messages."""

    def __init__(self, answer=lambda messages: said(answer="Ada Fenn")):
        self.answer = answer
        self.asked = []

    def complete(self, request):
        self.asked.append([*request.messages])
        text = self.answer(request)
        if isinstance(text, Exception):
            raise text
        return dspy.lm15.Response(
            id="r",
            model=request.model,
            message=dspy.lm15.Message.assistant(text),
            finish_reason="stop",
            usage=dspy.lm15.Usage(input_tokens=1, output_tokens=1),
        )


@pytest.fixture
def opened(tmp_path):
    def open_(answer=None, program=None):
        engine = Listener(answer) if answer else Listener()
        lm = open_lm(engine, temperature=0.0, max_tokens=64)
        submission = submit(tmp_path, "bootstrap_few_shot", program)
        system = open_system(submission.document, TRAIN)
        scores = Scoreboard()
        scores.needed = 1
        return (
            student_of(system, lm, scores),
            scores,
            engine,
            dspy.context(lm=lm, adapter=adapter(), trace=[], disable_history=True),
        )

    return open_


def test_a_train_question_is_its_text_and_carries_its_gold():
    asked = Asked(MILL)
    assert (asked, asked.question) == ("Who built the mill?", MILL)
    assert copy.deepcopy(asked) is asked
    whole = example(MILL, {"context": "pages and pages", "question": "x", "answer": "y"})
    assert repr(whole) == (
        "Example({'question': 'Who built the mill?', 'answer': 'Ada Fenn'}) (input_keys={'question'})"
    )
    assert whole["context"] == "pages and pages"
    assert whole.inputs()["question"].question is MILL
    assert dict(whole.labels()) == {"answer": "Ada Fenn"}


def test_the_metric_is_the_boards_match():
    one = example(MILL)
    assert metric(one, dspy.Prediction(answer="The answer is Ada Fenn.")) == 1.0
    assert metric(one, dspy.Prediction(answer="Ada")) == 0.0
    assert metric(one, dspy.Prediction(answer=None)) == 0.0
    null = example(tiny.QUESTIONS[2])
    assert metric(null, dspy.Prediction(answer="Insufficient information.")) == 1.0
    assert metric(null, dspy.Prediction(answer=None)) == 0.0
    told = feedback(one, dspy.Prediction(answer="Bob"), None, "answer", None)
    assert (told.score, told.feedback) == (0.0, "The answer is wrong: expected Ada Fenn, found Bob.")


def test_each_run_is_a_task_of_its_own_and_counts_on_the_board(opened):
    student, scores, engine, context = opened()
    with context:
        answers = [student(question=Asked(question)).answer for question in (MILL, LOCK, MILL)]
    assert answers == ["Ada Fenn"] * 3
    assert engine.asked[0] == engine.asked[2]
    [candidate] = scores.scored()
    assert candidate.right == {"t0": [True, True], "t1": [False]}
    assert candidate.score == 0.5


def test_a_demonstration_of_the_question_asked_is_not_shown(opened):
    student, _, engine, context = opened()
    fields = {"context": "c", "answer": "Ada Fenn"}
    student.answer.demos = [dspy.Example(question=q.text, **fields) for q in (MILL, LOCK)]
    with context:
        student(question=Asked(MILL))
    shown = str(engine.asked[0])
    assert "Who built the lock?" in shown
    assert shown.count("Who built the mill?") == 1
    assert len(student.answer.demos) == 2  # they are left out of the run alone


def test_demonstrations_are_whole_or_are_none(opened):
    student, *_ = opened()
    student.answer.demos = [
        dspy.Example(question="q", answer="a"),
        dspy.Example(question="q", context="c", answer="a", gold="x", augmented=True),
        {"question": Asked(MILL), "context": "c", "answer": "a", "augmented": False},
    ]
    kept = [demo.toDict() for demo in whole_demos(student.answer)]
    assert kept == [
        {"context": "c", "question": "q", "answer": "a", "augmented": True},
        {"context": "c", "question": "Who built the mill?", "answer": "a"},
    ]
    assert type(kept[1]["question"]) is str


def test_an_output_without_an_answer_is_wrong_and_any_other_fault_ends_the_compile(opened):
    student, scores, _, context = opened(lambda _: "")
    with context:
        assert student(question=Asked(MILL)).answer is None
    assert [candidate.score for candidate in scores.scored()] == [0.0]

    class Broken(SingleStep):
        def forward(self, task):
            raise KeyError("a bug")

    student, scores, _, context = opened()
    student.__class__.__bases__[0].forward, forward = Broken.forward, student.__class__.__bases__[0].forward
    try:
        with context, pytest.raises(Stopped) as stopped:
            student(question=Asked(MILL))
    finally:
        student.__class__.__bases__[0].forward = forward
    assert isinstance(stopped.value.cause, KeyError)
    assert list(scores.scored()) == []


def test_samples_at_another_temperature_do_not_count(opened):
    student, scores, _, context = opened()
    with context:
        student.set_lm(dspy.settings.lm.copy(temperature=1.0))
        student(question=Asked(MILL))
    assert list(scores.scored()) == []


def test_copies_share_the_desk_and_lose_their_demonstrations_when_reset(opened):
    student, *_ = opened()
    student.answer.demos = [dspy.Example(question="q", context="c", answer="a")]
    assert student.deepcopy().desk is student.desk
    assert predictors_of(student.deepcopy()) == predictors_of(student)
    assert student.reset_copy().answer.demos == []
    # What optimizers show the model as the program's code is the program's own.
    assert inspect.getsource(type(student)) == inspect.getsource(SingleStep)


def label_of(tmp_path, program, question=MILL):
    submission = submit(tmp_path, "bootstrap_few_shot", program)
    lm = open_lm(Listener(AssertionError), temperature=0.0, max_tokens=8)
    return label(open_system(submission.document, TRAIN), question, lm)


def test_a_label_is_what_the_answering_predictor_would_be_given(tmp_path):
    context = "[1] The mill\nAda Fenn built the mill.\n\n[2] The barn\nFinn Tolley built the barn."
    read = {"context": context, "question": "Who built the mill?", "answer": "Ada Fenn"}
    assert label_of(tmp_path, tiny.READER) == read
    assert label_of(tmp_path, tiny.CLOSED_BOOK) == {"question": "Who built the mill?", "answer": "Ada Fenn"}
    ranked = {**tiny.READER, "reranker": {"kind": "lm_listwise", "candidates": 4}}
    assert label_of(tmp_path, ranked) == read  # a model that says nothing leaves the order as it is


def test_a_program_that_searches_with_what_the_model_writes_searches_with_the_question(tmp_path):
    assert label_of(tmp_path, tiny.STEPS) == {
        "context": "[1] The mill\nAda Fenn built the mill.",
        "question": "Who built the mill?",
        "answer": "Ada Fenn",
    }
