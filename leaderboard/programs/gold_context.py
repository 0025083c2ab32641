"""Gold context: the gold evidence shown, the ceiling of every retriever (spec § 4.2, "oracle"). A reference row."""

from __future__ import annotations

import dspy

from leaderboard.catalog import programs as catalog
from leaderboard.programs.answering import ask
from leaderboard.programs.single_step import AnswerFromPassages
from leaderboard.programs.task import Task


class GoldContext(dspy.Module):  # type: ignore[misc]
    """No search: the benchmark's own evidence, in its order."""

    def __init__(self, parameters: catalog.GoldContext) -> None:
        super().__init__()
        self.parameters = parameters
        self.answer = dspy.Predict(AnswerFromPassages)

    def forward(self, task: Task) -> dspy.Prediction:
        """Return a prediction with the raw ``answer``."""
        context = task.show(task.gold(), self.parameters.context_tokens)
        return dspy.Prediction(answer=ask(self.answer, task, context=context, question=task.question))
