"""Labelled demonstrations: the fields that a program gives its answering predictor, with the gold answer."""

from __future__ import annotations

from typing import Any

import dspy

from leaderboard.benchmarks.questions import Question
from leaderboard.models.engine import root_cause
from leaderboard.programs.answering import Unparsed
from leaderboard.programs.system import System

ANSWER = "answer"


class _Silent(dspy.ChatAdapter):  # type: ignore[misc]
    """Asks nobody: every output is empty, but the answer, which is ``answer``."""

    def __init__(self, answer: str) -> None:
        super().__init__(use_json_adapter_fallback=False)
        self.answer = answer

    def __call__(
        self, lm: Any, lm_kwargs: Any, signature: Any, demos: Any, inputs: Any
    ) -> list[dict[str, str]]:
        return [{name: self.answer if name == ANSWER else "" for name in signature.output_fields}]


def label(system: System, question: Question, lm: Any) -> dict[str, str] | None:
    """Return the fields of a labelled demonstration of a question; None where the program never comes to an answer.

    A label is known of the answer alone. So the program is run with a model that says nothing before it: a program
    that searches with what the model writes then searches with the question itself, a reranker leaves the order as it
    is, and the fields are those that its last predictor with no output but ``answer`` is given. ``lm`` is never asked.
    """
    task = system.task(question)
    with dspy.context(lm=lm, adapter=_Silent(question.answer), trace=[]):
        try:
            system.program(task=task)
        except Exception as error:
            if not isinstance(root_cause(error), Unparsed):
                raise
        steps = list(dspy.settings.trace)
    for predictor, inputs, _ in reversed(steps):
        if list(predictor.signature.output_fields) == [ANSWER]:
            return {**inputs, ANSWER: question.answer}
    return None
