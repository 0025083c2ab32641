"""What others published on a benchmark, as tables of the board: never recomputed, never beside measured rows."""

from __future__ import annotations

from pathlib import Path

from leaderboard.board.tables import Column, PublishedTable, Row, Value
from leaderboard.published.reference import FOLDER, ReferenceRow, ReferenceTable, Source, references


def published_tables(benchmark: str, folder: Path = FOLDER) -> tuple[PublishedTable, ...]:
    """Return the tables of ``<folder>/<benchmark>.toml``, in its order. Raises PublishedError for a wrong file."""
    return tuple(
        published_table(f"{benchmark}-published-{reference.key}", reference)
        for reference in references(benchmark, folder)
    )


def published_table(key: str, reference: ReferenceTable) -> PublishedTable:
    """Return the numbers of one source as a table of the board, under ``key``."""
    return PublishedTable(
        key=key,
        title=reference.title,
        caption="",
        row_heading=reference.row_heading,
        columns=tuple(
            Column(
                key=column.key,
                label=column.label,
                hint=column.hint,
                decimals=column.decimals,
                percent=column.percent,
                higher_is_better=column.higher_is_better,
                unit=column.unit,
            )
            for column in reference.columns
        ),
        rows=tuple(_row(reference, row) for row in reference.rows),
        source=_source(reference.source),
        address=reference.source.address or "",
        read_from=reference.read_from,
        setting=reference.setting,
        caveat=reference.caveat,
    )


def _row(reference: ReferenceTable, row: ReferenceRow) -> Row:
    missing = Value(value=None, n=0, note="not reported")
    values = {
        column.key: Value(value=row.values[column.key], n=reference.questions(row, column) or 0)
        if column.key in row.values
        else missing
        for column in reference.columns
    }
    return Row(
        key=row.system,
        label=row.system,
        kind="published",
        marks=(row.note,) if row.note else (),
        values=values,
    )


def _source(source: Source) -> str:
    year = f", {source.year}" if source.year else ""
    return f"{source.work}{year}: {source.where}"
