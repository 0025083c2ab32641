"""Cutting articles into passages on sentence borders (spec § 2.7: a fact cut by a border is lost to retrieval)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from leaderboard.benchmarks.questions import Document
from leaderboard.catalog.retrievers import Unit
from leaderboard.metrics.tokens import count_tokens, has_more_tokens
from leaderboard.retrieval.passages import Passage


class Span(NamedTuple):
    """Character offsets into a document's text, ``end`` exclusive, white space at neither end."""

    start: int
    end: int


_LINE = re.compile(r"[^\r\n]+")
# Possessive, and only at the start of a run: a line of 100,000 dots is read once. What can begin a match stands first,
# as one set of characters: the search then skips whatever is none of them.
_END = re.compile(
    r"""[.!?…。！？](?:(?<=[.!?…])(?<![.!?…][.!?…])[.!?…]*+["'”’»)\]]*+(?=\s)|(?<=[。！？])[。！？]*[」』”’）]*)"""
)
_OPENING = "\"'“‘«([*_"
_WORD = re.compile(r"\S+")
_PIECE = re.compile(r"\w+|[^\w\s]")
# Initials, or a word that is written short.
_SHORT = re.compile(
    r"(?:[^\W\d_]\.)*[^\W\d_]"
    r"|(?:mrs?|ms|dr|prof|[sj]r|st|mt|ft|gen|col|maj|lt|capt|cmdr|sgt|rev|hon|gov|sen|rep|pres|messrs"
    r"|vs|etc|inc|ltd|co|corp|bros|dept|univ|est|nos?|vol|pp|eds?|cf|ca|approx|fig|al"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|ave|blvd|rd)",
    re.IGNORECASE,
)
_MOST_LETTERS = len("messrs")
"""A longer word without a stop inside is written out."""


class _Part(NamedTuple):
    """What is packed: a whole sentence, or a part of one that is too long."""

    span: Span
    tokens: int
    sentence: bool


def chunk(document: Document, chunk_tokens: int, overlap_tokens: int = 0) -> list[Passage]:
    """Cut a document into passages of whole sentences with at most ``chunk_tokens`` ``words-1`` tokens each.

    Sentences are packed greedily; one that is longer by itself is cut between words, and a word that is longer
    by itself between its tokens (never before a combining mark). Passages are slices of the text in order, which
    together hold every character that is not white space. A document that fits, an empty one included, is one
    whole passage.

    A passage begins with the last whole sentences of the passage before: as many as have ``overlap_tokens`` tokens
    at most and leave room for what comes next, and never all of them. With 0 only white space lies between passages.
    """
    if not has_more_tokens(document.text, chunk_tokens):
        return [Passage.whole(document)]
    passages: list[Passage] = []
    packed: list[_Part] = []
    tokens = 0
    for unit in _units(document.text, chunk_tokens):
        if packed and tokens + unit.tokens > chunk_tokens:
            passages.append(Passage.slice(document, packed[0].span.start, packed[-1].span.end))
            packed = _repeated(packed, min(overlap_tokens, chunk_tokens - unit.tokens))
            tokens = sum(repeated.tokens for repeated in packed)
        packed.append(unit)
        tokens += unit.tokens
    passages.append(Passage.slice(document, packed[0].span.start, packed[-1].span.end))
    return passages


def passages_of(
    benchmark_documents: Iterable[Document],
    unit: Unit,
    chunk_tokens: int,
    chunked: bool,
    overlap_tokens: int = 0,
) -> list[Passage]:
    """Return the corpus in the unit that is retrieved, in the documents' order.

    Documents stay whole for the unit "article" and where the benchmark is not ``chunked`` (MuSiQue).
    """
    if unit == "article" or not chunked:
        return [Passage.whole(document) for document in benchmark_documents]
    return [
        passage
        for document in benchmark_documents
        for passage in chunk(document, chunk_tokens, overlap_tokens)
    ]


def sentences(text: str) -> Iterator[Span]:
    """Yield the sentences of ``text`` in order; together they hold every character that is not white space.

    A sentence ends at a line's end, or after ``.``, ``!``, ``?`` (and closing quotes or brackets) before white
    space, but not after an abbreviation, an initial or a list number, nor before a lower-case letter.
    A table row, a line with cells between ``|`` or tabs, is one sentence.
    """
    for line in _LINE.finditer(text):
        start, line_end = line.span()
        if not _is_row(line.group()):
            for mark in _END.finditer(text, start, line_end):
                end = mark.end()
                if end < line_end and _is_border(text, start, mark):
                    yield _trimmed(text, start, end)
                    start = end
        if not text[start:line_end].isspace():
            yield _trimmed(text, start, line_end)


def _is_row(line: str) -> bool:
    return "\t" in line or " | " in line or line.lstrip().startswith("|")


def _is_border(text: str, start: int, mark: re.Match[str]) -> bool:
    stop, end = mark.group(), mark.end()
    if stop[0] in "。！？":
        return True
    following = text[end : end + 16].lstrip().lstrip(_OPENING)
    if following[:1].islower():
        return False
    if stop != ".":
        return True
    before = text[max(start, end - 41) : end - 1]
    word = before.rsplit(None, 1)[-1].lstrip(_OPENING) if before and not before[-1].isspace() else ""
    if (len(word) <= _MOST_LETTERS or "." in word) and _SHORT.fullmatch(word):
        return False
    return not (word.isdigit() and text[start : end - 1].strip() == word)


def _trimmed(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    return Span(end - len(piece.lstrip()), start + len(piece.rstrip()))


def _repeated(packed: list[_Part], limit: int) -> list[_Part]:
    """Return the last whole sentences of a passage, ``limit`` tokens at most.

    Never all of it, since ``limit`` leaves room for the part that didn't fit beside all of it.
    """
    start = len(packed)
    while start and packed[start - 1].sentence and packed[start - 1].tokens <= limit:
        start -= 1
        limit -= packed[start].tokens
    return packed[start:]


def _units(text: str, limit: int) -> Iterator[_Part]:
    """Yield what is packed, in order."""
    for sentence in sentences(text):
        count = count_tokens(text[sentence.start : sentence.end])
        if count <= limit:
            yield _Part(sentence, count, sentence=True)
            continue
        for word in _WORD.finditer(text, sentence.start, sentence.end):
            count = count_tokens(word.group())
            if count <= limit:
                yield _Part(Span(*word.span()), count, sentence=False)
            else:
                for piece in _pieces(text, Span(*word.span())):
                    tokens = count_tokens(text[piece.start : piece.end])
                    yield _Part(piece, tokens, sentence=False)


def _pieces(text: str, word: Span) -> Iterator[Span]:
    """Yield a word's tokens, each with the combining marks that follow it."""
    start = end = word.start
    for token in _PIECE.finditer(text, word.start, word.end):
        if token.start() > start and not unicodedata.category(token.group()[0]).startswith("M"):
            yield Span(start, end)
            start = token.start()
        end = token.end()
    yield Span(start, word.end)
