"""One file from one address: resumed where it stopped, never made of two versions, never larger than allowed."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from leaderboard.fetching.connection import Place, answer
from leaderboard.fetching.faults import BadResponse, ProviderError, Refused, Unreachable
from leaderboard.fetching.part import Part, Version, is_strong
from leaderboard.fetching.pinned import ChangedUpstream, FetchError
from leaderboard.fetching.progress import Report
from leaderboard.fetching.space import require_space
from leaderboard.files import sha256_bytes

if TYPE_CHECKING:
    import httpx

_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is known of a body before it comes.

    ``most_bytes`` holds where ``size_bytes`` is None. ``proven``: a digest tells in the end whether what came is
    sound; without one a part is gone on with only where the host vouches that it is of the same version.
    """

    size_bytes: int | None
    most_bytes: int
    proven: bool


class OtherSize(Refused):
    """The file that is there by now has another size than the one that was declared or first seen."""


def fetch_rest(client: httpx.Client, place: Place, wanted: Wanted, part: Part, report: Report) -> None:
    """Bring ``part`` to the whole body found at ``place``, going on from what it already holds.

    Raises ``ProviderError``; what has come stays, unless it is of no use. Raises ``OSError`` when it can't be written,
    ``NoSpace`` among them: before anything is written, where the host tells the size.
    """
    if wanted.size_bytes is not None and part.present_bytes > wanted.size_bytes:
        part.drop()
    if _is_whole(place, wanted, part):
        report.at(part.present_bytes)
        return
    headers = _range(place, wanted, part)
    if not headers or not _ask(client, place, wanted, part, headers, report):
        _ask(client, place, wanted, part, {}, report)


def fetch_error(error: ProviderError, wanted: Wanted, advice: str = "") -> FetchError:
    """Return ``error`` as the one that is passed on: another size than that of a known file is a change upstream."""
    if isinstance(error, OtherSize) and wanted.proven:
        return ChangedUpstream(f"changed upstream: {error}{advice}")
    return FetchError(f"{error}{advice}")


def _is_whole(place: Place, wanted: Wanted, part: Part) -> bool:
    present = part.present_bytes
    if wanted.proven and wanted.size_bytes is not None:
        return present == wanted.size_bytes
    version = _version_of(place, part)
    return present > 0 and version is not None and version.total_bytes == present


def _version_of(place: Place, part: Part) -> Version | None:
    version = part.version()
    return version if version and version.address_sha256 == sha256_bytes(place.url.encode()) else None


def _range(place: Place, wanted: Wanted, part: Part) -> dict[str, str]:
    """Return the headers that ask for the rest; none where the whole must be asked for."""
    present = part.present_bytes
    if not present:
        return {}
    asked = {"Range": f"bytes={present}-"}
    version = _version_of(place, part)
    if version:
        return asked | {"If-Range": version.etag}
    if wanted.proven:
        part.forget_version()  # what comes now may be of another one
        return asked
    return {}


def _ask(
    client: httpx.Client,
    place: Place,
    wanted: Wanted,
    part: Part,
    headers: dict[str, str],
    report: Report,
) -> bool:
    """Write what is answered; False, with nothing written, when it does not go on from what there is."""
    with answer(client, place, headers) as response:
        present = part.present_bytes if headers else 0
        if response.status_code == 416:
            return wanted.proven and response.headers.get("content-range") == f"bytes */{present}"
        if response.status_code == 206:
            total = _total_of_range(response, place, part, present) if headers else None
            if total is None or (wanted.size_bytes is not None and total != wanted.size_bytes):
                if headers:
                    return False
                raise BadResponse(f"{place.host} sends a range of {place.file_name} that was not asked for")
        else:
            present = 0
            total = _content_length(response)
        _refuse_size(response, place, wanted, total)
        if total is None:
            total = wanted.size_bytes
        if total is not None:
            require_space(part.path.parent, total - present)
            report.expect(total)
        version = None if present else _told_version(response, place)
        if not present:
            part.begin(version)
        report.at(present)
        done = _copy(response, place, wanted, part, total, report)
        if version and version.total_bytes is None:
            part.note(replace(version, total_bytes=done))
    return True


def _told_version(response: httpx.Response, place: Place) -> Version | None:
    etag = response.headers.get("etag", "").strip()
    if not is_strong(etag):
        return None
    return Version(sha256_bytes(place.url.encode()), etag, _content_length(response))


def _total_of_range(response: httpx.Response, place: Place, part: Part, present: int) -> int | None:
    """Return the whole size when this is the rest of the file that ``part`` is of, else None."""
    match = _RANGE.fullmatch(response.headers.get("content-range", ""))
    if match is None:
        return None
    first, last, total = map(int, match.groups())
    version = _version_of(place, part)
    etag = response.headers.get("etag", "").strip()
    if version and (
        (etag and etag != version.etag) or (version.total_bytes is not None and version.total_bytes != total)
    ):
        return None  # a host that knows ranges but not If-Range
    length = _content_length(response)
    whole_rest = first == present and last == total - 1 and length in (None, total - present)
    return total if whole_rest else None


def _content_length(response: httpx.Response) -> int | None:
    text = response.headers.get("content-length", "")
    return int(text) if re.fullmatch(r"\d{1,18}", text, re.ASCII) else None


def _refuse_size(response: httpx.Response, place: Place, wanted: Wanted, total: int | None) -> None:
    size = wanted.size_bytes
    if size is not None:
        if total is not None and total != size:
            raise OtherSize(
                f"{place.host} has another file as {place.file_name}: expected {size:,} bytes, found {total:,}"
            )
    elif total is not None and total > wanted.most_bytes:
        raise too_large(place, wanted.most_bytes)
    elif (
        total is None and not wanted.proven and "chunked" not in response.headers.get("transfer-encoding", "")
    ):
        raise Refused(
            f"{place.host} doesn't say how many bytes {place.file_name} has (no Content-Length), so that half of it "
            "could not be told from the whole"
        )


def too_large(place: Place, most_bytes: int) -> ProviderError:
    """Return the error for a body of more than ``most_bytes``."""
    return Refused(f"{place.file_name} has more than the {most_bytes:,} bytes allowed")


def _copy(
    response: httpx.Response, place: Place, wanted: Wanted, part: Part, total: int | None, report: Report
) -> int:
    """Append the body and return the part's size."""
    done = part.present_bytes
    with part.path.open("ab") as out:
        for block in response.iter_raw():  # blocks as they come: a gathered one would be lost in a break
            done += len(block)
            if total is not None and done > total:
                raise BadResponse(f"{place.host} sends more than the {total:,} bytes expected")
            if total is None and done > wanted.most_bytes:
                out.truncate(0)
                raise too_large(place, wanted.most_bytes)
            out.write(block)
            report.at(done)
    if total is not None and done < total:
        raise Unreachable(f"{place.host} stopped after {done:,} of {total:,} bytes of {place.file_name}")
    return done
