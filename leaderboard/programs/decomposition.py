"""Question decomposition: split once, search for each part, merge, answer (Ammann et al. 2025; spec § 4.7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from math import fsum

import dspy

from leaderboard.catalog import reasoning as catalog
from leaderboard.metrics.queries import folded
from leaderboard.programs.answering import ask, told
from leaderboard.programs.lines import items
from leaderboard.programs.single_step import AnswerFromPassages
from leaderboard.programs.task import Task
from leaderboard.retrieval.passages import Passage

RRF_K = 60

_INSTRUCTIONS = (
    "Split the question into {count} that have to be answered one after the other. Each begins with Who, What, When, "
    "Where or Which, asks for one fact, and names what it is about. {layout}."
)
_COUNTS = {1: "one simpler question", 2: "two simpler questions"}


class WriteSubQuestions(dspy.Signature):  # type: ignore[misc]
    """Replaced by the instructions with the number of sub-questions."""

    question: str = dspy.InputField()
    sub_questions: str = dspy.OutputField(desc="short questions, one a line")


class Decomposition(dspy.Module):  # type: ignore[misc]
    """One call splits the question; the question and each part are searched for; one call answers from the merged list.

    Parts that repeat the question or each other are not searched for. A reranker orders each search by its own query,
    before the lists are merged: the merged list is not ranked once more, unlike the paper's, which is ranked by the
    question. All searches are one round: none knows what another found.
    """

    def __init__(self, parameters: catalog.Decomposition) -> None:
        super().__init__()
        self.parameters = parameters
        several = parameters.sub_questions > 1
        instructions = _INSTRUCTIONS.format(
            count=_COUNTS.get(parameters.sub_questions, f"2 to {parameters.sub_questions} simpler questions"),
            layout="One question a line" if several else "A single line",
        )
        self.write_sub_questions = dspy.Predict(WriteSubQuestions.with_instructions(instructions))
        self.answer = dspy.Predict(AnswerFromPassages)

    def forward(self, task: Task) -> dspy.Prediction:
        """Return a prediction with the raw ``answer``; where one call is left, the question is not split."""
        k = self.parameters.passages_per_question
        rankings = [task.search(query, k) for query in [task.question, *self._sub_questions(task)]]
        merged = MERGES[self.parameters.merge](rankings)
        kept = merged[: self.parameters.most_passages]
        task.trace.append(
            {"step": "merge", "by": self.parameters.merge, "found": len(merged), "kept": len(kept)}
        )
        context = task.show(kept, self.parameters.context_tokens)
        return dspy.Prediction(answer=ask(self.answer, task, context=context, question=task.question))

    def _sub_questions(self, task: Task) -> list[str]:
        if task.last_call:
            task.limited = True
            return []
        said = told(self.write_sub_questions, task, "sub_questions", question=task.question)
        written = items(said.text)[: self.parameters.sub_questions]
        asked = {folded(task.question): task.question}
        for question in written:
            asked.setdefault(folded(question), question)
        asked.pop(folded(task.question))
        task.trace.append({"step": "sub_questions", "written": written, "asked": [*asked.values()]})
        return [*asked.values()]


def best_rank(rankings: Sequence[Sequence[Passage]]) -> list[Passage]:
    """Return all passages once: the first of every ranking in the rankings' order, then the second of every one, …"""
    merged: dict[str, Passage] = {}
    for of_a_rank in zip_longest(*rankings):
        for passage in of_a_rank:
            if passage is not None:
                merged.setdefault(passage.id, passage)
    return list(merged.values())


def rrf(rankings: Sequence[Sequence[Passage]]) -> list[Passage]:
    """Return all passages once by reciprocal-rank fusion (Cormack, Clarke and Buettcher 2009), the best first.

    score(d) = Σ over the rankings that hold d of 1/(60 + rank of d), ranks from 1; ties stay as in ``best_rank``.
    """
    shares: dict[str, list[float]] = {}
    for ranking in rankings:
        for rank, passage in enumerate(ranking, start=1):
            shares.setdefault(passage.id, []).append(1 / (RRF_K + rank))
    # An exact sum: passages with the same ranks tie, in whichever rankings they have them.
    return sorted(best_rank(rankings), key=lambda passage: -fsum(shares[passage.id]))


MERGES: Mapping[str, Callable[[Sequence[Sequence[Passage]]], list[Passage]]] = {
    "best_rank": best_rank,
    "rrf": rrf,
}
