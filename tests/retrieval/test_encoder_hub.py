"""An encoder from the model hub: fetched once, verified before it is kept, and what is said when it cannot be had."""

import threading
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from leaderboard.catalog.encoders import Encoder
from leaderboard.fetching import connection, retrying
from leaderboard.retrieval import encoder_hub
from leaderboard.retrieval.encoders import EncoderError
from leaderboard.retrieval.static_folder import open_static
from tests.loopback import served
from tests.retrieval.static_models import FILES, digest_of, saved

REVISION = "c" * 40


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr(retrying, "FIRST_WAIT_S", 0.001)
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def folder(tmp_path):
    saved(tmp_path / "model")
    return tmp_path / "model"


def hub(folder, **changes):
    encoder = Encoder("far", "model2vec", digest_of(folder), hub="someone/static-8", revision=REVISION)
    return replace(encoder, **changes)


@contextmanager
def hub_of(folder, monkeypatch, asked=None, answer=None):
    """A model hub that has one repository, that of ``hub``."""

    def handle(http):
        if asked is not None:
            asked.append(http.path)
        prefix = f"/someone/static-8/resolve/{REVISION}/"
        name = http.path.removeprefix(prefix)
        status, headers, body = 404, {}, b"Entry not found"
        if http.path.startswith(prefix) and name in FILES:
            status, body = 200, (folder / name).read_bytes()
        if answer is not None:
            status, headers, body = answer(name, status, body)
        http.send_response(status)
        for header, value in ({"Content-Length": str(len(body)), "Connection": "close"} | headers).items():
            http.send_header(header, value)
        http.end_headers()
        http.wfile.write(body)

    with served(handle) as address:
        monkeypatch.setenv("HF_ENDPOINT", address + "/")
        yield address


def kept(cache):
    return (
        sorted(path.name for path in (cache / "encoders").iterdir()) if (cache / "encoders").exists() else []
    )


def test_a_repository_is_fetched_once_and_kept_by_its_digest(folder, cache, monkeypatch):
    asked = []
    encoder = hub(folder)
    with hub_of(folder, monkeypatch, asked):
        first = open_static(encoder)
    assert len(asked) == 3
    assert kept(cache) == [encoder.sha256]
    assert sorted(path.name for path in (cache / "encoders" / encoder.sha256).iterdir()) == sorted(FILES)
    assert np.array_equal(open_static(encoder).encode(["red fox"]), first.encode(["red fox"]))


def test_a_kept_model_that_is_damaged_is_fetched_again(folder, cache, monkeypatch, caplog):
    encoder = hub(folder)
    with hub_of(folder, monkeypatch):
        open_static(encoder)
        (cache / "encoders" / encoder.sha256 / "model.safetensors").write_bytes(b"half")
        assert open_static(encoder).dimension == 8
    assert "is unusable and is fetched again" in caplog.text
    assert kept(cache) == [encoder.sha256]
    assert open_static(encoder).dimension == 8


def test_a_redirect_to_where_the_files_lie_is_followed(folder, monkeypatch):
    def elsewhere(name, status, body):
        return (302, {"Location": f"{address}/someone/static-8/resolve/{REVISION}/{name}"}, b"")

    with hub_of(folder, monkeypatch) as address, hub_of(folder, monkeypatch, answer=elsewhere):
        assert open_static(hub(folder)).dimension == 8


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            lambda name, status, body: (404, {}, b""),
            r"answers 404 for model\.safetensors .* correct `hub` and `revision`",
        ),
        (lambda name, status, body: (401, {}, b""), "answers 401"),
        (lambda name, status, body: (503, {}, b""), "answers 503 for model.safetensors"),
        (lambda name, status, body: (200, {"Content-Type": "text/html"}, b"<html>"), "a web page instead"),
        (
            lambda name, status, body: (200, {"Content-Length": "999999"}, body),
            "connection to the model hub broke",
        ),
        (lambda name, status, body: (302, {"Location": "/loop"}, b""), "sends on more than 10 times"),
        (lambda name, status, body: (200, {}, body[:-1] + b"!"), "expected a model with the digest"),
        (lambda name, status, body: (200, {}, b""), "expected a model with the digest"),
    ],
    ids=["404", "401", "503", "page", "cut off", "endless redirect", "other bytes", "empty"],
)
def test_what_is_not_the_model_is_said_and_not_kept(folder, cache, monkeypatch, answer, said):
    with hub_of(folder, monkeypatch, answer=answer), pytest.raises(EncoderError, match=said):
        open_static(hub(folder))
    assert kept(cache) == []


def test_a_repository_without_a_tokenizer_is_said(folder, monkeypatch):
    (folder / "tokenizer.json").rename(folder / "vocab.txt")
    encoder = Encoder("far", "model2vec", "0" * 64, hub="someone/static-8", revision=REVISION)

    def handle(http):
        name = http.path.rsplit("/", 1)[1]
        there = (folder / name).exists()
        body = (folder / name).read_bytes() if there else b""
        http.send_response(200 if there else 404)
        http.send_header("Content-Length", str(len(body)))
        http.end_headers()
        http.wfile.write(body)

    with served(handle) as address:
        monkeypatch.setenv("HF_ENDPOINT", address)
        with pytest.raises(EncoderError, match=r"answers 404 for tokenizer\.json"):
            open_static(encoder)


def test_more_than_the_limit_is_never_written(folder, tmp_path, monkeypatch):
    (tmp_path / "out").mkdir()
    with hub_of(folder, monkeypatch), pytest.raises(EncoderError, match=r"more than the .* bytes allowed"):
        encoder_hub.fetch(hub(folder), FILES, tmp_path / "out", largest_bytes=500)
    assert sum(path.stat().st_size for path in (tmp_path / "out").iterdir()) <= 500


def test_nobody_there(folder, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(
        EncoderError, match=r"can't be reached.*another host can be named in HF_ENDPOINT.* `folder`"
    ):
        open_static(hub(folder))


@pytest.mark.parametrize("host", ["not an address", "ftp://host", "http://[::1"])
def test_a_host_that_is_no_address(folder, monkeypatch, host):
    monkeypatch.setenv("HF_ENDPOINT", host)
    with pytest.raises(EncoderError, match="HF_ENDPOINT is not the address of a model hub"):
        open_static(hub(folder))


def test_a_hub_that_goes_silent(folder, monkeypatch):
    monkeypatch.setattr(connection, "READ_TIMEOUT_S", 0.1)
    silence = threading.Event()
    with served(lambda http: silence.wait(5)) as address:
        monkeypatch.setenv("HF_ENDPOINT", address)
        with pytest.raises(EncoderError, match="went silent"):
            open_static(hub(folder))
        silence.set()


def test_a_cache_folder_that_cannot_be_written(folder, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path / "file" / "cache"))
    with (
        hub_of(folder, monkeypatch),
        pytest.raises(EncoderError, match="another folder in LEADERBOARD_CACHE_DIR"),
    ):
        open_static(hub(folder))
