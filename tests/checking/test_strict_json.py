"""One form of each JSON value is canonical, and it is read back as the value it was written from."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.checking.strict_json import Fault, JsonFaults, canonical_text, located, parse_json

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
LEAVES = st.none() | st.booleans() | st.integers(-(10**13), 10**13) | st.floats(-1, 1) | TEXTS
FLAT = st.lists(LEAVES, max_size=3) | st.dictionaries(TEXTS, LEAVES, max_size=3)
VALUES = st.dictionaries(TEXTS, LEAVES | FLAT | st.lists(FLAT, max_size=3), max_size=4)


@settings(max_examples=60, deadline=None)
@given(VALUES)
def test_the_canonical_text_of_a_value_is_read_as_the_value_and_no_other_text_is(value):
    text = canonical_text(value)
    assert parse_json(text.encode(), "x") == value
    for other in (text[:-1], f" {text}", json.dumps(value, indent=2)):
        with pytest.raises(JsonFaults):
            parse_json(other.encode(), "x")
        assert parse_json(other.encode(), "x", canonical=False) == value


@settings(max_examples=60, deadline=None)
@given(VALUES)
def test_each_key_and_item_is_said_to_stand_where_its_line_begins(value):
    paths = [(key,) for key in value]
    paths += [(key, at) for key, held in value.items() if isinstance(held, list) for at in range(len(held))]
    lines = canonical_text(value).split("\n")
    for path in paths:
        [error] = located([Fault(path, "a", "b")], value, "x")
        line = lines[error.line - 1]
        item = value[path[0]][path[1]] if len(path) == 2 else None
        begins = (
            json.dumps(path[0], ensure_ascii=False)
            if len(path) == 1
            else json.dumps(item, ensure_ascii=False)
        )
        assert line[: error.column - 1] == " " * len(path)
        assert line[error.column - 1 :].startswith(begins if not isinstance(item, list | dict) else begins[0])
