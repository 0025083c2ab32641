"""The numbers of the surrogate prober, from the records of questions that are never scored (spec § 4.6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from statistics import median
from typing import Literal

import numpy as np

from leaderboard.benchmarks.questions import Question
from leaderboard.catalog.skill_rag import LARGEST_WEIGHT, AfterRetrieval, BeforeRetrieval, SurrogateProber
from leaderboard.metrics.match import match
from leaderboard.programs.prober import AfterFeatures, BeforeFeatures
from leaderboard.results.records import Record
from leaderboard.statistics.logistic import fit, left_out

Gate = Literal["before_retrieval", "after_retrieval"]

DECIMALS = 4
"""Decimals of the numbers in the submission."""

_FEATURES: Mapping[Gate, type[BeforeFeatures | AfterFeatures]] = {
    "before_retrieval": BeforeFeatures,
    "after_retrieval": AfterFeatures,
}
_WEIGHTS: Mapping[Gate, type[BeforeRetrieval | AfterRetrieval]] = {
    "before_retrieval": BeforeRetrieval,
    "after_retrieval": AfterRetrieval,
}


class TrainingError(Exception):
    """The records don't hold what a prober is trained on. The text says what is missing."""


@dataclass(frozen=True, slots=True)
class Example:
    """An answer that a gate saw: its features, and whether it is correct (rule R2)."""

    features: BeforeFeatures | AfterFeatures
    right: bool


@dataclass(frozen=True, slots=True)
class GateReport:
    """A gate's trained numbers, and how well it does on each example when it is trained on the others.

    ``right`` of ``examples`` answers are correct. ``accuracy`` is the share of examples that it puts on the right side of
    ½, beside ``majority``, what one answer for all would reach; ``brier`` the mean squared error of its probabilities,
    beside ``base_brier``, that of the others' share of correct answers.
    """

    gate: Gate
    weights: BeforeRetrieval | AfterRetrieval
    examples: int
    right: int
    accuracy: float
    majority: float
    brier: float
    base_brier: float


def gate_examples(records: Iterable[Record], questions: Mapping[str, Question], gate: Gate) -> list[Example]:
    """Return what a gate saw in the records' traces; ``questions`` maps ids to questions, whose golds say what is correct."""
    found = []
    for record in records:
        question = questions[record.question]
        for step in record.trace:
            if step["step"] == "gate" and step["gate"] == gate:
                right = match(step["answer"], question.golds, null_question=question.null)
                found.append(Example(_FEATURES[gate](**step["features"]), right))
    return found


def score_scale(searches: Iterable[Sequence[float]]) -> float:
    """Return the median of the searches' best scores: the score that counts half.

    Raises ``TrainingError`` when no search has a score above 0.
    """
    best = [max(scores) for scores in searches if scores]
    middle = round(median(best), DECIMALS) if best else 0.0
    if middle <= 0:
        raise TrainingError(
            "expected searches with scores above 0 to scale by, found none; check [retriever]"
        )
    return middle


def train_gate(examples: Sequence[Example], gate: Gate) -> GateReport:
    """Return a gate fitted on all examples and judged by leaving one out, as in ``statistics.logistic``.

    Raises ``TrainingError`` for fewer than two examples.
    """
    if len(examples) < 2:
        raise TrainingError(f"expected two examples or more for {gate}, found {len(examples)}")
    features = np.array([astuple(example.features) for example in examples], dtype=np.float64)
    labels = np.array([example.right for example in examples])
    model = fit(features, labels)
    names = [field.name for field in fields(_FEATURES[gate])]
    numbers = dict(zip(["intercept", *names], map(_plain, (model.intercept, *model.weights)), strict=True))
    chances = left_out(features, labels)
    right, size = int(labels.sum()), len(labels)
    others = (right - labels) / (size - 1)
    return GateReport(
        gate=gate,
        weights=_WEIGHTS[gate](**numbers),
        examples=size,
        right=right,
        accuracy=float(((chances >= 0.5) == labels).mean()),
        majority=max(right, size - right) / size,
        brier=float(((chances - labels) ** 2).mean()),
        base_brier=float(((others - labels) ** 2).mean()),
    )


def toml(prober: SurrogateProber) -> str:
    """Return the prober as the tables of a submission."""
    before, after = (
        "\n".join(f"{name} = {value}" for name, value in weights.model_dump().items())
        for weights in (prober.before_retrieval, prober.after_retrieval)
    )
    return (
        f'[program.prober]\nkind = "{prober.kind}"\nscore_scale = {prober.score_scale}\n\n'
        f"[program.prober.before_retrieval]\n{before}\n\n[program.prober.after_retrieval]\n{after}\n"
    )


def _plain(number: float) -> float:
    return round(min(max(number, -LARGEST_WEIGHT), LARGEST_WEIGHT), DECIMALS) + 0.0
