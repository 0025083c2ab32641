"""The final answer of a reply (spec § 0, R1)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.metrics.final_answer import MAX_WORDS, FinalAnswer, final_answer

REPLIES = st.text() | st.lists(
    st.sampled_from(["Answer:", "**Answer**:", "answer:", "\n", " ", "*", "_", "Paris"])
).map("".join)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("Paris", "Paris"),
        ("  Paris \n Rome", "Paris"),
        ("\n \nParis\n", "Paris"),
        ("I think it may be X.\nAnswer: Paris", "Paris"),
        ("Answer: Rome\nNo.\nAnswer: Paris\nbecause", "Paris"),
        ("answer: Paris", "Paris"),
        ("FINAL ANSWER: Paris", "Paris"),
        ("**Answer:** Paris", "Paris"),
        ("**Answer**: Paris", "Paris"),
        ("**Answer:**\n\nParis", "Paris"),
        ("The answerphone: 3", "The answerphone: 3"),
        ("", ""),
        (" \n\t", ""),
        (None, ""),
    ],
)
def test_final_answer(raw, text):
    assert final_answer(raw) == FinalAnswer(text, overlong=False)


def test_a_reply_that_ends_with_the_marker_has_an_empty_final_answer():
    assert final_answer("The capital of France is Paris.\nAnswer:") == FinalAnswer("", overlong=False)


def test_forty_words_stay_and_the_next_is_cut():
    forty = "  ".join(["word"] * MAX_WORDS)
    assert final_answer(forty) == FinalAnswer(forty, overlong=False)
    assert final_answer(f"{forty} more") == FinalAnswer(forty, overlong=True)


@given(REPLIES)
def test_idempotent(raw):
    text = final_answer(raw).text
    assert final_answer(text) == FinalAnswer(text, overlong=False)


@given(REPLIES)
def test_one_stripped_line_of_the_reply(raw):
    text = final_answer(raw).text
    assert text in raw
    assert text == text.strip()
    assert len(text.splitlines()) <= 1
    assert len(text.split()) <= MAX_WORDS


@given(REPLIES, st.from_regex(r"[a-z]{1,8}( [a-z]{1,8}){0,5}", fullmatch=True))
def test_what_follows_the_last_marker_counts_alone(reasoning, said):
    assert final_answer(f"{reasoning} Answer: {said}").text == said
