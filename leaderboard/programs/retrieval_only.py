"""Retrieval only: the question as the query, and no model (spec § 0, R10). For the Retrievers page."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.catalog import programs as catalog
from leaderboard.programs.task import Task


@dataclass(frozen=True, slots=True)
class Found:
    """What a program without a model returns: no answer."""

    answer: str = ""


class RetrievalOnly:
    """One search; what it brought is in the task's notebook."""

    def __init__(self, parameters: catalog.RetrievalOnly) -> None:
        self.parameters = parameters

    def __call__(self, *, task: Task) -> Found:
        """Search with the question; the ranked list is the record's ``returned``."""
        task.search(task.question, self.parameters.k)
        return Found()
