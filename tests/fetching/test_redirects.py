"""A host may send on to another one, over http and https alone, and never back from https to http."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from dataclasses import replace

import pytest

from leaderboard.fetching.pinned import HubPath
from tests.fetching.first_seen import CONTENT, UNKNOWN, at
from tests.fetching.web_host import (
    cut,
    etag,
    served_host,
    status,
)

pytestmark = pytest.mark.usefixtures("hurried")
HALF = len(CONTENT) // 2


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
        for asking in (host.headers_asked("User-Agent"), elsewhere.headers_asked("User-Agent")):
            assert {who.partition("/")[0] for who in asking} == {"multihop-rag-leaderboard"}
            assert {who.rpartition("(")[2] for who in asking} == {"contact: board@example.org)"}
        assert host.headers_asked("Accept-Encoding") == ["identity", "identity"]


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
