"""Listwise reranking by the language model: one call orders the candidates of a search (Sun et al. 2023, RankGPT)."""

from __future__ import annotations

import re
from collections.abc import Sequence

import dspy

from leaderboard.catalog import rerankers as catalog
from leaderboard.metrics.tokens import cut_tokens
from leaderboard.programs.answering import told
from leaderboard.programs.task import Task
from leaderboard.retrieval.passages import Hit

_NUMBER = re.compile(r"\d+")


class RankPassages(dspy.Signature):  # type: ignore[misc]
    """Order the passages by how much they help to answer the question, the best first. Give the numbers of all passages and nothing else, such as: 2 > 1 > 3"""

    passages: str = dspy.InputField(desc="numbered passages")
    question: str = dspy.InputField()
    ranking: str = dspy.OutputField(desc="numbers, best first")


class Listwise(dspy.Module):  # type: ignore[misc]
    """Part of the retriever: what it sees is not what the answer is written from, so it isn't noted as shown."""

    def __init__(self, parameters: catalog.LMListwise) -> None:
        super().__init__()
        self.parameters = parameters
        self.rank = dspy.Predict(RankPassages)

    def candidates(self, k: int) -> int:
        """Return how many passages it has to be given so that ``k`` come out."""
        return max(k, self.parameters.candidates)

    def forward(self, task: Task, query: str, hits: Sequence[Hit]) -> list[Hit]:
        """Return the hits in the model's order.

        Numbers that no passage has, and repeated ones, are passed over; passages that it leaves out follow in the
        retriever's order. An order that isn't whole is counted in ``task.parse_repairs``.
        """
        blocks = [
            f"[{number}] {hit.passage.title}\n{cut_tokens(hit.passage.text, self.parameters.passage_tokens)}"
            for number, hit in enumerate(hits, start=1)
        ]
        repairs = task.parse_repairs
        said = told(self.rank, task, "ranking", passages="\n\n".join(blocks), question=query)
        named = [int(number) - 1 for number in _NUMBER.findall(said.text) if len(number) <= 4]
        order = [place for place in dict.fromkeys(named) if 0 <= place < len(hits)]
        if len(order) < len(hits):
            task.parse_repairs = repairs + 1
        ranked = order + [place for place in range(len(hits)) if place not in order]
        task.trace.append(
            {
                "step": "rerank",
                "query": query,
                "candidates": [hit.passage.id for hit in hits],
                "order": [place + 1 for place in ranked],
            }
        )
        return [hits[place] for place in ranked]
