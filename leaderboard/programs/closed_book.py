"""Closed book: the question alone (spec § 4.2, "direct / naive / zero-shot")."""

from __future__ import annotations

import dspy

from leaderboard.catalog import programs as catalog
from leaderboard.programs.answering import ask
from leaderboard.programs.task import Task


class AnswerFromMemory(dspy.Signature):  # type: ignore[misc]
    """Answer the question with a name, a number, a date, yes or no. Give the answer only, no explanation."""

    question: str = dspy.InputField()
    answer: str = dspy.OutputField(desc="a few words at most")


class ClosedBook(dspy.Module):  # type: ignore[misc]
    """Ask without any document."""

    def __init__(self, parameters: catalog.ClosedBook) -> None:
        super().__init__()
        self.answer = dspy.Predict(AnswerFromMemory)

    def forward(self, task: Task) -> dspy.Prediction:
        """Return a prediction with the raw ``answer``."""
        return dspy.Prediction(answer=ask(self.answer, task, question=task.question))
