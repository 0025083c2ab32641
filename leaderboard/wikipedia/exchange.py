"""One HTTP request to a wiki and its answer: bounded in size and time, redirects left to the caller."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from leaderboard.fetching.faults import (
    BadResponse,
    ProviderError,
    Refused,
    Timeout,
    Unreachable,
    connection_fault,
    error_of_status,
)
from leaderboard.fetching.identity import user_agent
from leaderboard.fetching.retrying import retry_after_s
from leaderboard.wikipedia.hosts import Endpoints

if TYPE_CHECKING:
    import httpx

LARGEST_BODY_BYTES = 64 * 1024 * 1024
"""An article's source is at most 2 MB, and 50 pages' facts are some 50 kB."""
CONNECT_TIMEOUT_S = 10.0
LONGEST_GET_BYTES = 2_000
"""Longer requests go by POST: caches and proxies in between may refuse a longer address."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A status, the headers by lower-case name, the decoded body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Exchange:
    """Requests to the wikis, one after another over kept connections.

    ``timeout_s`` bounds a whole answer, however slowly it drips. ``requests`` counts those made. Errors name the
    wiki's host, never the address that stands for it. To be closed, or used in a ``with``.
    """

    def __init__(
        self,
        endpoints: Endpoints,
        *,
        timeout_s: float = 120.0,
        most_bytes: int = LARGEST_BODY_BYTES,
    ) -> None:
        self.requests = 0
        self._endpoints = endpoints
        self._timeout_s = timeout_s
        self._most_bytes = most_bytes
        self._user_agent = user_agent()
        self._client: httpx.Client | None = None
        self._answered: set[str] = set()

    def __enter__(self) -> Exchange:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def ask(self, host: str, path: str, parameters: Mapping[str, str]) -> Answer:
        """Return the answer of ``host`` at ``path``, whatever its status. Raises ``ProviderError`` where none came."""
        import httpx

        address = self._endpoints.base(host) + path
        encoded = urlencode(parameters)
        # gzip alone: what zlib can unpack in bounded pieces
        headers = {"Accept-Encoding": "gzip"}
        if not encoded:
            method, body = "GET", None
        elif len(address) + len(encoded) < LONGEST_GET_BYTES:
            method, address, body = "GET", f"{address}?{encoded}", None
        else:
            method, body = "POST", encoded.encode()
            # without the promise a POST goes to the data centre that writes, which may be an ocean away
            headers |= {
                "Content-Type": "application/x-www-form-urlencoded",
                "Promise-Non-Write-API-Action": "true",
            }
        self.requests += 1
        try:
            with self._connected().stream(method, address, content=body, headers=headers) as response:
                answer = Answer(response.status_code, response.headers, self._body(response, host))
        except httpx.ConnectTimeout as error:
            raise self._absent(host, f"no connection within {CONNECT_TIMEOUT_S:g} s") from error
        except httpx.TimeoutException as error:
            raise self._too_slow(host) from error
        except (httpx.ConnectError, httpx.ProxyError) as error:
            raise self._absent(host, connection_fault(error)) from error
        except httpx.RemoteProtocolError as error:
            raise Unreachable(f"{host}: the answer broke off or is no HTTP") from error
        except (httpx.TransportError, httpx.InvalidURL) as error:
            raise Unreachable(f"{host}: the connection was lost: {connection_fault(error)}") from error
        self._answered.add(host)
        return answer

    def _connected(self) -> httpx.Client:
        import httpx

        if self._client is None:
            timeout = httpx.Timeout(self._timeout_s, connect=min(CONNECT_TIMEOUT_S, self._timeout_s))
            headers = {"User-Agent": self._user_agent}
            try:
                self._client = httpx.Client(timeout=timeout, headers=headers, follow_redirects=False)
            except (
                httpx.InvalidURL,
                ValueError,
                ImportError,
                OSError,
            ):  # its text may hold a proxy's password
                raise Refused(
                    "the environment's proxy or certificate settings can't be used "
                    "(HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, SSL_CERT_FILE, SSL_CERT_DIR)",
                    of_endpoint=True,
                ) from None
        return self._client

    def _absent(self, host: str, why: str) -> ProviderError:
        # where a host never answered there is no net, most likely: waiting a minute for it helps nobody
        return Unreachable(f"{host} can't be reached: {why}", retryable=host in self._answered)

    def _too_slow(self, host: str) -> ProviderError:
        return Timeout(f"{host} gave no whole answer within {self._timeout_s:g} s")

    def _body(self, response: httpx.Response, host: str) -> bytes:
        deadline = time.monotonic() + self._timeout_s
        encoding = response.headers.get("content-encoding", "identity").strip().lower()
        if encoding not in ("identity", "gzip"):
            raise BadResponse(
                f"{host}: the body's encoding: expected gzip or none, found {_printable(encoding)}"
            )
        body = bytearray()
        for piece in _pieces(response.iter_raw(), encoding == "gzip", self._most_bytes, host):
            body += piece
            if len(body) > self._most_bytes:
                raise BadResponse(f"{host}: the answer is larger than {self._most_bytes:,} bytes")
            if time.monotonic() > deadline:
                raise self._too_slow(host)
        return bytes(body)


def _pieces(blocks: Iterable[bytes], zipped: bool, most_bytes: int, host: str) -> Iterable[bytes]:
    """Yield the decoded body; no piece is larger than ``most_bytes`` + 1, whatever a block unpacks to."""
    if not zipped:
        yield from blocks
        return
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 16)
    came = False
    try:
        for block in blocks:
            came = came or bool(block)
            yield unpacking.decompress(block, most_bytes + 1)
            if unpacking.unconsumed_tail:
                raise BadResponse(f"{host}: the answer is larger than {most_bytes:,} bytes")
    except zlib.error as error:
        raise BadResponse(f"{host}: the answer can't be decompressed") from error
    if came and (not unpacking.eof or unpacking.unused_data):
        raise BadResponse(f"{host}: the answer can't be decompressed: not one whole gzip stream")


def refusal(host: str, answer: Answer) -> ProviderError:
    """Return the error that stands for an answer of another status than was wanted."""
    wait_s = retry_after_s(answer.headers.get("retry-after"))
    asked = f" and asks to wait {wait_s:g} s" if wait_s else ""
    return error_of_status(answer.status, f"{host} answers {answer.status}{asked}", retry_after_s=wait_s)


def _printable(text: str) -> str:
    return repr(text[:60])
