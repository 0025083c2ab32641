"""The best constant answer: what a system scores that says the same to every question (rule R3)."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.benchmarks.questions import Benchmark
from leaderboard.metrics.match import match

ABSTENTION = "Insufficient information."


@dataclass(frozen=True, slots=True)
class Floor:
    """The constant ``answer`` that is right on most questions, and on how many of ``n``."""

    answer: str
    right: int
    n: int


def best_constant(benchmark: Benchmark) -> Floor:
    """Return the best constant answer of a benchmark: candidates are its distinct golds and the abstention.

    Ties go to the alphabetically first (rule R3).
    """
    candidates = sorted({question.answer for question in benchmark.questions} | {ABSTENTION})
    floors = [
        Floor(
            answer,
            sum(
                match(answer, question.golds, null_question=question.null) for question in benchmark.questions
            ),
            len(benchmark.questions),
        )
        for answer in candidates
    ]
    return max(floors, key=lambda floor: floor.right)
