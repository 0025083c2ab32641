"""A source is a redirect as MediaWiki reads it, and leads to one title."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.wikipedia.redirects import redirect_target


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("#REDIRECT [[Kem]]", "Kem"),
        ("#redirect[[Kem]]", "Kem"),
        ("\n  #Redirect: [[Kem (town)#Streets|the town]]\n\n{{R from move}}", "Kem (town)"),
        ("#REDIRECT\n[[Kem_(town)]]", "Kem (town)"),
        ("#REDIRECT :\t[[:Category:Towns]]", "Category:Towns"),
        ("#REDIRECT [[K%C3%A9m%20town]]", "Kém town"),
        ("#REDIRECT [[Q&amp;A]] [[Other]]", "Q&A"),
        ("#REDIRECT [[Ke\u0301m]]", "Kém"),
        ("#REDIRECT [[Kem||a|b]]", "Kem"),
    ],
)
def test_a_redirect_leads_to_its_title(source, target):
    assert redirect_target(source) == target


@pytest.mark.parametrize(
    "source",
    [
        "",
        "Kem is a town.",
        "See #REDIRECT [[Kem]]",
        "#REDIRECT Kem",
        "#REDIRECT [Kem]",
        "#REDIRECT [[Kem",
        "#REDIRECT see [[Kem]]",
        "#REDIRECT [[#Streets]]",
        "#REDIRECT [[]]",
        "#REDIRECT :: [[Kem]]",
        "#REDIRECTS [[Kem]]",
        "#REDIRECT [[Ke\nm]]",
        "# REDIRECT [[Kem]]",
        "<!-- a --> #REDIRECT [[Kem]]",
        "#REDIRECT [[ |Kem]]",
    ],
)
def test_anything_else_is_none(source):
    assert redirect_target(source) is None


@pytest.mark.parametrize("piece", [" ", "[[", "|", "]", "[[a|", ":", "%", "&"])
def test_a_long_one_takes_no_long_time(piece):
    began = time.perf_counter()
    redirect_target("#REDIRECT " + piece * 1_000_000)
    redirect_target("#REDIRECT [[a" + piece * 1_000_000)
    redirect_target(piece * 1_000_000)
    assert time.perf_counter() - began < 2


@given(st.text(alphabet="#REDIRECTredirect[]|:%& \nKem", max_size=60))
def test_a_target_is_a_title_without_section_or_brackets(text):
    target = redirect_target("#REDIRECT" + text)
    if target is not None:
        assert target == target.strip()
        assert target
        assert not set(target) & set("#|\n")
