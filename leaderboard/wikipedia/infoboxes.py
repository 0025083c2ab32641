"""Infoboxes, and other templates with named arguments, as labels and values."""

from __future__ import annotations

import re

from leaderboard.wikipedia.arguments import Arguments, looks_like_text
from leaderboard.wikipedia.characters import TABLE, flat

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

    Positional arguments come first. Values of "data1" stand under "label1". A value that holds a table or another box
    keeps its lines.
    """
    lines = [text for text in arguments.readable()]
    for label, value in _pairs(arguments):
        kept = [line for line in value.split("\n") if line.lstrip().startswith(TABLE)]
        own = flat("\n".join(line for line in value.split("\n") if not line.lstrip().startswith(TABLE)))
        if own:
            lines.append(f"{label[:1].upper()}{label[1:]}: {own}")
        lines.extend(line.lstrip().removeprefix(TABLE) for line in kept)
    return "\n" + "".join(f"{TABLE}{line}\n" for line in lines)


def row(arguments: Arguments) -> str:
    """Return the named arguments as one line "label: value | label: value", after the positional ones."""
    cells = arguments.readable()
    cells.extend(f"{label}: {text}" for label, value in _pairs(arguments) if (text := flat(value)))
    return f"\n{TABLE}{' | '.join(cells)}\n" if cells else ""


def has_values(arguments: Arguments) -> bool:
    """Tell whether there are two labelled values at least, as in a row of a list of matches or episodes."""
    found = 0
    for _, value in _pairs(arguments):
        found += bool(flat(value))
        if found == 2:
            return True
    return False


def _pairs(arguments: Arguments) -> list[tuple[str, str]]:
    named = arguments.named
    pairs = []
    for name, value in named.items():
        if not value or (_HIDDEN.fullmatch(name) and not _CAPTION.fullmatch(name)):
            continue
        label = name
        if match := _PAIR.fullmatch(name):
            label = flat(named.get(_LABEL[match.group(1)] + match.group(2), "")) or ""
        elif re.fullmatch(r"(?:stat )?label ?\d+", name):
            continue
        text = flat(value)
        if looks_like_text(text) or text.lower() in ("yes", "no", "none", "left", "right") or "\n" in value:
            pairs.append((label, value) if label else ("", value))
    return pairs
