"""The pages of the systems of the literature: what is reproduced, who uses it here, what others published of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache

from leaderboard.board.published import published_table
from leaderboard.board.tables import LiteraturePage, Paper, Table
from leaderboard.catalog.programs import PROGRAMS
from leaderboard.published.literature import LiteratureSystem, kinds, literature_system


def literature_pages(
    home: Table, scores: Collection[str], programs: Mapping[str, str]
) -> tuple[LiteraturePage, ...]:
    """Return a page for each kind of the catalog that has a file, in the catalog's order.

    ``home`` is the board's home table, ``scores`` the columns of it to show, ``programs`` maps each of its systems to
    its program's kind. Raises PublishedError for a wrong file.
    """
    columns = tuple(column for column in home.columns if column.key in scores)
    return tuple(_page(one, home.model_copy(update={"columns": columns}), programs) for one in _described())


@cache
def _described() -> tuple[LiteratureSystem, ...]:
    """The package's own files, which don't change while it runs. A file whose kind isn't in the catalog is passed over."""
    files = set(kinds())
    return tuple(literature_system(kind) for kind in PROGRAMS if kind in files)


def _page(described: LiteratureSystem, home: Table, programs: Mapping[str, str]) -> LiteraturePage:
    key = f"literature-{described.kind}"
    return LiteraturePage(
        key=described.kind,
        title=described.title,
        papers=tuple(
            Paper(work=paper.work, year=paper.year, address=paper.address or "") for paper in described.papers
        ),
        summary=described.summary,
        reproduces=described.reproduces,
        leaves_out=described.leaves_out,
        second_hand=described.second_hand,
        parameters=tuple((parameter.ours, parameter.theirs) for parameter in described.parameters),
        systems=_systems(
            key, described.title, home, {at for at, kind in programs.items() if kind == described.kind}
        ),
        published=tuple(
            published_table("-".join(filter(None, (key, benchmark, reference.key))), reference)
            for benchmark, reference in described.figures
        ),
        no_figures=described.no_figures,
    )


def _systems(key: str, title: str, home: Table, keys: set[str]) -> Table | None:
    """Return the home table's rows of these systems with their scores, None without a row."""
    rows = [row for row in home.rows if row.page in keys]
    scores = {column.key for column in home.columns}
    if not rows:
        return None
    return Table(
        key=f"{key}-systems",
        title=f"{title}: measured here",
        caption=home.caption,
        row_heading=home.row_heading,
        columns=home.columns,
        rows=tuple(
            row.model_copy(
                update={"values": {name: value for name, value in row.values.items() if name in scores}}
            )
            for row in rows
        ),
        text_columns=home.text_columns,
    )
