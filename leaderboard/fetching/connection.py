"""Asking one address over HTTP: who asks, how long is waited, where redirects may lead, what counts as an answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leaderboard.fetching.faults import Refused, Timeout, Unreachable, connection_fault, error_of_status
from leaderboard.fetching.identity import user_agent
from leaderboard.fetching.retrying import LONGEST_RETRY_AFTER_S, retry_after_s

if TYPE_CHECKING:
    import httpx

CONNECT_TIMEOUT_S = 5.0
READ_TIMEOUT_S = 30.0
MOST_CONNECTIONS = 2
MOST_REDIRECTS = 10


@dataclass(frozen=True, slots=True)
class Place:
    """An address, and the words for it: ``url`` may hold secrets and stands in no text.

    ``host`` is who answers ("the model hub", "data.example.org"), ``file_name`` what is asked for.
    """

    url: str
    host: str
    file_name: str


@contextmanager
def open_client() -> Iterator[httpx.Client]:
    """Yield a client with the program's ``User-Agent``, its timeouts, and few connections.

    It follows no redirects by itself (see ``answer``). Raises ``ContactError``.
    """
    import httpx

    # identity: a range of a compressed body could not be appended to what is there, nor its size be bounded
    headers = {"User-Agent": user_agent(), "Accept-Encoding": "identity"}
    timeout = httpx.Timeout(READ_TIMEOUT_S, connect=CONNECT_TIMEOUT_S)
    limits = httpx.Limits(max_connections=MOST_CONNECTIONS, max_keepalive_connections=MOST_CONNECTIONS)
    with httpx.Client(headers=headers, timeout=timeout, limits=limits, follow_redirects=False) as client:
        yield client


@contextmanager
def answer(client: httpx.Client, place: Place, headers: Mapping[str, str]) -> Iterator[httpx.Response]:
    """Yield the answer to GET, its body not yet read: status 200 or 206, or 416 where a range was asked for.

    Redirects are followed, ten at most, to http and https only, and from https to https only. Raises ``ProviderError``
    for anything else, in texts that hold no address; ``httpx.InvalidURL`` or ``UnsupportedProtocol`` when ``place``
    has no address of use.
    """
    with _faults_told(place):
        response = _last_of_redirects(client, place, headers)
        try:
            _refuse_other(response, place, ranged="Range" in headers)
            yield response
        finally:
            response.close()


@contextmanager
def _faults_told(place: Place) -> Iterator[None]:
    import httpx

    try:
        yield
    except (httpx.InvalidURL, httpx.UnsupportedProtocol):
        raise
    except httpx.ConnectError as error:  # nobody there: the next source is worth more than a second try
        raise Unreachable(
            f"{place.host} can't be reached: {connection_fault(error)}", retryable=False
        ) from error
    except httpx.ConnectTimeout as error:
        raise Timeout(
            f"{place.host} doesn't answer within {CONNECT_TIMEOUT_S:g} s", retryable=False
        ) from error
    except httpx.TimeoutException as error:
        raise Timeout(f"{place.host} went silent for {READ_TIMEOUT_S:g} s") from error
    except httpx.HTTPError as error:
        raise Unreachable(f"the connection to {place.host} broke: {connection_fault(error)}") from error


def _last_of_redirects(client: httpx.Client, place: Place, headers: Mapping[str, str]) -> httpx.Response:
    # by hand: httpx reads the body of every redirect into memory, whatever its size
    import httpx

    request = client.build_request("GET", place.url, headers=headers)
    for _ in range(MOST_REDIRECTS + 1):
        try:
            response = client.send(request, stream=True)
        except httpx.InvalidURL as error:  # the address just asked was read above: it is the next one
            raise Refused(
                f"{place.host} sends on to an address that can't be read for {place.file_name}"
            ) from error
        if response.next_request is None:
            return response
        response.close()
        allowed = ("https",) if request.url.scheme == "https" else ("http", "https")
        request = response.next_request
        if request.url.scheme not in allowed:
            raise Refused(
                f"{place.host} sends on to another kind of address for {place.file_name}: expected "
                f"{' or '.join(allowed)}, found {request.url.scheme[:20]!r}"
            )
    raise Refused(f"{place.host} sends on more than {MOST_REDIRECTS} times for {place.file_name}")


def _refuse_other(response: httpx.Response, place: Place, *, ranged: bool) -> None:
    status = response.status_code
    if status == 416 and ranged:
        return
    if status not in (200, 206):
        wait_s = retry_after_s(response.headers.get("retry-after"))
        later = f"; it asks to wait {wait_s:,.0f} s" if wait_s and wait_s > LONGEST_RETRY_AFTER_S else ""
        text = f"{place.host} answers {status} for {place.file_name}{later}"
        raise error_of_status(status, text, retry_after_s=wait_s)
    if response.headers.get("content-type", "").lower().startswith("text/html"):
        raise Refused(
            f"{place.host} answers with a web page instead of {place.file_name}; "
            "a proxy or a login page may stand in between"
        )
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding not in ("", "identity"):
        # decoding would be wrong where a host puts this on a file that is compressed itself
        raise Refused(
            f"{place.host} sends {place.file_name} with Content-Encoding {encoding[:40]!r}; it was asked for "
            "the plain file (identity)"
        )
