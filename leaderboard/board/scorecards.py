"""A benchmark's further tables: the whole scorecard, a table a subject (seed 3; spec §§ 1, 2, 3.6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from leaderboard.benchmarks.questions import Benchmark
from leaderboard.board.aggregate import column
from leaderboard.board.rows import System, order, system_row
from leaderboard.board.tables import Table
from leaderboard.scoring.answers import BALANCED_ABSTENTION
from leaderboard.scoring.declared import BY_KEY, applies
from leaderboard.scoring.metric import Combined, Metric


@dataclass(frozen=True, slots=True)
class _Card:
    key: str
    title: str
    caption: str
    metrics: tuple[Metric | Combined, ...]


def _named(*keys: str) -> tuple[Metric, ...]:
    return tuple(BY_KEY[key] for key in keys)


_CARDS = (
    _Card(
        "answers",
        "answers in detail",
        "Each way of comparing an answer with the gold, the strict ones first. None but Match ranks.",
        _named(
            "match",
            "em",
            "f1",
            "f1_hotpot",
            "contain",
            "contain_token",
            "word_overlap",
            "support_f1",
            "abstained",
            "answer_tokens",
            "overlong",
        ),
    ),
    _Card(
        "abstention",
        "declining to answer",
        "Null questions have no answer in the corpus: declining is right there, and wrong elsewhere.",
        (
            BALANCED_ABSTENTION,
            *_named(
                "abstention_recall",
                "false_abstention",
                "abstention_precision",
                "abstention_accuracy",
            ),
        ),
    ),
    _Card(
        "evidence",
        "evidence",
        "What searches brought back (returned) and what stood before the model (shown). Questions without gold "
        "evidence are left out.",
        _named(
            "evidence_complete", "evidence_shown", "evidence_returned", "evidence_recall", "retrieved_tokens"
        ),
    ),
    _Card(
        "cost",
        "cost",
        "What a question costs, over all calls of the model.",
        _named("tokens", "prompt_tokens", "cached_tokens", "completion_tokens", "calls", "seconds"),
    ),
)


def scorecards(benchmark: Benchmark, systems: Sequence[System]) -> Iterator[Table]:
    """Yield the tables that say something here, each with the metrics and systems it says something about."""
    for card in _CARDS:
        metrics = [
            metric
            for metric in card.metrics
            if metric.on(benchmark.name) and any(_known(metric, system, benchmark) for system in systems)
        ]
        rows = [
            system_row(
                system,
                benchmark,
                {metric.key: system.value(benchmark.name, metric) for metric in metrics},
                metrics[0].key,
            )
            for system in systems
            if any(_known(metric, system, benchmark) for metric in metrics)
        ]
        if rows:
            yield Table(
                key=f"{benchmark.name}-{card.key}",
                title=f"{benchmark.label}: {card.title}",
                caption=card.caption,
                row_heading="System",
                columns=tuple(column(metric, benchmark=benchmark.name) for metric in metrics),
                rows=order(rows, metrics[0].key, metrics[0].higher_is_better is not False),
            )


def _known(metric: Metric | Combined, system: System, benchmark: Benchmark) -> bool:
    found = system.at(benchmark.name)
    return found is not None and applies(metric.kind, found.cell)
