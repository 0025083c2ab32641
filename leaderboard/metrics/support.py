"""MuSiQue's supporting-paragraph scores, and the grouped scores of its full (answerable / unanswerable) variant."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from leaderboard.metrics.answers import exact_match, f1


@dataclass(frozen=True, slots=True)
class SupportScore:
    """How well a set of cited paragraphs equals the gold set. ``f1`` is 0 to 1."""

    exact: bool
    f1: float


def support_score(predicted: Iterable[Hashable], gold: Iterable[Hashable]) -> SupportScore:
    """Return exact match and F1 of two sets of paragraph keys, duplicates ignored; two empty sets give 1.

    For official files the keys are paragraph indices (see :func:`paragraph_indices`), for an open corpus the
    paragraph keys of what was cited.

    Source: spec § 1.3.
    """
    cited, wanted = set(predicted), set(gold)
    if not cited and not wanted:
        return SupportScore(exact=True, f1=1.0)
    return SupportScore(exact=cited == wanted, f1=2 * len(cited & wanted) / (len(cited) + len(wanted)))


def paragraph_indices(values: Iterable[int | str]) -> frozenset[int]:
    """Return paragraph indices as integers; official prediction files hold ``8`` and ``"8"`` (spec § 1.3).

    Raises ``ValueError`` for a text that is no integer.
    """
    return frozenset(int(value) for value in values)


@dataclass(frozen=True, slots=True)
class FullInstance:
    """One line of a MuSiQue-Full file with its prediction. The twins of a question share ``id``."""

    id: str
    answerable: bool
    golds: tuple[str, ...]
    gold_support: frozenset[int]
    predicted_answer: str
    predicted_support: frozenset[int]
    predicted_answerable: bool


@dataclass(frozen=True, slots=True)
class FullScores:
    """Means, 0 to 1, unrounded. The first three are over answerable instances.

    The grouped two are over questions: a question counts only if both twins' ``answerable`` flags are right. They
    are ``None`` for a file without unanswerable instances.
    """

    answer_em: float
    answer_f1: float
    support_f1: float
    group_answer_f1: float | None
    group_support_f1: float | None


def full_scores(instances: Sequence[FullInstance]) -> FullScores:
    """Return the scores of a MuSiQue file, with the grouped ones if any of its instances is unanswerable.

    Raises ``ValueError`` without an answerable instance, and where the grouped scores are due but an id doesn't
    occur exactly twice, once answerable and once not.

    Source: spec § 1.4.
    """
    answerable = [instance for instance in instances if instance.answerable]
    if not answerable:
        raise ValueError(f"expected at least one answerable instance, found none in {len(instances)}")
    answer = {instance.id: f1(instance.predicted_answer, instance.golds) for instance in answerable}
    support = {
        instance.id: support_score(instance.predicted_support, instance.gold_support).f1
        for instance in answerable
    }
    if len(answer) != len(answerable):
        raise ValueError(
            f"expected one answerable instance an id, found {len(answerable)} of {len(answer)} ids"
        )
    grouped = len(answerable) < len(instances)
    judged_right = _sufficient(instances) if grouped else frozenset()
    return FullScores(
        answer_em=fmean(exact_match(one.predicted_answer, one.golds) for one in answerable),
        answer_f1=fmean(answer.values()),
        support_f1=fmean(support.values()),
        group_answer_f1=fmean(v * (id in judged_right) for id, v in answer.items()) if grouped else None,
        group_support_f1=fmean(v * (id in judged_right) for id, v in support.items()) if grouped else None,
    )


def _sufficient(instances: Sequence[FullInstance]) -> frozenset[str]:
    """Return the ids whose two flags are both right."""
    twins: dict[str, list[FullInstance]] = {}
    for instance in instances:
        twins.setdefault(instance.id, []).append(instance)
    for id, pair in twins.items():
        if sorted(one.answerable for one in pair) != [False, True]:
            flags = [one.answerable for one in pair]
            raise ValueError(f"expected {id!r} once answerable and once not, found answerable = {flags}")
    return frozenset(
        id for id, pair in twins.items() if all(one.predicted_answerable == one.answerable for one in pair)
    )
