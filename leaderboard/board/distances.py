"""How far a system is from knowing nothing and from being given all: points above closed book, below gold context."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from leaderboard.benchmarks.questions import Benchmark, Breakdown
from leaderboard.board.aggregate import column, mean
from leaderboard.board.groups import Mask, group_masks
from leaderboard.board.rows import System, order, system_row
from leaderboard.board.tables import Column, Row, Table, Value
from leaderboard.catalog.programs import PROGRAMS
from leaderboard.scoring.metric import Metric

_ENDS = (
    ("closed_book", "above closed book", "Points that retrieval adds to what the same model knows by heart."),
    (
        "gold_context",
        "below gold context",
        "Points that are missing to the same model with the gold evidence given.",
    ),
)


def distances(
    benchmark: Benchmark, breakdown: Breakdown, systems: Sequence[System], headline: Metric
) -> Iterator[Table]:
    """Yield the two tables of a breakdown: a row a system that retrieves, a column a group, differences in points.

    A system is compared with the closed-book and the gold-context row of its own model; without one it has no row.
    """
    masks: dict[str, Mask | None] = {"all": None, **group_masks(benchmark, breakdown)}
    for program, words, hint in _ENDS:
        ends = {
            _model(system): system for system in systems if system.cells[0].cell.program is PROGRAMS[program]
        }
        rows = [
            _row(system, end, benchmark, masks, headline, sign=1 if program == "closed_book" else -1)
            for system in systems
            if system.retrieves and (end := ends.get(_model(system))) is not None
        ]
        if rows:
            yield Table(
                key=f"{benchmark.name}-{breakdown.name}-{program.replace('_', '-')}",
                title=f"{benchmark.label}: points {words}, by {breakdown.label}",
                caption=f"{hint} A difference of two scores over the same questions, without a test of it.",
                row_heading="System",
                columns=tuple(_column(headline, label, words) for label in masks),
                rows=order(rows, "all", program == "closed_book"),
            )


def _row(
    system: System,
    end: System,
    benchmark: Benchmark,
    masks: dict[str, Mask | None],
    headline: Metric,
    *,
    sign: int,
) -> Row:
    values = {}
    for label, mask in masks.items():
        mine, other = (_value(one, benchmark, headline, mask) for one in (system, end))
        if mine.value is None or other.value is None:
            unknown = mine if mine.value is None else other
            values[label] = Value(value=None, n=0, note=unknown.note or "unknown")
        else:
            values[label] = Value(value=sign * (mine.value - other.value), n=mine.n)
    return system_row(system, benchmark, values, "all")


def _value(system: System, benchmark: Benchmark, metric: Metric, mask: Mask | None) -> Value:
    found = system.at(benchmark.name)
    if found is None or found.scores is None:
        return system.value(benchmark.name, metric)
    return mean(found.scores, metric, mask)


def _column(headline: Metric, label: str, words: str) -> Column:
    said = "All" if label == "all" else label
    one = column(headline, key=label, label=said, hint=f"{headline.label} in points {words}.")
    return one.model_copy(update={"range": (-1.0, 1.0), "unit": "points"})


def _model(system: System) -> str:
    return system.cells[0].cell.submission.document.model
