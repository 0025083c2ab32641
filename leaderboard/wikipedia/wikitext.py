"""A page's wikitext as text that a person, a retriever and a model can read, its tables and infoboxes kept.

The parser is mwparserfromhell, its C tokenizer: it gives tables, cells, templates and links as one tree, so that a
template inside a cell inside a template is met once; on a page of 296,000 characters with 2,400 templates and a table of
400 rows it takes 0.6 s where wikitextparser takes 0.8 s, on 3,000 nested templates 0.1 s against 13.6 s, and on 5 MB
of such pages 8 s against more than 40 s. Both take minutes on many marks without their other half, so that these are
paired (``marks``) before it reads them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import mwparserfromhell
from mwparserfromhell.parser import ParserError

from leaderboard.wikipedia.characters import (
    BREAK,
    DEFINITION,
    HEADING,
    JOINT,
    LESS,
    LIST,
    TABLE,
    cleaned,
    decoded,
    put_back,
    spaced,
)
from leaderboard.wikipedia.marks import paired
from leaderboard.wikipedia.markup import prepared
from leaderboard.wikipedia.nodes import Renderer
from leaderboard.wikipedia.sections import Section

REVISION = f"wikitext/1, mwparserfromhell {mwparserfromhell.__version__}"
"""What a text is made with; the number is raised by hand when the same source gives another text."""

MAX_CHARACTERS = 2_100_000
"""A longer source is stripped of its marks without being parsed. Wikipedia saves at most 2 MiB."""

_REDIRECT = re.compile(r"\A\s*#(REDIRECT\b)", re.IGNORECASE)
_EMPTY_BRACKETS = re.compile(r" ?\([ ,;:]*\)| ?\[[ ,;:]*\](?!\()")
_AFTER_BRACKET = re.compile(r"\([ ,;]+(?=\S)")
_BEFORE_STOP = re.compile(r" +(?=[,.;:!?)](?: |$))")
_SAME_COUNTRY = re.compile(r"\(([^()\n]{1,60})\) (?=\1\b)")
_MARKUP = re.compile(r"\{\{|\}\}|\[\[|\]\]|\{\||\|\}|'{2,}|={2,6}")


@dataclass(frozen=True, slots=True)
class ReadableText:
    """A page's text, its headings in order, and in words what could not be read as it was meant."""

    text: str
    sections: tuple[Section, ...]
    problems: tuple[str, ...] = ()


def readable(title: str, wikitext: str) -> ReadableText:
    """Turn the source of the page ``title`` into readable text. The same source always gives the same text.

    Tables come out a line a row ("Year | Winner | Score"), infoboxes as "Label: value", list items as "- item",
    headings as lines of their own. References, notices, navigation, categories and decoration are left out, as is a
    heading with nothing below it. A Lua module stays as it stands. Any text is taken, in time that grows with its
    length: what the parser cannot take is stripped of its marks instead, and ``problems`` says so.
    """
    source = cleaned(wikitext)
    if title.startswith("Module:") and not title.endswith("/doc"):
        return ReadableText(source.strip(), ())
    if len(source) > MAX_CHARACTERS:
        problem = (
            f"{len(source):,} characters, more than the {MAX_CHARACTERS:,} that are parsed: marks stripped"
        )
        return ReadableText(*_assembled(_stripped(source), []), (problem,))
    prepared_source = prepared(source)
    text = _REDIRECT.sub(
        lambda match: prepared_source.keep("#") + match.group(1), prepared_source.text, count=1
    )
    marks = paired(text)
    problems = []
    if marks.lone:
        problems.append(f"{marks.lone:,} marks without their other half, left out")
    if marks.deep:
        problems.append(f"{marks.deep:,} marks nested too deep, left out")
    renderer = Renderer(title)
    parts, failed = [], 0
    for piece in marks.pieces:
        try:
            parts.append(renderer.text(mwparserfromhell.parse(piece, skip_style_tags=True)))
        except (ParserError, RecursionError, ValueError) as error:
            failed += 1
            parts.append(_stripped(piece))
            problem = f"a part of {len(piece):,} characters cannot be parsed ({type(error).__name__}): marks stripped"
            problems.append(problem)
    return ReadableText(*_assembled("".join(parts), prepared_source.kept), tuple(problems))


def _stripped(text: str) -> str:
    """Return ``text`` without the marks of wikitext: nothing is understood, nothing is lost."""
    return _MARKUP.sub("", text).replace(JOINT, "").replace(LESS, "<")


def _assembled(text: str, kept: list[str]) -> tuple[str, tuple[Section, ...]]:
    """Turn rendered text with its private marks into the final lines; return it with its sections."""
    lines: list[tuple[int, str]] = []  # level of a heading, or 0, and the line
    for line in text.replace(BREAK, "\n").replace(JOINT, "").split("\n"):
        level, plain = _line(line, kept)
        if plain or (lines and lines[-1][1]):
            lines.append((level, plain))
    return _with_sections(_filled(lines))


def _line(line: str, kept: list[str]) -> tuple[int, str]:
    """Return a line's heading level, or 0, and its text with the kept pieces put back."""
    line = line.strip(" \t")
    if line.startswith(HEADING):
        return int(line[1]), " ".join(put_back(_tidy(line[2:]), kept).split())
    body = line.lstrip(LIST + DEFINITION)
    depth = line.count(LIST, 0, len(line) - len(body))
    row = body.startswith(TABLE)
    body = put_back(_tidy(body.replace(TABLE, "").replace(LIST, "").replace(DEFINITION, ": ")), kept)
    if row:
        body = " ".join(body.split())
    return 0, f"{'  ' * (min(depth, 10) - 1)}- {body}" if depth and body else body


def _tidy(text: str) -> str:
    """Return a line with its entities decoded, and without blanks and brackets that what was left out leaves."""
    text = _SAME_COUNTRY.sub("", spaced(decoded(text.replace(LESS, "<"))))
    text = _AFTER_BRACKET.sub("(", _EMPTY_BRACKETS.sub("", text))
    return _BEFORE_STOP.sub("", text).strip()


def _filled(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Leave out the headings with nothing below them."""
    found: list[tuple[int, str]] = []
    below = 0  # the level of the next heading that has something below it; 7 for text
    for level, line in reversed(lines):
        if not level:
            below = 7 if line.strip() else below
        elif below <= level:
            continue
        else:
            below = level
        found.append((level, line))
    return found[::-1]


def _with_sections(lines: list[tuple[int, str]]) -> tuple[str, tuple[Section, ...]]:
    parts: list[str] = []
    sections = []
    length = 0
    below_heading = False
    for level, line in lines:
        empty = not line.strip()
        if empty and (not parts or parts[-1] == "\n" or below_heading):
            continue
        below_heading = bool(level)
        if level:
            if parts and parts[-1] != "\n":
                parts.append("\n")
                length += 1
            sections.append(Section(level, line, length))
        parts.append("\n" if empty else line + "\n")
        length += len(parts[-1])
    return "".join(parts).rstrip("\n"), tuple(sections)
