"""The API's answers read into values: which page a title names, and what a revision holds (formatversion 2).

Shapes: a page is ``{"pageid", "ns", "title", …}`` or carries ``missing``, ``invalid`` (with ``invalidreason``) or
``special``; ``normalized`` lists ``{"from", "to", "fromencoded"}``; ``interwiki`` lists ``{"title", "iw"}``; flags are
there and true, or not there. Whatever else comes raises ``BadResponse``.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

from leaderboard.fetching.faults import BadResponse
from leaderboard.wikipedia.api import excerpt, kind

_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_SHA1 = re.compile(r"[0-9a-f]{40}")


class ChecksumError(BadResponse):
    """A revision's text isn't the one its wiki has the checksum of."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A page that exists today. ``url`` is its address today; ``namespace`` 0 is articles."""

    host: str
    page_id: int
    title: str
    namespace: int
    url: str
    is_redirect: bool


@dataclass(frozen=True, slots=True)
class Absent:
    """There is no such page; ``reason`` says why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Revision:
    """A revision with its text, the checksum of which was right."""

    revision: int
    timestamp: str
    content_model: str
    wikitext: str


def moment(timestamp: str) -> str:
    """Return a timestamp such as ``2024-09-01T00:00:00Z``. Raises ``ValueError`` for anything else."""
    if not _TIMESTAMP.fullmatch(timestamp):
        raise ValueError(f"expected a moment such as 2024-09-01T00:00:00Z, found {timestamp[:40]!r}")
    datetime.strptime(timestamp, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    return timestamp


class Fields:
    """An object of an answer, whose fields come out typed or raise ``BadResponse``."""

    def __init__(self, host: str, value: object, name: str) -> None:
        if not isinstance(value, dict):
            raise BadResponse(f"{host}: {name}: expected an object, found {kind(value)}")
        self._host = host
        self._value: dict[str, Any] = value
        self._name = name

    def __contains__(self, field: str) -> bool:
        return field in self._value

    def text(self, field: str) -> str:
        """Return a text that can be written as UTF-8."""
        value = self._value.get(field)
        if not isinstance(value, str):
            raise self.wrong(field, "a text", kind(value))
        try:
            value.encode()
        except UnicodeEncodeError:
            raise self.wrong(field, "a text", "half a character") from None
        return value

    def number(self, field: str) -> int:
        """Return a whole number."""
        value = self._value.get(field)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.wrong(field, "a number", kind(value))
        return value

    def flag(self, field: str) -> bool:
        """Return whether a flag is set; one that is not there is not set."""
        value = self._value.get(field, False)
        if not isinstance(value, bool):
            raise self.wrong(field, "true or false", kind(value))
        return value

    def inner(self, field: str) -> Fields:
        """Return an object inside."""
        return Fields(self._host, self._value.get(field), f"{self._name}.{field}")

    def each(self, field: str) -> list[Fields]:
        """Return the objects of a list; a list that is not there is empty."""
        values = self._value.get(field, [])
        if not isinstance(values, list):
            raise self.wrong(field, "a list", kind(values))
        return [Fields(self._host, value, f"{self._name}.{field}") for value in values]

    def merged(self, other: Fields) -> Fields:
        """Return the fields of both, the other's where both have one."""
        return Fields(self._host, self._value | other._value, self._name)

    def wrong(self, field: str, expected: str, found: str) -> BadResponse:
        """Return the error for a field."""
        return BadResponse(f"{self._host}: {self._name}.{field}: expected {expected}, found {found}")


def pages_of_titles(
    host: str, answers: Iterable[Mapping[str, Any]], titles: Sequence[str]
) -> dict[str, Standing | Absent]:
    """Return what stands behind each of ``titles``, by all answers to one question of ``prop=info``.

    Raises ``BadResponse`` where a title is accounted for by none.
    """
    spelled: dict[str, str] = {}
    elsewhere: dict[str, str] = {}
    pages: dict[str, Fields] = {}
    for answer in answers:
        query = Fields(host, answer, "query")
        for entry in query.each("normalized"):
            raw = entry.text("from")
            spelled[unquote(raw) if entry.flag("fromencoded") else raw] = entry.text("to")
        for entry in query.each("interwiki"):
            elsewhere[entry.text("title")] = entry.text("iw")
        for page in query.each("pages"):
            title = page.text("title")
            pages[title] = pages[title].merged(page) if title in pages else page
    found: dict[str, Standing | Absent] = {}
    for title in titles:
        own = spelled.get(title, title)
        if own in elsewhere:
            found[title] = Absent(f"“{excerpt(own)}” is a link to another wiki ({excerpt(elsewhere[own])})")
        elif own in pages:
            found[title] = _standing(host, pages[own])
        else:
            raise BadResponse(f"{host}: the answer says nothing of the title “{excerpt(title)}”")
    return found


def pages_of_ids(
    host: str, answers: Iterable[Mapping[str, Any]], page_ids: Sequence[int]
) -> dict[int, Standing | Absent]:
    """Return what stands behind each of ``page_ids``, by all answers to one question of ``prop=info``.

    Raises ``BadResponse`` where an id is accounted for by none.
    """
    pages: dict[int, Fields] = {}
    for answer in answers:
        for page in Fields(host, answer, "query").each("pages"):
            number = page.number("pageid")
            pages[number] = pages[number].merged(page) if number in pages else page
    if unsaid := [number for number in page_ids if number not in pages]:
        raise BadResponse(f"{host}: the answer says nothing of the page {unsaid[0]}")
    return {number: _standing(host, pages[number]) for number in page_ids}


def _standing(host: str, page: Fields) -> Standing | Absent:
    if page.flag("invalid"):
        why = f": {excerpt(page.text('invalidreason'))}" if "invalidreason" in page else ""
        return Absent(f"“{excerpt(page.text('title'))}” can't be a title{why}")
    if page.flag("special"):
        return Absent(f"“{excerpt(page.text('title'))}” is made when asked for and has no revisions")
    if page.flag("missing"):
        name = f"“{excerpt(page.text('title'))}”" if "title" in page else f"number {page.number('pageid')}"
        return Absent(f"there is no page {name} today: deleted, or never there")
    title, page_id, url = page.text("title"), page.number("pageid"), page.text("canonicalurl")
    if page_id < 1:
        raise page.wrong("pageid", "a number from 1", str(page_id))
    if not url.startswith(f"https://{host}/wiki/"):
        raise page.wrong("canonicalurl", f"an address of https://{host}/wiki/", f"“{excerpt(url)}”")
    return Standing(host, page_id, title, page.number("ns"), url, page.flag("redirect"))


def revision_of(
    host: str, answers: Iterable[Mapping[str, Any]], page_id: int, *, latest: str | None
) -> Revision | Absent | None:
    """Return the newest revision of an answer to ``prop=revisions`` with text, ``None`` where there is none.

    ``Absent`` where its text is hidden or the page is gone. Raises ``BadResponse`` where it is a revision of another
    page or from after ``latest``, ``ChecksumError`` where its text doesn't have its SHA-1 (40 hex digits of the UTF-8 bytes; for a
    revision of one slot, which all of Wikipedia's are, the revision's is the text's).
    """
    for fields in _revisions(host, answers, page_id):
        if isinstance(fields, Absent):
            return fields
        number, timestamp = fields.number("revid"), _when(fields)
        if latest is not None and timestamp > latest:
            raise fields.wrong("timestamp", f"at most {latest}", timestamp)
        main = fields.inner("slots").inner("main")
        # texthidden stands in the slot, sha1hidden on the revision; "suppressed" is the stricter form of both
        if main.flag("texthidden") or fields.flag("sha1hidden"):
            return Absent(f"the text of revision {number} of {timestamp} is hidden by the wiki")
        if main.flag("textmissing") or main.flag("missing") or fields.flag("slotsmissing"):
            return Absent(f"the text of revision {number} of {timestamp} is lost on the wiki")
        text, checksum = main.text("content"), fields.text("sha1")
        if not _SHA1.fullmatch(checksum):
            raise fields.wrong("sha1", "40 hex digits", f"“{excerpt(checksum)}”")
        found = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
        if found != checksum:
            raise ChecksumError(
                f"{host}: revision {number}: the text doesn't have its checksum: expected {checksum}, found {found}"
            )
        return Revision(number, timestamp, main.text("contentmodel"), text)
    return None


def first_timestamp(host: str, answers: Iterable[Mapping[str, Any]], page_id: int) -> str | None:
    """Return the timestamp of the first revision in an answer to ``prop=revisions``, ``None`` where there is none."""
    for fields in _revisions(host, answers, page_id):
        return None if isinstance(fields, Absent) else _when(fields)
    return None


def _when(fields: Fields) -> str:
    timestamp = fields.text("timestamp")
    try:
        return moment(timestamp)
    except ValueError:
        raise fields.wrong("timestamp", "a moment in UTC", f"“{excerpt(timestamp)}”") from None


def _revisions(host: str, answers: Iterable[Mapping[str, Any]], page_id: int) -> Iterable[Fields | Absent]:
    for answer in answers:
        pages = Fields(host, answer, "query").each("pages")
        if len(pages) != 1 or pages[0].number("pageid") != page_id:
            raise BadResponse(f"{host}: expected the page {page_id} alone, found {len(pages)} or another")
        if pages[0].flag("missing"):
            yield Absent(f"the page {page_id} was deleted while its text was asked for")
            return
        yield from pages[0].each("revisions")
