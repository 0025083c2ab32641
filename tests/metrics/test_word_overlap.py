"""MultiHop-RAG's official rule for answers (spec § 2.5)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.metrics.word_overlap import word_overlap

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "em_f1.json").read_text("utf-8"))
CASES = VECTORS["multihoprag_word_overlap"]
WORDS = st.lists(st.sampled_from(["yes", "No", "Sam", "sam,", "Altman", "is"]), max_size=5)


def test_all_vectors_are_here():
    assert len(CASES) == 11


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_vector(case):
    assert word_overlap(case["prediction"], case["gold"]) is bool(case["correct"])


def test_only_what_stands_in_the_first_quotes_is_compared():
    said = 'Google, as The answer to the question is "Meta Inc". The answer to the question is "an X too".'
    assert word_overlap(said, "meta")
    assert not word_overlap(said, "X")
    assert not word_overlap(said, "as")
    assert not word_overlap('The answer to the question is "" yes', "yes")


@pytest.mark.parametrize(
    "said",
    [
        'The answer to the question is "no\nyes"',
        'the answer to the question is "no", yes "',
        'The answer to the question is "yes',
    ],
    ids=["over two lines", "in lower case", "never closed"],
)
def test_elsewhere_the_whole_text_is_compared(said):
    assert word_overlap(said + " maybe", "maybe")


def test_words_are_compared_with_their_punctuation():
    assert not word_overlap("Google.", "Google")
    assert word_overlap("google\u00a0inc", "Google")


@pytest.mark.parametrize("said", [None, "", " \n"])
def test_saying_nothing_is_wrong(said):
    assert not word_overlap(said, "Yes")


def test_a_gold_without_words_is_shared_by_nothing():
    assert not word_overlap("", "")
    assert not word_overlap("a b", " ")


@given(WORDS, WORDS)
def test_right_exactly_if_a_word_is_in_both(said, gold):
    shared = [one for one in said for other in gold if one.lower() == other.lower()]
    assert word_overlap(" ".join(said), "\t".join(gold)) is (shared != [])
