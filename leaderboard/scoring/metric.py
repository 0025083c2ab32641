"""What a metric is: a declared value that computation, table, tooltip, CSV header and method page all read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from leaderboard.benchmarks.errata import NONE, Errata
from leaderboard.benchmarks.questions import Document, Question
from leaderboard.results.records import Record
from leaderboard.retrieval.passages import text_of

Kind = Literal["answer", "cost", "evidence", "ranking", "rounds", "citation"]
"""Which systems a metric says something about: those that ask a model (answer, cost), retrieve (evidence), only
retrieve (ranking), search in rounds, or cite."""


@dataclass(frozen=True, slots=True)
class Case:
    """One record to score, with its question, the corpus it was run on, and the errata of its benchmark."""

    record: Record
    question: Question
    documents: Mapping[str, Document] = field(default_factory=dict)
    errata: Errata = NONE

    def text(self, passage: str) -> str:
        """Return a passage's text by its id; "" for one that the corpus does not have."""
        return text_of(passage, self.documents)


def every(_: Question) -> bool:
    """A metric of all questions."""
    return True


def answerable(question: Question) -> bool:
    """A metric of the questions that the corpus answers."""
    return not question.null


def null(question: Question) -> bool:
    """A metric of the questions that the corpus does not answer."""
    return question.null


def has_evidence(question: Question) -> bool:
    """A metric of the questions with gold evidence."""
    return bool(question.evidence)


APPLIES: Mapping[Callable[[Question], bool], str] = {
    every: "all questions",
    answerable: "answerable questions",
    null: "null questions",
    has_evidence: "questions with gold evidence",
}
"""In words, which questions a metric is a mean over."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric of one record. ``compute`` returns None where it does not apply, or where it is unknown.

    ``kind`` tells of a system, ``benchmarks`` (all, when empty) of a benchmark and ``applies`` of a question alone
    whether the metric says anything about it. ``binary`` metrics are 0 or 1 for each question: their means get Wilson
    intervals. ``range`` holds the least and the greatest value, None for no bound. ``labels`` maps a benchmark to what
    the field calls the metric there.
    """

    key: str
    label: str
    hint: str
    source: str
    compute: Callable[[Case], float | None]
    kind: Kind = "answer"
    applies: Callable[[Question], bool] = every
    benchmarks: tuple[str, ...] = ()
    binary: bool = False
    percent: bool = True
    decimals: int = 1
    higher_is_better: bool | None = True
    unit: str = ""
    range: tuple[float, float | None] = (0.0, 1.0)
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def applies_to(self) -> str:
        """In words, which questions the mean is over."""
        return APPLIES[self.applies]

    def label_on(self, benchmark: str) -> str:
        """What the metric is called on a benchmark."""
        return self.labels.get(benchmark, self.label)

    def on(self, benchmark: str) -> bool:
        """Whether the metric is one of a benchmark's."""
        return not self.benchmarks or benchmark in self.benchmarks


@dataclass(frozen=True, slots=True)
class Combined:
    """A metric made of means of others: ``offset`` + Σ weight · mean. It has no value of a single question."""

    key: str
    label: str
    hint: str
    source: str
    parts: tuple[tuple[str, float], ...]
    offset: float = 0.0
    kind: Kind = "answer"
    benchmarks: tuple[str, ...] = ()
    applies_to: str = "all questions"
    percent: bool = True
    decimals: int = 1
    higher_is_better: bool | None = True
    unit: str = ""
    range: tuple[float, float | None] = (0.0, 1.0)

    def label_on(self, benchmark: str) -> str:
        """What the metric is called on a benchmark: the same everywhere."""
        return self.label

    def on(self, benchmark: str) -> bool:
        """Whether the metric is one of a benchmark's."""
        return not self.benchmarks or benchmark in self.benchmarks
