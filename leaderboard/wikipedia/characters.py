"""The private characters that stand for structure while a page is turned into text, and cleaning a page of them."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence

KEPT_START, KEPT_END = "\ue000", "\ue001"
"""Around the number of a piece that is put in as it stands at the very end (``nowiki``, ``pre``, ``math``)."""
BREAK = "\ue002"
"""A line break inside a paragraph, a table cell or an infobox value (``<br>``)."""
LIST = "\ue003"
"""One level of a list, at the start of a line."""
HEADING = "\ue004"
"""Starts a heading's line; the level's digit follows."""
JOINT = "\ue005"
"""Keeps two marks apart that the parser would read as one (``{{{{``)."""
TABLE = "\ue006"
"""Starts each line of a table that stood in a cell, so that it isn't flattened into that cell."""
DEFINITION = "\ue007"
"""A ":" of a list: an indent at the start of a line, else the colon between a term and what it means."""
LESS = "\ue008"
"""A "<" that starts no tag."""
PLUS = "\u2064"
"""Unicode's invisible plus: between a number and the fraction added to it. After a digit it becomes a blank."""

_MARKERS = re.compile("[\ue000-\ue00f]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u2028\u2029\ufeff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_KEPT = re.compile(f"{KEPT_START}([0-9]{{1,7}}){KEPT_END}")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_SPACES = re.compile(r"[ \t\u00a0\u2000-\u200a\u202f\u205f\u3000]+")
_ADDED = re.compile(f"(?<=[0-9]){PLUS}")
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064]")


def cleaned(text: str) -> str:
    """Return a page's source without what no text holds: NUL and controls go, half surrogates become U+FFFD.

    Lines end in "\\n". Sixteen private characters (U+E000 to U+E00F) go as well, since they are ours here.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return _SURROGATE.sub("\ufffd", _CONTROLS.sub("", _MARKERS.sub("", lines)))


def put_back(text: str, kept: Sequence[str], inside: Callable[[str], str] = lambda piece: piece) -> str:
    """Return ``text`` with every kept piece in its place; ``inside`` treats what stands between them."""
    parts = _KEPT.split(text)
    found = []
    for index, part in enumerate(parts):
        if index % 2 == 0:
            found.append(inside(part))
        elif int(part) < len(kept):
            found.append(kept[int(part)])
    return "".join(found)


def decoded(text: str) -> str:
    """Return ``text`` with each entity once decoded; what an entity may not stand for is cleaned away."""
    return _ENTITY.sub(lambda match: cleaned(html.unescape(match.group())), text)


def spaced(text: str) -> str:
    """Return ``text`` with every run of blanks as one space and without invisible characters; line ends stay."""
    return _SPACES.sub(" ", _INVISIBLE.sub("", _ADDED.sub(" ", text)))


def flat(text: str) -> str:
    """Return ``text`` as one line, for a cell or a value: its lines and list items with "; " between them."""
    found = ""
    for piece in re.split(f"[\n{BREAK}]", text):
        piece = piece.replace(JOINT, "").lstrip(LIST + DEFINITION + TABLE + " \t").replace(DEFINITION, ": ")
        piece = spaced(piece).strip()
        if piece.startswith(HEADING):
            piece = piece[2:].strip()
        if not piece:
            continue
        if not found:
            found = piece
        elif piece[0] in "(,;)" or found[-1] in ",;:(–—-/":
            found += f" {piece}"
        else:
            found += f"; {piece}"
    return found
