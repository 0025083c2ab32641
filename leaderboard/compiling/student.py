"""What an optimizer is given: train questions as dspy examples, and the program as one that answers them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import dspy

from leaderboard.benchmarks.questions import Question
from leaderboard.compiling.ending import Stopped
from leaderboard.compiling.scoreboard import Predictors, Scoreboard
from leaderboard.metrics.match import match
from leaderboard.models.engine import CallLimit, root_cause
from leaderboard.models.meter import metering
from leaderboard.programs.answering import Unparsed, adapter
from leaderboard.programs.system import System

AUGMENTED = "augmented"
"""What dspy marks a demonstration with that came from a run of the program."""


class Asked(str):
    """The text of a train question that carries the question: what dspy prints, compares and hands on is the text."""

    question: Question

    def __new__(cls, question: Question) -> Asked:
        """Take a question."""
        made = super().__new__(cls, question.text)
        made.question = question
        return made

    def __copy__(self) -> Asked:
        return self

    def __deepcopy__(self, memo: object) -> Asked:
        return self


class TrainExample(dspy.Example):  # type: ignore[misc]
    """A train question with its gold answer and, for labelled demonstrations, the fields of the answering predictor.

    Those fields can be pages long: an optimizer that describes the data to the model sees question and answer alone.
    """

    def __repr__(self) -> str:
        shown = {name: str(self[name]) for name in ("question", "answer") if name in self}
        return f"Example({shown}) (input_keys={self._input_keys})"

    def labels(self) -> dspy.Example:
        """Return the gold answer alone."""
        return dspy.Example(answer=self["answer"])


def example(question: Question, label: Mapping[str, str] | None = None) -> TrainExample:
    """Return a train question as an example; ``label`` are the fields of a labelled demonstration of it, if any."""
    made = TrainExample({**(label or {}), "question": Asked(question), "answer": question.answer})
    made._input_keys = {"question"}
    return made


def right(question: Question, answer: str | None) -> bool:
    """Return whether an answer is correct (rule R2). None, no answer at all, never is."""
    return answer is not None and match(answer, question.golds, null_question=question.null)


def metric(example: Any, prediction: Any, trace: Any = None) -> float:
    """Return 1.0 for a correct answer, else 0.0: ``match`` of spec § 0, R2, as the board scores it."""
    return float(right(example["question"].question, getattr(prediction, "answer", None)))


def feedback(
    example: Any, prediction: Any, trace: Any = None, pred_name: str | None = None, pred_trace: Any = None
) -> Any:
    """Return the metric, and for one predictor's share in it (GEPA) also in words what was wrong."""
    score = metric(example, prediction)
    if pred_name is None:
        return score
    said = getattr(prediction, "answer", None)
    wanted = " or ".join(example["question"].question.golds)
    text = (
        "The answer is right."
        if score
        else f"The answer is wrong: expected {wanted}, found {said or 'none'}."
    )
    return dspy.Prediction(score=score, feedback=text)


@dataclass(frozen=True, slots=True, eq=False)
class Desk:
    """Where every copy of a student works: the opened system, its model, and the board that its answers are noted on."""

    system: System
    lm: Any
    scores: Scoreboard

    def __deepcopy__(self, memo: object) -> Desk:
        return self


def student_of(system: System, lm: Any, scores: Scoreboard) -> Any:
    """Return the system's program as an optimizer's student: called with ``question=``, an ``Asked``.

    Each call is a task of its own. What keeps to no protocol, or runs into the submission's limit of calls, is an
    answer that is wrong; any other error is none of the system's doing and raises ``Stopped``. Answers of the
    system's own ``lm`` count on the board of scores, samples that an optimizer takes at another temperature do not.
    """
    program = system.program
    base = type(program)

    class Student(base):  # type: ignore[misc, valid-type]
        def reset_copy(self) -> Student:
            # dspy's own asks for the method ``parameters``, which our programs' attribute of that name hides.
            fresh: Student = self.deepcopy()
            for predictor in fresh.predictors():
                predictor.reset()
            return fresh

        def forward(self, question: Asked) -> dspy.Prediction:
            asked = question.question
            try:
                state = predictors_of(self)
                with dspy.context(adapter=adapter()), _without(self, asked.text), metering():
                    prediction = super().forward(task=self.desk.system.task(asked, self))
            except Exception as error:
                cause = root_cause(error)
                if not isinstance(cause, Unparsed | CallLimit):
                    raise Stopped(cause if isinstance(cause, Exception) else error) from error
                prediction = dspy.Prediction(answer=None)
            if all((predictor.lm or dspy.settings.lm) is self.desk.lm for predictor in self.predictors()):
                self.desk.scores.add(state, asked.id, right(asked, prediction.answer))
            return prediction

    # Optimizers show the model the program's source, which they look up by these names.
    Student.__name__, Student.__qualname__, Student.__module__ = (
        base.__name__,
        base.__qualname__,
        base.__module__,
    )
    program.__class__ = Student
    program.desk = Desk(system, lm, scores)
    scores.start(predictors_of(program))
    return program


def predictors_of(program: Any) -> Predictors:
    """Return the state of a program's predictors as ``dump_state`` gives it, without any model.

    Sets each one's demonstrations to those of them that are whole.
    """
    state = {}
    for name, predictor in program.named_predictors():
        predictor.demos = whole_demos(predictor)
        state[name] = {
            "demos": [demo.toDict() for demo in predictor.demos],
            "signature": predictor.signature.dump_state(),
        }
    return state


@contextmanager
def _without(program: Any, question: str) -> Iterator[None]:
    """Leave the demonstrations of a question out while it is asked: shown its own answer, any program is right."""
    all_demos = [(predictor, predictor.demos) for predictor in program.predictors()]
    try:
        for predictor, demos in all_demos:
            predictor.demos = [demo for demo in demos if demo.get("question") != question]
        yield
    finally:
        for predictor, demos in all_demos:
            predictor.demos = demos


def whole_demos(predictor: Any) -> list[dspy.Example]:
    """Return a predictor's demonstrations, each with its fields and nothing else; those that lack one are left out.

    dspy puts train examples as they are among the demonstrations of every predictor, whatever fields it has.
    """
    kept = []
    for demo in predictor.demos:
        if any(not isinstance(demo.get(name), str) for name in predictor.signature.fields):
            continue
        fields = {name: str(demo[name]) for name in predictor.signature.fields}
        kept.append(dspy.Example(**fields, **({AUGMENTED: True} if demo.get(AUGMENTED) else {})))
    return kept
