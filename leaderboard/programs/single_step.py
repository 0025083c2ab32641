"""Single step: retrieve once with the question, show what came, ask (spec § 4.2: BM25-R, vanilla RAG)."""

from __future__ import annotations

import dspy

from leaderboard.catalog import programs as catalog
from leaderboard.programs.answering import ask
from leaderboard.programs.task import Task


class AnswerFromPassages(dspy.Signature):  # type: ignore[misc]
    """Answer the question from the passages with a name, a number, a date, yes or no. Give the answer only, no explanation. If the passages do not hold what is needed, answer: Insufficient information."""

    context: str = dspy.InputField(desc="numbered passages")
    question: str = dspy.InputField()
    answer: str = dspy.OutputField(desc="a few words at most")


class SingleStep(dspy.Module):  # type: ignore[misc]
    """One search, one answer."""

    def __init__(self, parameters: catalog.SingleStep) -> None:
        super().__init__()
        self.parameters = parameters
        self.answer = dspy.Predict(AnswerFromPassages)

    def forward(self, task: Task) -> dspy.Prediction:
        """Return a prediction with the raw ``answer``."""
        passages = task.search(task.question, self.parameters.passages)
        context = task.show(passages, self.parameters.context_tokens)
        return dspy.Prediction(answer=ask(self.answer, task, context=context, question=task.question))
