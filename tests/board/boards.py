"""Boards of tiny runs: systems by key, with what each answers where it isn't right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from leaderboard.benchmarks.questions import Benchmark
from leaderboard.board.assemble import assemble
from leaderboard.board.tables import Board, Row, Table
from leaderboard.plan import plan
from leaderboard.scoring.score import score_cell
from tests import tiny

FRAMES, MUSIQUE = tiny.benchmark("frames"), tiny.benchmark("musique")
BOTH = ["frames", "musique"]
Answers = Mapping[str, Any]


def board(
    home: Path,
    systems: Mapping[str, Mapping[str, Answers]],
    tables: Mapping[str, Mapping[str, Mapping[str, Any]]] | None = None,
    benchmarks: Sequence[Benchmark] = (FRAMES, MUSIQUE),
) -> Board:
    """Run each system on the benchmarks it has answers for, and assemble the board of them all.

    ``systems`` maps key → benchmark → answers beside the right ones, ``tables`` key → tables of its submission.
    """
    submissions = []
    for key, answers in systems.items():
        own = dict((tables or {}).get(key, {}))
        submission = tiny.submit(
            home, key, **{**own, "system": {"benchmarks": BOTH, **own.get("system", {})}}
        )
        submissions.append(submission)
        for on in benchmarks:
            if on.name in answers:
                tiny.run(home, submission, on, answers[on.name])
    cells = plan(submissions, benchmarks, home / "results")
    found = {(c.system, c.benchmark.name): score_cell(c, home / "scores") for c in cells}
    return assemble("Tiny", benchmarks, cells, {key: scores for key, scores in found.items() if scores})


def row(table: Table, key: str) -> Row:
    [found] = [row for row in table.rows if row.key == key]
    return found
