"""A table as CSV: full values, a row a line, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io

from leaderboard.board.tables import Table, Value
from leaderboard.site.escaping import one_line
from leaderboard.site.numbers import exact

_FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
_GUARD = "'"
_PARTS = ("low", "high", "range", "sd", "n", "note")
"""What stands beside a value, a column of the file each."""


def guarded(text: str) -> str:
    """Return ``text`` as one line that no spreadsheet takes for a formula: one that begins like it gets a ``'``.

    A text that itself begins with ``'`` gets one more, so that :func:`unguarded` gives the text back.
    """
    line = one_line(text)
    return _GUARD + line if line.startswith((*_FORMULA_STARTS, _GUARD)) else line


def unguarded(cell: str) -> str:
    """Return the text that :func:`guarded` was given, as one line."""
    return cell.removeprefix(_GUARD)


def csv_text(table: Table, track: str) -> str:
    """Return ``table`` as CSV. Every line names its track, so that a line cut out of the file still says it.

    The track of numbers that others reported is "published".

    A column of the table gives seven: value, low, high, range, sd, n, note. Values and limits are full precision, not per
    cent; an unknown value is empty, and its note says why. Low and high are the interval's, or else the bounds
    of an incomplete cell; which of them, is in ``<key>_range``. ``<key>_sd`` is the deviation between
    repeats. n is empty where none counts, and where others reported a number without saying how many.
    """
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    header = ["track", "table", "row", "kind", table.row_heading, "marks", *table.text_columns.values()]
    for column in table.columns:
        header += [column.key, *(f"{column.key}_{part}" for part in _PARTS)]
    writer.writerow(map(guarded, header))
    for row in table.rows:
        texts = [track, table.title, row.key, row.kind, row.label, "; ".join(row.marks)]
        texts += [row.texts.get(key, "") for key in table.text_columns]
        cells = list(map(guarded, texts))
        for column in table.columns:
            cells += _cells(row.values.get(column.key))
        writer.writerow(cells)
    return stream.getvalue()


def _cells(value: Value | None) -> list[str]:
    if value is None:
        return [""] * (1 + len(_PARTS))
    low = high = kind = ""
    if value.interval is not None:
        low, high, kind = exact(value.interval.low), exact(value.interval.high), value.interval.method
    elif value.bounds is not None:
        low, high, kind = exact(value.bounds[0]), exact(value.bounds[1]), "bounds"
    number = "" if value.value is None else exact(value.value)
    deviation = "" if value.deviation is None else exact(value.deviation)
    return [number, low, high, guarded(kind), deviation, str(value.n or ""), guarded(value.note)]
