"""Strangers' text on a terminal: nothing of it acts, all of it is seen."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.cli.terminal import duration, one_line, safe

ACTING = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("two\nlines", "two\nlines"),
        ("windows\r\nends", "windows\nends"),
        ("over\rwritten", "over\\rwritten"),
        ("\x1b[2J\x1b]0;title\x07", "\\x1b[2J\\x1b]0;title\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("a\u202eb", "a\\u202eb"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("\u2028", "\\u2028"),
        ("\ud800", "\\ud800"),
        ("a\tb", "a   b"),
        ("no\u00a0break", "no break"),
        ("naïve 日本語 \N{FAMILY}", "naïve 日本語 \N{FAMILY}"),
        ("a\u200db", "a\u200db"),
        ("\x08\x7f\x00", "\\x08\\x7f\\x00"),
    ],
)
def test_what_a_terminal_acts_on_is_seen_and_the_rest_is_as_it_was(text, shown):
    assert safe(text) == shown


@given(st.text(st.characters(exclude_categories=())))
def test_no_text_leaves_a_character_that_a_terminal_acts_on(text):
    left = safe(text).replace("\n", "").replace("\u200c", "").replace("\u200d", "")
    assert {unicodedata.category(character) for character in left} & ACTING == set()
    assert safe(safe(text)) == safe(text)


def test_one_line_is_cut_where_it_is_too_long():
    assert one_line(" two\n\nlines ") == "two lines"
    assert one_line("abcdef", 4) == "abc…"
    assert one_line("abcd", 4) == "abcd"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.04, "0.0 s"), (5.25, "5.2 s"), (45.4, "45 s"), (90, "2 min"), (360, "6 min"), (12_000, "3 h 20 min")],
)
def test_a_duration_in_words(seconds, words):
    assert duration(seconds) == words
