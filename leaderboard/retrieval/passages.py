"""What a search works on and returns: passages, hits, and the interface of every retriever."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from leaderboard.benchmarks.questions import Document

_SLICE = re.compile(r"#(\d+)-(\d+)\Z")


class RetrievalError(Exception):
    """An index cannot be made from these passages. The text says which and why."""


@dataclass(frozen=True, slots=True)
class Passage:
    """The unit that is retrieved: a whole document, or a slice of its text.

    ``id`` is the document's id for a whole document, else ``document#start-end`` with character offsets into
    the document's text, so that ``text == document.text[start:end]``.
    """

    id: str
    document: str
    title: str
    text: str

    @classmethod
    def whole(cls, document: Document) -> Passage:
        """Return the document as one passage."""
        return cls(document.id, document.id, document.title, document.text)

    @classmethod
    def slice(cls, document: Document, start: int, end: int) -> Passage:
        """Return the characters ``start`` to ``end`` (exclusive) of the document's text as a passage."""
        return cls(f"{document.id}#{start}-{end}", document.id, document.title, document.text[start:end])

    def part(self, start: int, end: int) -> Passage:
        """Return the characters ``start`` to ``end`` (exclusive) of this passage's text as a passage."""
        offset = offset_of(self)
        place = f"{self.document}#{offset + start}-{offset + end}"
        return Passage(place, self.document, self.title, self.text[start:end])

    @property
    def indexed(self) -> str:
        """What an index takes in: title, newline, text (design § 2)."""
        return f"{self.title}\n{self.text}"


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that a search returned, with the retriever's own score; higher is better.

    BM25 and fused scores are above 0. A cosine lies between −1 and 1: a dense ranking goes on below 0, since it is
    the order that counts, and a list of k is what its reader expects.
    """

    passage: Passage
    score: float


class Retriever(Protocol):
    """Ranks the passages of one corpus. ``search`` may be called from several threads."""

    @property
    def digest(self) -> str:
        """SHA-256 over passages, parameters and the versions of the libraries that decide the ranking."""
        ...

    @property
    def passages(self) -> Mapping[str, Passage]:
        """Passage id → passage, for the whole corpus."""
        ...

    def search(self, query: str, k: int) -> list[Hit]:
        """Return at most ``k`` hits in the order (−score, id), none for a query in which nothing is known.

        A passage that shares nothing comparable with the query (no word; an empty vector) is no hit.
        """
        ...


def in_order(passages: Iterable[Passage]) -> dict[str, Passage]:
    """Return id → passage in the order of ids, so that a stable sort by score leaves ties in the order (−score, id).

    Raises ``RetrievalError`` if two passages have the same id.
    """
    ordered = sorted(passages, key=lambda passage: passage.id)
    for one, next_one in pairwise(ordered):
        if one.id == next_one.id:
            raise RetrievalError(f"passage ids must differ, but {one.id!r} stands twice")
    return {passage.id: passage for passage in ordered}


def offset_of(passage: Passage) -> int:
    """Return the place of a passage's first character in its document."""
    found = _SLICE.search(passage.id)
    return int(found[1]) if found and passage.id != passage.document else 0


def document_of(passage: str) -> str:
    """Return the id of the document that a passage's id names."""
    return passage.rpartition("#")[0] if _SLICE.search(passage) else passage


def text_of(passage: str, documents: Mapping[str, Document]) -> str:
    """Return the text of the passage with this id, "" where ``documents`` lack it."""
    if passage in documents:
        return documents[passage].text
    found = _SLICE.search(passage)
    document = documents.get(passage[: found.start()]) if found else None
    return document.text[int(found[1]) : int(found[2])] if found and document else ""
