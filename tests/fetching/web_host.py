"""A host of plain files on the loopback: ranges, ETags and If-Range as RFC 9110 has them, and faults on demand."""

from __future__ import annotations

import hashlib
import re
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler

from tests.loopback import served

BINARY = {"Content-Type": "application/octet-stream"}


@dataclass
class Host:
    """Files by path. ``faults`` answer one a request, in this order, before the files are served well."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    asked: list[tuple[str, Message]] = field(default_factory=list)
    has_etags: bool = True
    knows_ranges: bool = True
    knows_if_range: bool = True
    delay_s: float = 0.0
    stopping: threading.Event = field(default_factory=threading.Event)

    def headers_asked(self, name: str) -> list[str | None]:
        """The values of one header, a value a request."""
        return [headers.get(name) for _, headers in self.asked]

    @property
    def paths(self) -> list[str]:
        """What was asked for, a path with its query a request."""
        return [path for path, _ in self.asked]


Fault = Callable[[BaseHTTPRequestHandler, Host], None]


@contextmanager
def served_host(tls: ssl.SSLContext | None = None) -> Iterator[Host]:
    """Serve a host on the loopback."""
    host = Host()

    def handle(http: BaseHTTPRequestHandler) -> None:
        host.asked.append((http.path, http.headers))
        host.stopping.wait(host.delay_s)
        if host.faults:
            host.faults.pop(0)(http, host)
        else:
            serve_well(http, host)

    with served(handle, tls) as address:
        host.url = address
        yield host
        host.stopping.set()


def etag(content: bytes) -> str:
    return f'"{hashlib.sha256(content).hexdigest()[:16]}"'


def serve_well(http: BaseHTTPRequestHandler, host: Host) -> None:
    """Answer as a host should that has the files."""
    content = host.files.get(http.path.partition("?")[0])
    if content is None:
        send(http, 404, b"no such file", {"Content-Type": "text/plain"})
        return
    status, body, headers = range_of(http, host, content)
    send(http, status, body, headers)


def range_of(http: BaseHTTPRequestHandler, host: Host, content: bytes) -> tuple[int, bytes, dict[str, str]]:
    """Return status, body and headers for what the request asks of ``content``."""
    headers = BINARY | ({"ETag": etag(content)} if host.has_etags else {})
    match = re.fullmatch(r"bytes=(\d+)-", http.headers.get("Range", ""))
    held = http.headers.get("If-Range")
    if host.knows_if_range and held is not None and held != headers.get("ETag"):
        match = None
    if match is None or not host.knows_ranges:
        return 200, content, headers
    start = int(match[1])
    if start >= len(content):
        return 416, b"", headers | {"Content-Range": f"bytes */{len(content)}"}
    return (
        206,
        content[start:],
        headers | {"Content-Range": f"bytes {start}-{len(content) - 1}/{len(content)}"},
    )


def send(
    http: BaseHTTPRequestHandler,
    status: int,
    body: bytes,
    headers: dict[str, str],
    promised: int | None = None,
) -> None:
    http.send_response(status)
    length = {"Content-Length": str(len(body) if promised is None else promised)}
    for name, value in (length | headers).items():
        http.send_header(name, value)
    http.end_headers()
    http.wfile.write(body)


def status(number: int, **headers: str) -> Fault:
    """Answer with a status and headers (an underscore stands for a hyphen)."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda http, host: send(http, number, b"", named)


def body(content: bytes, promised: int | None = None, **headers: str) -> Fault:
    """Answer 200 with ``content`` in place of the file, and close the connection."""
    named = BINARY | {name.replace("_", "-"): value for name, value in headers.items()}

    def play(http: BaseHTTPRequestHandler, host: Host) -> None:
        send(http, 200, content, named, promised)
        http.close_connection = True

    return play


def cut(after: int) -> Fault:
    """Send ``after`` bytes of what should come, and break the connection off."""

    def play(http: BaseHTTPRequestHandler, host: Host) -> None:
        number, whole, headers = range_of(http, host, host.files[http.path.partition("?")[0]])
        send(http, number, whole[:after], headers, promised=len(whole))
        http.close_connection = True

    return play


def hang_up(http: BaseHTTPRequestHandler, host: Host) -> None:
    """Close the connection without an answer."""
    http.close_connection = True


def silent_after(count: int) -> Fault:
    """Send ``count`` bytes of what should come, and then nothing more."""

    def play(http: BaseHTTPRequestHandler, host: Host) -> None:
        number, whole, headers = range_of(http, host, host.files[http.path.partition("?")[0]])
        send(http, number, whole[:count], headers, promised=len(whole))
        http.wfile.flush()
        host.stopping.wait(20)
        http.close_connection = True

    return play


def unbounded(content: bytes, *, chunked: bool, whole: bool = True) -> Fault:
    """Send ``content`` without its size: in chunks, or ended by the end of the connection."""

    def play(http: BaseHTTPRequestHandler, host: Host) -> None:
        http.send_response(200)
        for name, value in (BINARY | {"ETag": etag(content)}).items():
            http.send_header(name, value)
        http.send_header(*(("Transfer-Encoding", "chunked") if chunked else ("Connection", "close")))
        http.end_headers()
        if chunked:
            http.wfile.write(f"{len(content):x}\r\n".encode() + content + b"\r\n")
            http.wfile.write(b"0\r\n\r\n" if whole else b"")
        else:
            http.wfile.write(content)
        http.close_connection = True

    return play
