"""95 % intervals: of one proportion, of a weighted sum of proportions, of a mean.

An interval describes a row; whether two rows differ is said by their paired test.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Z = 1.959963984540054
"""The normal distribution's 97.5 % point."""

RESAMPLES = 2000
MIN_VALUES = 60
MIN_DISTINCT = 10


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval in the unit of what it is of, and how it was made."""

    low: float
    high: float
    method: Literal["wilson", "mover", "bootstrap", "wald"]


@dataclass(frozen=True, slots=True)
class WeightedProportion:
    """``successes`` of ``n`` questions, and the proportion's weight in a sum. See :func:`wilson` and :func:`mover`."""

    weight: float
    successes: float
    n: int


def wilson(successes: float, n: int) -> Interval:
    """Return Wilson's score interval, within 0 to 1, of a proportion of ``n`` questions.

    ``successes`` needn't be whole: with repeats it is a sum of the questions' means. ``n = 0`` gives 0 to 1: nothing
    is known. Raises ``ValueError`` unless 0 ≤ successes ≤ n.

    Source: spec § 7.1.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"expected 0 ≤ successes ≤ n, found {successes} of {n}")
    if n == 0:
        return Interval(0.0, 1.0, "wilson")
    p = successes / n
    shrink = 1 + Z**2 / n
    centre = (p + Z**2 / (2 * n)) / shrink
    half = Z / shrink * math.sqrt(p * (1 - p) / n + Z**2 / (4 * n**2))
    # At p = 0 and p = 1 the bound is p itself; rounding would leave 1e-17 on either side of it.
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return Interval(low, high, "wilson")


def mover(parts: Sequence[WeightedProportion]) -> Interval:
    """Return the MOVER interval of a weighted sum Σ w·p of independent proportions, such as Overall.

    low = p - √Σ w²(p_b - l_b)², high = p + √Σ w²(u_b - p_b)², with Wilson's l_b and u_b.

    Raises ``ValueError`` without parts, for a weight that isn't positive (the bounds would change places) and for
    ``n = 0`` (no proportion to weigh).

    Source: spec § 0, R6.
    """
    if not parts:
        raise ValueError("expected at least one proportion, found none")
    for part in parts:
        if not 0 < part.weight < math.inf or part.n < 1:
            raise ValueError(f"expected weight > 0 and n ≥ 1, found {part}")
    centre = math.fsum(part.weight * part.successes / part.n for part in parts)
    bounds = [wilson(part.successes, part.n) for part in parts]
    pairs = list(zip(parts, bounds, strict=True))
    below = math.hypot(*(part.weight * (part.successes / part.n - bound.low) for part, bound in pairs))
    above = math.hypot(*(part.weight * (bound.high - part.successes / part.n) for part, bound in pairs))
    return Interval(centre - below, centre + above, "mover")


def bootstrap_mean(values: Sequence[float], *, seed: int) -> Interval | None:
    """Return the percentile bootstrap interval of the mean of ``values``, one a question.

    ``None`` below 60 values or 10 distinct ones, where it covers too little (0.69 at n = 24, p = .05). ``seed`` comes
    from :func:`bootstrap_seed`. Raises ``ValueError`` for a value that isn't finite.

    Source: spec § 7.2; the limits § 0, R6.
    """
    if len(values) < MIN_VALUES or len(set(values)) < MIN_DISTINCT:
        return None
    return percentile_interval(resampled_means(values, seed=seed))


def bootstrap_seed(ids: Sequence[str]) -> int:
    """Return the seed for the questions of a table: the first 8 hex digits of the SHA-256 of their ids.

    The ids are hashed in their order, as UTF-8 lines without a final line end, so that all systems of a table draw
    the same resamples. Source: spec § 7.2.
    """
    return int(hashlib.sha256("\n".join(ids).encode()).hexdigest()[:8], 16)


def resampled_means(values: Sequence[float], *, seed: int, resamples: int = RESAMPLES) -> NDArray[np.float64]:
    """Return the means of ``resamples`` draws with replacement of as many values, shape ``(resamples,)``.

    Drawn from NumPy's legacy stream, which is frozen: a page recomputed years later shows the same digits. Raises
    ``ValueError`` without values and for one that isn't finite. Source: spec § 7.2.
    """
    sample = np.asarray(values, dtype=np.float64)
    if sample.size == 0 or not np.isfinite(sample).all():
        raise ValueError(f"expected finite values, found {list(values)[:5]} … ({sample.size} values)")
    drawn = np.random.RandomState(seed).randint(0, sample.size, (resamples, sample.size))
    means: NDArray[np.float64] = sample[drawn].mean(axis=1)
    return means


def percentile_interval(means: Sequence[float] | NDArray[np.float64]) -> Interval:
    """Return the 2.5 and 97.5 percentiles of resampled means, linearly interpolated (spec § 7.2)."""
    low, high = np.percentile(np.asarray(means, dtype=np.float64), [2.5, 97.5])
    return Interval(float(low), float(high), "bootstrap")
