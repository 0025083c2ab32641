"""Files from a plain address of the web, or out of a zip archive found there."""

from __future__ import annotations

from pathlib import Path

from leaderboard.fetching.archive import ArchiveError, MemberSize, extract_member
from leaderboard.fetching.connection import Place, open_client
from leaderboard.fetching.faults import ProviderError
from leaderboard.fetching.part import Part
from leaderboard.fetching.pinned import ChangedUpstream, FetchError, PinnedFile, WebPath
from leaderboard.fetching.progress import Report
from leaderboard.fetching.retrying import call_with_retries
from leaderboard.fetching.transfer import Wanted, fetch_error, fetch_rest


def fetch(file: PinnedFile, part: Path, report: Report, most_bytes: int) -> Path:
    """Bring ``part`` to the whole file, or to the whole archive, and return the file: ``part``, or what was extracted.

    Digest and size are the caller's to check. ``most_bytes`` bounds what has no known size: file, archive, and the
    file inside it. Raises ``FetchError`` when the host can't deliver (what has come stays) or when the archive is not
    what it should be (it is deleted); ``OSError`` when the disk can't take it.
    """
    web = file.web
    if web is None:
        raise FetchError(f"{file} is at no address of the web")
    size_bytes = None if web.member else file.size_bytes
    _download(web, Wanted(size_bytes, most_bytes, proven=file.sha256 is not None), Part(part), report)
    if not web.member:
        return part
    target = member_of(part)
    try:
        extract_member(part, web.member, target, report, size_bytes=file.size_bytes, most_bytes=most_bytes)
    except ArchiveError as error:
        Part(part).drop()
        text = f"{web.file_name} of {web.host}: {error}; the archive was deleted"
        if file.sha256 is not None and isinstance(error, MemberSize):
            raise ChangedUpstream(f"changed upstream: {text}") from error
        raise ArchiveError(text) from error
    return target


def member_of(part: Path) -> Path:
    """Return where the file inside the archive ``part`` is extracted to."""
    return part.with_name(f"{part.name}.member")


def _download(web: WebPath, wanted: Wanted, part: Part, report: Report) -> None:
    import httpx

    place = Place(web.url, web.host, web.file_name)
    try:
        with open_client() as client:
            call_with_retries(lambda: fetch_rest(client, place, wanted, part, report))
    except ProviderError as error:
        raise fetch_error(error, wanted) from error
    except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        raise FetchError(
            f"{web.address} is not an address that can be fetched: expected http://host/path or https://host/path"
        ) from error
