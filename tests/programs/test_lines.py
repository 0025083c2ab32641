"""Reading queries out of what a model says."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from leaderboard.programs.lines import MOST_CHARACTERS, items


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Orrin canal\nKestle population", ["Orrin canal", "Kestle population"]),
        ("  Orrin   canal \r\n\n\tKestle", ["Orrin canal", "Kestle"]),
        ("- Orrin canal\n* Kestle\n• Low Harrow\n– Marlow", ["Orrin canal", "Kestle", "Low Harrow", "Marlow"]),
        (
            "1. Orrin canal\n2) Kestle\n(3) Low Harrow\n 4: Marlow",
            ["Orrin canal", "Kestle", "Low Harrow", "Marlow"],
        ),
        ("1.Orrin canal", ["Orrin canal"]),
        ('1. - "Orrin canal",', ["Orrin canal"]),
        ("Query: Orrin canal\nquery 2: Kestle\nQ3: Marlow\nSEARCH : x", ["Orrin canal", "Kestle", "Marlow", "x"]),
        ("\"Orrin canal\"\n'Kestle'\n`Marlow`\n“Low Harrow”\n«x»", ["Orrin canal", "Kestle", "Marlow", "Low Harrow", "x"]),
        ("the Kestle “Low Harrow” road", ["the Kestle “Low Harrow” road"]),
        ('["Orrin canal", "Kestle"]', ["Orrin canal", "Kestle"]),
        ('```json\n["Orrin canal",\n "Kestle"]\n```', ["Orrin canal", "Kestle"]),
        ('["1. Orrin canal", "- Kestle", ""]', ["Orrin canal", "Kestle"]),
        ('["Orrin\\ncanal"]', ["Orrin canal"]),
        ('["Orrin canal", 5, null, ["x"], {"query": "y"}]', ["Orrin canal"]),
        ('[\n"Orrin canal",\n"Kestle",\n]', ["Orrin canal", "Kestle"]),  # no JSON, but one item a line
        ("Here they are: [1]\nOrrin canal", ["Here they are: [1]", "Orrin canal"]),
        ("", []),
        (" \n\t\n", []),
        ("---\n***\n1.\n[]\n“”\n…", []),
        ("[]", []),
        ("[" * 100_000, []),
        ("Orrin canal\u2028Kestle\x85Marlow\x0bx", ["Orrin canal", "Kestle", "Marlow", "x"]),
        ("Straße 日本 ١٢", ["Straße 日本 ١٢"]),
    ],
)  # fmt: skip
def test_items_come_in_order_without_marks(text, found):
    assert items(text) == found


@pytest.mark.parametrize(
    "text",
    ["1950 census", "3:10 to Yuma", "1.5 million people", "24 hours", "12.05.1950 storm", "Q4 of 1950"],
)
def test_a_number_that_belongs_to_the_query_stays(text):
    assert items(text) == [text]
    assert items(f"2. {text}") == [text]


def test_half_a_surrogate_pair_never_leaves():
    """JSON can spell what UTF-8 cannot: neither a prompt nor a table could hold it."""
    assert items('["a\\ud800b", "\\ud83d\\ude00 c", "\\udfff"]') == ["a\ufffdb", "😀 c"]
    assert items("a\ud800b") == ["a\ufffdb"]


def test_an_item_is_cut():
    assert items("word " * 100) == [("word " * 60).rstrip()]
    assert items("x" * 10_000 + "\ny") == ["x" * MOST_CHARACTERS, "y"]


def test_ten_thousand_lines_are_ten_thousand_items():
    assert items("\n".join(f"{n % 90}. query {n}" for n in range(10_000))) == [
        f"query {n}" for n in range(10_000)
    ]


_PIECES = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        ["\n", "- ", "1. ", "(2) ", "query: ", '"', "“", ",", "[", "]", '["', '", "', "```json\n"]
    ),
    st.characters(codec="utf-16", categories=["Zs", "Zl", "Zp", "Cc"]),
)
_TEXTS = st.one_of(
    st.text(),
    st.text(st.characters(categories=["L", "Cs", "P"])),
    st.lists(_PIECES, max_size=15).map("".join),
    st.lists(st.text()).map(json.dumps),
    st.lists(st.text(), max_size=5).map(lambda texts: f"```json\n{json.dumps(texts)}\n```"),
)


@given(_TEXTS)
@example("x" * (MOST_CHARACTERS - 1) + " y")
@example("\x1c\x1d\x1e")
def test_any_text_gives_short_single_lines_that_say_something(text):
    for item in items(text):
        assert 0 < len(item) <= MOST_CHARACTERS
        assert item.splitlines() == [item]
        assert item == item.strip()
        assert any(character.isalnum() for character in item)
        item.encode()


@given(_TEXTS)
def test_items_one_a_line_are_read_back_as_they_are(text):
    """Unless they were cut, or alone look like a JSON list."""
    found = items(text)
    if all(len(item) < MOST_CHARACTERS - 1 for item in found) and "[" not in text:
        assert items("\n".join(found)) == found


@given(st.lists(st.from_regex(r"[a-z]{2,9}( [a-z0-9]{1,9}){0,4}", fullmatch=True), max_size=6))
def test_a_list_is_read_the_same_however_it_is_written(queries):
    for text in (
        "\n".join(queries),
        "\n".join(f"{n}. {query}" for n, query in enumerate(queries, start=1)),
        "\n".join(f"- “{query}”" for query in queries),
        json.dumps(queries),
        json.dumps(queries, indent=1),
        f"```json\n{json.dumps(queries)}\n```",
    ):
        assert items(text) == queries
