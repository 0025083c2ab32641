"""How a table of the board is laid out on a page: its bodies, its columns of text, where n stands, its download."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from leaderboard.board.tables import Board, Column, PublishedTable, Row, RowKind, Table
from leaderboard.site.errors import SiteError

RESERVED_TABLE = "benchmarks"
"""The table key under which pages print a benchmark's number of questions and documents."""

_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:/-]{0,199}")
_NAMING_FILES = ("table", "benchmark", "system", "literature")
_TRAILING_TEXTS = ("date",)
_BODY_LABELS: dict[RowKind, str] = {
    "ranked": "",
    "unranked": "Not ranked",
    "reference": "Reference rows: ceiling and floor, never ranked",
    "published": "",
}

NPlace = Literal["row", "column", "cell", "nowhere"]


@dataclass(frozen=True)
class Body:
    """Rows of one kind, in the board's order; ``label`` is printed above them, "" above ranked and published rows."""

    kind: RowKind
    label: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Layout:
    """A table as a page shows it. ``base`` is the way from the page to the site's top ("" or "../")."""

    table: Table
    base: str
    bodies: tuple[Body, ...]
    leading_texts: dict[str, str]
    trailing_texts: dict[str, str]
    n_place: NPlace
    title: str

    @property
    def anchor(self) -> str:
        """The id of the table's place on its page."""
        return "table-" + file_stem(self.table.key)

    @property
    def download(self) -> str:
        """The address of the table's CSV, relative to the page."""
        return f"{self.base}{download_path(self.table)}"

    @property
    def width(self) -> int:
        """The number of columns."""
        texts = len(self.leading_texts) + len(self.trailing_texts)
        return 1 + texts + (self.n_place == "row") + len(self.table.columns)

    def state(self, row: Row) -> str:
        """Return why a row isn't ranked, as its first value that says so puts it; "" for other rows."""
        if row.kind != "unranked":
            return ""
        values = (row.values.get(column.key) for column in self.table.columns)
        return next((value.note for value in values if value is not None and value.note), "")

    def row_n(self, row: Row) -> int | None:
        """Return the number of questions behind all numbers of ``row``, None where it has none."""
        return next(iter(_sizes(row.values.get(column.key) for column in self.table.columns)), None)

    def column_n(self, column: Column) -> int | None:
        """Return the number of questions behind all numbers of ``column``, None where it has none."""
        return next(iter(_sizes(row.values.get(column.key) for row in self.table.rows)), None)


def lay_out(table: Table, *, base: str, title: str) -> Layout:
    """Return the layout of ``table``: ranked rows, then the unranked, then reference rows, each in their order.

    Published rows stand in tables of their own.
    """
    bodies = tuple(
        Body(kind, label, rows)
        for kind, label in _BODY_LABELS.items()
        if (rows := tuple(row for row in table.rows if row.kind == kind))
    )
    trailing = {key: table.text_columns[key] for key in _TRAILING_TEXTS if key in table.text_columns}
    leading = {key: label for key, label in table.text_columns.items() if key not in trailing}
    return Layout(table, base, bodies, leading, trailing, _n_place(table), title)


def _sizes(values: Iterable[object]) -> set[int]:
    """The distinct numbers of questions; a value that counts none, or doesn't say how many, says nothing."""
    return {n for value in values if (n := getattr(value, "n", 0))}


def _n_place(table: Table) -> NPlace:
    """Beside each row where a row has one n; else under each heading where a column has one; else in each cell.

    Nowhere where there are values and none of them says its n: a column of dashes would tell nothing.
    """
    values = [value for row in table.rows for value in row.values.values()]
    if not _sizes(values) and any(value.value is not None for value in values):
        return "nowhere"
    if all(len(_sizes(row.values.values())) <= 1 for row in table.rows):
        return "row"
    if all(len(_sizes(row.values.get(column.key) for row in table.rows)) <= 1 for column in table.columns):
        return "column"
    return "cell"


def file_stem(key: str) -> str:
    """Return ``key`` as the stem of a file's name; ``/`` and ``:`` become ``-``."""
    return key.replace("/", "-").replace(":", "-")


def download_path(table: Table) -> str:
    """Return the path of the table's CSV below the site's top."""
    return f"downloads/{file_stem(table.key)}.csv"


def tables_of(board: Board) -> Iterator[Table]:
    """Yield every table of the board, in the order of the pages."""
    yield board.home
    for benchmark in board.benchmarks:
        yield benchmark.main
        yield from benchmark.breakdowns
        yield from benchmark.scorecards
        yield from benchmark.distances
        yield from benchmark.published
    if board.retrievers:
        yield from board.retrievers.tables
    for system in board.systems:
        yield system.main
        if system.against:
            yield system.against
        yield system.outcomes
        yield from system.groups
    for page in board.literature:
        if page.systems:
            yield page.systems
        yield from page.published


def origin(table: Table, board: Board) -> str:
    """Return what a table's numbers are of: the board's track, or "published" where others reported them."""
    return "published" if isinstance(table, PublishedTable) else board.track


def check_keys(board: Board) -> None:
    """Raise SiteError unless every key can name a file and, with its table's, exactly one number."""
    tables = list(tables_of(board))
    _check("table", [table.key for table in tables], taken={RESERVED_TABLE})
    _check("benchmark", [page.key for page in board.benchmarks])
    _check("system", [page.key for page in board.systems])
    _check("literature", [page.key for page in board.literature])
    systems = {page.key for page in board.systems}
    literature = {page.key for page in board.literature}
    for system in board.systems:
        if system.literature and system.literature not in literature:
            raise SiteError(
                f"system {system.key!r}: the board has no page of the literature {system.literature!r}"
            )
    for table in tables:
        _check(f"row of table {table.key!r}", [row.key for row in table.rows], taken={"n"})
        _check(f"column of table {table.key!r}", [column.key for column in table.columns], taken={"n"})
        for row in table.rows:
            if row.page and row.page not in systems:
                raise SiteError(
                    f"table {table.key!r}, row {row.key!r}: the board has no system page {row.page!r}"
                )


def _check(what: str, keys: list[str], taken: Iterable[str] = ()) -> None:
    seen = set(taken)
    for key in keys:
        if what in _NAMING_FILES and not _KEY.fullmatch(key):
            raise SiteError(
                f"{what} key {key!r}: expected letters, digits and _ . : / -, beginning with one of the first"
            )
        stem = file_stem(key).lower() if what in _NAMING_FILES else key
        if stem in seen:
            raise SiteError(
                f"{what} key {key!r} occurs twice or is reserved; a number's place must have one address"
            )
        seen.add(stem)
