"""Tables of wikitext as lines of cells: a line a row, spans repeated into each cell they cover."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from mwparserfromhell.nodes import Tag, Template, Text
from mwparserfromhell.wikicode import Wikicode

from leaderboard.wikipedia.characters import JOINT, TABLE, flat

MAX_CELLS = 200_000
"""Cells of one table, spans repeated. Beyond, each cell is printed once."""
_ATTRIBUTE = r"[A-Za-z-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'|=]+)"
_ATTRIBUTES = re.compile(rf"\s*{_ATTRIBUTE}(?:\s+{_ATTRIBUTE})*\s*")
MAX_COLUMNS = 1000
"""A wider cell fills its row."""
_SPAN = re.compile(r"(rowspan|colspan)\s*=\s*[\"']?\s*([0-9]{1,5})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell's text on one line, and over how many rows and columns it stands."""

    text: str
    rows: int = 1
    columns: int = 1


def table_lines(table: Tag, text_of: Callable[[Wikicode], str]) -> list[str]:
    """Return a table's caption, then its rows as "cell | cell", then the lines of the tables inside its cells.

    ``text_of`` renders a cell's content. A row in which one cell covers everything is printed as that cell once;
    a column that is empty in each row is left out, as is a row without text. A decoration (a navigation box made
    of table marks) has no lines.
    """
    if any(str(attribute.value) == "navbox" for attribute in table.attributes if attribute.name == "class"):
        return []
    captions: list[str] = []
    inner: list[str] = []
    rows: list[list[Cell]] = [[]]

    def add(content: Wikicode, attributes: str) -> None:
        if not attributes and (bare := _bare_attributes(content)):
            attributes, content = bare, Wikicode(content.nodes[1:])
        spans = {name.lower(): int(count) for name, count in _SPAN.findall(attributes)}
        rows[-1].append(
            Cell(
                own_line(text_of(content)),
                max(1, spans.get("rowspan", 1)),
                min(max(1, spans.get("colspan", 1)), MAX_COLUMNS),
            )
        )

    def own_line(text: str) -> str:
        lines = text.split("\n")
        inner.extend(line.lstrip(JOINT) for line in lines if line.lstrip(JOINT).startswith(TABLE))
        return flat("\n".join(line for line in lines if not line.lstrip(JOINT).startswith(TABLE)))

    def walk(content: Wikicode) -> None:
        loose: list[str] = []
        for node in content.nodes:
            kind = str(node.tag) if isinstance(node, Tag) else ""
            if kind == "tr":
                rows.append([])
                if node.contents is not None:
                    walk(node.contents)
            elif kind in ("td", "th"):
                inside, attributes = node.contents, "".join(map(str, node.attributes))
                if kind == "td" and node.wiki_markup == "|" and _is_caption(inside, attributes):
                    captions.append(own_line(text_of(inside)).removeprefix("+").strip())
                elif inside is not None:
                    add(inside, attributes)
                else:
                    rows[-1].append(Cell(""))
            elif isinstance(node, Template):  # a template that makes a row, or several
                loose.append(text_of(Wikicode([node])))
        lines = [line for line in "\n".join(loose).split("\n") if flat(line)]
        if lines:
            rows.extend([Cell(flat(line), 1, MAX_COLUMNS)] for line in lines)
            rows.append([])

    if table.contents is not None:
        walk(table.contents)
    return [line for line in captions if line] + _printed(rows) + inner


def _is_caption(inside: Wikicode | None, attributes: str) -> bool:
    """Tell whether a cell is a caption: "|+ text" and "|+ attributes | text" are cells to the parser."""
    if attributes:
        return attributes.lstrip().startswith("+")
    return inside is not None and bool(inside.nodes) and str(inside.nodes[0]).startswith("+")


def _bare_attributes(content: Wikicode) -> str:
    """Return the attributes before a template that brings the "|" itself, as in "| colspan=2 {{n/a}}"; else ""."""
    nodes = content.nodes
    if len(nodes) < 2 or not isinstance(nodes[0], Text) or not isinstance(nodes[1], Template):
        return ""
    text = str(nodes[0].value).replace(JOINT, "")
    return text if len(text) < 300 and _ATTRIBUTES.fullmatch(text) else ""


def _printed(rows: list[list[Cell]]) -> list[str]:
    grid = expanded([row for row in rows if row])
    width = max(map(len, grid), default=0)
    filled = {index for row in grid for index, text in enumerate(row) if text}
    lines = []
    for row in grid:
        if not any(row):
            continue
        whole = len(row) == width and len(set(row)) == 1
        cells = row[:1] if whole else [text for index, text in enumerate(row) if index in filled]
        lines.append(" | ".join(cells).rstrip(" |"))
    return lines


def expanded(rows: list[list[Cell]]) -> list[list[str]]:
    """Return the texts of a table's grid: a cell's text in each place that it covers.

    A span ends with the table; a cell over ``MAX_COLUMNS`` fills its row (a template's line). A table of more than
    ``MAX_CELLS`` places comes back without spans.
    """
    width = 0
    for fills in (False, True):  # a cell that fills its row is as wide as the rest of the table
        grid: list[list[str]] = []
        hanging: dict[int, tuple[str, int]] = {}  # column → text, rows still to come
        places = 0
        for row in rows:
            line = {column: text for column, (text, _) in hanging.items()}
            following = {column: (text, left - 1) for column, (text, left) in hanging.items() if left > 1}
            column = 0
            for cell in row:
                while column in line:
                    column += 1
                whole = cell.columns >= MAX_COLUMNS
                for place in range(column, column + (max(1, width - column) if whole else cell.columns)):
                    if place in line:
                        break
                    line[place] = cell.text
                    if cell.rows > 1 and (fills or not whole):
                        following[place] = (cell.text, cell.rows - 1)
                    column = place + 1
            hanging = following
            last = max(line, default=-1) + 1
            width = max(width, last)
            places += last
            if places > MAX_CELLS:
                return [[cell.text for cell in row] for row in rows]
            grid.append([line.get(place, "") for place in range(last)])
    return grid
