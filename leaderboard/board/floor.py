"""The best constant answer: what a system scores that says the same to every question (rule R3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from leaderboard.benchmarks.questions import Benchmark
from leaderboard.metrics.match import match
from leaderboard.metrics.normalise import normalise_match

ABSTENTION = "Insufficient information."


@dataclass(frozen=True, slots=True)
class Floor:
    """The constant ``answer`` that is right on most questions, and on how many of ``n``."""

    answer: str
    right: int
    n: int


def best_constant(benchmark: Benchmark) -> Floor:
    """Return the best constant answer of a benchmark: candidates are its distinct golds and the abstention.

    Ties go to the alphabetically first (rule R3). A constant is tried only on questions it can be right on: those
    with a gold that it states; on the null questions, which all ask the same of it, it is tried once.
    """
    by_gold: dict[str, set[int]] = {}
    null = 0
    for index, question in enumerate(benchmark.questions):
        if question.null:
            null += 1
            continue
        for gold in question.golds:
            by_gold.setdefault(normalise_match(gold), set()).add(index)
    floors = []
    for answer in sorted({question.answer for question in benchmark.questions} | {ABSTENTION}):
        tried: set[int] = set().union(
            *(by_gold.get(run, ()) for run in _runs(normalise_match(answer).split()))
        )
        right = null * match(answer, (), null_question=True) + sum(
            match(answer, benchmark.questions[index].golds, null_question=False) for index in tried
        )
        floors.append(Floor(answer, right, len(benchmark.questions)))
    return max(floors, key=lambda floor: floor.right)


def _runs(tokens: list[str]) -> Iterator[str]:
    """Yield every run of consecutive tokens."""
    for start in range(len(tokens)):
        for end in range(start + 1, len(tokens) + 1):
            yield " ".join(tokens[start:end])
