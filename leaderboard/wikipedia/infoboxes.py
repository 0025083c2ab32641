"""Infoboxes, and other templates with named arguments, as labels and values."""

from __future__ import annotations

import re

from leaderboard.wikipedia.arguments import Arguments, looks_like_text
from leaderboard.wikipedia.characters import JOINT, TABLE, flat

_HIDDEN = re.compile(
    r"(?:image|img|logo|icon|map|mapframe|pushpin|photo|picture|flag|seal|signature|coat|shield|emblem|cover)(?: ?\d.*| .*)?"
    r"|(?:above|below|header|label|data|title|list|group|body|caption|subheader|image|sub)(?:style|class) ?\d*"
    r"|(?:pattern [a-z]{1,2}|body|leftarm|rightarm|shorts|socks) ?\d+"
    r"|(?:bg|color|colour|bgcolor|height px|width px|align|id|embed|child|nocat|cat|categories|footnotes|override|display"
    r"|wikidata|refs?|references?|df|mf|lang|short description|url access|access date|archive url|archive date|upright|alt"
    r"|collapsible|collapsed|nobold|clear|float|margin|padding|font ?size|text align)(?: ?\d+)?"
    r"|(?!hair |eye ).* (?:colou?r|footnotes|refs?|notes ref|image|logo|link|rd|align|bg|alt|upright) ?\d*"
)
_PAIR = re.compile(r"(data|value|stat value)( ?\d+)")
_LABEL = {"data": "label", "value": "label", "stat value": "stat label"}
_CAPTION = re.compile(r"(?:image|map|logo)[ _]?caption|caption")


def box(arguments: Arguments) -> str:
    """Return an infobox as lines "Label: value", in the page's order; layout, images and colours are left out.

    Positional arguments come first. Values of "data1" stand under "label1". A table or another box in a value keeps
    its lines.
    """
    lines = list(arguments.readable())
    for label, value in _pairs(arguments):
        text, inner = _apart(value)
        if text:
            lines.append(f"{label[:1].upper()}{label[1:]}: {text}" if label else text)
        lines.extend(inner)
    return _lines(lines)


def row(arguments: Arguments) -> str:
    """Return the named arguments as one line "label: value | label: value", after the positional ones."""
    cells, lines = list(arguments.readable()), []
    for label, value in _pairs(arguments):
        text, inner = _apart(value)
        cells += [f"{label}: {text}"] if text else []
        lines += inner
    return _lines([" | ".join(cells), *lines] if cells else lines)


def rows_inside(arguments: Arguments) -> str:
    """Return the lines of tables, boxes and rows that stand in named arguments, as in a list of episodes."""
    return _lines([line for value in arguments.named.values() for line in _apart(value)[1]])


def _apart(value: str) -> tuple[str, list[str]]:
    """Return a value's own text on one line, and the lines of the tables and boxes in it."""
    own, inner = [], []
    for line in value.split("\n"):
        plain = line.lstrip(JOINT + " \t")
        if plain.startswith(TABLE):
            inner.append(plain.removeprefix(TABLE))
        else:
            own.append(line)
    return flat("\n".join(own)), inner


def _lines(lines: list[str]) -> str:
    return "\n" + "".join(f"{TABLE}{line}\n" for line in lines) if lines else ""


def has_values(arguments: Arguments) -> bool:
    """Tell whether there are two labelled values at least, as in a row of a list of matches or episodes."""
    found = 0
    for _, value in _pairs(arguments):
        found += bool(_apart(value)[0])
        if found == 2:
            return True
    return False


def _pairs(arguments: Arguments) -> list[tuple[str, str]]:
    named = arguments.named
    pairs = []
    for name, value in named.items():
        if not value or (_HIDDEN.fullmatch(name) and not _CAPTION.fullmatch(name)):
            continue
        label = arguments.label(name)
        if match := _PAIR.fullmatch(name):
            label = flat(named.get(_LABEL[match.group(1)] + match.group(2), "")) or ""
        elif re.fullmatch(r"(?:stat )?label ?\d+", name):
            continue
        text = flat(value)
        if looks_like_text(text) or text.lower() in ("yes", "no", "none", "left", "right") or "\n" in value:
            pairs.append((label, value) if label else ("", value))
    return pairs
