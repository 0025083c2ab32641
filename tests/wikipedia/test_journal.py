"""The file of a collection is gone on with, or told by its line, never guessed at."""

from __future__ import annotations

import json

import pytest

from leaderboard.wikipedia.journal import Journal, JournalError
from leaderboard.wikipedia.pages import Page

DATE = "2024-09-01T00:00:00Z"
KEM = Page(
    "en.wikipedia.org|Kem",
    "Kem",
    7,
    70,
    "2020-01-01T00:00:00Z",
    "https://…/Kem",
    "wikitext",
    "a\ntown \U0001f3d8",
)
PLACE = ("en.wikipedia.org", 7)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "deep" / "articles.fetching.jsonl"
    with Journal(path, DATE) as journal:
        journal.add_page(KEM)
        journal.add_reached("en.wikipedia.org|Kem", *PLACE)
        journal.add_vanished("en.wikipedia.org|\ud800", "why “so”")
    return path


def test_what_was_written_is_read(path):
    with Journal(path, DATE) as journal:
        assert journal.pages == {PLACE: KEM}
        assert journal.reached == {"en.wikipedia.org|Kem": PLACE}
        assert journal.vanished == {"en.wikipedia.org|\ud800": "why “so”"}
        assert journal.settled("en.wikipedia.org|Kem")
        assert not journal.settled("en.wikipedia.org|Other")


def test_a_line_is_on_disk_when_it_is_written(path):
    with Journal(path, DATE) as journal:
        before = path.stat().st_size
        journal.add_vanished("x", "y")
        assert path.read_bytes()[before:] == b'{"vanished": "x", "reason": "y"}\n'


@pytest.mark.parametrize(
    "tail", [b'{"vanished": "x", "rea', b"\0" * 400, b'{"vanished": "x", "reason": "y"}']
)
def test_a_last_line_that_was_cut_off_is_dropped(path, tail):
    whole = path.read_bytes()
    path.write_bytes(whole + tail)
    with Journal(path, DATE) as journal:
        assert "x" not in journal.vanished
        journal.add_vanished("z", "w")
    assert path.read_bytes() == whole + b'{"vanished": "z", "reason": "w"}\n'


@pytest.mark.parametrize("start", [b"", b'{"version": 1, "bef'])
def test_a_file_without_a_whole_header_begins_anew(tmp_path, start):
    path = tmp_path / "a.jsonl"
    path.write_bytes(start)
    with Journal(path, DATE):
        assert path.read_bytes() == b'{"version": 1, "before": "2024-09-01T00:00:00Z"}\n'


PAGE = {**{name: getattr(KEM, name) for name in ("key", "title", "page_id", "revision", "timestamp", "url")}}
PAGE |= {"content_model": "wikitext", "wikitext": "a"}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("half", "line 5: expected what a collection writes, found no JSON"),
        ("", "line 5: .*found no JSON"),
        ("[" * 100_000, "line 5: .*found no JSON"),
        ("[1]", "line 5: .*found no object"),
        ("{}", "line 5: .*found something else"),
        ('{"vanished": "x", "reason": 5}', "line 5: .*found something else"),
        (
            '{"reached": "x", "host": "en.wikipedia.org", "page_id": 8}',
            "line 5: .*found a link to a page that doesn't stand before it",
        ),
        (json.dumps({"page": {**PAGE, "page_id": "8"}}), "line 5: .*a page whose page_id is of another type"),
        (
            json.dumps({"page": {**PAGE, "page_id": True}}),
            "line 5: .*a page whose page_id is of another type",
        ),
        (json.dumps({"page": {**PAGE, "wikitext": "\ud800"}}), "line 5: .*found half a character"),
        (json.dumps({"page": {**PAGE, "links": []}}), r"line 5: .*a page without its fields \(key, title"),
        (json.dumps({"page": {"key": "x"}}), "line 5: .*a page without its fields"),
    ],
)
def test_a_damaged_line_is_told_and_the_file_left(path, line, told):
    path.write_bytes(path.read_bytes() + line.encode() + b"\n")
    before = path.read_bytes()
    with pytest.raises(JournalError, match=rf"articles\.fetching\.jsonl, {told}"):
        Journal(path, DATE)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ({"version": 2, "before": DATE}, "has version 2, this program writes 1: delete it to fetch anew"),
        (
            {"version": 1, "before": "2023-01-01T00:00:00Z"},
            "holds pages as of '2023-01-01T00:00:00Z', wanted",
        ),
        ({"before": DATE}, "line 1: .*found no header with version and date"),
        ({"version": True, "before": DATE}, "line 1: .*found no header with version and date"),
    ],
)
def test_a_file_of_something_else_is_told(tmp_path, header, told):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(header) + "\n")
    with pytest.raises(JournalError, match=told):
        Journal(path, DATE)
