"""Two systems on the same questions: exact McNemar, paired sign-flip, and intervals of a paired difference.

All are conditional on the questions asked. A single run of a system doesn't measure how much its model varies.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from leaderboard.statistics.intervals import Interval, Z, bootstrap_mean

FLIPS = 10_000
MOST_ENUMERATED = 20
"""Up to so many non-zero clusters every pattern of signs is looked at."""

FEWEST_HITS = 20
"""With fewer flips at or beyond the observed sum, p comes from the normal tail."""

_TIE = 1e-9
"""Sums of the same differences in another order differ in their last bits; nearer than this, relative to the sum of all
absolute values, they are one sum."""

_BLOCK = 500


def mcnemar(wins: int, losses: int) -> float:
    """Return the two-sided p of McNemar's exact test: min(1, 2·P(X ≤ min(wins, losses))), X ~ Bin(wins + losses, ½).

    ``wins`` are the questions that only the one system gets right, ``losses`` those that only the other does. Without
    either, p is 1. Raises ``ValueError`` for a negative count. Source: spec § 0, R7; § 7.3.
    """
    if wins < 0 or losses < 0:
        raise ValueError(f"expected counts from 0, found {wins} and {losses}")
    n = wins + losses
    tail = term = 1  # binomial coefficients, each from the one before: anew, thousands would take seconds
    for k in range(min(wins, losses)):
        term = term * (n - k) // (k + 1)
        tail += term
    p: float = min(1.0, 2 * tail / 2**n)  # whole numbers, divided once: exact, and no n is too large
    return p


def difference_interval(wins: int, losses: int, n: int) -> Interval | None:
    """Return the 95 % interval of (wins - losses) / n, a paired difference of two proportions, within -1 to 1.

    ± 1.96·√(b + c - (b - c)² / n) / n. ``None`` without a question on which the systems differ: the formula would say
    that they never do. Raises ``ValueError`` unless 0 ≤ wins + losses ≤ n. Source: spec § 7.3.
    """
    if wins < 0 or losses < 0 or wins + losses > n:
        raise ValueError(f"expected wins + losses of at most n, found {wins} + {losses} of {n}")
    if wins + losses == 0:
        return None
    centre = (wins - losses) / n
    half = Z * math.sqrt(wins + losses - (wins - losses) ** 2 / n) / n
    return Interval(max(-1.0, centre - half), min(1.0, centre + half), "wald")


def paired_bootstrap(mine: Sequence[float], other: Sequence[float], *, seed: int) -> Interval | None:
    """Return the percentile bootstrap interval of mean(mine) - mean(other), values of the same questions in one order.

    Both are drawn with the same indexes, so it is the interval of the mean of the differences. ``None`` where
    :func:`~leaderboard.statistics.intervals.bootstrap_mean` gives none. Raises ``ValueError`` where the lengths differ or a value isn't finite.
    Source: spec § 7.3; the limits § 0, R6.
    """
    return bootstrap_mean([one - two for one, two in zip(mine, other, strict=True)], seed=seed)


def cluster_sums(differences: Sequence[float], clusters: Sequence[Hashable]) -> list[float]:
    """Return the sum of each cluster's differences, in the order in which the clusters come first.

    Questions of a cluster are flipped together (spec § 0, R7). Raises ``ValueError`` where the lengths differ.
    """
    parts: dict[Hashable, list[float]] = {}
    for difference, cluster in zip(differences, clusters, strict=True):
        parts.setdefault(cluster, []).append(difference)
    return [math.fsum(values) for values in parts.values()]


def sign_flip(differences: Sequence[float], *, seed: int) -> float:
    """Return the two-sided p of the paired sign-flip test on the sum of ``differences``, a (weighted) one a cluster.

    Up to 20 differences that aren't zero: the share of all patterns of signs whose sum is as far from 0 as the
    observed one, or farther. More: 10,000 seeded patterns, p = (1 + hits) / (1 + 10,000); with fewer than 20 hits the
    normal tail with the exact variance Σ d². Pairs of one length and seed meet the same signs. Raises ``ValueError``
    for a difference that isn't finite. Source: spec § 0, R7; § 7.3.
    """
    values = np.asarray(differences, dtype=np.float64)
    if not np.isfinite(values).all():
        raise ValueError("expected finite differences, found NaN or infinity")
    moving = values[values != 0]
    observed = abs(math.fsum(moving))
    least = observed - _TIE * math.fsum(np.abs(moving))
    if moving.size <= MOST_ENUMERATED:
        return float(np.mean(np.abs(_every_sum(moving)) >= least))
    signs = _signs(values.size, seed)
    hits = sum(
        int((np.abs(signs[start : start + _BLOCK] @ values) >= least).sum())
        for start in range(0, FLIPS, _BLOCK)
    )
    if hits >= FEWEST_HITS:
        return (1 + hits) / (1 + FLIPS)
    return math.erfc(observed / math.sqrt(2 * math.fsum(moving**2)))


def _every_sum(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sums over all patterns of signs, the first one's sign kept: the others mirror them."""
    sums = values[:1] if values.size else np.zeros(1)
    for value in values[1:]:
        sums = np.concatenate([sums + value, sums - value])
    return sums


@lru_cache(maxsize=1)
def _signs(clusters: int, seed: int) -> NDArray[np.int8]:
    """Return the signs of all flips, -1 or 1, shape (flips, clusters), from NumPy's frozen legacy stream."""
    drawn = np.random.RandomState(seed).randint(0, 2, (FLIPS, clusters), dtype=np.int8)
    return 2 * drawn - 1
