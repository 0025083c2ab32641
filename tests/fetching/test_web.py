"""A file at a plain address comes whole or not at all, and what came instead is told without secrets."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from time import monotonic

import pytest

from leaderboard.fetching.pinned import WebPath
from tests.fetching.first_seen import CONTENT, SHA256, UNKNOWN, at
from tests.fetching.sources import free_address
from tests.fetching.web_host import (
    body,
    hang_up,
    status,
    unbounded,
)

pytestmark = pytest.mark.usefixtures("hurried")


def test_the_host_is_given_the_seconds_it_asks_for(host, file, folder):
    host.faults = [status(429, Retry_After="1")]
    began = monotonic()
    assert folder.ensure(file).read_bytes() == CONTENT
    assert monotonic() - began >= 1
    assert len(host.asked) == 2


def test_the_host_is_not_asked_before_the_date_it_names(host, file, folder):
    then = datetime.now(UTC) + timedelta(seconds=2)
    host.faults = [status(503, Retry_After=format_datetime(then, usegmt=True))]
    assert folder.ensure(file).read_bytes() == CONTENT
    assert datetime.now(UTC) >= then.replace(microsecond=0)


def test_a_wait_of_hours_is_told_and_not_waited(host, file, folder, capsys):
    host.faults = [status(429, Retry_After="7200")]
    text = folder.refused(file, capsys)
    assert "answers 429 for dev.json; it asks to wait 7,200 s" in text
    assert len(host.asked) == 1


def test_a_host_that_is_down_for_a_moment_is_asked_again(host, file, folder):
    host.faults = [status(503), hang_up, status(502)]
    assert folder.ensure(file).read_bytes() == CONTENT


def test_half_a_body_is_never_noted_when_more_was_promised(host, file, folder, capsys):
    host.faults = [body(CONTENT, promised=len(CONTENT) + 1)] * 5
    assert "the connection to 127.0.0.1" in folder.refused(file, capsys)


def test_what_comes_after_the_promised_body_belongs_to_no_file(host, file, folder):
    """RFC 9112 § 6.3: the message ends where Content-Length says."""
    host.faults = [body(CONTENT + b"surplus", promised=len(CONTENT))]
    assert folder.ensure(file).read_bytes() == CONTENT
    assert folder.noted()["bytes"] == len(CONTENT)


def test_a_declared_size_is_held_to(host, file, folder, capsys):
    declared = replace(file, size_bytes=len(CONTENT) + 1)
    text = folder.refused(declared, capsys)
    assert f"dev.json: expected {len(CONTENT) + 1:,} bytes, found {len(CONTENT):,}" in text
    assert "changed upstream" not in text
    assert folder.ensure(replace(file, size_bytes=len(CONTENT))).read_bytes() == CONTENT


def test_more_chunks_than_the_declared_size_are_refused(host, file, folder, capsys):
    host.faults = [unbounded(CONTENT + b"more", chunked=True)] * 2
    text = folder.refused(replace(file, size_bytes=len(CONTENT)), capsys)
    assert f"sends more than the {len(CONTENT):,} bytes expected" in text
    assert len(host.asked) == 2


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (
            body(b"<p>Log in</p>", Content_Type="text/html; charset=utf-8"),
            "answers with a web page instead of dev.json",
        ),
        (body(b"\xef\xbb\xbf\n<!DOCTYPE html><title>Log in</title>"), "expected dev.json, found a web page"),
        (body(b"<!-- 1 --><HTML lang=en>"), "expected dev.json, found a web page"),
        (body(b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n"), "found a pointer of Git LFS"),
        (body(b""), "expected dev.json, found an empty file"),
        (body(b"\x1f\x8b", Content_Encoding="gzip"), "sends dev.json with Content-Encoding 'gzip'"),
        (unbounded(CONTENT, chunked=False), "doesn't say how many bytes dev.json has (no Content-Length)"),
        (status(204), "answers 204 for dev.json"),
        (status(206, Content_Range="bytes 0-0/1"), "sends a range of dev.json that was not asked for"),
        (status(304), "answers 304 for dev.json"),
        (status(302), "answers 302 for dev.json"),
        (status(403), "answers 403 for dev.json"),
    ],
    ids=[
        "page",
        "hidden page",
        "old page",
        "lfs",
        "empty",
        "gzip",
        "no end",
        "204",
        "206",
        "304",
        "302",
        "403",
    ],
)
def test_what_is_not_the_file_is_told_and_never_noted(host, file, folder, capsys, fault, told):
    host.faults = [fault] * 2
    text = folder.refused(file, capsys)
    assert text.startswith("the questions and paragraphs of HotpotQA can't be had:\n  web: ")
    assert told in text
    assert (
        f"put dev.json of 127.0.0.1:{host.url.rpartition(':')[2]} ({host.url}/data/dev.json) at {folder.final}"
        in (text)
    )
    assert not folder.part.exists()


def test_a_page_in_place_of_a_known_file_is_not_called_a_change(host, file, folder, capsys):
    host.faults = [body(b"<!doctype html>")]
    text = folder.refused(replace(file, sha256=SHA256), capsys)
    assert "found a web page" in text
    assert "changed upstream" not in text


def test_chunks_need_no_size(host, file, folder):
    host.faults = [unbounded(CONTENT, chunked=True)]
    assert folder.ensure(file).read_bytes() == CONTENT
    assert folder.noted()["bytes"] == len(CONTENT)


def test_a_known_file_may_end_with_the_connection(host, file, folder):
    host.faults = [unbounded(CONTENT, chunked=False)]
    assert folder.ensure(replace(file, sha256=SHA256)).read_bytes() == CONTENT


@pytest.mark.parametrize("chunked", [True, False])
def test_a_file_of_unknown_size_is_taken_up_to_a_limit(host, file, folder, capsys, chunked):
    host.faults = [unbounded(CONTENT, chunked=True)] if chunked else []
    text = folder.refused(file, capsys, most_bytes=len(CONTENT) - 1)
    assert f"dev.json has more than the {len(CONTENT) - 1:,} bytes allowed" in text
    assert len(host.asked) == 1
    assert not folder.part.exists() or folder.part.stat().st_size == 0
    assert folder.ensure(file, most_bytes=len(CONTENT)).read_bytes() == CONTENT


def test_a_size_the_disk_has_no_room_for_is_told_before_anything_is_written(host, file, folder, capsys):
    host.faults = [body(b"x", promised=1 << 58)]
    text = folder.refused(file, capsys, most_bytes=1 << 60)
    assert "no space left for the questions and paragraphs of HotpotQA: 288,230,376,151,711,744 bytes" in text
    assert f"are needed in {folder.path}" in text
    assert "choose a folder elsewhere" in text
    assert not folder.part.exists()


def test_nobody_there_is_told_with_the_host(folder, capsys):
    text = folder.refused(at(f"{free_address()}/data/dev.json"), capsys)
    assert "web: 127.0.0.1:" in text
    assert "can't be reached: connection refused" in text


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("file:///etc/passwd", "file://a host without a name/etc/passwd"),
        ("ftp://maria:s3cret@host.example/dev.json?t0ken", "ftp://host.example/dev.json"),
        ("http://maria:s3cret@[::1/dev.json", "an address that can't be read"),
        ("http://maria:s3c/ret@host.example/dev.json", "an address"),
        ("dev.json", "dev.json"),
        ("", ""),
    ],
)
def test_an_address_that_is_none_is_told(folder, capsys, url, shown):
    text = folder.refused(replace(UNKNOWN, web=WebPath(url)), capsys)
    assert "expected http://host/path or https://host/path" in text
    assert shown in text
