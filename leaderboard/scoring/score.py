"""From records to scores: a row a question, a column a metric, kept under ``build/scores`` until records or a
metric's revision change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from leaderboard.files import digest_json, replacing
from leaderboard.plan import Cell
from leaderboard.results.records import Outcome, Record
from leaderboard.results.runs import TABLES, RunError, RunFolder
from leaderboard.results.tables import read_records
from leaderboard.scoring.declared import EVIDENCE, METRICS, REVISION, Metric

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Scores:
    """A run's scores, in the order of the benchmark's questions.

    ``values`` maps a metric's key to an array of shape (questions,), NaN where it does not apply or where the outcome
    is not the system's doing; ``scored`` is False for the latter.
    """

    cell: Cell
    run: RunFolder
    scored: npt.NDArray[np.bool_]
    values: dict[str, Values]


def score_cell(cell: Cell, folder: Path) -> Scores | None:
    """Return the scores of the run that the board shows, computed or read back; None when the cell has no run.

    Raises ``RunError`` when the records are not of this benchmark's questions, or not what ``run.json`` counts.
    """
    run = cell.shown
    if run is None:
        return None
    for table in TABLES:
        run.table(table)  # the bytes are those that run.json names, whether the scores are kept or not
    told = run.run.model_dump(mode="json", include={"questions", "repeats", "outcomes"})
    key = digest_json(
        [REVISION, run.path.name, told, run.file("records").sha256, cell.benchmark.questions_digest]
    )
    path = folder / cell.benchmark.track / cell.benchmark.name / f"{cell.system}-{key[:16]}.parquet"
    frame = _read(path)
    if frame is None:
        frame = _frame(cell, run)
        for old in path.parent.glob(f"{cell.system}-????????????????.parquet"):
            old.unlink(missing_ok=True)
        with replacing(path) as temporary:
            frame.write_parquet(temporary, compression="zstd", statistics=False)
    return Scores(
        cell=cell,
        run=run,
        scored=frame["scored"].to_numpy(),
        values={metric.key: frame[metric.key].fill_null(float("nan")).to_numpy() for metric in METRICS},
    )


def applies(metric: Metric, cell: Cell) -> bool:
    """Return whether a metric says anything about a cell's system: evidence does not, where nothing is retrieved."""
    return metric.key not in EVIDENCE or cell.submission.document.retriever.kind != "none"


def _read(path: Path) -> pl.DataFrame | None:
    try:
        frame = pl.read_parquet(path)
    except (OSError, pl.exceptions.PolarsError):
        return None
    return frame if {metric.key for metric in METRICS} <= set(frame.columns) else None


def _frame(cell: Cell, run: RunFolder) -> pl.DataFrame:
    records = _aligned(cell, run)
    columns: dict[str, list[object]] = {
        "question": [record.question for record in records],
        "scored": [record.outcome.scored for record in records],
    }
    for metric in METRICS:
        known = applies(metric, cell)
        columns[metric.key] = [
            metric.compute(record, question) if known and record.outcome.scored else None
            for record, question in zip(records, cell.benchmark.questions, strict=True)
        ]
    schema: dict[str, pl.DataType] = {"question": pl.String(), "scored": pl.Boolean()}
    return pl.DataFrame(columns, schema={**schema, **{metric.key: pl.Float64() for metric in METRICS}})


def _aligned(cell: Cell, run: RunFolder) -> list[Record]:
    """Return the records in the order of the questions; refuse a run made on other questions, or miscounted."""
    rows = read_records(run.table("records"))
    _check_counts(run, rows)
    times = Counter(record.question for record in rows)
    twice = next((question for question, count in times.items() if count > 1), None)
    if twice is not None:
        raise RunError(
            f"{run.path}: has {times[twice]} records of question {twice}; run the cell again "
            f"(leaderboard build --refresh --only {cell.system})"
        )
    records = {record.question: record for record in rows}
    aligned = []
    for question in cell.benchmark.questions:
        record = records.pop(question.id, None)
        if record is None or record.question_digest != question.digest:
            what = "has no record of" if record is None else "was made with another wording or gold of"
            raise RunError(
                f"{run.path}: {what} question {question.id} of {cell.benchmark.label}; run the cell again "
                f"(leaderboard build --refresh --only {cell.system})"
            )
        aligned.append(record)
    if records:
        raise RunError(
            f"{run.path}: has records of {len(records)} questions that {cell.benchmark.label} does not have, such as "
            f"{min(records)}; run the cell again (leaderboard build --refresh --only {cell.system})"
        )
    return aligned


def _check_counts(run: RunFolder, rows: Sequence[Record]) -> None:
    """Refuse a run whose ``run.json`` says of the records what they do not say, since it decides what is ranked."""
    place, repair = f"{run.path}/run.json", "restore the file, or remove the run's folder"
    if run.run.repeats != 1:
        raise RunError(
            f"{place}: repeats: this version scores runs of 1 repeat, found {run.run.repeats}; {repair}"
        )
    other = next((row for row in rows if row.repeat != 0 or row.run not in ("", run.path.name)), None)
    if other is not None:
        raise RunError(
            f"{run.path}/records.parquet: question {other.question} is of run {other.run!r}, repeat {other.repeat}, "
            f"expected this folder's run, repeat 0; {repair}"
        )
    counts = Counter(row.outcome for row in rows)
    wrong = [
        f"{outcome.value}: {run.run.outcomes.get(outcome, 0)} told, {counts[outcome]} in the records"
        for outcome in Outcome
        if run.run.outcomes.get(outcome, 0) != counts[outcome]
    ]
    if len(rows) != run.run.questions:
        wrong.append(f"questions: {run.run.questions} told, {len(rows)} in the records")
    if wrong:
        raise RunError(f"{place}: not what the records say ({'; '.join(wrong)}); {repair}")
