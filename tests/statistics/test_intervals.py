"""Intervals (spec §§ 0 R6, 7.1, 7.2): vectors, an independent implementation, and what must always hold."""

from __future__ import annotations

import hashlib
import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from leaderboard.statistics.intervals import (
    Interval,
    WeightedProportion,
    bootstrap_mean,
    bootstrap_seed,
    mover,
    percentile_interval,
    resampled_means,
    wilson,
)

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "stats.json").read_text("utf-8"))
COUNTS = st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def test_all_vectors_are_here():
    assert len(VECTORS["wilson95"]) == 10
    assert len(VECTORS["leaderboard_example"]["ranks"]) == 5


@pytest.mark.parametrize("case", VECTORS["wilson95"], ids=lambda case: f"{case['k']}of{case['n']}")
def test_wilson_vector(case):
    interval = wilson(case["k"], case["n"])
    assert (interval.low, interval.high) == pytest.approx((case["lo"], case["hi"]), abs=5e-7)
    assert interval.method == "wilson"


@pytest.mark.parametrize("system", VECTORS["leaderboard_example"]["ranks"])
def test_wilson_in_the_worked_example(system):
    row = VECTORS["leaderboard_example"]["ranks"][system]
    interval = wilson(row["correct"], VECTORS["leaderboard_example"]["n"])
    assert [interval.low, interval.high] == pytest.approx(row["wilson"], abs=5e-7)


@given(COUNTS)
def test_wilson_agrees_with_scipy_and_contains_the_proportion(count):
    k, n = count
    interval, peer = wilson(k, n), binomtest(k, n).proportion_ci(0.95, method="wilson")
    assert (interval.low, interval.high) == pytest.approx((peer.low, peer.high), abs=1e-12)
    assert 0 <= interval.low <= k / n <= interval.high <= 1


@given(COUNTS)
def test_wilson_of_the_wrong_answers_is_the_mirror(count):
    k, n = count
    right, wrong = wilson(k, n), wilson(n - k, n)
    assert (right.low, right.high) == pytest.approx((1 - wrong.high, 1 - wrong.low), abs=1e-12)


def test_wilson_ends_exactly_at_0_and_1():
    for n in range(1, 400):
        assert wilson(0, n).low == 0.0
        assert wilson(n, n).high == 1.0


def test_wilson_takes_means_over_repeats():
    assert wilson(40, 100).low < wilson(40.5, 100).low < wilson(41, 100).low


@pytest.mark.parametrize(("k", "n"), [(-1, 5), (6, 5), (float("nan"), 5), (0, -1)])
def test_wilson_of_counts_that_cannot_be_is_an_error(k, n):
    with pytest.raises(ValueError, match="0 ≤ successes ≤ n"):
        wilson(k, n)


def test_mover_of_one_proportion_is_wilson():
    interval, alone = mover([WeightedProportion(1.0, 336, 824)]), wilson(336, 824)
    assert (interval.low, interval.high) == pytest.approx((alone.low, alone.high))
    assert interval.method == "mover"


def test_mover_by_hand():
    # p = 0.5 twice; Wilson of 5 of 10 is 0.5 ± 0.263407, and √(2 · (0.5 · 0.263407)²) = 0.186257.
    interval = mover([WeightedProportion(0.5, 5, 10)] * 2)
    assert (interval.low, interval.high) == pytest.approx((0.313743, 0.686257), abs=1e-6)


@given(st.lists(COUNTS, min_size=1, max_size=5))
def test_mover_of_a_mean_contains_it_within_the_mean_of_the_bounds(counts):
    weight = 1 / len(counts)
    interval = mover([WeightedProportion(weight, k, n) for k, n in counts])
    bounds = [wilson(k, n) for k, n in counts]
    mean = sum(k / n for k, n in counts) * weight
    slack = 1e-12
    assert sum(bound.low for bound in bounds) * weight - slack <= interval.low <= mean + slack
    assert mean - slack <= interval.high <= sum(bound.high for bound in bounds) * weight + slack


def test_mover_covers_a_weighted_sum_in_about_95_of_100_draws():
    draws = np.random.default_rng(7)
    truth, sizes = (0.3, 0.55, 0.8), (300, 500, 824)
    covered = 0
    for _ in range(1000):
        parts = [
            WeightedProportion(1 / 3, int(draws.binomial(n, p)), n) for p, n in zip(truth, sizes, strict=True)
        ]
        interval = mover(parts)
        covered += interval.low <= sum(truth) / 3 <= interval.high
    assert 930 <= covered <= 970


@pytest.mark.parametrize(
    "part",
    [WeightedProportion(0, 1, 2), WeightedProportion(-1, 1, 2), WeightedProportion(1, 0, 0)],
    ids=["no weight", "negative weight", "no questions"],
)
def test_mover_of_what_cannot_be_weighed_is_an_error(part):
    with pytest.raises(ValueError, match="weight > 0 and n ≥ 1"):
        mover([WeightedProportion(1, 1, 2), part])


def test_mover_of_nothing_is_an_error():
    with pytest.raises(ValueError, match="at least one proportion"):
        mover([])


def test_bootstrap_seeded_vector():
    case = VECTORS["bootstrap_seeded"]
    means = resampled_means([1.0] * 27 + [0.0] * 13, seed=20261129)
    interval = percentile_interval(means)
    assert means.shape == (case["B"],)
    assert means.mean() == pytest.approx(case["mean_of_means"], abs=5e-7)
    assert (interval.low, interval.high) == pytest.approx((case["percentile_2.5"], case["percentile_97.5"]))
    assert interval.method == "bootstrap"


def test_percentiles_over_all_resamples_of_four():
    case = VECTORS["bootstrap_exhaustive"]
    means = [sum(drawn) / 4 for drawn in itertools.product(case["values"], repeat=4)]
    assert len(means) == case["resamples"]
    interval = percentile_interval(means)
    assert interval.low == pytest.approx(case["percentile_linear_2.5"])
    assert interval.high == pytest.approx(case["percentile_linear_97.5"])


def test_bootstrap_needs_60_values_of_which_10_differ():
    ten = [k / 10 for k in range(10)]
    assert bootstrap_mean(ten * 6, seed=1) is not None
    assert bootstrap_mean((ten * 6)[:59], seed=1) is None
    assert bootstrap_mean(ten[:9] * 10, seed=1) is None
    assert bootstrap_mean([], seed=1) is None


def test_bootstrap_is_the_percentiles_of_the_seeded_stream():
    values = [(k * 37 % 101) / 101 for k in range(150)]
    drawn = np.random.RandomState(5).randint(0, 150, (2000, 150))
    low, high = np.percentile(np.array(values)[drawn].mean(axis=1), [2.5, 97.5])
    assert bootstrap_mean(values, seed=5) == Interval(low, high, "bootstrap")


@given(st.lists(st.floats(0, 1), min_size=60, max_size=90, unique=True), st.integers(0, 2**32 - 1))
def test_bootstrap_stays_within_the_values_and_around_their_mean(values, seed):
    interval = bootstrap_mean(values, seed=seed)
    assert interval is not None
    slack = 1e-12
    assert min(values) - slack <= interval.low <= np.mean(values) + slack
    assert np.mean(values) - slack <= interval.high <= max(values) + slack


@pytest.mark.parametrize("broken", [float("nan"), float("inf")])
def test_bootstrap_of_a_value_that_is_not_finite_is_an_error(broken):
    with pytest.raises(ValueError, match="finite"):
        bootstrap_mean([broken, *(k / 100 for k in range(80))], seed=1)


def test_bootstrap_seed_is_the_head_of_the_digest_of_the_ids():
    assert bootstrap_seed(["q1", "q2"]) == int(hashlib.sha256(b"q1\nq2").hexdigest()[:8], 16)
    assert bootstrap_seed(["q1", "q2"]) != bootstrap_seed(["q2", "q1"])
    assert 0 <= bootstrap_seed(["é"]) < 2**32
