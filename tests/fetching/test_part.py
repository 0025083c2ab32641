"""A part's note names the version of all its bytes, or there is no note."""

from __future__ import annotations

import pytest

from leaderboard.fetching.part import Part, Version, is_strong

VERSION = Version("a" * 64, '"etag"', 12)


@pytest.fixture
def part(tmp_path) -> Part:
    made = Part(tmp_path / "dev.json.web.part")
    made.path.write_bytes(b"old")
    made.note(VERSION)
    return made


def test_the_version_is_read_as_it_was_noted(part):
    assert (part.version(), part.present_bytes) == (VERSION, 3)


def test_a_new_beginning_keeps_neither_bytes_nor_version(part):
    part.begin(None)
    assert (part.version(), part.present_bytes) == (None, 0)
    other = Version("b" * 64, '"other"', None)
    part.begin(other)
    assert (part.version(), part.present_bytes) == (other, 0)


def test_what_is_dropped_leaves_nothing(part, tmp_path):
    part.drop()
    assert not list(tmp_path.glob("dev.json*"))
    part.drop()


@pytest.mark.parametrize(
    ("etag", "strong"),
    [('"a"', True), ('""', True), ('W/"a"', False), ("a", False), ('"', False), ("", False), ('"ü"', False), ('"\n"', False)],
)  # fmt: skip
def test_only_a_strong_etag_promises_the_same_bytes(etag, strong):
    assert is_strong(etag) is strong
