"""How the candidates of a compile did: each program that ran on a train question, and whether it answered right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from leaderboard.files import digest_json

Predictors = Mapping[str, Mapping[str, Any]]
"""Predictor name → its demonstrations and signature, as ``Predict.dump_state`` gives them."""


@dataclass(slots=True)
class Candidate:
    """One state of the program. ``right`` has, for each train question's id, whether each of its runs was right."""

    predictors: Predictors
    right: dict[str, list[bool]] = field(default_factory=dict)

    @property
    def score(self) -> float:
        """Share of right answers: the mean over questions of the mean over their runs."""
        return sum(sum(runs) / len(runs) for runs in self.right.values()) / len(self.right)


class Scoreboard:
    """Candidates in the order in which they first ran.

    ``needed`` is how many different questions make a score that counts; 0 while the optimizer compares no scores.
    """

    def __init__(self) -> None:
        self.needed = 0
        self._candidates: dict[str, Candidate] = {}
        self._first = ""

    def start(self, predictors: Predictors) -> None:
        """Take the program as it is before compiling."""
        self._first = digest_json(predictors)

    def add(self, predictors: Predictors, question: str, right: bool) -> None:
        """Take note of one run."""
        key = digest_json(predictors)
        candidate = self._candidates.setdefault(key, Candidate(predictors))
        candidate.right.setdefault(question, []).append(right)

    def score(self, predictors: Predictors) -> float | None:
        """Return a candidate's score, None when it ran on too few questions."""
        candidate = self._candidates.get(digest_json(predictors))
        return candidate.score if candidate and self._counts(candidate) else None

    def scored(self) -> Iterator[Candidate]:
        """Yield the candidates whose score counts, in the order in which they first ran."""
        yield from filter(self._counts, self._candidates.values())

    @property
    def best_score(self) -> float | None:
        """The highest score that counts."""
        return max((candidate.score for candidate in self.scored()), default=None)

    def best(self) -> Candidate | None:
        """Return the best candidate, of equal ones the first; None while only the program as it was has a score."""
        if all(digest_json(candidate.predictors) == self._first for candidate in self.scored()):
            return None
        return max(self.scored(), key=lambda candidate: candidate.score)

    def _counts(self, candidate: Candidate) -> bool:
        return 0 < self.needed <= len(candidate.right)


def changed(before: Predictors, after: Predictors) -> Sequence[str]:
    """Return the names of the predictors whose instructions, fields or demonstrations differ."""
    return [name for name, entry in after.items() if digest_json(entry) != digest_json(before[name])]
