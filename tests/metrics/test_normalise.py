"""Normalisation: the vectors of spec § 1.1 and the numerals that ``match`` keeps (§ 0, R2f)."""

from __future__ import annotations

import json
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.metrics.normalise import normalise, normalise_match

CASES = json.loads((Path(__file__).parents[1] / "vectors" / "em_f1.json").read_text("utf-8"))["normalize"]


def test_all_vectors_are_here():
    assert len(CASES) == 28


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_vector(case):
    assert normalise(case["input"]) == case["expected"]


def test_no_text_is_empty_text():
    assert normalise(None) == normalise_match(None) == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3.14.", "3.14"),
        ("-5", "-5"),
        ("about (-5) degrees", "about -5 degrees"),
        ("covid-19", "covid19"),
        ("5-3", "53"),
        ("50%", "50%"),
        ("50 %", "50"),
        ("$1,234.50", "1234.50"),
        ("12,345,678", "12345678"),
        (".5", "5"),
        ("The A. of 2.", "of 2"),
        ("Cafe\u0301", "caf\u00e9"),
    ],
)
def test_numbers_keep_their_value_for_match(text, expected):
    assert normalise_match(text) == expected


@given(st.text())
def test_normalise_is_idempotent(text):
    assert normalise(normalise(text)) == normalise(text)


@given(st.text())
def test_normalised_text_has_no_ascii_punctuation_and_no_outer_or_double_space(text):
    said = normalise(text)
    assert not set(said) & set(string.punctuation)
    assert said == " ".join(said.split())


@given(st.text(alphabet=string.ascii_letters + " ,;:!?'\"$"))
def test_without_numerals_both_normalisations_agree(text):
    assert normalise_match(text) == normalise(text)


@given(st.decimals(min_value=0, max_value=10**6, places=2).map(str))
def test_a_decimal_number_stays_what_it_is(number):
    assert normalise_match(f"It is {number}.").split()[-1] == number
