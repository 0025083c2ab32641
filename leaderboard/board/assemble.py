"""The whole board from scores: the home table, a page a benchmark, a page a system."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from leaderboard.benchmarks.errata import errata_for
from leaderboard.benchmarks.questions import Benchmark
from leaderboard.board.aggregate import column, overall, plain_mean
from leaderboard.board.benchmark_pages import benchmark_page
from leaderboard.board.data_page import data_page
from leaderboard.board.floor import best_constant
from leaderboard.board.literature import literature_pages
from leaderboard.board.paired import Prices, against_parent
from leaderboard.board.retrievers import Ceilings, retrievers_page
from leaderboard.board.rows import CellScores, System, floor_row, order, row_kind, system_texts
from leaderboard.board.system_pages import system_page
from leaderboard.board.tables import Board, Column, MetricNote, Row, Table, Value
from leaderboard.manifest.entries import entry
from leaderboard.plan import Cell
from leaderboard.scoring.answers import MATCH_ERRATA
from leaderboard.scoring.declared import BY_KEY, COMBINED, METRICS, rounds_of
from leaderboard.scoring.evidence import after_round
from leaderboard.scoring.metric import Combined, Metric
from leaderboard.scoring.score import Scores

HEADLINE = BY_KEY["match"]


def assemble(
    title: str,
    benchmarks: Sequence[Benchmark],
    cells: Sequence[Cell],
    scores: Mapping[tuple[str, str], Scores],
    ceilings: Ceilings = lambda _: None,
    also: Collection[str] = (),
    prices: Prices = MappingProxyType({}),
) -> Board:
    """Return the board. ``scores`` maps (system, benchmark) to the scores of the run shown.

    Benchmarks of ``also`` have pages of their own and are no part of the home table and its Overall. ``prices`` maps
    a model to its price, where that is known. Raises ``RunError`` for a damaged run, ``StateErrors`` for a compiled
    state that can't be read.
    """
    ranked = [benchmark for benchmark in benchmarks if benchmark.name not in also]
    systems = _systems(cells, scores)
    answering = [system for system in systems if system.asks_model]
    by_key = {system.key: system for system in systems}
    floors = {benchmark.name: best_constant(benchmark) for benchmark in benchmarks}
    rounds = max((rounds_of(cell) for cell in cells), default=0)
    of_rounds = [metric for number in range(1, rounds + 1) for metric in after_round(number)]
    of_errata = [MATCH_ERRATA] if any(map(errata_for, benchmarks)) else []
    metrics: tuple[Metric | Combined, ...] = (*METRICS, *of_rounds, *COMBINED, *of_errata)
    dates = [cell.shown.run.finished_at[:10] for cell in cells if cell.shown]
    home = _home(
        title,
        ranked,
        answering,
        floor_row({benchmark.name: floors[benchmark.name] for benchmark in ranked}),
    )
    literature = literature_pages(
        home,
        {"overall", *(benchmark.name for benchmark in ranked)},
        {system.key: system.program for system in answering},
    )
    return Board(
        title=title,
        track=benchmarks[0].track,
        home=home,
        benchmarks=tuple(
            benchmark_page(one, systems, floors[one.name], HEADLINE, in_overall=one.name not in also)
            for one in benchmarks
        ),
        systems=tuple(
            system_page(
                system,
                [one for one in benchmarks if one.name not in also or system.at(one.name)],
                {page.key for page in literature},
                parent=by_key.get(system.based_on),
                against=_against(system, by_key.get(system.based_on), benchmarks, also, prices),
            )
            for system in systems
        ),
        retrievers=retrievers_page(benchmarks, systems, ceilings),
        literature=literature,
        data=data_page(benchmarks),
        metrics=tuple(
            _note(one) for one in metrics if any(one.on(benchmark.name) for benchmark in benchmarks)
        ),
        built=max(dates, default="1970-01-01"),
    )


def _note(metric: Metric | Combined) -> MetricNote:
    low, high = metric.range
    scale = 100 if metric.percent else 1
    reach = f"{low * scale:g} to {high * scale:g}" if high is not None else f"from {low * scale:g}"
    return MetricNote(
        key=metric.key,
        label=metric.label,
        definition=metric.hint,
        source=metric.source,
        range=f"{reach} {metric.unit}".rstrip(),
        applies_to=", ".join([metric.applies_to, *(entry(name).name for name in metric.benchmarks)]),
    )


def _systems(cells: Sequence[Cell], scores: Mapping[tuple[str, str], Scores]) -> list[System]:
    grouped: dict[str, list[CellScores]] = {}
    for cell in cells:
        grouped.setdefault(cell.system, []).append(
            CellScores(cell, scores.get((cell.system, cell.benchmark.name)))
        )
    return [System(tuple(group)) for group in grouped.values()]


def _against(
    system: System,
    parent: System | None,
    benchmarks: Sequence[Benchmark],
    also: Collection[str],
    prices: Prices,
) -> Table | None:
    """Return a system's table against the one it is based on, None where it is based on none that is here."""
    if parent is None:
        return None
    ranked = [benchmark for benchmark in benchmarks if benchmark.name not in also]
    others = [benchmark for benchmark in benchmarks if benchmark.name in also]
    return against_parent(system, parent, ranked, others, prices)


def _home(title: str, benchmarks: Sequence[Benchmark], systems: Sequence[System], floor: Row) -> Table:
    metric_of = {benchmark.name: HEADLINE for benchmark in benchmarks}
    columns = (
        Column(
            key="overall",
            label="Overall",
            hint="Unweighted mean of the benchmarks' headline scores, for systems complete on all of them.",
            source="spec § 0, rule R5",
        ),
        *(
            column(
                HEADLINE,
                key=benchmark.name,
                label=benchmark.label,
                hint=f"{HEADLINE.label} on {benchmark.label}, {len(benchmark.questions)} questions. {HEADLINE.hint}",
            )
            for benchmark in benchmarks
        ),
        column(
            BY_KEY["evidence_complete"], hint=f"Mean over the benchmarks. {BY_KEY['evidence_complete'].hint}"
        ),
        column(BY_KEY["tokens"], hint=f"Mean over the benchmarks. {BY_KEY['tokens'].hint}"),
        column(BY_KEY["seconds"], hint=f"Mean over the benchmarks. {BY_KEY['seconds'].hint}"),
    )
    rows = []
    for system in systems:
        headlines = [system.value(name, metric) for name, metric in metric_of.items()]
        values: dict[str, Value] = {"overall": overall(headlines, len(benchmarks))}
        values |= dict(zip(metric_of, headlines, strict=True))
        for key in ("evidence_complete", "tokens", "seconds"):
            values[key] = plain_mean([system.value(name, BY_KEY[key]) for name in metric_of])
        rows.append(
            Row(
                key=system.key,
                label=system.name,
                kind=row_kind(system, complete=values["overall"].value is not None),
                page=system.key,
                texts=system_texts(system),
                marks=system.marks,
                values=values,
            )
        )
    return Table(
        key="home",
        title=title,
        caption="In brackets, the 95 % interval (Overall: MOVER, benchmarks: Wilson).",
        row_heading="System",
        columns=columns,
        rows=order([*rows, floor], "overall"),
        text_columns={"model": "Model", "retriever": "Retriever", "date": "Run"},
    )
