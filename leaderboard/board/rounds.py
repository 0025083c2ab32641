"""Systems that search in rounds: what each round brought, and how answers change with the number of rounds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from leaderboard.benchmarks.questions import Benchmark
from leaderboard.board.aggregate import column
from leaderboard.board.rows import System, order, system_row
from leaderboard.board.tables import Row, Table, Value
from leaderboard.plan import submission_json
from leaderboard.scoring.declared import BY_KEY, rounds_of
from leaderboard.scoring.evidence import after_round
from leaderboard.scoring.metric import Metric


def rounds_table(benchmark: Benchmark, systems: Sequence[System], headline: Metric) -> Iterator[Table]:
    """Yield the tables of systems that search in rounds, none where there is no such system."""
    here = [system for system in systems if _rounds(system)]
    if not here:
        return
    yield _by_round(benchmark, here, headline)
    families = _families(here)
    if any(len(family) > 1 for family in families.values()):
        yield _by_rounds(benchmark, families, headline)


def _rounds(system: System) -> int:
    return rounds_of(system.cells[0].cell)


def _counted(rounds: int) -> str:
    return f"{rounds} round{'s' if rounds > 1 else ''}"


def _by_round(benchmark: Benchmark, systems: Sequence[System], headline: Metric) -> Table:
    most = max(_rounds(system) for system in systems)
    rounds = [after_round(number) for number in range(1, most + 1)]
    metrics = [
        headline,
        *(recall for recall, _ in rounds),
        *(new for _, new in rounds),
        BY_KEY["queries"],
        BY_KEY["repeated_query_share"],
    ]
    rows = []
    for system in systems:
        values = {metric.key: system.value(benchmark.name, metric) for metric in metrics}
        for number in range(_rounds(system) + 1, most + 1):
            for metric in after_round(number):
                values[metric.key] = Value(value=None, n=0, note=f"has {_counted(_rounds(system))}")
        rows.append(system_row(system, benchmark, values, headline.key))
    return Table(
        key=f"{benchmark.name}-by-round",
        title=f"{benchmark.label}: what each round brought",
        caption="Recall counts what the searches of all rounds so far brought back; a document is new in the round "
        "that brought it first.",
        row_heading="System",
        columns=tuple(column(metric) for metric in metrics),
        rows=order(rows, headline.key),
    )


def _families(systems: Sequence[System]) -> dict[str, dict[int, System]]:
    """Return the systems that differ in nothing but their rounds: what they share → rounds → system."""
    families: dict[str, dict[int, System]] = {}
    for system in systems:
        shared = json.loads(submission_json(system.cells[0].cell.submission))
        shared["program"].pop("rounds", None)
        families.setdefault(json.dumps(shared, sort_keys=True), {})[_rounds(system)] = system
    return families


def _by_rounds(benchmark: Benchmark, families: dict[str, dict[int, System]], headline: Metric) -> Table:
    recall = BY_KEY["evidence_recall"]
    numbers = sorted({rounds for family in families.values() for rounds in family})
    columns = [
        column(
            metric,
            key=f"{metric.key}-{rounds}",
            label=f"{metric.label}, {_counted(rounds)}",
            hint=f"{metric.label} of the system with {_counted(rounds)} of searching. {metric.hint}",
        )
        for metric in (headline, recall)
        for rounds in numbers
    ]
    rows = []
    for family in families.values():
        if len(family) < 2:
            continue
        first = family[min(family, key=lambda rounds: len(family[rounds].name))]
        values = {
            f"{metric.key}-{rounds}": (
                family[rounds].value(benchmark.name, metric)
                if rounds in family
                else Value(value=None, n=0, note="no such system")
            )
            for metric in (headline, recall)
            for rounds in numbers
        }
        rows.append(Row(key=first.key, label=first.name, page=first.key, values=values))
    return Table(
        key=f"{benchmark.name}-by-rounds",
        title=f"{benchmark.label}: answers and recall by number of rounds",
        caption="Systems that differ in nothing but how often they search; the calls of the first rounds are the same.",
        row_heading="System",
        columns=tuple(columns),
        rows=tuple(rows),
    )
