"""Paired tests and intervals (spec §§ 0 R7, 7.3): vectors, scipy, complete enumeration, and what must always hold."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, norm, permutation_test

from leaderboard.statistics import paired
from leaderboard.statistics.intervals import bootstrap_mean, percentile_interval
from leaderboard.statistics.paired import (
    cluster_sums,
    difference_interval,
    mcnemar,
    paired_bootstrap,
    sign_flip,
)

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "stats.json").read_text("utf-8"))
EXAMPLE = VECTORS["leaderboard_example"]


def counts(pair):
    mine, other = (EXAMPLE["systems"][pair[name]] for name in ("a", "b"))
    return sum(a > b for a, b in zip(mine, other, strict=True)), sum(
        a < b for a, b in zip(mine, other, strict=True)
    )


def test_all_vectors_are_here():
    assert (len(VECTORS["mcnemar"]["cases"]), len(VECTORS["sign_flip_exact"]), len(EXAMPLE["pairs"])) == (
        10,
        6,
        10,
    )


@pytest.mark.parametrize("case", VECTORS["mcnemar"]["cases"], ids=lambda case: f"{case['b']}to{case['c']}")
def test_mcnemar_vector(case):
    assert mcnemar(case["b"], case["c"]) == pytest.approx(case["p_exact"], abs=5e-7)
    assert mcnemar(case["c"], case["b"]) == mcnemar(case["b"], case["c"])


def test_mcnemar_in_exact_numbers():
    assert [mcnemar(*pair) for pair in ((0, 0), (1, 1), (5, 0), (6, 0), (10, 3))] == [
        1,
        1,
        0.0625,
        0.03125,
        756 / 8192,
    ]


@pytest.mark.parametrize("pair", EXAMPLE["pairs"], ids=lambda pair: f"{pair['a']}-{pair['b']}")
def test_the_worked_example(pair):
    wins, losses = counts(pair)
    assert (wins, losses) == (pair["b_count"], pair["c_count"])
    assert mcnemar(wins, losses) == pytest.approx(pair["p_exact"], rel=1e-9)
    interval = difference_interval(wins, losses, EXAMPLE["n"])
    assert (interval.low, interval.high) == pytest.approx((pair["wald_lo"], pair["wald_hi"]), abs=5e-7)
    assert interval.method == "wald"


@given(st.integers(0, 400), st.integers(0, 400))
@settings(max_examples=60)
def test_mcnemar_agrees_with_scipys_binomial_test(wins, losses):
    expected = binomtest(wins, wins + losses, 0.5).pvalue if wins + losses else 1.0
    assert mcnemar(wins, losses) == pytest.approx(expected, rel=1e-9)


def test_mcnemar_of_thousands_neither_overflows_nor_vanishes():
    assert mcnemar(3000, 3000) == 1
    assert 0 < mcnemar(2000, 800) < 1e-100


@pytest.mark.parametrize("pair", [(-1, 3), (3, -1)])
def test_a_negative_count_is_an_error(pair):
    with pytest.raises(ValueError, match="from 0"):
        mcnemar(*pair)


def test_no_interval_of_a_difference_without_a_question_that_differs():
    assert difference_interval(0, 0, 24) is None


def test_the_interval_of_a_difference_stays_within_minus_one_and_one():
    # (1 - 0) / 2 ± 1.96 · √(1 - 1/2) / 2 = 0.5 ± 0.693
    interval = difference_interval(1, 0, 2)
    assert (interval.low, interval.high) == (pytest.approx(-0.192952, abs=1e-6), 1.0)
    assert difference_interval(4, 0, 4).low == 1.0


def test_more_differences_than_questions_are_an_error():
    with pytest.raises(ValueError, match="at most n"):
        difference_interval(3, 2, 4)


@pytest.mark.parametrize("case", VECTORS["sign_flip_exact"], ids=lambda case: str(case["diffs"]))
def test_sign_flip_vector(case):
    assert sign_flip(case["diffs"], seed=1) == pytest.approx(case["p"], abs=1e-12)


@given(st.lists(st.integers(-8, 8).map(lambda k: k / 10), min_size=1, max_size=9))
@settings(max_examples=60)
def test_sign_flip_of_few_is_the_share_of_all_patterns(differences):
    # In tenths, whole numbers: equal sums are equal.
    tenths = [round(10 * value) for value in differences]
    sums = [
        sum(s * d for s, d in zip(signs, tenths, strict=True))
        for signs in itertools.product((1, -1), repeat=len(tenths))
    ]
    expected = sum(abs(one) >= abs(sum(tenths)) for one in sums) / len(sums)
    assert sign_flip(differences, seed=0) == pytest.approx(expected, abs=1e-12)


def test_sign_flip_agrees_with_scipys_permutation_test():
    differences = [0.31, -0.12, 0.45, 0.02, -0.33, 0.27, 0.18, 0.09, -0.05, 0.4]
    peer = permutation_test(
        (differences,), np.sum, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    )
    assert sign_flip(differences, seed=0) == pytest.approx(peer.pvalue, abs=1e-12)


def test_sign_flip_of_equal_differences_is_mcnemar():
    # 12 wins and 4 losses of one weight each: 0.0768 by the binomial.
    assert sign_flip([1 / 72] * 12 + [-1 / 72] * 4 + [0.0] * 8, seed=3) == pytest.approx(
        mcnemar(12, 4), abs=1e-12
    )


def test_beyond_twenty_the_flips_are_drawn_and_come_near_the_exact_value():
    # 16 wins, 9 losses: exact p = 0.2295; the error of 10,000 flips is 0.0042.
    drawn = sign_flip([0.5] * 16 + [-0.5] * 9, seed=20261129)
    assert drawn == pytest.approx(mcnemar(16, 9), abs=0.015)
    assert drawn == sign_flip([0.5] * 16 + [-0.5] * 9, seed=20261129)
    assert (drawn * 10_001) % 1 == pytest.approx(0, abs=1e-6) or (drawn * 10_001) % 1 == pytest.approx(
        1, abs=1e-6
    )


def test_the_flips_are_those_of_the_legacy_stream():
    values = np.array([0.3, -0.1, 0.2] * 8)
    signs = np.where(np.random.RandomState(7).randint(0, 2, (10_000, 24), dtype=np.int8), 1, -1)
    hits = int((np.abs(signs @ values) >= abs(values.sum()) - 1e-9).sum())
    assert hits >= 20
    assert sign_flip(values.tolist(), seed=7) == (1 + hits) / 10_001


def test_where_few_flips_reach_it_p_is_the_normal_tail():
    # 40 of 40: no drawn pattern reaches the sum; z = 40 / √40.
    assert sign_flip([1.0] * 40, seed=5) == pytest.approx(2 * norm.sf(math.sqrt(40)), rel=1e-9)


def test_zero_everywhere_and_nothing_at_all_are_no_difference():
    assert sign_flip([0.0] * 50, seed=1) == sign_flip([], seed=1) == 1


def test_a_difference_that_is_not_finite_is_an_error():
    with pytest.raises(ValueError, match="finite"):
        sign_flip([1.0, float("nan")], seed=1)


def test_the_signs_fit_in_memory():
    assert paired._signs(60, 1).nbytes == 60 * 10_000  # a byte each: 60 MB for 6,000 questions
    paired._signs.cache_clear()


def test_a_clusters_differences_are_summed_and_flipped_together():
    assert cluster_sums([1, 2, -4, 8], ["a", "b", "a", "c"]) == [-3, 2, 8]
    # Two questions that are one: only two patterns of signs, and both reach the sum.
    assert sign_flip(cluster_sums([1, 1], ["a", "a"]), seed=1) == 1
    with pytest.raises(ValueError, match="zip"):
        cluster_sums([1, 2], ["a"])


def test_the_paired_bootstrap_is_that_of_the_differences():
    mine, other = [k * 37 % 101 / 101 for k in range(80)], [k * 17 % 89 / 89 for k in range(80)]
    expected = bootstrap_mean([a - b for a, b in zip(mine, other, strict=True)], seed=9)
    assert paired_bootstrap(mine, other, seed=9) == expected
    assert paired_bootstrap(mine[:59], other[:59], seed=9) is None
    with pytest.raises(ValueError, match="zip"):
        paired_bootstrap(mine, other[1:], seed=9)


def test_percentiles_of_a_paired_difference_over_all_resamples():
    case = VECTORS["paired_bootstrap_exhaustive"]
    differences = [a - b for a, b in zip(case["a"], case["b"], strict=True)]
    means = [sum(drawn) / 5 for drawn in itertools.product(differences, repeat=5)]
    interval = percentile_interval(means)
    assert len(means) == case["resamples"]
    assert interval.low == pytest.approx(case["percentile_linear_2.5"], abs=1e-12)
    assert interval.high == pytest.approx(case["percentile_linear_97.5"], abs=1e-12)
    assert sum(mean < 1e-12 for mean in means) / len(means) == case["share_le_0"]
