"""Pairing the marks of wikitext (templates, links, tables), so that the parser never meets one without its other half.

The parser tries each opening mark to its end and starts again where that fails: many lone marks take it minutes.
Here every mark is paired in one pass with a stack; lone ones are left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from leaderboard.wikipedia.characters import DEFINITION, JOINT, LIST

MAX_DEPTH = 30
"""Marks inside marks. The parser gives up at 100; a page of real use stays below 20."""
PARAMETER = "template parameter"
"""The name under which ``{{{name|default}}}`` is handed on as a template."""

_MARK = re.compile(
    r"(?P<table>^[ \t:*#;]*\{\|(?!\})(?P<attributes>[^\n{}\[\]]*))|(?P<end>^[ \t]*\|\}(?!\}))|(?P<open>\{{2,})|(?P<close>\}{2,})"
    r"|(?P<link>\[\[)|(?P<url>\[(?=[A-Za-z][A-Za-z0-9+.-]{1,20}:|//))|(?P<bracket>\]\]?)"
    r"|(?P<heading>^={1,6}[^=\n][^\n]*=[ \t]*$)|(?P<line>\n)",
    re.MULTILINE,
)
_LIST_MARKS = re.compile(r"^(?:[*#:;]+|-{4,})", re.MULTILINE)
_TERM = re.compile(r"^(;[^\n:\[\]{}|]*):", re.MULTILINE)
_AS_CHARACTERS = str.maketrans({"*": LIST, "#": LIST, ":": DEFINITION, ";": "", "-": ""})
_DECORATION = re.compile(
    r"class\s*=[^\n]*\b(?:navbox|vertical-navbox|ambox|noprint|sistersitebox|toc)\b", re.I
)
_COST = {"{": 1, "[": 1, "url": 1, "table": 3}


@dataclass(slots=True)
class _Open:
    kind: str
    start: int
    count: int
    text: str
    muted: bool


@dataclass(frozen=True, slots=True)
class Paired:
    """A source in which every mark has its other half, in pieces that can be parsed each by itself.

    ``lone`` counts the marks left out because their other half is missing, ``deep`` those nested too deep.
    """

    pieces: tuple[str, ...]
    lone: int
    deep: int


class _Pairing:
    def __init__(self, text: str) -> None:
        self.text = text
        self.stack: list[_Open] = []
        self.held: Counter[str] = Counter()
        self.depth = 0
        self.edits: list[tuple[int, int, int, str]] = []  # start, length, change of depth, replacement
        self.lone = self.deep = 0

    def edit(self, start: int, length: int, replacement: str, change: int = 0) -> None:
        self.edits.append((start, length, change, replacement))

    def push(self, kind: str, start: int, count: int, text: str) -> None:
        muted = self.depth + _COST[kind] > MAX_DEPTH
        self.deep += muted
        self.depth += 0 if muted else _COST[kind]
        self.held[kind] += 1
        self.stack.append(_Open(kind, start, count, text, muted))

    def pop(self) -> _Open:
        item = self.stack.pop()
        self.held[item.kind] -= 1
        self.depth -= 0 if item.muted else _COST[item.kind]
        return item

    def drop(self) -> None:
        """Leave out the opening mark on top of the stack, which has no other half."""
        item = self.pop()
        self.lone += 1
        self.edit(item.start, item.count, JOINT)

    def drop_down_to(self, kind: str) -> bool:
        """Leave out what lies above the nearest open mark of ``kind``; False where none is open."""
        if not self.held[kind]:
            return False
        while self.stack[-1].kind != kind:
            self.drop()
        return True

    def close(self, start: int, length: int, replacement: str) -> None:
        item = self.pop()
        self.edit(item.start, item.count, JOINT if item.muted else item.text, 0 if item.muted else 1)
        self.edit(start, length, "" if item.muted else replacement, 0 if item.muted else -1)

    def braces(self, start: int, count: int) -> None:
        """Pair a run of closing braces with open runs: three at a time where both have three, else two."""
        while count >= 2 and self.drop_down_to("{"):
            item = self.stack[-1]
            take = 3 if count >= 3 and item.count >= 3 else 2
            left = item.count - take
            item.start, item.count = item.start + left, take
            item.text = JOINT + "{{" + (f"{PARAMETER}|" if take == 3 else "")
            muted = item.muted
            if take == 2 and self.held["{"] == 1 and self.text[item.start + 2 : start].strip() == "!":
                self.pop()  # {{!}} outside a template is the mark itself, in a table or a link
                self.edit(item.start, start + 2 - item.start, "|")
            else:
                self.close(start, take, "}}" + JOINT)
            start, count = start + take, count - take
            if left >= 2:
                self.push("{", item.start - left, left, "")
                self.deep -= muted and self.stack[-1].muted  # one mark, counted once
        if count >= 2:
            self.lone += 1
            self.edit(start, count, "")

    def bracket(self, match: re.Match[str]) -> int:
        """Pair "]" or "]]"; return where to go on."""
        start, length = match.start(), len(match.group())
        if self.stack and self.stack[-1].kind == "url":
            self.close(start, 1, "]" + JOINT)
            return start + 1
        if length == 2:
            if self.stack and self.stack[-1].kind == "[":
                self.close(start, 2, "]]" + JOINT)
            else:
                self.lone += 1
                self.edit(start, 2, "")
        return match.end()

    def run(self) -> None:
        at = 0
        while match := _MARK.search(self.text, at):
            kind, start, length = match.lastgroup, match.start(), len(match.group())
            at = match.end()
            if kind == "bracket":
                at = self.bracket(match)
            elif kind == "open":
                self.push("{", start, length, "")
            elif kind == "close":
                self.braces(start, length)
            elif kind == "link":
                self.push("[", start, 2, JOINT + "[[")
            elif kind == "url":
                self.push("url", start, 1, JOINT + "[")
            elif kind in ("table", "attributes"):
                drop = _DECORATION.search(match.group("attributes")[:1000])
                self.push("table", start, length, '{| class="navbox"' if drop else "{|")
            elif kind == "end":
                if self.drop_down_to("table"):
                    self.close(start, length, "|}")
                else:
                    self.lone += 1
                    self.edit(start, length, "")
            elif kind == "line":
                while self.stack and self.stack[-1].kind == "url":
                    self.drop()
            elif kind == "heading":
                if not self.held["{"]:
                    self.end_tables(start)
                at = start + 1  # the marks inside the heading are still to be read
                while at < match.end() and self.text[at] == "=":
                    at += 1
        self.end_tables(len(self.text))
        while self.stack:
            self.drop()

    def end_tables(self, at: int) -> None:
        """Close, before a heading or at the page's end, the tables that were left open."""
        while self.held["table"]:
            self.drop_down_to("table")
            self.lone += 1
            self.close(at, 0, "\n|}\n")


def paired(text: str, piece_size: int = 20_000) -> Paired:
    """Return ``text`` with its marks paired, cut at line ends outside all marks into pieces of about ``piece_size``.

    A heading closes the tables that were left open before it, as does the
    page's end. ``{{{name|default}}}`` becomes a template named ``PARAMETER``.
    """
    pairing = _Pairing(text)
    pairing.run()
    order = sorted(range(len(pairing.edits)), key=lambda index: (pairing.edits[index][0], index))
    return Paired(
        tuple(_pieces(text, (pairing.edits[index] for index in order), piece_size)),
        pairing.lone,
        pairing.deep,
    )


def _pieces(text: str, edits: Iterator[tuple[int, int, int, str]], piece_size: int) -> Iterator[str]:
    parts: list[str] = []
    at = size = depth = 0
    for start, length, change, replacement in (*edits, (len(text), 0, 0, "")):
        if depth == 0:
            while size + start - at >= piece_size:
                end = text.find("\n", max(at, at + piece_size - size), start)
                if end < 0:
                    break
                parts.append(text[at : end + 1])
                yield _listed("".join(parts))
                parts, at, size = [], end + 1, 0
        parts += (text[at:start], replacement)
        size += start - at + len(replacement)
        at, depth = start + length, depth + change
    parts.append(text[at:])
    yield _listed("".join(parts))


def _listed(piece: str) -> str:
    """Return a piece with its list marks as our own characters: for the parser each would be a node."""
    piece = _TERM.sub(rf"\1{DEFINITION}", piece)
    return _LIST_MARKS.sub(lambda match: match.group().translate(_AS_CHARACTERS), piece)
