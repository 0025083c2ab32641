"""Fetching an encoder's files from the model hub, of a size that is bounded; the caller verifies what came."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from leaderboard.catalog.encoders import Encoder
from leaderboard.retrieval.encoders import EncoderError

if TYPE_CHECKING:
    import httpx

HOST_VARIABLE = "HF_ENDPOINT"
PUBLIC_HOST = "https://huggingface.co"
CONNECT_TIMEOUT_S = 5.0
READ_TIMEOUT_S = 30.0
LARGEST_BYTES = 2_000_000_000
"""Of all files of one encoder together."""

_ELSE = f"name another host in {HOST_VARIABLE}, or fetch the model elsewhere and name its `folder` in leaderboard.toml"


def fetch(
    encoder: Encoder, names: Sequence[str], folder: Path, *, largest_bytes: int = LARGEST_BYTES
) -> None:
    """Write the files ``names`` of the encoder's repository at its revision into ``folder``.

    Raises ``EncoderError`` when the hub can't be reached, hasn't got one, or sends more than ``largest_bytes`` in
    all; ``OSError`` when ``folder`` can't be written.
    """
    import httpx

    host = (os.environ.get(HOST_VARIABLE) or PUBLIC_HOST).rstrip("/")
    timeout = httpx.Timeout(READ_TIMEOUT_S, connect=CONNECT_TIMEOUT_S)
    left = largest_bytes
    try:
        with httpx.Client(timeout=timeout, follow_redirects=True) as client:
            for name in names:
                address = f"{host}/{encoder.hub}/resolve/{encoder.revision}/{name}"
                left -= _fetch_one(client, address, encoder, folder / name, left)
    except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        raise EncoderError(
            f"{HOST_VARIABLE} is not the address of a model hub: expected https://host"
        ) from error
    except httpx.ConnectError as error:
        raise EncoderError(
            f"encoder {encoder.name}: nobody answers where the model hub should be: {_ELSE}"
        ) from error
    except httpx.TimeoutException as error:
        raise EncoderError(
            f"encoder {encoder.name}: the model hub went silent: try again, {_ELSE}"
        ) from error
    except httpx.HTTPError as error:
        raise EncoderError(
            f"encoder {encoder.name}: the connection to the model hub broke ({type(error).__name__}): try again"
        ) from error


def _fetch_one(client: httpx.Client, address: str, encoder: Encoder, file: Path, left: int) -> int:
    """Write one file and return its size in bytes, at most ``left``."""
    # identity: what is counted is then what is sent
    with client.stream("GET", address, headers={"Accept-Encoding": "identity"}) as response:
        _refuse(response, encoder, file.name)
        size = 0
        with file.open("wb") as out:
            for block in response.iter_bytes():
                size += len(block)
                if size > left:
                    raise EncoderError(
                        f"encoder {encoder.name}: {encoder.hub} is larger than the {LARGEST_BYTES:,} bytes that "
                        "an encoder may have: name a smaller one"
                    )
                out.write(block)
        return size


def _refuse(response: httpx.Response, encoder: Encoder, name: str) -> None:
    """Raise ``EncoderError`` where the answer is not the file."""
    status = response.status_code
    if status in (401, 403, 404):  # the public hub says 401 of a repository that it hasn't got
        raise EncoderError(
            f"encoder {encoder.name}: the model hub has no {name} for everybody in {encoder.hub} at "
            f"{encoder.revision} (it answers {status}): correct `hub` and `revision` in leaderboard.toml; a model "
            f"of model2vec has {name}"
        )
    if status != 200:
        raise EncoderError(
            f"encoder {encoder.name}: the model hub answers {status} for {name}: try again later, {_ELSE}"
        )
    if response.headers.get("content-type", "").lower().startswith("text/html"):
        raise EncoderError(
            f"encoder {encoder.name}: the model hub answers with a web page instead of {name}; a proxy or a login "
            f"page may stand in between: {_ELSE}"
        )
