"""Reading a register out of a model's text: what is understood, what is not, and that nothing breaks it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.programs.register_text import (
    LONGEST_NOTES,
    LONGEST_TEXT,
    MOST_CHARACTERS,
    MOST_DEPTH,
    MOST_ENTRIES,
    MOST_REFERENCES,
    Entry,
    Reading,
    Reference,
    read_register,
    reading_of,
)

ITEM = '{"text": "find it", "status": "Active", "evidence_notes": "so far"}'
ENTRY = Entry("req_0", "find it", "active", "so far")


@pytest.mark.parametrize(
    "text",
    [
        f'{{"req_0": {ITEM}}}',
        f'{{"requirement_register": {{"req_0": {ITEM}}}}}',
        f'Sure [1]: here it is.\n```json\n{{"req_0": {ITEM}}}\n```\nIs {{this}} fine?',
        f'{{"req_0": {ITEM[:-1]},}},\n}}',
        '[{"id": "req_0", "text": "find it", "status": "active", "notes": "so far"}]',
        '{"req_id": "req_0", "text": "find it", "status": "active", "evidence_notes": "so far"}',
        '{"updates": [{"id": "req_0", "text": " find\\n it ", "status": " ACTIVE ", "notes": "so\\tfar"}]}',
        f'{{"unrelated": 1}} {{"req_0": {ITEM}}} {{"req_0": {{"text": "another"}}}}',
        f'{{not json]}} then {{"req_0": {ITEM}}}',
    ],
)
def test_an_item_is_understood_in_each_of_these_forms(text):
    assert read_register(text).entries == (ENTRY,)


def test_a_bracket_or_a_comma_in_a_string_is_a_letter():
    [entry] = read_register('{"a": {"text": "x, ] } \\" ,}", "status": "pending"}}').entries
    assert entry.text == 'x, ] } " ,}'


def test_the_summary_of_the_evidence_is_no_item():
    reading = read_register('{"evidence_summary": "He was born.", "req_0": {"text": "t"}}')
    assert reading == Reading((Entry("req_0", "t"),), "He was born.")


@pytest.mark.parametrize(
    ("evidence", "references"),
    [
        ("18", (Reference("18"),)),
        (18, (Reference("18"),)),
        (["a#0-5", "b"], (Reference("a#0-5"), Reference("b"))),
        ([{"chunk_id": "18", "quote": "q"}], (Reference("18", "q"),)),
        ({"passage": 3}, (Reference("3"),)),
        ([None, True, 1.5, [], {}, ""], ()),
        ([str(n) for n in range(99)], tuple(Reference(str(n)) for n in range(MOST_REFERENCES))),
    ],
)
def test_evidence_is_a_passage_or_a_list_with_or_without_quotes(evidence, references):
    [entry] = read_register(json.dumps({"a": {"status": "answered", "evidence": evidence}})).entries
    assert entry.evidence == references


def test_a_text_for_an_item_is_its_text_or_its_status():
    assert read_register('{"a": "find it", "b": "answered", "c": "", "d": 3}').entries == (
        Entry("a", "find it"),
        Entry("b", status="answered"),
        Entry("c", malformed=True),
        Entry("d", malformed=True),
    )


def test_a_repeated_key_stands_there_twice():
    assert [entry.text for entry in read_register('{"a": {"text": "1"}, "a": {"text": "2"}}').entries] == [
        "1",
        "2",
    ]


@pytest.mark.parametrize("text", ["{}", "[]", '{"requirement_register": {}}', "Nothing new: {}"])
def test_nothing_to_say_is_something_said(text):
    assert read_register(text) == Reading(())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no JSON at all",
        "req_0: active",
        '"req_0"',
        "[1, 2]",
        '{"a": 1}',
        '{"req_0": {"text": "cut off',
        "{'req_0': {'text': 'single quotes'}}",
        "{" * 100_000,
        "[" * 100_000 + "]" * 100_000,
        '{"a":' * 5000 + "1" + "}" * 5000,
        '{"a": ' + "9" * 10_000 + "}",
        " " * MOST_CHARACTERS + '{"a": {"text": "too late"}}',
        '{"a": {"text": "t", "deep": ' + "[" * MOST_DEPTH + "]" * MOST_DEPTH + ', "flat": []}}',
    ],
)
def test_anything_else_is_not_understood(text):
    assert read_register(text) is None


def test_of_a_field_that_is_repeated_the_first_counts():
    assert read_register('{"a": {"text": "1", "text": "2"}}').entries == (Entry("a", "1"),)


def test_what_is_read_has_a_length():
    long = "x" * 10_000
    value = {f"id{n}{long}": {"text": long, "notes": long} for n in range(99)}
    reading = reading_of(value)
    assert len(reading.entries) == MOST_ENTRIES
    assert {(len(e.id), len(e.text), len(e.notes)) for e in reading.entries} == {
        (40, LONGEST_TEXT, LONGEST_NOTES)
    }


def test_what_no_line_holds_is_left_out_of_a_text():
    [entry] = read_register('{"a": {"text": "\\ud800 x\\u0000\\u202e\\u001b[31m\\n##"}}').entries
    assert entry.text == "\ufffd x [31m ##"


@settings(max_examples=100)
@given(st.text(alphabet=st.sampled_from('{}[]",:\\ a0\n-'), max_size=60) | st.text(max_size=40))
def test_no_text_breaks_the_reading(text):
    for given_text in (text, f'{{"a": {text}}}', f'{{"a": {{"text": "{text}"}}}}'):
        reading = read_register(given_text)
        assert reading is None or all(isinstance(entry, Entry) for entry in reading.entries)
