"""Means over questions, with the interval that fits: the only place where scores become a value of the board."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from leaderboard.board.tables import Column, Interval, Value
from leaderboard.scoring.declared import BY_KEY
from leaderboard.scoring.metric import Combined, Metric
from leaderboard.scoring.score import Scores
from leaderboard.statistics import intervals

Mask = npt.NDArray[np.bool_]

_METHODS = {"wilson": "Wilson", "mover": "MOVER", "bootstrap": "bootstrap", "wald": "Wald"}


def column(
    metric: Metric | Combined, *, benchmark: str = "", label: str = "", key: str = "", hint: str = ""
) -> Column:
    """Return a metric's column; ``label``, ``key`` and ``hint`` replace its own, a ``benchmark`` may have its own label."""
    return Column(
        key=key or metric.key,
        label=label or metric.label_on(benchmark),
        hint=hint or metric.hint,
        decimals=metric.decimals,
        percent=metric.percent,
        higher_is_better=metric.higher_is_better,
        source=metric.source,
        unit=metric.unit,
        range=metric.range,
        applies_to=metric.applies_to,
    )


def value_of(scores: Scores, metric: Metric | Combined, mask: Mask | None = None) -> Value:
    """Return a metric's value over the questions of ``mask``, combined of other means where it is declared so."""
    return mean(scores, metric, mask) if isinstance(metric, Metric) else combined(scores, metric, mask)


def mean(scores: Scores, metric: Metric, mask: Mask | None = None) -> Value:
    """Return a metric's mean over the questions of ``mask`` (all, when left out) that it applies to.

    Binary metrics get Wilson's interval, others the percentile bootstrap where there are enough questions (rule R6).
    Of a run repeated several times the unit is the question's mean over its repeats, and the deviation is that of the
    runs' means (spec § 7.7). With outcomes that are not the system's doing there is no mean, only the worst and the
    best it could be (R4).
    """
    if not scores.knows(metric):
        return Value(value=None, n=0, note="does not apply")
    chosen = np.ones(len(scores.scored), dtype=np.bool_) if mask is None else mask
    values = scores.of(metric)[chosen & scores.scored]
    known = values[~np.isnan(values)]
    missing = _missing(scores, metric, chosen)
    if missing.any():
        n = len(known) + int(missing.sum())
        bounds = _bounds(scores.repeats[metric.key][:, missing], float(known.sum()), n)
        return Value(
            value=None,
            n=n,
            bounds=bounds if metric.percent else None,
            note=f"incomplete: {missing.sum()} of {n} questions without a result",
        )
    if not len(known):
        return Value(value=None, n=0, note="does not apply" if metric.percent else "unknown")
    return Value(
        value=float(known.mean()),
        n=len(known),
        interval=_interval(metric, known, scores),
        deviation=_deviation(scores.repeats[metric.key][:, chosen]),
    )


def combined(scores: Scores, metric: Combined, mask: Mask | None = None) -> Value:
    """Return a metric made of the means of binary ones, with its MOVER interval; unknown when one of them is."""
    parts = [(weight, mean(scores, BY_KEY[key], mask)) for key, weight in metric.parts]
    unknown = next((part for _, part in parts if part.value is None), None)
    if unknown is not None:
        return Value(value=None, n=0, note=unknown.note)
    value, shift, weighted = metric.offset, metric.offset, []
    for weight, part in parts:
        share = part.value or 0.0
        value += weight * share
        # A negative weight is a positive one of the complement: −w·p = w·(1 − p) − w.
        shift += min(weight, 0.0)
        right = share if weight > 0 else 1 - share
        weighted.append(intervals.WeightedProportion(abs(weight), right * part.n, part.n))
    limits = intervals.mover(weighted)
    return Value(
        value=value,
        n=sum(part.n for _, part in parts),
        interval=Interval(low=limits.low + shift, high=limits.high + shift, method=_METHODS[limits.method]),
    )


def _missing(scores: Scores, metric: Metric, chosen: Mask) -> Mask:
    """Return which of the chosen questions lack a result, in a repeat at least, although the metric applies to them."""
    applying = [metric.applies(question) for question in scores.cell.benchmark.questions]
    return chosen & ~scores.scored & np.array(applying, dtype=np.bool_)


def _bounds(repeats: npt.NDArray[np.float64], known: float, n: int) -> tuple[float, float]:
    """Return the means if each result that is missing were 0, and 1; ``known`` is the sum over the other questions."""
    told, missing = float(np.nansum(repeats)), int(np.isnan(repeats).sum())
    low = known + told / len(repeats)
    return low / n, (low + missing / len(repeats)) / n


def _deviation(repeats: npt.NDArray[np.float64]) -> float | None:
    """Return the standard deviation (n − 1) of the runs' means, None of a single run."""
    means = [float(run[~np.isnan(run)].mean()) for run in repeats if not np.isnan(run).all()]
    return float(np.std(means, ddof=1)) if len(means) > 1 else None


def _interval(metric: Metric, known: npt.NDArray[np.float64], scores: Scores) -> Interval | None:
    if metric.binary:
        return shown(intervals.wilson(float(known.sum()), len(known)))
    ids = [question.id for question in scores.cell.benchmark.questions]
    found = intervals.bootstrap_mean(known.tolist(), seed=intervals.bootstrap_seed(ids))
    return shown(found) if found else None


def shown(interval: intervals.Interval) -> Interval:
    """Return an interval in the form the board keeps."""
    return Interval(low=interval.low, high=interval.high, method=_METHODS[interval.method])


def overall(parts: Sequence[Value], benchmarks: int) -> Value:
    """Return the unweighted mean of a system's headlines with its MOVER interval (rules R5, R6).

    Only for a system that is complete on all ``benchmarks`` of the board: otherwise unknown, with the reason.
    """
    complete = [part for part in parts if part.value is not None]
    if len(complete) < benchmarks:
        return Value(value=None, n=0, note=f"complete on {len(complete)} of {benchmarks} benchmarks")
    weighted = [
        intervals.WeightedProportion(1 / benchmarks, (part.value or 0.0) * part.n, part.n)
        for part in complete
    ]
    value = sum(part.value or 0.0 for part in complete) / benchmarks
    return Value(value=value, n=sum(part.n for part in complete), interval=shown(intervals.mover(weighted)))


def plain_mean(parts: Sequence[Value]) -> Value:
    """Return the unweighted mean of one value or more, without an interval; unknown, with its note, when one of them is."""
    known = [part.value for part in parts if part.value is not None]
    if len(known) < len(parts):
        return Value(value=None, n=0, note=next(part.note for part in parts if part.value is None))
    return Value(value=sum(known) / len(known), n=sum(part.n for part in parts))
