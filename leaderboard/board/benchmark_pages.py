"""A benchmark's page: all systems on all metrics, and a table a breakdown with n beside each group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from leaderboard.benchmarks.errata import Errata, errata_for
from leaderboard.benchmarks.questions import Benchmark, Breakdown
from leaderboard.board.aggregate import column, mean
from leaderboard.board.distances import distances
from leaderboard.board.errata import errata_table
from leaderboard.board.floor import Floor, best_constant
from leaderboard.board.groups import Mask, group_masks
from leaderboard.board.published import published_tables
from leaderboard.board.rounds import rounds_table
from leaderboard.board.rows import System, floor_row, order, system_row
from leaderboard.board.scorecards import scorecards
from leaderboard.board.tables import BenchmarkPage, Column, Row, Table
from leaderboard.manifest.entries import entry
from leaderboard.scoring.declared import BY_KEY
from leaderboard.scoring.metric import Metric

MAIN = (
    "match",
    "em",
    "f1",
    "contain",
    "answer_tokens",
    "evidence_shown",
    "evidence_complete",
    "tokens",
    "seconds",
)
"""The main table of a benchmark, and of a system; the rest stands in the tables below it."""

FLOORED = (("multihop_rag", "question_type"),)
"""The breakdowns that show what the best constant of each group scores (rule R3)."""


def benchmark_page(
    benchmark: Benchmark,
    systems: Sequence[System],
    floor: Floor,
    headline: Metric,
    *,
    in_overall: bool = True,
) -> BenchmarkPage:
    """Return the page of one benchmark. Raises ErrataError."""
    errata = errata_for(benchmark)
    here = [system for system in systems if system.at(benchmark.name) and system.asks_model]
    return BenchmarkPage(
        key=benchmark.name,
        label=benchmark.label,
        summary=_summary(benchmark),
        questions=len(benchmark.questions),
        documents=len(benchmark.documents),
        document_word="articles" if benchmark.chunked else "paragraphs",
        in_overall=in_overall,
        main=_main(benchmark, here, floor, headline),
        scorecards=(
            *scorecards(benchmark, here),
            *rounds_table(benchmark, here, headline),
            *errata_table(benchmark, errata, here),
        ),
        breakdowns=tuple(
            _breakdown(benchmark, breakdown, here, headline) for breakdown in benchmark.breakdowns
        ),
        distances=tuple(
            table
            for breakdown in benchmark.breakdowns
            for table in distances(benchmark, breakdown, here, headline)
        ),
        published=published_tables(benchmark.name),
        published_name=entry(benchmark.name).name,
        defects=_defects(benchmark, errata),
    )


def _summary(benchmark: Benchmark) -> str:
    if benchmark.track == "full":
        return entry(benchmark.name).summary
    name = entry(benchmark.name).name
    return (
        f"Questions in the form of {name}, written for this project over an invented world: they show how systems "
        f"differ here, and are never a score on {name}."
    )


def _main(benchmark: Benchmark, systems: Sequence[System], floor: Floor, headline: Metric) -> Table:
    metrics = [BY_KEY[key] for key in MAIN]
    rows = [
        system_row(system, benchmark, {m.key: system.value(benchmark.name, m) for m in metrics}, headline.key)
        for system in systems
    ]
    constant = floor_row({benchmark.name: floor})
    constant = constant.model_copy(update={"values": {headline.key: constant.values[benchmark.name]}})
    return Table(
        key=benchmark.name,
        title=f"{benchmark.label}: all systems",
        caption=f"{len(benchmark.questions)} questions; ordered by {headline.label}. In brackets, the 95 % interval "
        "(Wilson for shares of questions; other means get a bootstrap interval from 60 questions on).",
        row_heading="System",
        columns=tuple(column(metric, benchmark=benchmark.name) for metric in metrics),
        rows=order([*rows, constant], headline.key),
    )


def _breakdown(
    benchmark: Benchmark, breakdown: Breakdown, systems: Sequence[System], headline: Metric
) -> Table:
    masks = group_masks(benchmark, breakdown)
    columns = [
        column(
            headline,
            key=label,
            label=label,
            hint=f"{headline.label} on the {int(mask.sum())} questions of this group.",
        )
        for label, mask in masks.items()
    ]
    rows = []
    for system in systems:
        found = system.at(benchmark.name)
        values = {"all": system.value(benchmark.name, headline)}
        for label, mask in masks.items():
            values[label] = mean(found.scores, headline, mask) if found and found.scores else values["all"]
        rows.append(system_row(system, benchmark, values, "all"))
    if (benchmark.name, breakdown.name) in FLOORED:
        rows.append(_constants(benchmark, masks))
    everything: Column = column(
        headline,
        key="all",
        label="All",
        hint=f"{headline.label} on all questions.",
    )
    overlap = " A question counts in each of its groups." if breakdown.overlapping else ""
    return Table(
        key=f"{benchmark.name}-{breakdown.name}",
        title=f"{benchmark.label}: {headline.label} by {breakdown.label}",
        caption=f"{breakdown.hint}{overlap}",
        row_heading="System",
        columns=(everything, *columns),
        rows=order(rows, "all"),
    )


def _constants(benchmark: Benchmark, masks: Mapping[str, Mask]) -> Row:
    """Return the row of the best constant answer of each group: a floor for whoever knows the group (rule R3)."""
    floors = {}
    for label, mask in masks.items():
        questions = tuple(benchmark.questions[index] for index in np.flatnonzero(mask))
        floors[label] = best_constant(replace(benchmark, questions=questions))
    everywhere = Floor(
        "one a group", sum(f.right for f in floors.values()), sum(f.n for f in floors.values())
    )
    row = floor_row({"all": everywhere, **floors})
    values = {label: value for label, value in row.values.items() if label != "overall"}
    values["all"] = values["all"].model_copy(update={"note": "each group's best constant answer, summed"})
    return row.model_copy(
        update={
            "key": "best-constant-a-group",
            "label": "Best constant answer of each group",
            "values": values,
        }
    )


def _defects(benchmark: Benchmark, errata: Errata) -> tuple[str, ...]:
    """Return the defects, one line a kind with how often it came and the first place."""
    defects = (*benchmark.defects, *errata.defects)
    kinds = Counter((defect.file, defect.problem, defect.action) for defect in defects)
    first: dict[tuple[str, str, str], int | None] = {}
    for defect in defects:
        first.setdefault((defect.file, defect.problem, defect.action), defect.row)
    return tuple(
        f"{file}{'' if first[key] is None else f', row {first[key]}'}: {problem}; {action}"
        + (f" ({count} times)" if count > 1 else "")
        for key, count in kinds.items()
        for file, problem, action in [key]
    )
