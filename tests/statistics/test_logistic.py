"""Logistic regression against closed forms and another optimiser."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from leaderboard.statistics.logistic import Logistic, fit, left_out, targets


def other(features, labels, penalty):
    """The same minimum by scipy's quasi-Newton method, from the formula as it is written."""
    wanted = targets(labels)

    def loss(beta):
        z = beta[0] + features @ beta[1:]
        return sum(np.logaddexp(0, z) - wanted * z) + penalty / 2 * sum(beta[1:] ** 2)

    return minimize(loss, np.zeros(features.shape[1] + 1), method="BFGS", options={"gtol": 1e-9}).x


def test_targets_are_platts():
    labels = np.array([True, False, False, True, False])
    assert targets(labels) == pytest.approx([3 / 4, 1 / 5, 1 / 5, 3 / 4, 1 / 5])


@pytest.mark.parametrize(("right", "of"), [(0, 24), (24, 24), (6, 24), (1, 1)])
def test_features_that_say_nothing_leave_the_log_odds_of_the_mean_target(right, of):
    labels = np.arange(of) < right
    model = fit(np.zeros((of, 2)), labels)
    mean = targets(labels).mean()
    assert model.intercept == pytest.approx(math.log(mean / (1 - mean)), abs=1e-8)
    assert model.weights == (0.0, 0.0)


def test_no_right_example_of_24_is_a_chance_of_1_in_26():
    model = fit(np.zeros((24, 1)), np.zeros(24, dtype=bool))
    assert model.probabilities(np.zeros((1, 1))) == pytest.approx([1 / 26])


def test_one_binary_feature_with_no_penalty_to_speak_of_meets_both_groups_mean_targets():
    features = np.array([[0.0]] * 4 + [[1.0]] * 4)
    labels = np.array([True, False, False, False, True, True, True, False])
    model = fit(features, labels, penalty=1e-9)
    # Targets are 5/6 and 1/6: the groups' means are (5/6 + 3/6) / 4 = 1/3 and 2/3.
    assert model.probabilities(np.array([[0.0], [1.0]])) == pytest.approx([1 / 3, 2 / 3], abs=1e-6)


@pytest.mark.parametrize("penalty", [0.01, 1.0, 10.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_minimum_is_the_one_that_another_optimiser_finds(seed, penalty):
    random = np.random.RandomState(seed)
    features = random.rand(24, 6)
    labels = features[:, 0] + random.randn(24) > 0.5
    model = fit(features, labels, penalty=penalty)
    assert [model.intercept, *model.weights] == pytest.approx(other(features, labels, penalty), abs=1e-5)


def test_examples_that_a_line_separates_give_finite_weights():
    features = np.array([[0.0], [0.1], [0.9], [1.0]])
    model = fit(features, features[:, 0] > 0.5, penalty=1e-3)
    assert 0 < model.weights[0] < 10


def test_leaving_one_out_predicts_each_row_without_it():
    random = np.random.RandomState(3)
    features, labels = random.rand(6, 2), np.array([True, False, True, True, False, False])
    chances = left_out(features, labels)
    third = fit(np.delete(features, 2, 0), np.delete(labels, 2))
    assert chances[2] == pytest.approx(third.probabilities(features[2:3])[0])
    assert len(chances) == 6


def test_a_probability_by_hand():
    model = Logistic(-1.0, (2.0, 1.0))
    assert model.probabilities(np.array([[0.5, 0.0], [1.0, 1.0]])) == pytest.approx(
        [0.5, 1 / (1 + math.exp(-2))]
    )


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.booleans()), min_size=1, max_size=12),
    st.floats(1e-3, 100),
)
def test_the_gradient_is_zero_at_the_minimum(rows, penalty):
    features = np.array([row[:2] for row in rows])
    labels = np.array([row[2] for row in rows])
    model = fit(features, labels, penalty=penalty)
    gap = model.probabilities(features) - targets(labels)
    assert abs(gap.sum()) < 1e-7
    assert features.T @ gap + penalty * np.array(model.weights) == pytest.approx([0, 0], abs=1e-7)


@pytest.mark.parametrize(
    ("features", "labels", "penalty"),
    [
        (np.zeros((0, 1)), np.zeros(0, dtype=bool), 1.0),
        (np.zeros((2, 1)), np.zeros(3, dtype=bool), 1.0),
        (np.zeros(2), np.zeros(2, dtype=bool), 1.0),
        (np.array([[np.nan]]), np.zeros(1, dtype=bool), 1.0),
        (np.zeros((2, 1)), np.zeros(2, dtype=bool), 0.0),
    ],
)
def test_what_cannot_be_fitted_is_refused(features, labels, penalty):
    with pytest.raises(ValueError, match="expected"):
        fit(features, labels, penalty=penalty)
