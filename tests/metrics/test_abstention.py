"""Abstentions (spec §§ 2.6 and 5.2)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.metrics.abstention import (
    PATTERNS,
    WHOLE_TEXTS,
    AbstentionFigures,
    abstention_figures,
    is_abstention,
    is_explicit_abstention,
)

VECTORS = Path(__file__).parents[1] / "vectors"
CASES = json.loads((VECTORS / "em_f1.json").read_text("utf-8"))["abstention"]
PUBLISHED = json.loads((VECTORS / "abstention.json").read_text("utf-8"))
COUNTS = st.integers(0, 50).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total)))


def test_all_vectors_are_here():
    assert len(CASES) == 23


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_vector(case):
    assert is_abstention(case["text"]) is bool(case["abstained"])


def test_phrases_are_the_published_ones():
    assert list(WHOLE_TEXTS) == PUBLISHED["whole_text"]
    assert list(PATTERNS) == PUBLISHED["patterns"]


@pytest.mark.parametrize("text", [text for text in WHOLE_TEXTS if text])
def test_each_listed_text_is_an_explicit_abstention(text):
    assert is_explicit_abstention(f" {text.upper()}!")


def test_an_answer_that_equals_a_gold_is_none():
    assert is_abstention("Unknown", ["Paris"])
    assert not is_abstention("Unknown.", ["Paris", "unknown"])


@pytest.mark.parametrize("text", [None, "", "  ", "...", "?"])
def test_saying_nothing_is_an_abstention_but_not_an_explicit_one(text):
    assert is_abstention(text)
    assert not is_explicit_abstention(text)


@given(st.text())
def test_an_explicit_abstention_is_an_abstention(text):
    assert is_abstention(text) or not is_explicit_abstention(text)


def test_figures():
    # 3 of 4 null questions and 2 of 16 answerable ones; 3 of 5 abstentions right; 3 + 14 of 20 questions right.
    figures = abstention_figures(null_abstained=3, null_total=4, answerable_abstained=2, answerable_total=16)
    assert figures == AbstentionFigures(
        recall=0.75, false_abstention=0.125, precision=0.6, accuracy=0.85, balanced=0.8125
    )


def test_a_share_of_nothing_is_none():
    figures = abstention_figures(null_abstained=0, null_total=0, answerable_abstained=0, answerable_total=5)
    assert figures == AbstentionFigures(
        recall=None, false_abstention=0.0, precision=None, accuracy=1.0, balanced=None
    )


@pytest.mark.parametrize("total", [1, 7])
def test_always_and_never_abstaining_are_both_balanced_at_one_half(total):
    always = abstention_figures(
        null_abstained=total, null_total=total, answerable_abstained=90, answerable_total=90
    )
    never = abstention_figures(
        null_abstained=0, null_total=total, answerable_abstained=0, answerable_total=90
    )
    assert always.balanced == never.balanced == 0.5


@given(COUNTS, COUNTS)
def test_figures_are_shares(null, answerable):
    figures = abstention_figures(
        null_abstained=null[0],
        null_total=null[1],
        answerable_abstained=answerable[0],
        answerable_total=answerable[1],
    )
    for share in (
        figures.recall,
        figures.false_abstention,
        figures.precision,
        figures.accuracy,
        figures.balanced,
    ):
        assert share is None or 0 <= share <= 1


def test_counts_that_cannot_be_are_errors():
    with pytest.raises(ValueError, match="null questions, found 2 of 1"):
        abstention_figures(null_abstained=2, null_total=1, answerable_abstained=0, answerable_total=0)
    with pytest.raises(ValueError, match="answerable questions, found -1 of 3"):
        abstention_figures(null_abstained=0, null_total=1, answerable_abstained=-1, answerable_total=3)
