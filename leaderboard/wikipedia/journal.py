"""What came of a collection so far, a line of JSON each, so that a run that was killed goes on where it stopped."""

from __future__ import annotations

import json
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from leaderboard.fetching.pinned import FetchError
from leaderboard.wikipedia.pages import Page

FILE_NAME = "articles.fetching.jsonl"
VERSION = 1

_PAGE_FIELDS = {
    "key": str,
    "title": str,
    "page_id": int,
    "revision": int,
    "timestamp": str,
    "url": str,
    "content_model": str,
    "wikitext": str,
}


class JournalError(FetchError):
    """The file can't be gone on with. The text names it and the line, and says what to do."""


class Journal:
    """The file of one collection: a header with version and date, then a line a page, a link that leads to one, a loss.

    ``pages`` are known by host and page id, ``reached`` says to which of them an identity leads, ``vanished`` why one
    leads to none. Each line is flushed as it is written; a last line that was cut off is dropped. A file for another
    date or version is an error, not a new beginning: it may be hours of work. One process at a time may have it open:
    to see to that is the caller's.
    """

    def __init__(self, path: Path, before: str) -> None:
        self.pages: dict[tuple[str, int], Page] = {}
        self.reached: dict[str, tuple[str, int]] = {}
        self.vanished: dict[str, str] = {}
        self._path = path
        self._before = before
        whole = self._read() if path.exists() else 0
        path.parent.mkdir(parents=True, exist_ok=True)
        self._out: BinaryIO = path.open("r+b" if whole else "wb")
        self._out.truncate(whole)
        self._out.seek(whole)
        if not whole:
            self._write({"version": VERSION, "before": before})

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._out.close()

    def settled(self, identity: str) -> bool:
        """Whether it is known what became of ``identity``."""
        return identity in self.reached or identity in self.vanished

    def add_page(self, page: Page) -> None:
        """Note a page; the links that lead to it are noted apart, since more may come."""
        self._write({"page": {name: getattr(page, name) for name in _PAGE_FIELDS}})
        self.pages[page.host, page.page_id] = page

    def add_reached(self, identity: str, host: str, page_id: int) -> None:
        """Note that a link leads to a page noted before."""
        self._write({"reached": identity, "host": host, "page_id": page_id})
        self.reached[identity] = (host, page_id)

    def add_vanished(self, identity: str, reason: str) -> None:
        """Note that a link leads to no page, and why."""
        self._write({"vanished": identity, "reason": reason})
        self.vanished[identity] = reason

    def _write(self, line: dict[str, Any]) -> None:
        # ASCII, so that whatever a link holds can be written
        self._out.write(json.dumps(line).encode() + b"\n")
        self._out.flush()

    def _read(self) -> int:
        """Read what is there and return the bytes of the whole lines."""
        whole = 0
        with self._path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                if not line.endswith(b"\n"):
                    break
                try:
                    value = json.loads(line)
                except (ValueError, RecursionError):
                    raise self._damaged(number, "no JSON") from None
                if not isinstance(value, dict):
                    raise self._damaged(number, "no object")
                if number == 1:
                    self._check_header(value)
                else:
                    self._take(number, value)
                whole += len(line)
        return whole

    def _check_header(self, header: dict[str, Any]) -> None:
        version, before = header.get("version"), header.get("before")
        if type(version) is not int or not isinstance(before, str):
            raise self._damaged(1, "no header with version and date")
        if version != VERSION:
            raise JournalError(
                f"{self._path} has version {version}, this program writes {VERSION}: delete it to fetch anew"
            )
        if before != self._before:
            raise JournalError(
                f"{self._path} holds pages as of {before[:40]!r}, wanted are those of {self._before}: "
                "delete it to fetch anew, or go on with its date"
            )

    def _take(self, number: int, line: dict[str, Any]) -> None:
        match line:
            case {"page": dict() as fields}:
                page = self._page(number, fields)
                self.pages[page.host, page.page_id] = page
            case {"reached": str() as identity, "host": str() as host, "page_id": int() as page_id}:
                if (host, page_id) not in self.pages:
                    raise self._damaged(number, "a link to a page that doesn't stand before it")
                self.reached[identity] = (host, page_id)
            case {"vanished": str() as identity, "reason": str() as reason}:
                self.vanished[identity] = reason
            case _:
                raise self._damaged(number, "something else")

    def _page(self, number: int, fields: dict[str, Any]) -> Page:
        if fields.keys() != _PAGE_FIELDS.keys():
            raise self._damaged(number, f"a page without its fields ({', '.join(_PAGE_FIELDS)})")
        for name, kind in _PAGE_FIELDS.items():
            if type(fields[name]) is not kind:
                raise self._damaged(number, f"a page whose {name} is of another type")
            if kind is str:
                self._check_text(number, fields[name])
        return Page(**fields)

    def _check_text(self, number: int, text: str) -> None:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise self._damaged(number, "half a character") from None

    def _damaged(self, number: int, found: str) -> JournalError:
        return JournalError(
            f"{self._path}, line {number}: expected what a collection writes, found {found}: "
            "delete the file to fetch anew, or the lines from this one on"
        )
