"""A fetch goes on where it stopped, and a file is never made of two versions."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from leaderboard.fetching import connection
from leaderboard.fetching.keeping import file_status
from leaderboard.fetching.part import Part, Version
from tests.fetching.first_seen import CONTENT, OTHER, SHA256, at
from tests.fetching.web_host import (
    cut,
    etag,
    send,
    silent_after,
    status,
    unbounded,
)

pytestmark = pytest.mark.usefixtures("hurried")
HALF = len(CONTENT) // 2


def test_after_a_break_it_goes_on_with_the_same_version(host, file, folder):
    host.faults = [cut(HALF)]
    assert folder.ensure(file).read_bytes() == CONTENT
    assert host.headers_asked("Range") == [None, f"bytes={HALF}-"]
    assert host.headers_asked("If-Range") == [None, etag(CONTENT)]


@pytest.mark.parametrize("knows_if_range", [True, False])
def test_two_versions_are_never_mixed(host, file, folder, knows_if_range):
    host.knows_if_range = knows_if_range

    def cut_and_change(http, played):
        cut(HALF)(http, played)
        played.files["/data/dev.json"] = OTHER

    host.faults = [cut_and_change]
    assert folder.ensure(file).read_bytes() == OTHER
    assert folder.noted()["sha256"] == hashlib.sha256(OTHER).hexdigest()
    assert len(host.asked) == (2 if knows_if_range else 3)


def test_versions_of_the_same_size_are_never_mixed(host, file, folder):
    host.knows_if_range = False
    other = CONTENT[::-1]

    def cut_and_change(http, played):
        cut(HALF)(http, played)
        played.files["/data/dev.json"] = other

    host.faults = [cut_and_change]
    assert folder.ensure(file).read_bytes() == other


def test_without_an_etag_an_unknown_file_begins_again_and_a_known_one_goes_on(host, file, folder):
    host.has_etags = False
    host.faults = [cut(HALF), cut(10)]
    assert folder.ensure(file).read_bytes() == CONTENT
    assert host.headers_asked("Range") == [None, None, None]
    folder.final.unlink()
    host.faults = [cut(HALF), cut(10)]
    assert folder.ensure(file).read_bytes() == CONTENT
    assert host.headers_asked("Range")[3:] == [None, f"bytes={HALF}-", f"bytes={HALF + 10}-"]


def test_a_weak_etag_vouches_for_nothing(host, file, folder):
    def weak(http, played):
        send(http, 200, CONTENT[:HALF], {"ETag": 'W/"1"'}, promised=len(CONTENT))
        http.close_connection = True

    host.faults = [weak]
    assert folder.ensure(file).read_bytes() == CONTENT
    assert host.headers_asked("Range") == [None, None]


def test_a_part_of_another_address_is_not_gone_on_with(host, file, folder, capsys):
    host.faults = [cut(HALF), status(404)]
    folder.refused(file, capsys)
    assert folder.part.stat().st_size == HALF
    host.files["/data/other.json"] = CONTENT
    assert folder.ensure(at(f"{host.url}/data/other.json")).read_bytes() == CONTENT
    assert host.headers_asked("Range")[2:] == [None]


def test_a_known_file_goes_on_from_another_address_and_forgets_the_version(host, file, folder, capsys):
    """Its digest tells in the end; until then the part may be of two versions, and no note may say otherwise."""
    host.faults = [cut(HALF), status(404)]
    folder.refused(file, capsys)
    assert Part(folder.part).version() is not None
    host.files["/data/other.json"] = CONTENT
    host.faults = [cut(10), status(404)]
    known = replace(at(f"{host.url}/data/other.json"), sha256=SHA256)
    folder.refused(known, capsys)
    assert Part(folder.part).present_bytes == HALF + 10
    assert Part(folder.part).version() is None


def test_a_host_without_ranges_sends_it_from_the_beginning(host, file, folder):
    host.knows_ranges = False
    host.faults = [cut(HALF)]
    assert folder.ensure(file).read_bytes() == CONTENT
    assert host.headers_asked("Range") == [None, f"bytes={HALF}-"]


def test_a_range_that_is_not_the_rest_is_asked_again_as_a_whole(host, file, folder):
    def from_elsewhere(http, played):
        headers = {"Content-Range": f"bytes 5-{len(CONTENT) - 1}/{len(CONTENT)}", "ETag": etag(CONTENT)}
        send(http, 206, CONTENT[5:], headers)

    host.faults = [cut(HALF), from_elsewhere]
    assert folder.ensure(file).read_bytes() == CONTENT
    assert host.headers_asked("Range")[2] is None


def test_a_part_that_came_whole_before_the_program_was_killed_is_not_fetched_again(host, file, folder):
    folder.path.mkdir()
    folder.part.write_bytes(CONTENT)
    address_sha256 = hashlib.sha256(file.web.url.encode()).hexdigest()
    Part(folder.part).note(Version(address_sha256, etag(CONTENT), len(CONTENT)))
    assert folder.ensure(file).read_bytes() == CONTENT
    assert host.asked == []


@pytest.mark.parametrize("extra", [b"", b"more"])
def test_a_part_of_no_use_to_the_host_is_begun_again(host, file, folder, extra):
    """416: as large as the file without a note of its size, or larger."""
    folder.path.mkdir()
    folder.part.write_bytes(CONTENT + extra)
    known = replace(file, sha256=SHA256)
    assert folder.ensure(known).read_bytes() == CONTENT
    ranges = host.headers_asked("Range")
    # the whole file needs no second request: its digest tells
    assert ranges == ([f"bytes={len(CONTENT)}-"] if not extra else [f"bytes={len(CONTENT) + 4}-", None])


@pytest.mark.parametrize("note", [b"{half", b"[]", b'{"etag": 1}', b"\xff", b"[" * 100_000])
def test_a_damaged_note_of_the_version_is_not_trusted(host, file, folder, note):
    folder.path.mkdir()
    folder.part.write_bytes(b"x" * 10)
    folder.part.with_name(f"{folder.part.name}.json").write_bytes(note)
    assert folder.ensure(file).read_bytes() == CONTENT


def test_a_body_that_always_breaks_off_is_told_and_kept_for_the_next_time(host, file, folder, capsys):
    host.faults = [cut(10)] * 5
    text = folder.refused(file, capsys)
    assert "the connection to 127.0.0.1" in text
    assert "what has come is kept" in text
    assert folder.part.read_bytes() == CONTENT[:50]
    told = file_status(file, folder.path)
    assert (told.state, told.present_bytes) == ("partial", 50)
    assert folder.ensure(file).read_bytes() == CONTENT
    assert host.headers_asked("Range")[-1] == "bytes=50-"


def test_a_body_that_stops_coming_is_told(host, file, folder, capsys, monkeypatch):
    monkeypatch.setattr(connection, "READ_TIMEOUT_S", 0.2)
    host.faults = [silent_after(1_000)]
    assert folder.ensure(file).read_bytes() == CONTENT
    assert host.headers_asked("Range") == [None, "bytes=1000-"]
    folder.final.unlink()
    host.faults = [silent_after(0)] * 5
    assert "went silent for 0.2 s" in folder.refused(file, capsys)


def test_chunks_that_break_off_are_gone_on_with(host, file, folder):
    host.faults = [unbounded(CONTENT[:HALF], chunked=True, whole=False)]
    assert folder.ensure(file).read_bytes() == CONTENT
    assert len(host.asked) == 2
