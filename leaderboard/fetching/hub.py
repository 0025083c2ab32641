"""Files from the model hub over HTTP: resumed where they stopped, polite when told to wait."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from leaderboard.fetching.connection import Place, answer, open_client
from leaderboard.fetching.faults import ProviderError
from leaderboard.fetching.part import Part
from leaderboard.fetching.pinned import FetchError, HubPath, PinnedFile
from leaderboard.fetching.progress import Report
from leaderboard.fetching.retrying import call_with_retries
from leaderboard.fetching.transfer import Wanted, fetch_error, fetch_rest, too_large

if TYPE_CHECKING:
    import httpx

HOST_VARIABLE = "HF_ENDPOINT"
PUBLIC_HOST = "https://huggingface.co"


def fetch(file: PinnedFile, part: Path, report: Report, most_bytes: int) -> Path:
    """Bring ``part`` to the whole file, going on from what it already holds, and return it.

    Digest and size are the caller's to check. Raises ``FetchError`` when the hub can't deliver; what has come stays.
    ``most_bytes`` bounds a file of unknown size.
    """
    hub = file.hub
    if hub is None:
        raise FetchError(f"{file} is not on the model hub")
    wanted = Wanted(file.size_bytes, most_bytes, proven=file.sha256 is not None)
    with _talking(wanted) as client:
        call_with_retries(lambda: fetch_rest(client, _place(hub), wanted, Part(part), report))
    return part


def fetch_unpinned(hub: HubPath, target: Path, most_bytes: int) -> int:
    """Write a file of unknown size to ``target`` and return its size in bytes.

    What came is the caller's to verify. Raises ``FetchError`` when the hub can't deliver, or sends more than
    ``most_bytes``; ``target`` then holds nothing of use. Raises ``OSError`` when it can't be written.
    """
    with _talking(Wanted(None, most_bytes, proven=True)) as client:
        return call_with_retries(lambda: _fetch_whole(client, _place(hub), target, most_bytes))


def _place(hub: HubPath) -> Place:
    host = (os.environ.get(HOST_VARIABLE) or PUBLIC_HOST).rstrip("/")
    address = f"{host}/{hub.repository}/resolve/{hub.revision}/{quote(hub.path)}"
    return Place(address, "the model hub", hub.file_name)


@contextmanager
def _talking(wanted: Wanted) -> Iterator[httpx.Client]:
    """Yield a client for the hub; what goes wrong with it comes out as ``FetchError``."""
    import httpx

    try:
        with open_client() as client:
            yield client
    except ProviderError as error:
        raise fetch_error(error, wanted, f" (another host can be named in {HOST_VARIABLE})") from error
    except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        raise FetchError(
            f"{HOST_VARIABLE} is not the address of a model hub: expected https://host"
        ) from error


def _fetch_whole(client: httpx.Client, place: Place, target: Path, most_bytes: int) -> int:
    size = 0
    with answer(client, place, {}) as response, target.open("wb") as out:
        for block in response.iter_raw():
            size += len(block)
            if size > most_bytes:
                raise too_large(place, most_bytes)
            out.write(block)
    return size
