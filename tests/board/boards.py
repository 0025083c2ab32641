"""Boards of tiny runs: systems by key, with what each answers where it isn't right."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from leaderboard.benchmarks.questions import Benchmark
from leaderboard.board.assemble import assemble
from leaderboard.board.paired import Prices
from leaderboard.board.retrievers import Ceilings
from leaderboard.board.tables import BenchmarkPage, Board, Row, Table
from leaderboard.plan import plan
from leaderboard.scoring.score import score_cell
from tests import tiny

FRAMES, MUSIQUE = tiny.benchmark("frames"), tiny.benchmark("musique")
Answers = Mapping[str, Any]


def board(
    home: Path,
    systems: Mapping[str, Mapping[str, Answers]],
    tables: Mapping[str, Mapping[str, Mapping[str, Any]]] | None = None,
    benchmarks: Sequence[Benchmark] = (FRAMES, MUSIQUE),
    *,
    repeats: Mapping[str, int] | None = None,
    ceilings: Ceilings = lambda _: None,
    also: Collection[str] = (),
    prices: Prices = MappingProxyType({}),
) -> Board:
    """Run each system on the benchmarks it has answers for, and assemble the board of them all.

    ``systems`` maps key → benchmark → answers beside the right ones, ``tables`` key → tables of its submission,
    ``repeats`` key → how often it is asked each question, where it isn't once.
    """
    submissions = []
    names = [on.name for on in benchmarks]
    for key, answers in systems.items():
        own = dict((tables or {}).get(key, {}))
        submission = tiny.submit(
            home, key, **{**own, "system": {"benchmarks": names, **own.get("system", {})}}
        )
        submissions.append(submission)
        for on in benchmarks:
            if on.name in answers:
                tiny.run(home, submission, on, answers[on.name], repeats=(repeats or {}).get(key, 1))
    cells = plan(submissions, benchmarks, home / "results")
    found = {(c.system, c.benchmark.name): score_cell(c, home / "scores") for c in cells}
    scores = {key: scores for key, scores in found.items() if scores}
    return assemble("Tiny", benchmarks, cells, scores, ceilings, also, prices)


def page(
    home: Path,
    systems: Mapping[str, Answers],
    tables: Mapping[str, Mapping[str, Mapping[str, Any]]] | None = None,
    on: Benchmark = FRAMES,
    **more: Any,
) -> BenchmarkPage:
    """Return the page of a board of one benchmark; ``systems`` maps key → answers beside the right ones."""
    answers = {key: {on.name: said} for key, said in systems.items()}
    [found] = board(home, answers, tables, (on,), **more).benchmarks
    return found


def table(tables: Sequence[Table], key: str) -> Table:
    """Return the table of this key."""
    [found] = [table for table in tables if table.key == key]
    return found


def numbers(row: Row) -> dict[str, float | None]:
    """Return a row's values by column."""
    return {key: value.value for key, value in row.values.items()}


def row(table: Table, key: str) -> Row:
    [found] = [row for row in table.rows if row.key == key]
    return found
