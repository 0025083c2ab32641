"""The board's tokenizer, words-1: matches of ``\\w+|[^\\w\\s]`` after NFC."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.metrics.tokens import count_tokens, cut_tokens, has_more_tokens


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("  \n", 0),
        ("Kem's mill.", 5),
        ("3.14 %", 4),
        ("e\u0301te\u0301", 1),
        ("日本 語", 2),
        ("a-b", 3),
    ],
)
def test_words_and_single_marks_are_counted(text, count):
    assert count_tokens(text) == count


@given(st.text(), st.integers(0, 20))
def test_the_three_functions_agree_with_the_definition_and_each_other(text, limit):
    count = len(re.findall(r"\w+|[^\w\s]", unicodedata.normalize("NFC", text)))
    assert count_tokens(text) == count
    assert has_more_tokens(text, limit) is (count > limit)
    assert count_tokens(cut_tokens(text, limit)) == min(count, limit)
