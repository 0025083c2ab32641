"""Files from the model hub over HTTP: resumed where they stopped, polite when told to wait."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from leaderboard.fetching.faults import (
    BadResponse,
    ProviderError,
    Refused,
    Timeout,
    Unreachable,
    connection_fault,
    error_of_status,
)
from leaderboard.fetching.pinned import FetchError, HubPath, PinnedFile
from leaderboard.fetching.progress import Report
from leaderboard.fetching.retrying import call_with_retries, retry_after_s

if TYPE_CHECKING:
    import httpx

HOST_VARIABLE = "HF_ENDPOINT"
PUBLIC_HOST = "https://huggingface.co"
CONNECT_TIMEOUT_S = 5.0
READ_TIMEOUT_S = 30.0


def fetch(file: PinnedFile, part: Path, report: Report) -> None:
    """Bring ``part`` to the file's full size, going on from what it already holds.

    The digest is the caller's to check. Raises ``FetchError`` when the hub can't deliver; what has come stays.
    """
    hub = file.hub
    if hub is None:
        raise FetchError(f"{file} is not on the model hub")
    with _talking() as client:
        call_with_retries(lambda: _fetch_rest(client, hub, file.size_bytes, part, report))


def fetch_unpinned(hub: HubPath, target: Path, most_bytes: int) -> int:
    """Write a file of unknown size to ``target`` and return its size in bytes.

    What came is the caller's to verify. Raises ``FetchError`` when the hub can't deliver, or sends more than
    ``most_bytes``; ``target`` then holds nothing of use. Raises ``OSError`` when it can't be written.
    """
    with _talking() as client:
        return call_with_retries(lambda: _fetch_whole(client, hub, target, most_bytes))


@contextmanager
def _talking() -> Iterator[httpx.Client]:
    """Yield a client for the hub; what goes wrong with it comes out as ``FetchError``."""
    import httpx

    try:
        timeout = httpx.Timeout(READ_TIMEOUT_S, connect=CONNECT_TIMEOUT_S)
        with httpx.Client(timeout=timeout, follow_redirects=True) as client:
            yield client
    except ProviderError as error:
        raise FetchError(f"{error} (another host can be named in {HOST_VARIABLE})") from error
    except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        raise FetchError(
            f"{HOST_VARIABLE} is not the address of a model hub: expected https://host"
        ) from error


@contextmanager
def _answer(client: httpx.Client, hub: HubPath, headers: dict[str, str]) -> Iterator[httpx.Response]:
    """Yield the hub's answer, which is the file or a part of it. Raises ``ProviderError`` for anything else."""
    import httpx

    host = (os.environ.get(HOST_VARIABLE) or PUBLIC_HOST).rstrip("/")
    address = f"{host}/{hub.repository}/resolve/{hub.revision}/{hub.path}"
    # identity: a range of a compressed body could not be appended to what is there, nor its size be bounded
    headers = {"Accept-Encoding": "identity"} | headers
    try:
        with client.stream("GET", address, headers=headers) as response:
            _refuse_other(response, hub)
            yield response
    except (httpx.InvalidURL, httpx.UnsupportedProtocol):
        raise
    except httpx.ConnectError as error:  # nobody there: the next source is worth more than a second try
        raise Unreachable(
            f"the model hub can't be reached: {connection_fault(error)}", retryable=False
        ) from error
    except httpx.ConnectTimeout as error:
        raise Timeout(
            f"the model hub doesn't answer within {CONNECT_TIMEOUT_S:g} s", retryable=False
        ) from error
    except httpx.TimeoutException as error:
        raise Timeout(f"the model hub went silent for {READ_TIMEOUT_S:g} s") from error
    except httpx.HTTPError as error:
        raise Unreachable(f"the connection to the model hub broke: {connection_fault(error)}") from error


def _refuse_other(response: httpx.Response, hub: HubPath) -> None:
    status = response.status_code
    if status not in (200, 206):
        wait_s = retry_after_s(response.headers.get("retry-after"))
        raise error_of_status(
            status, f"the model hub answers {status} for {hub.file_name}", retry_after_s=wait_s
        )
    if response.headers.get("content-type", "").lower().startswith("text/html"):
        raise Refused(
            f"the model hub answers with a web page instead of {hub.file_name}; "
            "a proxy or a login page may stand in between"
        )


def _fetch_rest(client: httpx.Client, hub: HubPath, size_bytes: int, part: Path, report: Report) -> None:
    present = part.stat().st_size if part.exists() else 0
    if present > size_bytes:
        part.unlink()
        present = 0
    report.at(present)
    if present == size_bytes:
        return
    with _answer(client, hub, {"Range": f"bytes={present}-"} if present else {}) as response:
        offset = _offset(response, present, size_bytes)
        with part.open("ab" if offset else "wb") as out:
            _copy(response, out, offset, size_bytes, report)


def _offset(response: httpx.Response, present: int, size_bytes: int) -> int:
    """Return where in the file this answer's body belongs. Raises ``ProviderError`` when it is not the file."""
    offset = 0
    if response.status_code == 206:
        content_range = response.headers.get("content-range", "")
        if content_range != f"bytes {present}-{size_bytes - 1}/{size_bytes}":
            raise Refused(
                f"the model hub's file has another size: asked for bytes {present} to the end of "
                f"{size_bytes}, was given {content_range or 'no Content-Range'!r}"
            )
        offset = present
    length = response.headers.get("content-length")
    if length is not None and length != str(size_bytes - offset):
        raise Refused(
            f"the model hub's file has another size: expected {size_bytes - offset:,} bytes, found {length}"
        )
    return offset


def _copy(response: httpx.Response, out: BinaryIO, done: int, size_bytes: int, report: Report) -> None:
    for block in response.iter_bytes():  # blocks as they come: a gathered one would be lost in a break
        done += len(block)
        if done > size_bytes:
            raise BadResponse(f"the model hub sends more than the {size_bytes:,} bytes expected")
        out.write(block)
        report.at(done)
    if done < size_bytes:
        raise Unreachable(f"the model hub stopped after {done:,} of {size_bytes:,} bytes")


def _fetch_whole(client: httpx.Client, hub: HubPath, target: Path, most_bytes: int) -> int:
    size = 0
    with _answer(client, hub, {}) as response, target.open("wb") as out:
        for block in response.iter_bytes():
            size += len(block)
            if size > most_bytes:
                raise Refused(f"{hub.file_name} has more than the {most_bytes:,} bytes allowed")
            out.write(block)
    return size
