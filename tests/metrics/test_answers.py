"""Answer metrics: the vectors of spec § 1.7, and what holds for any text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.metrics.answers import (
    contain,
    contain_primary,
    contain_token,
    exact_match,
    f1,
    f1_hotpot,
    holds_run,
)

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "em_f1.json").read_text("utf-8"))
GOLDS = st.lists(st.text(), min_size=1, max_size=3)
COLUMNS = {
    "em": exact_match,
    "f1": f1,
    "f1_hotpot": f1_hotpot,
    "contain_primary": contain_primary,
    "contain_any": contain,
    "contain_token": contain_token,
}


def test_all_vectors_are_here():
    assert len(VECTORS["qa"]) == 35


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("case", VECTORS["qa"], ids=lambda case: case["id"])
def test_vector(case, column):
    assert COLUMNS[column](case["prediction"], case["golds"]) == pytest.approx(case[column], abs=5e-7)


def test_the_maximum_is_over_golds_and_each_metric_takes_its_own():
    golds = ["Robin", "Dick Grayson of Gotham"]
    assert f1("Dick Grayson", golds) == pytest.approx(2 / 3)
    assert not exact_match("Dick Grayson", golds)
    assert contain("It was Robin", golds)


@pytest.mark.parametrize("metric", COLUMNS.values())
@pytest.mark.parametrize("golds", [[], "Paris"])
def test_no_gold_is_an_error_not_a_0(metric, golds):
    with pytest.raises(ValueError, match="at least one gold"):
        metric("Paris", golds)


@pytest.mark.parametrize(
    ("run", "found"),
    [([], False), (["a"], True), (["a", "b"], True), (["a", "c"], False), (list("abcd"), False)],
)
def test_holds_run(run, found):
    assert holds_run(["a", "b", "c"], run) is found


@given(st.text(), GOLDS)
def test_exact_match_implies_f1_of_1(said, golds):
    assert 0 <= f1(said, golds) <= 1
    if exact_match(said, golds):
        assert f1(said, golds) == f1_hotpot(said, golds) == 1


@given(st.text(), GOLDS)
def test_token_containment_implies_character_containment(said, golds):
    if contain_token(said, golds):
        assert contain(said, golds)
    if contain_primary(said, golds):
        assert contain(said, golds)


@given(st.text(), st.text())
def test_f1_is_symmetric(one, other):
    assert f1(one, [other]) == f1(other, [one])
    assert f1_hotpot(one, [other]) <= f1(one, [other])
