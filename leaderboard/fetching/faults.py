"""What can go wrong with a request over HTTP, in names and words of our own."""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Iterator
from typing import ClassVar


class ProviderError(Exception):
    """A request got no answer of use: no completion from a model, no file from a hub.

    The text names the endpoint by its logical name only (never its address or key), since it may be published
    in a record. ``attempts`` is how often the request was made before this error was passed on.
    ``of_endpoint``: the endpoint as a whole cannot be had, so that another request would fare no better.
    ``billed``: the request reached the endpoint and may have been charged, though nothing came of it.
    """

    default_retryable: ClassVar[bool] = False
    most_retries: ClassVar[int | None] = None
    """How often this kind of error is worth another try; None leaves it to the caller."""
    of_endpoint: bool = True
    billed: bool = False

    def __init__(
        self,
        message: str,
        *,
        retryable: bool | None = None,
        retry_after_s: float | None = None,
        of_endpoint: bool | None = None,
        billed: bool | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.retryable = self.default_retryable if retryable is None else retryable
        self.retry_after_s = retry_after_s
        self.attempts = 1
        if of_endpoint is not None:
            self.of_endpoint = of_endpoint
        if billed is not None:
            self.billed = billed

    def retell(self, message: str) -> None:
        """Put another text in the place of this error's."""
        self.message = message
        self.args = (message,)


class Unreachable(ProviderError):
    """Nobody answers: connection refused or lost, name unknown.

    ``billed`` where the connection was lost once the request was on its way.
    """

    default_retryable = True


class Timeout(ProviderError):
    """No whole answer within the time allowed."""

    default_retryable = True
    billed = True


class RateLimited(ProviderError):
    """429: too many requests; ``retry_after_s`` where the endpoint says when to come back."""

    default_retryable = True


class ServerError(ProviderError):
    """5xx: the endpoint broke."""

    default_retryable = True


class BadResponse(ProviderError):
    """An answer came that is not what was asked for: a web page, half a JSON, a missing field, too many bytes.

    Worth one more try only: a program that answers like this twice will go on doing so.
    """

    default_retryable = True
    most_retries = 1
    billed = True


class Refused(ProviderError):
    """4xx: the endpoint understood and says no (key, model name, prompt too long). Asking again won't help.

    ``of_endpoint`` where it would say no to any request: a key, an address or a model it doesn't know.
    """

    of_endpoint = False


class Interrupted(ProviderError):
    """The program was told to stop before the request was answered. It says nothing of the endpoint."""

    of_endpoint = False


_REFUSES_ALL = frozenset({401, 402, 403, 404, 405, 407, 410})
"""No key, no credit, not allowed, no such model or path, wrong method, a proxy in between, gone."""

_FAULTS: tuple[tuple[type[OSError], str], ...] = (
    (ssl.SSLCertVerificationError, "the TLS certificate can't be verified"),
    (ssl.SSLError, "TLS failed"),
    (socket.gaierror, "the name is not known"),
    (ConnectionRefusedError, "connection refused"),
    (ConnectionError, "the other side broke the connection off"),
    (TimeoutError, "no sign in time"),
)
_NO_ROUTE = {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN}


def error_of_status(status: int, message: str, *, retry_after_s: float | None = None) -> ProviderError:
    """Return the error that stands for an HTTP status of 300 or more."""
    if status == 429:
        return RateLimited(message, retry_after_s=retry_after_s)
    if status == 408:
        return Timeout(message, retry_after_s=retry_after_s)
    if status >= 500:
        return ServerError(message, retry_after_s=retry_after_s)
    return Refused(message, of_endpoint=status < 400 or status in _REFUSES_ALL)


def connection_fault(error: BaseException) -> str:
    """Return in words of our own why a connection failed: a library's text may name hosts, paths and keys."""
    for link in _chain(error):
        if type(link).__name__ == "ProxyError":
            return "a proxy in between refuses"
        for kind, words in _FAULTS:
            if isinstance(link, kind):
                return words
        if isinstance(link, OSError) and link.errno in _NO_ROUTE:
            return "no way leads there"
    return "the connection failed"


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__ or seen.__context__
