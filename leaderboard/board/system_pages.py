"""A system's page: its scores by benchmark and group, its outcomes, where its runs came from."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from leaderboard.benchmarks.questions import Benchmark
from leaderboard.board.aggregate import column, mean
from leaderboard.board.benchmark_pages import MAIN
from leaderboard.board.compiled import compiled_prompts
from leaderboard.board.groups import group_masks
from leaderboard.board.rows import CellScores, System, state_text
from leaderboard.board.skills import skill_tables
from leaderboard.board.tables import Column, Row, SystemPage, Table, Value
from leaderboard.results.records import Outcome
from leaderboard.scoring.declared import BY_KEY
from leaderboard.scoring.ranking import RANKING

RANKING_GROUPS = ("all_gold_10", "hits_10", "fact_recall_10", "map_10")
GROUP_METRICS = ("match", "f1", "abstained", "evidence_shown", "evidence_complete")


def system_page(
    system: System,
    benchmarks: Sequence[Benchmark],
    described: Collection[str] = (),
    *,
    parent: System | None = None,
    against: Table | None = None,
) -> SystemPage:
    """Return the page of one system; ``against`` is its table against ``parent``, the system it is based on.

    ``described`` are the program kinds that have a page of the literature.
    Raises ``StateErrors`` and ``RunError`` as :func:`leaderboard.board.compiled.compiled_prompts` does.
    """
    submission = system.cells[0].cell.submission
    about = submission.document.system
    return SystemPage(
        key=system.key,
        name=about.name,
        authors=tuple(about.authors),
        description=about.description,
        paper=about.paper or "",
        literature=system.program if system.program in described else "",
        toml=submission.text,
        main=_main(system, benchmarks),
        groups=tuple(
            table for cell in system.cells for table in (*_groups(system, cell), *skill_tables(system, cell))
        ),
        outcomes=_outcomes(system),
        against=against,
        compiled=compiled_prompts(system, parent),
        notes=_notes(system),
        provenance=tuple(line for cell in system.cells for line in _provenance(cell)),
        commands=(
            f"leaderboard check submissions/{system.key}.toml",
            f"leaderboard build --only {system.key}",
            f"leaderboard build --only {system.key} --refresh",
            "leaderboard build --no-run",
        ),
    )


def _notes(system: System) -> tuple[str, ...]:
    withdrawn = system.cells[0].cell.submission.document.system.withdrawn
    notes = [f"Withdrawn: {withdrawn}"] if withdrawn else []
    for cell in system.cells:
        if cell.cell.stale_parts:
            notes.append(
                f"{cell.cell.benchmark.label}: recorded with another {', '.join(cell.cell.stale_parts)} than this page's; "
                "the numbers are those of the recording."
            )
    return tuple(notes)


def _main(system: System, benchmarks: Sequence[Benchmark]) -> Table:
    metrics = [BY_KEY[key] for key in MAIN] if system.asks_model else list(RANKING)
    return Table(
        key=f"{system.key}-main",
        title=f"{system.name}: scores",
        caption="A row a benchmark. In brackets, the 95 % interval where there is one.",
        row_heading="Benchmark",
        columns=tuple(column(metric) for metric in metrics),
        rows=tuple(
            Row(
                key=benchmark.name,
                label=benchmark.label,
                values={metric.key: system.value(benchmark.name, metric) for metric in metrics},
            )
            for benchmark in benchmarks
        ),
    )


def _groups(system: System, cell: CellScores) -> list[Table]:
    if cell.scores is None:
        return []
    benchmark, program = cell.cell.benchmark, cell.cell.program
    metrics = [BY_KEY[key] for key in (GROUP_METRICS if program.asks_model else RANKING_GROUPS)]
    tables = []
    for breakdown in benchmark.breakdowns:
        rows = [
            Row(
                key=label,
                label=label,
                values={metric.key: mean(cell.scores, metric, mask) for metric in metrics},
            )
            for label, mask in group_masks(benchmark, breakdown).items()
        ]
        tables.append(
            Table(
                key=f"{system.key}-{benchmark.name}-{breakdown.name}",
                title=f"{benchmark.label}: by {breakdown.label}",
                caption=breakdown.hint,
                row_heading=breakdown.label[:1].upper() + breakdown.label[1:],
                columns=tuple(column(metric) for metric in metrics),
                rows=tuple(rows),
            )
        )
    return tables


def _outcomes(system: System) -> Table:
    hints = {True: "The system's doing: scored.", False: "Not the system's doing: makes the cell incomplete."}
    rows = []
    for cell in system.cells:
        if cell.scores:
            run = cell.scores.run.run
            counts = {o.value: Value(value=float(run.outcomes.get(o, 0)), n=run.questions) for o in Outcome}
            rows.append(Row(key=cell.cell.benchmark.name, label=cell.cell.benchmark.label, values=counts))
    return Table(
        key=f"{system.key}-outcomes",
        title=f"{system.name}: outcomes",
        caption="How the questions ended; each row sums to the benchmark's questions.",
        row_heading="Benchmark",
        columns=tuple(
            Column(
                key=outcome.value,
                label=outcome.value,
                hint=hints[outcome.scored],
                decimals=0,
                percent=False,
                higher_is_better=None,
                source="design § 2",
                unit="questions",
            )
            for outcome in Outcome
        ),
        rows=tuple(rows),
    )


def _provenance(cell: CellScores) -> list[tuple[str, str]]:
    label = cell.cell.benchmark.label
    if cell.scores is None:
        return [(label, state_text(cell.cell))]
    folder, run = cell.scores.run.path, cell.scores.run.run
    place = "/".join(folder.parts[-4:])
    libraries = ", ".join(f"{name} {number}" for name, number in sorted(run.libraries.items()))
    lines = [
        (f"{label}: run", f"results/{place}, finished {run.finished_at}"),
        (
            f"{label}: calls",
            f"{run.calls_made} made, {run.calls_replayed} replayed in {run.wall_s:.0f} s on {run.platform}",
        ),
        (f"{label}: fingerprint", run.fingerprint),
        (f"{label}: records", f"sha256 {run.tables['records'].sha256}"),
        (f"{label}: libraries", libraries),
    ]
    if cell.cell.stale_parts:
        lines.append((f"{label}: recorded with other", ", ".join(cell.cell.stale_parts)))
    return lines
