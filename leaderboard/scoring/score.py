"""From records to scores: a row a question, a column a metric, kept under ``build/scores`` until records or a
metric's revision change."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from leaderboard.files import digest_json, replacing
from leaderboard.plan import Cell
from leaderboard.results.records import Record
from leaderboard.results.runs import RunError, RunFolder
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

    Raises ``RunError`` when the records are not of this benchmark's questions.
    """
    run = cell.shown
    if run is None:
        return None
    key = digest_json([REVISION, run.run.tables["records"].sha256, cell.benchmark.questions_digest])
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
    """Return the records in the order of the questions; refuse a run made on other questions."""
    rows = read_records(run.table("records"))
    times = Counter(record.question for record in rows)
    twice = next((question for question, count in times.items() if count > run.run.repeats), None)
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
