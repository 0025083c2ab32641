"""Real sources on this machine: a model hub on the loopback, a folder of wheels."""

from __future__ import annotations

import socket
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from tests.loopback import served


def free_address() -> str:
    """Return an address where nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


@dataclass
class Hub:
    """A model hub with one file. ``faults`` are played one a request before it serves well."""

    url: str = ""
    content: bytes = b""
    faults: list[str] = field(default_factory=list)
    ranges: list[str | None] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    who_asked: list[str] = field(default_factory=list)
    delay_s: float = 0.0


@contextmanager
def served_hub() -> Iterator[Hub]:
    """Serve a hub on the loopback."""
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
        played.who_asked.append(http.headers["User-Agent"])
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


def write_wheel(folder: Path, package: str, version: str, entries: Mapping[str, bytes]) -> Path:
    """Write a wheel that pip takes and whose code stops whoever imports it."""
    name = package.replace("-", "_")
    about = f"{name}-{version}.dist-info"
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{name}/__init__.py", "raise SystemExit('imported')\n")
        for entry, content in entries.items():
            archive.writestr(entry, content)
        archive.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{about}/RECORD", "")
    return wheel
