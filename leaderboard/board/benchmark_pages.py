"""A benchmark's page: all systems on all metrics, and a table a breakdown with n beside each group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from leaderboard.benchmarks.questions import Benchmark, Breakdown
from leaderboard.benchmarks.registry import BENCHMARKS
from leaderboard.board.aggregate import column, mean
from leaderboard.board.floor import Floor
from leaderboard.board.rows import System, floor_row, order, row_kind, system_texts
from leaderboard.board.tables import BenchmarkPage, Column, Row, Table, Value
from leaderboard.scoring.declared import BY_KEY, Metric

MAIN = (
    "match",
    "em",
    "f1",
    "contain",
    "contain_token",
    "abstained",
    "evidence_recall",
    "evidence_shown",
    "evidence_complete",
    "retrieved_tokens",
    "answer_tokens",
    "tokens",
    "seconds",
)


def benchmark_page(
    benchmark: Benchmark, systems: Sequence[System], floor: Floor, headline: Metric
) -> BenchmarkPage:
    """Return the page of one benchmark."""
    here = [system for system in systems if system.at(benchmark.name)]
    return BenchmarkPage(
        key=benchmark.name,
        label=benchmark.label,
        summary=_summary(benchmark),
        questions=len(benchmark.questions),
        documents=len(benchmark.documents),
        document_word="articles" if benchmark.chunked else "paragraphs",
        main=_main(benchmark, here, floor, headline),
        breakdowns=tuple(
            _breakdown(benchmark, breakdown, here, headline) for breakdown in benchmark.breakdowns
        ),
        defects=_defects(benchmark),
    )


def group_mask(benchmark: Benchmark, breakdown: Breakdown, label: str) -> npt.NDArray[np.bool_]:
    """Return which questions count in a group, shape (questions,)."""
    return np.array(
        [label in question.groups.get(breakdown.name, ()) for question in benchmark.questions], dtype=np.bool_
    )


def _summary(benchmark: Benchmark) -> str:
    if benchmark.track == "full":
        return BENCHMARKS[benchmark.name].summary
    name = BENCHMARKS[benchmark.name].name
    return (
        f"Questions in the form of {name}, written for this project over an invented world: they show how systems "
        f"differ here, and are never a score on {name}."
    )


def _row(system: System, benchmark: Benchmark, values: dict[str, Value], key: str) -> Row:
    found = system.at(benchmark.name)
    state = found.cell.state if found else "not run"
    return Row(
        key=system.key,
        label=system.name,
        kind=row_kind(system, complete=values[key].value is not None),
        page=system.key,
        texts=system_texts(system),
        marks=(
            *(() if state == "complete" else (state,)),
            *(("older revision",) if found and found.cell.stale_parts else ()),
        ),
        values=values,
    )


def _main(benchmark: Benchmark, systems: Sequence[System], floor: Floor, headline: Metric) -> Table:
    metrics = [BY_KEY[key] for key in MAIN]
    rows = [
        _row(system, benchmark, {m.key: system.value(benchmark.name, m) for m in metrics}, headline.key)
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
        columns=tuple(column(metric) for metric in metrics),
        rows=order([*rows, constant], headline.key),
    )


def _breakdown(
    benchmark: Benchmark, breakdown: Breakdown, systems: Sequence[System], headline: Metric
) -> Table:
    masks = {label: group_mask(benchmark, breakdown, label) for label in breakdown.labels}
    masks = {label: mask for label, mask in masks.items() if mask.any()}
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
        rows.append(_row(system, benchmark, values, "all"))
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


def _defects(benchmark: Benchmark) -> tuple[str, ...]:
    """Return the defects, one line a kind with how often it came and the first place."""
    kinds = Counter((defect.file, defect.problem, defect.action) for defect in benchmark.defects)
    first: dict[tuple[str, str, str], int | None] = {}
    for defect in benchmark.defects:
        first.setdefault((defect.file, defect.problem, defect.action), defect.row)
    return tuple(
        f"{file}{'' if first[key] is None else f', row {first[key]}'}: {problem}; {action}"
        + (f" ({count} times)" if count > 1 else "")
        for key, count in kinds.items()
        for file, problem, action in [key]
    )
