"""Tool calls as models write them, and everything that is none."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.programs.tool_calls import MOST_ARGUMENTS, MOST_CHARACTERS, Said, ToolCall, said

TOOLS = ("keyword_search", "semantic_search", "read_chunk")


def calls(text):
    return [(call.name, call.arguments) for call in said(text, TOOLS).calls]


@pytest.mark.parametrize(
    "text",
    [
        'keyword_search("North Star", "publisher")',
        "keyword_search('North Star', 'publisher')",
        "keyword_search(North Star, publisher)",
        "keyword_search[North Star, publisher]",
        'keyword_search(["North Star", "publisher"])',
        'keyword_search(keywords=["North Star", "publisher"])',
        "keyword_search: North Star, publisher",
        "Action: Keyword_Search(“North Star”, “publisher”)",
        '1. `keyword_search("North Star", "publisher")`',
        'I need the publisher. keyword_search("North Star", "publisher")',
        'keyword_search("North Star", "publisher"',
        '{"name": "keyword_search", "arguments": {"keywords": ["North Star", "publisher"]}}',
        '<tool_call>\n{"name": "keyword_search", "arguments": "{\\"keywords\\": [\\"North Star\\", \\"publisher\\"]}"}\n</tool_call>',
        '```json\n[{"tool": "keyword_search", "input": ["North Star", "publisher"]}]\n```',
        '{"type": "function", "function": {"name": "keyword_search", "arguments": ["North Star", "publisher"]}}',
    ],
)
def test_a_call_is_read_however_it_is_written(text):
    assert calls(text) == [("keyword_search", ("North Star", "publisher"))]


def test_several_calls_of_one_text_are_read_in_order_each_once():
    text = 'keyword_search("a1")\nread_chunk(18, 17) read_chunk(4)\nkeyword_search("a1")'
    assert calls(text) == [
        ("keyword_search", ("a1",)),
        ("read_chunk", ("18", "17")),
        ("read_chunk", ("4",)),
    ]


def test_quotes_keep_commas_brackets_and_apostrophes():
    assert calls('semantic_search("Who wrote Jack\'s Song (1850), and when?")') == [
        ("semantic_search", ("Who wrote Jack's Song (1850), and when?",))
    ]


def test_a_number_of_results_is_not_an_argument():
    for text in (
        'keyword_search("a1", top_k=7)',
        '{"name": "keyword_search", "arguments": {"keywords": ["a1"], "top_k": 7}}',
    ):
        assert said(text, TOOLS).calls == (ToolCall("keyword_search", ("a1",), 7),)
    assert said('keyword_search("a1", top_k=many)', TOOLS).calls[0].top_k is None


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Frederick Douglass", "Frederick Douglass"),
        ('answer("Douglass")', "Douglass"),
        ("answer(13 June 1850, at noon)", "13 June 1850, at noon"),
        ('Then finish["Paris (France)"]', "Paris (France)"),
        ("answer: Douglass", "Douglass"),
        ("The answer is Paris (France).", "The answer is Paris (France)."),
        ("He was read (twice) in Boston", "He was read (twice) in Boston"),
        ('{"name": "answer", "arguments": {"answer": "Douglass"}}', "Douglass"),
        ("", ""),
        ("answer()", ""),
    ],
)
def test_a_text_without_a_call_is_the_answer(text, answer):
    assert said(text, TOOLS) == Said((), answer)


def test_calls_count_before_an_answer_that_was_written_without_their_results():
    assert said('read_chunk(3)\nanswer("Paris")', TOOLS) == Said((ToolCall("read_chunk", ("3",)),), "")


def test_a_tool_that_does_not_exist_is_named_and_is_no_answer():
    assert said('web_search("Paris")', TOOLS) == Said((), "", ("web_search",))
    assert said('{"name": "open_page", "arguments": {"page": "1"}}', TOOLS) == Said((), "", ("open_page",))


def test_a_call_is_written_so_that_it_reads_as_the_same_call():
    for call in (
        ToolCall("keyword_search", ("North Star", 'the "Star", (1847)')),
        ToolCall("read_chunk", ("18", "17")),
        ToolCall("semantic_search", ("who?",), 3),
    ):
        assert said(str(call), TOOLS).calls == (call,)


def test_arguments_are_bounded():
    text = "keyword_search(" + ", ".join(f'"{"x" * 999}{n}"' for n in range(50)) + ")"
    [(_, arguments)] = calls(text)
    assert (len(arguments), len(arguments[0])) == (MOST_ARGUMENTS, MOST_CHARACTERS)


def test_hostile_texts_end_quickly_and_without_an_error():
    assert said("{" * 100_000, TOOLS).calls == ()
    assert said('{"a":' * 50_000, TOOLS).calls == ()
    assert said("keyword_search(" * 20_000, TOOLS).calls
    assert said('{"name": "keyword_search", "arguments": ["\\ud800x"]}', TOOLS).calls[0].arguments == (
        "\ufffdx",
    )


_PIECES = st.sampled_from(
    [
        "keyword_search",
        "read_chunk",
        "answer",
        "(",
        ")",
        "[",
        "]",
        '"',
        "'",
        ",",
        "\n",
        "{",
        "}",
        ":",
        "a1",
        " ",
        "\\",
        "top_k=",
    ]
)


@given(st.lists(_PIECES | st.text(max_size=5), max_size=25).map("".join))
def test_every_text_is_calls_or_an_answer_within_bounds(text):
    spoken = said(text, TOOLS)
    assert not (spoken.calls and spoken.answer)
    for call in spoken.calls:
        assert call.name in TOOLS
        assert len(call.arguments) <= MOST_ARGUMENTS
        assert all(0 < len(argument) <= MOST_CHARACTERS for argument in call.arguments)
        json.dumps(call.arguments).encode()
        str(call).encode()
