"""A file at a plain address comes whole, of one version, or not at all; what is first seen is noted."""

from __future__ import annotations

import hashlib
import shutil
import ssl
import subprocess
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from time import monotonic

import pytest

from leaderboard.fetching import connection
from leaderboard.fetching.keeping import ensure_file, file_status
from leaderboard.fetching.part import Part, Version
from leaderboard.fetching.pinned import ChangedUpstream, FetchError, HubPath, WebPath
from tests.fetching.first_seen import CONTENT, NAME, OTHER, SHA256, UNKNOWN, Folder, at
from tests.fetching.sources import free_address
from tests.fetching.web_host import (
    body,
    cut,
    etag,
    hang_up,
    send,
    serve_well,
    served_host,
    silent_after,
    status,
    unbounded,
)

pytestmark = pytest.mark.usefixtures("hurried")
HALF = len(CONTENT) // 2


@pytest.fixture
def folder(tmp_path) -> Folder:
    return Folder.new(tmp_path)


@pytest.fixture
def file(host):
    """The file of no known digest; the host has it."""
    host.files["/data/dev.json"] = CONTENT
    return at(f"{host.url}/data/dev.json")


def today() -> str:
    return datetime.now(UTC).date().isoformat()


def test_a_file_is_noted_when_it_is_first_seen_and_held_to_from_then_on(host, file, folder, capsys):
    before = today()
    assert folder.ensure(file).read_bytes() == CONTENT
    noted = folder.noted()
    assert noted["first_seen"] in (before, today())
    assert noted == {
        "sha256": SHA256,
        "bytes": len(CONTENT),
        "source": f"{host.url}/data/dev.json",
        "first_seen": noted["first_seen"],
    }
    assert f"HotpotQA: first seen: sha256 {SHA256}, noted in data.lock.json" in capsys.readouterr().err
    assert folder.names() == ["dev.json", "dev.json.json"]
    assert file_status(file, folder.path, lockfile=folder.lockfile, name=NAME).state == "verified"
    folder.ensure(file)
    folder.ensure(file, offline=True)
    assert len(host.asked) == 1


def test_a_file_of_another_size_is_told_before_it_is_fetched(host, file, folder, capsys):
    folder.ensure(file)
    folder.final.unlink()
    host.files["/data/dev.json"] = OTHER
    text = folder.refused(file, capsys, kind=ChangedUpstream)
    assert "web: changed upstream: 127.0.0.1:" in text
    assert "has another file as dev.json: expected 300,047 bytes, found 299,046" in text
    assert f"take the entry of {NAME} out of {folder.lockfile.path} and run again." in text
    assert not folder.part.exists()


def test_a_file_that_changed_upstream_is_told_with_both_digests_and_what_to_do(host, file, folder, capsys):
    folder.ensure(file)
    folder.final.unlink()
    other = CONTENT[:-1] + b" "
    host.files["/data/dev.json"] = other
    text = folder.refused(file, capsys, kind=ChangedUpstream)
    found = hashlib.sha256(other).hexdigest()
    assert f"web: changed upstream: expected sha256 {SHA256}, found {found}; the file was deleted" in text
    assert text.endswith(
        f"To accept the new file, take the entry of {NAME} out of {folder.lockfile.path} and run again."
    )
    assert folder.names() == ["dev.json.json"]


def test_a_pinned_digest_that_no_longer_matches_is_told_as_well(host, file, folder, capsys):
    pinned = replace(file, sha256="0" * 64)
    text = folder.refused(pinned, capsys, kind=ChangedUpstream)
    assert f"changed upstream: expected sha256 {'0' * 64}, found {SHA256}" in text
    assert text.endswith("to accept it, pin its digest where the file is declared.")


def test_the_requests_say_who_asks_and_carry_the_users_name_to_the_host_alone(
    host, file, folder, monkeypatch
):
    monkeypatch.setenv("LEADERBOARD_CONTACT", "board@example.org")
    with served_host() as elsewhere:
        elsewhere.files["/cdn/1"] = CONTENT
        host.faults = [status(302, Location="/moved"), status(307, Location=f"{elsewhere.url}/cdn/1?X-Sig=1")]
        folder.ensure(file)
        assert host.paths == ["/data/dev.json?key=t0ken", "/moved"]
        assert host.headers_asked("Authorization")[0].startswith("Basic ")
        assert elsewhere.headers_asked("Authorization") == [None]
        for agents in (host.headers_asked("User-Agent"), elsewhere.headers_asked("User-Agent")):
            assert {agent.partition("/")[0] for agent in agents} == {"multihop-rag-leaderboard"}
            assert {agent.rpartition("(")[2] for agent in agents} == {"contact: board@example.org)"}
        assert host.headers_asked("Accept-Encoding") == ["identity", "identity"]


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


def test_redirects_in_a_circle_are_given_up(host, file, folder, capsys):
    host.faults = [status(302, Location="/b"), status(302, Location="/a")] * 20
    text = folder.refused(file, capsys)
    assert "sends on more than 10 times for dev.json" in text
    assert len(host.asked) == 11


@pytest.mark.parametrize("location", ["file:///etc/passwd", "ftp://127.0.0.1/dev.json", "gopher://h/?s3cret"])
def test_a_redirect_to_another_kind_of_address_is_refused(host, file, folder, capsys, location):
    host.faults = [status(302, Location=location)]
    text = folder.refused(file, capsys)
    assert f"expected http or https, found {location.partition(':')[0]!r}" in text
    assert len(host.asked) == 1


@pytest.mark.parametrize("location", ["http://[", "http://s3cret:99999999/", "\x01", "data:text/plain,t0ken"])
def test_a_redirect_that_is_no_address_is_told(host, file, folder, capsys, location):
    host.faults = [status(302, Location=location)] * 5
    text = folder.refused(file, capsys)
    assert "can't be had" in text
    assert "127.0.0.1" in text


@pytest.fixture
def tls(tmp_path, monkeypatch) -> ssl.SSLContext:
    """A certificate for the loopback that this program trusts."""
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl to make a certificate")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"]
    made = ["-keyout", str(key), "-out", str(certificate), "-newkey", "rsa:2048", "-nodes"]
    subprocess.run(["openssl", "req", "-x509", *made, *subject], check=True, capture_output=True)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


def test_from_https_nothing_is_fetched_over_http(tls, host, file, folder, capsys):
    with served_host(tls) as safe:
        safe.files["/data/dev.json"] = CONTENT
        safe.faults = [status(302, Location=f"{host.url}/data/dev.json")]
        text = folder.refused(at(f"{safe.url}/data/dev.json"), capsys)
        assert "expected https, found 'http'" in text
        assert host.asked == []
        safe.faults = [status(302, Location="file:///etc/passwd")]
        assert "expected https, found 'file'" in folder.refused(at(f"{safe.url}/data/dev.json"), capsys)
        host.faults = [status(302, Location=f"{safe.url}/data/dev.json")]
        assert folder.ensure(file).read_bytes() == CONTENT


def test_a_certificate_that_is_not_trusted_is_told(tls, folder, capsys, monkeypatch):
    monkeypatch.delenv("SSL_CERT_FILE")
    with served_host(tls) as safe:
        text = folder.refused(at(f"{safe.url}/data/dev.json"), capsys)
    assert "can't be reached: the TLS certificate can't be verified" in text


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


def test_chunks_that_break_off_are_gone_on_with(host, file, folder):
    host.faults = [unbounded(CONTENT[:HALF], chunked=True, whole=False)]
    assert folder.ensure(file).read_bytes() == CONTENT
    assert len(host.asked) == 2


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


def test_offline_asks_nobody(host, file, folder, capsys):
    text = folder.refused(file, capsys, offline=True)
    assert "offline: nothing was fetched" in text
    assert f"at {folder.final}" in text
    assert host.asked == []


def test_a_file_that_lies_there_is_noted_as_found_here(host, file, folder, capsys):
    folder.path.mkdir()
    folder.final.write_bytes(CONTENT)
    assert file_status(file, folder.path).state == "unverified"
    folder.ensure(file, offline=True)
    assert folder.noted() == {
        "sha256": SHA256,
        "bytes": len(CONTENT),
        "source": "found here",
        "first_seen": folder.noted()["first_seen"],
    }
    assert f"found here: sha256 {SHA256}, noted in data.lock.json" in capsys.readouterr().err
    assert host.asked == []


@pytest.mark.parametrize(
    ("content", "size_bytes", "found"),
    [
        (b"<html>", None, "found a web page"),
        (b"", None, "found an empty file"),
        (b"[]", 3, "found 2 bytes where 3 were expected"),
    ],
)
def test_what_lies_there_and_is_no_data_is_left_and_not_noted(file, folder, content, size_bytes, found):
    folder.path.mkdir()
    folder.final.write_bytes(content)
    before = folder.lockfile.path.read_bytes()
    with pytest.raises(FetchError) as caught:
        folder.ensure(replace(file, size_bytes=size_bytes))
    assert found in str(caught.value)
    assert "move it away and run again" in str(caught.value)
    assert folder.final.read_bytes() == content
    assert folder.lockfile.path.read_bytes() == before


def test_somebodys_other_file_is_left_and_told(host, file, folder):
    folder.ensure(file)
    folder.final.write_bytes(OTHER)
    assert file_status(file, folder.path, lockfile=folder.lockfile, name=NAME).state == "unverified"
    with pytest.raises(FetchError) as caught:
        folder.ensure(file)
    assert f"expected sha256 {SHA256} (first seen, {folder.lockfile.path})" in str(caught.value)
    assert f"found {hashlib.sha256(OTHER).hexdigest()}" in str(caught.value)
    assert folder.final.read_bytes() == OTHER
    assert len(host.asked) == 1


def test_another_digest_noted_meanwhile_is_an_error_and_stays(host, file, folder, capsys):
    def noted_meanwhile(http, played):
        folder.lockfile.note(NAME, sha256="f" * 64, size_bytes=3, source="https://host.example/dev.json")
        serve_well(http, played)

    host.faults = [noted_meanwhile]
    with pytest.raises(ChangedUpstream, match=f"expected sha256 {'f' * 64}"):
        folder.ensure(file)
    assert folder.noted()["sha256"] == "f" * 64
    assert folder.names() == []


def test_without_a_lock_file_an_unknown_digest_is_an_error(host, file, folder):
    with pytest.raises(FetchError, match="expected its SHA-256, found none, and no lock file"):
        ensure_file(file, folder.path)
    assert host.asked == []


def test_a_broken_lock_file_is_told_before_anybody_is_asked(host, file, folder):
    folder.lockfile.path.write_text('{\n  "a": 1,\n')
    with pytest.raises(FetchError, match=r"data\.lock\.json:3: expected JSON"):
        folder.ensure(file)
    assert host.asked == []


def test_a_declared_size_beside_another_one_noted_is_told(host, file, folder):
    folder.ensure(file)
    with pytest.raises(
        FetchError, match=r"expected 5 bytes as declared, found 300,047 noted in .*data\.lock"
    ):
        folder.ensure(replace(file, size_bytes=5))


def test_the_hub_is_asked_first_and_the_plain_address_after_it(host, hub, file, folder):
    hub.content = CONTENT
    both = replace(file, hub=HubPath("datasets/example/hotpot", "v1", "data/dev.json"))
    hub.faults = ["404"]
    folder.ensure(both)
    assert (len(hub.paths), len(host.asked)) == (1, 1)
    assert folder.noted()["source"] == f"{host.url}/data/dev.json"


def test_a_hub_that_sends_on_to_where_the_data_lie(host, folder, monkeypatch):
    """The hub answers 302 to another host, whose ETag is the one that goes on with a part."""
    with served_host() as content_host:
        content_host.files["/lfs/ab/cd"] = CONTENT
        content_host.faults = [cut(HALF)]
        monkeypatch.setenv("HF_ENDPOINT", host.url)
        host.faults = [status(302, Location=f"{content_host.url}/lfs/ab/cd?Signature=x", ETag='"hub"')] * 2
        file = replace(UNKNOWN, hub=HubPath("datasets/example/hotpot", "v1", "data/dev file.json"))
        assert folder.ensure(file).read_bytes() == CONTENT
        assert host.paths == ["/datasets/example/hotpot/resolve/v1/data/dev%20file.json"] * 2
        assert content_host.headers_asked("If-Range") == [None, etag(CONTENT)]
        assert content_host.headers_asked("Range") == [None, f"bytes={HALF}-"]
        assert folder.noted()["source"] == "datasets/example/hotpot@v1: data/dev file.json"
