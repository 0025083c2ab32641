"""The pages stage: a board → Markdown, CSV and assets in ``build/docs``, ready for the site's engine.

Every expression of a template is escaped for Markdown and HTML at once (:mod:`leaderboard.site.escaping`),
unless it already is markup: a template's author can't forget it.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from leaderboard.board.tables import Board, InstructionLine, PublishedTable, Table
from leaderboard.files import write_text
from leaderboard.site import escaping, numbers
from leaderboard.site.downloads import csv_text
from leaderboard.site.errors import SiteError
from leaderboard.site.layout import (
    RESERVED_TABLE,
    Layout,
    check_keys,
    download_path,
    file_stem,
    lay_out,
    origin,
    tables_of,
)

TEMPLATES = Path(__file__).parents[2] / "site_templates"
BOARD_FILE = "downloads/board.json"
_MARKER = ".leaderboard-pages"
_ASSETS = {".css": "styles", ".js": "scripts"}
_SAMPLE_MARK = "(sample)"


def write_pages(board: Board, target: Path, templates: Path | None = None) -> list[Path]:
    """Write the site's sources below ``target`` and return the paths of all files, sorted.

    Equal boards and templates give equal bytes. Files of an earlier build that this one doesn't write are
    removed; a folder that holds other things than an earlier build's is refused. Raises SiteError for that, and
    for keys that can't name a file or a number.
    """
    check_keys(board)
    source = templates or TEMPLATES
    _claim(target)
    environment = _environment(source)
    files: dict[str, str] = {}
    for page in _pages(board):
        values = {"board": board, "base": page.base, "reserved_table": RESERVED_TABLE}
        template = environment.get_template(page.template)
        files[page.path] = template.render(**values, **page.values, titled=_Titles(board, page.base))
    for table in tables_of(board):
        files[download_path(table)] = csv_text(table, origin(table, board))
    files[BOARD_FILE] = board.model_dump_json(indent=1) + "\n"
    for suffix, folder in _ASSETS.items():
        for asset in sorted((source / folder).glob(f"*{suffix}")):
            files[f"assets/{asset.name}"] = asset.read_text(encoding="utf-8")
    for path, content in files.items():
        write_text(target / path, content)
    _remove_stale(target, {target / path for path in files} | {target / _MARKER})
    return sorted(target / path for path in files)


@dataclass(frozen=True)
class _Page:
    path: str
    template: str
    values: dict[str, Any]

    @property
    def base(self) -> str:
        return "../" * self.path.count("/")


def _pages(board: Board) -> Iterator[_Page]:
    yield _Page("index.md", "index.md.jinja", {})
    for benchmark in board.benchmarks:
        yield _Page(f"benchmarks/{file_stem(benchmark.key)}.md", "benchmark.md.jinja", {"page": benchmark})
    if board.retrievers:
        yield _Page("retrievers.md", "retrievers.md.jinja", {"page": board.retrievers})
    for system in board.systems:
        yield _Page(f"systems/{file_stem(system.key)}.md", "system.md.jinja", {"page": system})
    if board.literature:
        yield _Page("literature.md", "literature.md.jinja", {})
    for found in board.literature:
        yield _Page(f"literature/{file_stem(found.key)}.md", "literature_system.md.jinja", {"page": found})
    yield _Page("data.md", "data.md.jinja", {"page": board.data})
    yield _Page("method.md", "method.md.jinja", {})


@dataclass(frozen=True)
class _Titles:
    """What templates call for titles: on the sample track each of them says so, but those of published numbers."""

    board: Board
    base: str

    def __call__(self, title: str) -> str:
        if self.board.track == "sample" and _SAMPLE_MARK not in title:
            return f"{title} {_SAMPLE_MARK}"
        return title

    def layout(self, table: Table) -> Layout:
        title = table.title if isinstance(table, PublishedTable) else self(table.title)
        return lay_out(table, base=self.base, title=title)


def board_title(board: Board) -> str:
    """Return the site's name: the board's title, marked on the sample track."""
    return _Titles(board, "")(board.title)


def _environment(templates: Path) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: value if hasattr(value, "__html__") else escaping.text(value),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals.update(
        cell=numbers.cell,
        count=numbers.count,
        count_cell=numbers.count_cell,
        code=escaping.code,
        prose=escaping.prose,
        changes=_changes,
        link=escaping.link,
        stem=file_stem,
    )
    environment.filters["front_matter"] = escaping.front_matter
    environment.filters["one_line"] = _one_line
    return environment


def _changes(lines: Iterable[InstructionLine]) -> Markup:
    return escaping.changes((line.kind, line.text) for line in lines)


def _one_line(markup: Markup) -> Markup:
    """Put a template's markup on one line: Markdown takes a raw-HTML line whole, and looks into an indented one."""
    return Markup(re.sub(r"\s*\n\s*", " ", markup).strip())


def _claim(target: Path) -> None:
    marker = target / _MARKER
    if target.exists() and any(target.iterdir()) and not marker.exists():
        raise SiteError(
            f"{target}: the folder holds files that no build of this board wrote, and stale files are removed from it; "
            "choose an empty folder, or empty this one"
        )
    write_text(
        marker, "Written by the pages stage; whatever else lies in this folder is removed by the next one.\n"
    )


def _remove_stale(target: Path, keep: set[Path]) -> None:
    for folder, _, names in os.walk(target, topdown=False):
        for name in names:
            path = Path(folder, name)
            if path not in keep:
                path.unlink()
        if Path(folder) != target and not any(Path(folder).iterdir()):
            shutil.rmtree(folder)
