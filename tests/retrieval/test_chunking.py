"""Sentence borders, packing, and that chunks lose nothing of an article."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.benchmarks.questions import Document
from leaderboard.files import sha256_bytes
from leaderboard.metrics.tokens import count_tokens
from leaderboard.retrieval.chunking import chunk, passages_of, sentences


def document(text: str, document_id: str = "d") -> Document:
    return Document(document_id, "Title", text)


def split(text: str) -> list[str]:
    return [text[span.start : span.end] for span in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("“Was it?” He left. (It was.) Then", ["“Was it?”", "He left.", "(It was.)", "Then"]),
        ("Dr. Ada King met Mr. Babbage. They", ["Dr. Ada King met Mr. Babbage.", "They"]),
        ("J. R. R. Tolkien wrote. He", ["J. R. R. Tolkien wrote.", "He"]),
        ("The U.S. Army came at 3 p.m. Eastern. It", ["The U.S. Army came at 3 p.m. Eastern.", "It"]),
        ("It rose 3.5 per cent. Then", ["It rose 3.5 per cent.", "Then"]),
        ("It happened in 1901. Then", ["It happened in 1901.", "Then"]),
        ("1. First point. 2. Second point.", ["1. First point.", "2. Second point."]),
        ("Shares of Yahoo! fell. So", ["Shares of Yahoo! fell.", "So"]),
        ("Wait... What? No.", ["Wait...", "What?", "No."]),
        ("Heading\n\n  Text here.\r\nMore", ["Heading", "Text here.", "More"]),
        ("| 1. A. Wo | Won. Lost |\n| B. | C. |", ["| 1. A. Wo | Won. Lost |", "| B. | C. |"]),
        ("Rank. Won\tName. Given", ["Rank. Won\tName. Given"]),
        ("東京は首都。京都は古都。終わり", ["東京は首都。", "京都は古都。", "終わり"]),
        ("", []),
        (" \n\t ", []),
    ],
)
def test_sentences(text, expected):
    assert split(text) == expected


def test_whole_sentences_are_packed_up_to_the_limit():
    text = "One two three. Four five six. Seven eight nine. Ten."
    assert [passage.text for passage in chunk(document(text), 8)] == [
        "One two three. Four five six.",
        "Seven eight nine. Ten.",
    ]


def test_a_chunk_is_a_slice_named_by_its_offsets():
    text = "  One two three. Four five six.  Seven eight nine. "
    first, second = chunk(document(text, "wiki/Ada"), 8)
    assert (first.id, first.document, first.title) == ("wiki/Ada#2-31", "wiki/Ada", "Title")
    assert second.id == "wiki/Ada#33-50"
    assert text[33:50] == second.text == "Seven eight nine."


@pytest.mark.parametrize("text", ["Short enough.", "", "  \n "])
def test_a_document_that_fits_is_one_whole_passage(text):
    (passage,) = chunk(document(text, "d7"), 16)
    assert (passage.id, passage.text) == ("d7", text)


def test_a_sentence_longer_than_a_chunk_is_cut_between_words():
    text = " ".join(f"word{i}" for i in range(10)) + "."
    assert [passage.text for passage in chunk(document(text), 4)] == [
        "word0 word1 word2 word3",
        "word4 word5 word6 word7",
        "word8 word9.",
    ]


def test_a_word_longer_than_a_chunk_is_cut_between_its_tokens():
    assert [passage.text for passage in chunk(document("aa-bb-cc-dd"), 4)] == ["aa-bb-", "cc-dd"]


def test_a_combining_mark_stays_with_its_letter():
    text = "-".join(["e\u0301"] * 8)
    texts = [passage.text for passage in chunk(document(text), 4)]
    assert "".join(texts) == text
    assert not any(part.startswith("\u0301") for part in texts)


def test_table_rows_keep_their_line_feeds():
    rows = "\n".join(f"| {year} | Team {year} |" for year in range(2000, 2006))
    passages = chunk(document(rows), 12)
    assert [passage.text for passage in passages] == [
        "| 2000 | Team 2000 |\n| 2001 | Team 2001 |",
        "| 2002 | Team 2002 |\n| 2003 | Team 2003 |",
        "| 2004 | Team 2004 |\n| 2005 | Team 2005 |",
    ]


_WORDS = [
    "word",
    "Word",
    "Dr.",
    "U.S.",
    "3.5",
    "end.",
    "why?",
    "“so!”",
    "e\u0301",
    "東京。",
    "🙂",
    "a-b-c_d;e",
]
_GAPS = [" ", " ", " ", "\n", "\r\n", "\t", "\u00a0", "|", " | ", "(", ")", "…"]
_texts = st.lists(st.sampled_from([*_WORDS, *_GAPS]), max_size=120).map("".join)


@given(_texts, st.integers(4, 40))
def test_chunks_lose_only_white_space_and_keep_the_limit(text, limit):
    passages = chunk(document(text), limit)
    if passages[0].id == "d":
        assert [passage.text for passage in passages] == [text]
        return
    spans = [tuple(map(int, passage.id.split("#")[1].split("-"))) for passage in passages]
    assert [passage.text for passage in passages] == [text[start:end] for start, end in spans]
    borders = [(0, 0), *spans, (len(text), len(text))]
    assert all(
        text[a_end:b_start].strip() == "" and a_end <= b_start
        for (_, a_end), (b_start, _) in pairwise(borders)
    )
    assert all(count_tokens(passage.text) <= limit for passage in passages)


@given(st.text(max_size=400))
def test_any_text_keeps_every_character_that_is_not_white_space(text):
    passages = chunk(document(text), 4)
    assert "".join("".join(passage.text for passage in passages).split()) == "".join(text.split())


def test_a_passage_begins_with_the_last_whole_sentences_of_the_one_before():
    text = "One two three. Four five. Six seven. Eight nine ten. Eleven twelve."  # 4, 3, 3, 4, 3 tokens
    assert [passage.text for passage in chunk(document(text), 10, 3)] == [
        "One two three. Four five. Six seven.",
        "Six seven. Eight nine ten. Eleven twelve.",
    ]
    assert [passage.text for passage in chunk(document(text), 10, 2)] == [
        "One two three. Four five. Six seven.",
        "Eight nine ten. Eleven twelve.",
    ]


def test_an_overlap_leaves_room_for_what_comes_next():
    text = "One two. Three four. Five six. Seven eight nine ten."  # 3, 3, 3, 5 tokens
    assert [passage.text for passage in chunk(document(text), 9, 6)] == [
        "One two. Three four. Five six.",
        "Five six. Seven eight nine ten.",
    ]


def test_an_overlap_is_never_a_whole_passage():
    text = "One two. Three four five six seven. Eight nine."  # 3, 6, 3 tokens
    assert [passage.text for passage in chunk(document(text), 8, 8)] == [
        "One two.",
        "Three four five six seven.",
        "Eight nine.",
    ]


def test_parts_of_a_sentence_that_is_too_long_are_not_repeated():
    text = "Start here. one two three four five six seven eight. End here. Last one."
    assert [passage.text for passage in chunk(document(text), 6, 3)] == [
        "Start here. one two three",
        "four five six seven eight.",
        "End here. Last one.",
    ]


@given(_texts, st.integers(4, 40), st.integers(0, 40))
def test_overlapping_chunks_keep_every_promise(text, limit, overlap):
    passages = chunk(document(text), limit, overlap)
    if passages[0].id == "d":
        assert [passage.text for passage in passages] == [text]
        return
    spans = [tuple(map(int, passage.id.split("#")[1].split("-"))) for passage in passages]
    assert [passage.text for passage in passages] == [text[start:end] for start, end in spans]
    assert all(count_tokens(passage.text) <= limit for passage in passages)
    covered = "".join(
        character for place, character in enumerate(text) if any(start <= place < end for start, end in spans)
    )
    assert "".join(covered.split()) == "".join(text.split())
    sentence_starts = {span.start for span in sentences(text)}
    for (a_start, a_end), (b_start, b_end) in pairwise(spans):
        assert a_start < b_start and a_end < b_end
        if b_start < a_end:
            assert b_start in sentence_starts
            assert count_tokens(text[b_start:a_end]) <= overlap
        else:
            assert text[a_end:b_start].strip() == ""


@given(st.text(max_size=400), st.integers(1, 12), st.integers(0, 12))
def test_any_text_can_be_cut_with_any_overlap(text, limit, overlap):
    passages = chunk(document(text), limit, overlap)
    assert (
        "".join(passages[-1].text.split())
        == "".join(text.split())[-len("".join(passages[-1].text.split())) :]
    )
    assert len({passage.id for passage in passages}) == len(passages)


@given(_texts, st.integers(4, 40))
def test_without_an_overlap_passages_are_what_they_were(text, limit):
    assert chunk(document(text), limit, 0) == chunk(document(text), limit)


def test_what_chunks_are_by_default_stays_what_recorded_runs_used():
    text = (
        "Dr. Ada met Mr. Bell in 1901. He said “no.” Then she left!\n| a | b |\n" + "word " * 30 + "end. "
    ) * 4
    ids = "\n".join(passage.id for passage in chunk(document(text), 24))
    assert sha256_bytes(ids.encode()) == "0e8516ff035f51b48144795a8f8e3ec3290298c158d9cf6961d4df3375da2287"


def test_passages_of_chunks_only_passages_of_benchmarks_that_allow_it():
    long, short = document("One two three. " * 10, "long"), document("One.", "short")
    whole = ["long", "short"]
    assert [p.id for p in passages_of([long, short], "article", 16, True)] == whole
    assert [p.id for p in passages_of([long, short], "passage", 16, False)] == whole
    assert [p.id for p in passages_of([long, short], "passage", 16, True)] == [
        "long#0-59",
        "long#60-119",
        "long#120-149",
        "short",
    ]
    assert [p.id for p in passages_of([long, short], "passage", 16, True, overlap_tokens=4)] == [
        "long#0-59",
        "long#45-104",
        "long#90-149",
        "short",
    ]
