"""The one place where a number of the board is rounded and printed.

Every printed number stands in an element with its table, row and column keys and its full value, so that a
program can read each number of the site back and compare it with what it recomputed:

* ``data-value``, ``data-low``, ``data-high``: the shortest decimal that reads back to the very same float;
* ``data-deviation``: standard deviation between the repeats of a run;
* ``data-bound-low``, ``data-bound-high``: worst and best case of an incomplete cell; ``data-n``: its questions,
  left out where none counts, and where others reported a number without saying how many.
"""

from __future__ import annotations

import math
from decimal import ROUND_HALF_EVEN, Context, Decimal

from markupsafe import Markup

from leaderboard.board.tables import Column, Value
from leaderboard.site.errors import SiteError
from leaderboard.site.escaping import text

UNKNOWN = "–"
_EVERY_DIGIT = Context(prec=400, rounding=ROUND_HALF_EVEN)  # a float has up to 309 digits before its point
_NOT_KNOWN = "not known"


def exact(value: float) -> str:
    """Return the shortest decimal that ``float`` reads back to ``value``. Raises SiteError for NaN and infinity."""
    if not math.isfinite(value):
        raise SiteError(f"{value} is no number that a table can hold; an unknown value is None with a note")
    return repr(float(value))


def printed(value: float, column: Column) -> str:
    """Return ``value`` as the column prints it: in per cent where it says so, rounded half to even.

    The rounding is decimal, of the value's shortest form: 0.0125 with one decimal is 1.2, whatever the float's
    last bits. Values that aren't percentages have thousands separators; minus zero is zero. In a column of small
    values one above 0 that would be printed as 0 is printed as less than the smallest number: "< 0.0001".
    """
    number = _EVERY_DIGIT.multiply(Decimal(exact(value)), Decimal(100 if column.percent else 1))
    rounded = number.quantize(Decimal(1).scaleb(-column.decimals), context=_EVERY_DIGIT)
    if column.small and number > 0 and not rounded:
        return f"< {Decimal(1).scaleb(-column.decimals):f}"
    shown = f"{abs(rounded):f}" if column.percent else f"{abs(rounded):,f}"
    return f"−{shown}" if rounded < 0 else shown


def count(value: int, *, table: str, row: str, column: str) -> Markup:
    """Return a whole number in a ``<span>`` with its keys, for a number that stands in a sentence."""
    return Markup('<span data-table="{}" data-row="{}" data-column="{}" data-value="{}">{}</span>').format(
        text(table), text(row), text(column), text(value), text(f"{value:,d}")
    )


def count_cell(value: int | None, *, table: str, row: str, column: str) -> Markup:
    """Return the ``<td>`` of a row's number of questions; None prints as unknown."""
    attributes = _keys(table, row, column)
    if value is None:
        return Markup('<td class="count"{}>{}</td>').format(attributes, _unknown(""))
    return Markup('<td class="count"{} data-value="{}">{}</td>').format(
        attributes, text(value), text(f"{value:,d}")
    )


def cell(value: Value | None, column: Column, *, table: str, row: str, show_n: bool = False) -> Markup:
    """Return the ``<td>`` of one value: the number, its interval or bounds, and a whisker where it has one.

    ``show_n`` prints the number of questions inside the cell, for tables in which it differs from cell to cell.
    """
    value = value or Value(value=None, n=0)
    attributes = _keys(table, row, column.key)
    if value.n:
        attributes += _data("n", str(value.n))
    parts: list[Markup] = []
    if value.value is None:
        parts.append(_unknown(value.note))
    else:
        attributes += _data("value", exact(value.value))
        title = Markup(' title="{}"').format(text(value.note)) if value.note else Markup("")
        parts.append(
            Markup('<span class="value"{}>{}</span>').format(title, text(printed(value.value, column)))
        )
    if value.interval is not None:
        low, high = value.interval.low, value.interval.high
        attributes += (
            _data("low", exact(low)) + _data("high", exact(high)) + _data("method", value.interval.method)
        )
        hint = f"95 % interval ({value.interval.method}), n = {value.n:,d}"
        parts.append(_range(low, high, column, "interval", hint, "({} to {})" if low < 0 else "({}–{})"))
    if value.deviation is not None:
        attributes += _data("deviation", exact(value.deviation))
        parts.insert(
            1,
            Markup('<span class="deviation" title="{}">± {}</span>').format(
                text("Standard deviation of the runs' means"), text(printed(value.deviation, column))
            ),
        )
    if value.bounds is not None:
        low, high = value.bounds
        attributes += _data("bound-low", exact(low)) + _data("bound-high", exact(high))
        hint = "Worst and best case: part of the questions has no result that is the system's own doing"
        parts.append(_range(low, high, column, "bounds", hint, "{} to {}"))
    if show_n and value.n:
        parts.append(Markup('<span class="n">n = {}</span>').format(text(f"{value.n:,d}")))
    parts.append(_whisker(value, column))
    return Markup("<td{}>{}</td>").format(attributes, Markup(" ").join(part for part in parts if part))


def _data(name: str, value: str) -> Markup:
    return Markup(' data-{}="{}"').format(name, text(value))


def _keys(table: str, row: str, column: str) -> Markup:
    return _data("table", table) + _data("row", row) + _data("column", column)


def _unknown(note: str) -> Markup:
    said = note or _NOT_KNOWN
    return Markup(
        '<span class="unknown" title="{0}" aria-hidden="true">{1}</span><span class="board-hidden">{0}</span>'
    ).format(text(said), UNKNOWN)


def _range(low: float, high: float, column: Column, name: str, hint: str, form: str) -> Markup:
    shown = form.format(printed(low, column), printed(high, column))
    return Markup('<span class="{}" title="{}">{}</span>').format(text(name), text(hint), text(shown))


def _whisker(value: Value, column: Column) -> Markup:
    """Draw a share and its interval on a line from 0 to 100, at the very decimals that are printed beside it.

    Not of a difference: on such a line it would look like a share.
    """
    span = (value.interval.low, value.interval.high) if value.interval else value.bounds
    if not column.percent or column.range[0] != 0 or span is None or not 0 <= span[0] <= span[1] <= 1:
        return Markup("")
    dot = Markup("")
    if value.value is not None and 0 <= value.value <= 1:
        dot = Markup('<line class="point" x1="{0}" x2="{0}" y1="1" y2="7"/>').format(
            printed(value.value, column)
        )
    return Markup(
        '<svg class="whisker {}" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
        '<line class="track" x1="0" x2="100" y1="4" y2="4"/><line class="span" x1="{}" x2="{}" y1="4" y2="4"/>{}</svg>'
    ).format(
        "of-interval" if value.interval else "of-bounds",
        printed(span[0], column),
        printed(span[1], column),
        dot,
    )
