"""Weights from the model hub over HTTP: resumed where they stopped, polite when told to wait."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from leaderboard.models.embedded_models import EmbeddedModel, WeightsError
from leaderboard.models.progress import Report
from leaderboard.models.providers import (
    BadResponse,
    ProviderError,
    Refused,
    Timeout,
    Unreachable,
    connection_fault,
    error_of_status,
)
from leaderboard.models.retrying import call_with_retries, retry_after_s

if TYPE_CHECKING:
    import httpx

HOST_VARIABLE = "HF_ENDPOINT"
PUBLIC_HOST = "https://huggingface.co"
CONNECT_TIMEOUT_S = 5.0
READ_TIMEOUT_S = 30.0


def fetch(model: EmbeddedModel, part: Path, report: Report) -> None:
    """Bring ``part`` to the model's full size, going on from what it already holds.

    The digest is the caller's to check. Raises ``WeightsError`` when the hub can't deliver; what has come stays.
    """
    import httpx

    host = os.environ.get(HOST_VARIABLE) or PUBLIC_HOST
    address = f"{host.rstrip('/')}/{model.hub_repository}/resolve/{model.hub_revision}/{model.file_name}"
    try:
        timeout = httpx.Timeout(READ_TIMEOUT_S, connect=CONNECT_TIMEOUT_S)
        with httpx.Client(timeout=timeout, follow_redirects=True) as client:
            call_with_retries(lambda: _fetch_rest(client, address, model, part, report))
    except ProviderError as error:
        raise WeightsError(f"{error} (another host can be named in {HOST_VARIABLE})") from error
    except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        raise WeightsError(
            f"{HOST_VARIABLE} is not the address of a model hub: expected https://host"
        ) from error


def _fetch_rest(client: httpx.Client, address: str, model: EmbeddedModel, part: Path, report: Report) -> None:
    import httpx

    present = part.stat().st_size if part.exists() else 0
    if present > model.size_bytes:
        part.unlink()
        present = 0
    report.at(present)
    if present == model.size_bytes:
        return
    # identity: a range of a compressed body could not be appended to what is there
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={present}-"} if present else {})
    try:
        with client.stream("GET", address, headers=headers) as response:
            offset = _offset(response, present, model)
            with part.open("ab" if offset else "wb") as out:
                _copy(response, out, offset, model, report)
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


def _offset(response: httpx.Response, present: int, model: EmbeddedModel) -> int:
    """Return where in the file this answer's body belongs. Raises ``ProviderError`` when it is not the file."""
    status = response.status_code
    if status not in (200, 206):
        wait_s = retry_after_s(response.headers.get("retry-after"))
        raise error_of_status(
            status, f"the model hub answers {status} for {model.file_name}", retry_after_s=wait_s
        )
    if response.headers.get("content-type", "").lower().startswith("text/html"):
        raise Refused(
            f"the model hub answers with a web page instead of {model.file_name}; "
            "a proxy or a login page may stand in between"
        )
    offset = 0
    if status == 206:
        content_range = response.headers.get("content-range", "")
        if content_range != f"bytes {present}-{model.size_bytes - 1}/{model.size_bytes}":
            raise Refused(
                f"the model hub's file has another size: asked for bytes {present} to the end of "
                f"{model.size_bytes}, was given {content_range or 'no Content-Range'!r}"
            )
        offset = present
    length = response.headers.get("content-length")
    if length is not None and length != str(model.size_bytes - offset):
        raise Refused(
            f"the model hub's file has another size: expected {model.size_bytes - offset:,} bytes, found {length}"
        )
    return offset


def _copy(response: httpx.Response, out: BinaryIO, done: int, model: EmbeddedModel, report: Report) -> None:
    for block in response.iter_bytes():  # blocks as they come: a gathered one would be lost in a break
        done += len(block)
        if done > model.size_bytes:
            raise BadResponse(f"the model hub sends more than the {model.size_bytes:,} bytes expected")
        out.write(block)
        report.at(done)
    if done < model.size_bytes:
        raise Unreachable(f"the model hub stopped after {done:,} of {model.size_bytes:,} bytes")
