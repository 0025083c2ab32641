"""A server on the loopback for tests that need somebody to really answer over HTTP."""

from __future__ import annotations

import json
import ssl
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextmanager
def served(
    handle: Callable[[BaseHTTPRequestHandler], None], tls: ssl.SSLContext | None = None
) -> Iterator[str]:
    """Serve GET and POST by ``handle`` on a free port, over TLS where it is given; yield the address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            with suppress(BrokenPipeError, ConnectionResetError):
                handle(self)

        do_POST = do_GET

        def log_message(self, *arguments):
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, request, client_address):
            if not isinstance(sys.exception(), OSError):  # one who hung up is no fault of the server's
                super().handle_error(request, client_address)

    server = Server(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"{'https' if tls else 'http'}://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@dataclass
class ChatEndpoint:
    """An OpenAI-compatible endpoint that answers by a function of the last message, and keeps what it was asked."""

    url: str
    asked: list[str] = field(default_factory=list)


@dataclass
class Reply:
    """A reply that is not an answer: a status, a raw body, headers."""

    status: int = 200
    body: bytes = b'{"error": {"message": "no"}}'
    headers: dict[str, str] = field(default_factory=dict)


@contextmanager
def chat_endpoint(answer: Callable[[str], str | Reply], delay_s: float = 0.0) -> Iterator[ChatEndpoint]:
    """Serve chat completions: ``answer`` gets the last message and returns the text to answer with, or a reply."""
    endpoint = ChatEndpoint("")
    pause = threading.Event()

    def handle(http: BaseHTTPRequestHandler) -> None:
        body = json.loads(http.rfile.read(int(http.headers["Content-Length"])))
        message = body["messages"][-1]["content"]
        endpoint.asked.append(message)
        pause.wait(delay_s)
        said = answer(message)
        reply = said if isinstance(said, Reply) else Reply(body=json.dumps(_completion(said)).encode())
        http.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            http.send_header(name, value)
        http.send_header("Content-Length", str(len(reply.body)))
        http.end_headers()
        http.wfile.write(reply.body)

    with served(handle) as address:
        endpoint.url = f"{address}/v1"
        yield endpoint


def _completion(text: str) -> dict[str, object]:
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "loopback-1",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }
