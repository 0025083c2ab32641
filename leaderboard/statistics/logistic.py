"""Logistic regression for few examples: an L2 penalty, and Platt's targets in the place of 0 and 1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PENALTY = 1.0
STEPS = 100
TOLERANCE = 1e-10

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Logistic:
    """P(1) = 1 / (1 + exp(−(``intercept`` + Σ ``weights`` · features)))."""

    intercept: float
    weights: tuple[float, ...]

    def probabilities(self, features: Floats) -> Floats:
        """Return P(1) of each row; ``features`` has shape (n, d), the result (n,)."""
        return _sigmoid(self.intercept + features @ np.asarray(self.weights))


def targets(labels: NDArray[np.bool_]) -> Floats:
    """Return what is fitted for each label: (n₁ + 1) / (n₁ + 2) for True, 1 / (n₀ + 2) for False.

    So labels that are all the same give a finite intercept, and few examples no certainty.

    Source: Platt 1999, "Probabilistic outputs for support vector machines", section 2.2.
    """
    ones = int(labels.sum())
    return np.where(labels, (ones + 1) / (ones + 2), 1 / (len(labels) - ones + 2))


def fit(features: Floats, labels: NDArray[np.bool_], *, penalty: float = PENALTY) -> Logistic:
    """Return the model that minimises Σ cross-entropy(target, P) + ``penalty`` / 2 · Σ weight², intercept unpenalised.

    ``features`` has shape (n, d), ``labels`` (n,), n ≥ 1. The sum is strictly convex, so there is one minimum; Newton's
    steps, halved while they don't go down, find it. Raises ``ValueError`` for other shapes, values that aren't finite,
    and a penalty that isn't above 0.
    """
    if features.ndim != 2 or len(features) == 0 or labels.shape != (len(features),):
        raise ValueError(f"expected (n, d) features and n labels, found {features.shape} and {labels.shape}")
    if not np.isfinite(features).all() or not 0 < penalty < float("inf"):
        raise ValueError(f"expected finite features and a penalty above 0, found the penalty {penalty}")
    design = np.hstack([np.ones((len(features), 1)), features])
    wanted = targets(labels)
    ridge = np.full(design.shape[1], penalty)
    ridge[0] = 0.0
    beta = np.zeros(design.shape[1])
    for _ in range(STEPS):
        chances = _sigmoid(design @ beta)
        gradient = design.T @ (chances - wanted) + ridge * beta
        if np.abs(gradient).max() < TOLERANCE:
            break
        curvature = (design.T * (chances * (1 - chances))) @ design + np.diag(ridge)
        step = np.linalg.solve(curvature, gradient)
        size, now = 1.0, _loss(design, wanted, ridge, beta)
        while size > TOLERANCE and _loss(design, wanted, ridge, beta - size * step) > now:
            size /= 2
        beta = beta - size * step
    return Logistic(float(beta[0]), tuple(float(weight) for weight in beta[1:]))


def left_out(features: Floats, labels: NDArray[np.bool_], *, penalty: float = PENALTY) -> Floats:
    """Return each row's P(1) by the model fitted on all other rows, shape (n,); n ≥ 2."""
    chances = np.empty(len(labels))
    for row in range(len(labels)):
        others = np.arange(len(labels)) != row
        model = fit(features[others], labels[others], penalty=penalty)
        chances[row] = model.probabilities(features[row : row + 1])[0]
    return chances


def _sigmoid(z: Floats) -> Floats:
    return np.exp(-np.logaddexp(0.0, -z))


def _loss(design: Floats, wanted: Floats, ridge: Floats, beta: Floats) -> float:
    z = design @ beta
    return float((np.logaddexp(0.0, z) - wanted * z).sum() + (ridge * beta**2).sum() / 2)
