"""Every metric of the board, declared once, in the order in which pages list them."""

from __future__ import annotations

from collections.abc import Mapping

from leaderboard.benchmarks.errata import NONE, Errata
from leaderboard.plan import Cell
from leaderboard.scoring.answers import ANSWERS, BALANCED_ABSTENTION, MATCH_ERRATA
from leaderboard.scoring.costs import COSTS
from leaderboard.scoring.evidence import EVIDENCE, QUERIES, ROUNDS, after_round
from leaderboard.scoring.metric import Combined, Kind, Metric
from leaderboard.scoring.ranking import RANKING

REVISION = 2
"""Raised by hand when a value for an unchanged record can change: scores are then computed again."""

METRICS: tuple[Metric, ...] = (*ANSWERS, *EVIDENCE, *COSTS, *QUERIES, *RANKING)
COMBINED: tuple[Combined, ...] = (BALANCED_ABSTENTION,)
BY_KEY: Mapping[str, Metric] = {metric.key: metric for metric in METRICS}


def applies(kind: Kind, cell: Cell) -> bool:
    """Return whether metrics of a kind say anything about a cell's system."""
    program = cell.program
    match kind:
        case "answer" | "cost":
            return program.asks_model
        case "evidence":
            return program.asks_model and cell.submission.document.retriever.kind != "none"
        case "ranking":
            return not program.asks_model
        case "rounds":
            return program.in_rounds
        case "citation":
            return program.cites


def rounds_of(cell: Cell) -> int:
    """Return how many rounds of searching a cell's program has, 0 for one that does not search in rounds, ten at most."""
    return min(ROUNDS, cell.program.rounds(cell.submission.document.program)) if cell.program.in_rounds else 0


def metrics_of(cell: Cell, errata: Errata = NONE) -> tuple[Metric, ...]:
    """Return the metrics that are computed for a cell: those of its system and benchmark, of each round, and of errata
    where some apply to the benchmark."""
    rounds = [metric for number in range(1, rounds_of(cell) + 1) for metric in after_round(number)]
    return tuple(
        metric
        for metric in (*METRICS, *rounds, *((MATCH_ERRATA,) if errata else ()))
        if applies(metric.kind, cell) and metric.on(cell.benchmark.name)
    )
