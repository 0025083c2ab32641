"""From records to scores: a row a question and repeat, a column a metric, kept under ``build/scores`` until records, a
metric's revision or the benchmark's errata change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from leaderboard.benchmarks.errata import Errata, errata_for
from leaderboard.files import digest_json, replacing
from leaderboard.plan import Cell
from leaderboard.results.records import Outcome, Record
from leaderboard.results.runs import TABLES, RunError, RunFolder
from leaderboard.results.tables import read_records
from leaderboard.scoring.declared import REVISION, metrics_of
from leaderboard.scoring.metric import Case, Metric

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Scores:
    """A run's scores, in the order of the benchmark's questions.

    ``scored`` has shape (questions,): False where an outcome of a repeat is not the system's doing. ``repeats`` maps a
    metric's key to an array of shape (repeats, questions), NaN where it does not apply, or is unknown.
    """

    cell: Cell
    run: RunFolder
    scored: npt.NDArray[np.bool_]
    repeats: dict[str, Values]

    def of(self, metric: Metric) -> Values:
        """Return a metric's value of each question, shape (questions,): the mean over the repeats where it applies."""
        values = self.repeats.get(metric.key)
        if values is None:
            return np.full(len(self.scored), np.nan)
        counts = (~np.isnan(values)).sum(axis=0)
        sums: Values = np.nansum(values, axis=0)
        return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)

    def knows(self, metric: Metric) -> bool:
        """Whether the metric says anything about this system on this benchmark."""
        return metric.key in self.repeats


def score_cell(cell: Cell, folder: Path) -> Scores | None:
    """Return the scores of the run that the board shows, computed or read back; None when the cell has no run.

    Errata of the benchmark are an overlay of the scores: the records, and what the run was made of, are as they were.
    Raises ``RunError`` when the records are not of this benchmark's questions, or not what ``run.json`` counts, and
    ``ErrataError``.
    """
    run = cell.shown
    if run is None:
        return None
    for table in TABLES:
        run.table(table)  # the bytes are those that run.json names, whether the scores are kept or not
    told = run.run.model_dump(mode="json", include={"questions", "repeats", "outcomes"})
    errata = errata_for(cell.benchmark)
    metrics = metrics_of(cell, errata)
    key = digest_json(
        [
            REVISION,
            run.path.name,
            told,
            run.file("records").sha256,
            cell.benchmark.questions_digest,
            [metric.key for metric in metrics],
            errata.digest,
        ]
    )
    path = folder / cell.benchmark.track / cell.benchmark.name / f"{cell.system}-{key[:16]}.parquet"
    shape = (run.run.repeats, len(cell.benchmark.questions))
    frame = _read(path, metrics, shape[0] * shape[1])
    if frame is None:
        frame = _frame(cell, run, metrics, errata)
        for old in path.parent.glob(f"{cell.system}-????????????????.parquet"):
            old.unlink(missing_ok=True)
        with replacing(path) as temporary:
            frame.write_parquet(temporary, compression="zstd", statistics=False)
    scored: npt.NDArray[np.bool_] = np.all(frame["scored"].to_numpy().reshape(shape), axis=0)
    return Scores(
        cell=cell,
        run=run,
        scored=scored,
        repeats={
            metric.key: frame[metric.key].fill_null(float("nan")).to_numpy().reshape(shape)
            for metric in metrics
        },
    )


def _schema(metrics: Sequence[Metric]) -> dict[str, pl.DataType]:
    return {
        "question": pl.String(),
        "repeat": pl.Int32(),
        "scored": pl.Boolean(),
        **{metric.key: pl.Float64() for metric in metrics},
    }


def _read(path: Path, metrics: Sequence[Metric], rows: int) -> pl.DataFrame | None:
    """Return the kept scores; None where there are none, or where the file is not what was kept."""
    try:
        frame = pl.read_parquet(path)
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None
    whole = frame.height == rows and dict(frame.schema) == _schema(metrics)
    return frame if whole and not frame["scored"].has_nulls() else None


def _frame(cell: Cell, run: RunFolder, metrics: Sequence[Metric], errata: Errata) -> pl.DataFrame:
    documents = {document.id: document for document in cell.benchmark.documents}
    questions = cell.benchmark.by_id
    cases = [Case(record, questions[record.question], documents, errata) for record in _aligned(cell, run)]
    columns: dict[str, list[object]] = {
        "question": [case.record.question for case in cases],
        "repeat": [case.record.repeat for case in cases],
        "scored": [case.record.outcome.scored for case in cases],
    }
    for metric in metrics:
        columns[metric.key] = [
            metric.compute(case) if case.record.outcome.scored and metric.applies(case.question) else None
            for case in cases
        ]
    return pl.DataFrame(columns, schema=_schema(metrics))


def _aligned(cell: Cell, run: RunFolder) -> list[Record]:
    """Return the records in the order of repeats, then questions; refuse a run made on other questions, or miscounted."""
    rows = read_records(run.table("records"))
    _check_counts(run, rows)
    again = f"run the cell again (leaderboard build --refresh --only {cell.system})"
    times = Counter((record.question, record.repeat) for record in rows)
    twice = next(((question, count) for (question, _), count in times.items() if count > 1), None)
    if twice is not None:
        raise RunError(f"{run.path}: has {twice[1]} records of question {twice[0]}; {again}")
    records = {(record.question, record.repeat): record for record in rows}
    aligned = []
    for repeat in range(run.run.repeats):
        for question in cell.benchmark.questions:
            record = records.pop((question.id, repeat), None)
            if record is None or record.question_digest != question.digest:
                what = "has no record of" if record is None else "was made with another wording or gold of"
                raise RunError(
                    f"{run.path}: {what} question {question.id} of {cell.benchmark.label}; {again}"
                )
            _check_evidence(run, record, len(question.evidence))
            aligned.append(record)
    if records:
        raise RunError(
            f"{run.path}: has records of {len(records)} questions that {cell.benchmark.label} does not have, such as "
            f"{min(records)[0]}; {again}"
        )
    return aligned


def _check_evidence(run: RunFolder, record: Record, gold: int) -> None:
    """Refuse a record that found gold evidence which its question does not have."""
    named = [found.evidence for found in record.returned] + [found.evidence for found in record.shown]
    if (beyond := next((index for items in named for index in items if index >= gold), None)) is not None:
        raise RunError(
            f"{run.path}/records.parquet: question {record.question} names gold item {beyond}, counted from 0, of "
            f"{gold}; restore the file, or remove the run's folder"
        )


def _check_counts(run: RunFolder, rows: Sequence[Record]) -> None:
    """Refuse a run whose ``run.json`` says of the records what they do not say, since it decides what is ranked."""
    place, repair = f"{run.path}/run.json", "restore the file, or remove the run's folder"
    repeats = run.run.repeats
    other = next(
        (row for row in rows if not 0 <= row.repeat < repeats or row.run not in ("", run.path.name)), None
    )
    if other is not None:
        raise RunError(
            f"{run.path}/records.parquet: question {other.question} is of run {other.run!r}, repeat {other.repeat}, "
            f"expected this folder's run, repeats 0 to {repeats - 1}; {repair}"
        )
    counts = Counter(row.outcome for row in rows)
    wrong = [
        f"{outcome.value}: {run.run.outcomes.get(outcome, 0)} told, {counts[outcome]} in the records"
        for outcome in Outcome
        if run.run.outcomes.get(outcome, 0) != counts[outcome]
    ]
    if len(rows) != run.run.questions * repeats:
        wrong.append(
            f"questions times repeats: {run.run.questions * repeats} told, {len(rows)} in the records"
        )
    if wrong:
        raise RunError(f"{place}: not what the records say ({'; '.join(wrong)}); {repair}")
