"""Running one cell: its questions, in order or several at a time, into a new run folder."""

from __future__ import annotations

import contextvars
import logging
import platform
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from leaderboard.benchmarks.questions import Question
from leaderboard.calls.store import StoredCall
from leaderboard.plan import Cell
from leaderboard.results.records import Outcome, Record
from leaderboard.results.runs import Run, RunFolder, new_run_folder, write_run
from leaderboard.results.tables import (
    read_calls,
    write_calls,
    write_records,
    write_retrievals,
)
from leaderboard.retrieval.encoders import EncoderError
from leaderboard.running.questions import Answered
from leaderboard.running.session import Bench, Session, open_session, recorded_searches

_LOG = logging.getLogger(__name__)
INTERRUPT_S = 0.2
"""Longest wait before an interrupt is noticed, seconds."""

_LIBRARIES = ("dspy", "bm25s", "PyStemmer", "model2vec", "tokenizers", "xllamacpp", "polars")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a cell is: answers done of all, calls made and replayed, outcomes that are not the system's doing.

    ``answers`` are questions times repeats; ``tokens`` and ``paid_usd`` (None: unknown) are of the calls made now.
    """

    done: int
    answers: int
    made: int
    replayed: int
    troubles: int
    tokens: int = 0
    paid_usd: float | None = 0.0


Report = Callable[[Progress], None]


class CellNotRun(Exception):
    """Model or endpoint cannot be had, as the first question already shows: nothing is written. The text says why."""


@dataclass(slots=True)
class Tally:
    """What a cell has come to so far."""

    answers: int
    records: list[Record] = field(default_factory=list)
    calls: dict[str, StoredCall] = field(default_factory=dict)
    troubles: int = 0
    made: int = 0
    replayed: int = 0
    tokens: int = 0
    paid_usd: float | None = 0.0

    def add(self, answered: Answered) -> None:
        """Count an answer."""
        meter = answered.meter
        self.records.append(answered.record)
        self.troubles += not answered.record.outcome.scored
        self.calls.update((call.key, call) for call in meter.calls)
        self.made += meter.made
        self.replayed += len(meter.calls) - meter.made
        for call in meter.fresh:
            self.tokens += sum(call.response[name] or 0 for name in ("prompt_tokens", "completion_tokens"))
            paid = call.paid_usd
            self.paid_usd = None if self.paid_usd is None or paid is None else self.paid_usd + paid

    @property
    def outcomes(self) -> dict[Outcome, int]:
        """How often each outcome came."""
        counts = Counter(record.outcome for record in self.records)
        return {outcome: counts[outcome] for outcome in Outcome}

    @property
    def progress(self) -> Progress:
        """How far the cell is."""
        return Progress(
            len(self.records),
            self.answers,
            self.made,
            self.replayed,
            self.troubles,
            self.tokens,
            self.paid_usd,
        )


def run_cell(
    cell: Cell, bench: Bench, results: Path, report: Report = lambda _: None, *, repeats: int = 1
) -> RunFolder:
    """Run all questions of a cell ``repeats`` times and write its run folder; return it.

    An interrupt loses nothing: every response was committed when it came, and the next run replays it. Nothing is
    written for a cell that was not finished, nor for one in which nothing is new. Raises ``CallStoreError`` when
    responses cannot be kept, ``CellNotRun`` when model, endpoint or encoder cannot be had at all.
    """
    started, clock = datetime.now(UTC), time.monotonic()
    benchmark = cell.benchmark
    tally = Tally(len(benchmark.questions) * repeats)
    report(tally.progress)
    for earlier in cell.runs:
        if conflicts := bench.store.merge(read_calls(earlier.table("calls"))):
            _LOG.warning(
                "%s: %d calls are recorded otherwise in the store, which stays", earlier.path, len(conflicts)
            )
    asked = [Asked(question, repeat) for repeat in range(repeats) for question in benchmark.questions]
    with _opened(cell, bench) as session:
        for answered in _each(session, asked, bench.workers):
            if not tally.records and answered.unavailable:
                raise CellNotRun(answered.unavailable)
            tally.add(answered)
            report(tally.progress)
        retrievals = session.log.rows() if session.log else ()

    newest = _newest(cell, repeats)
    if newest and not newest.run.complete and not tally.made and tally.outcomes == newest.run.outcomes:
        return newest
    with new_run_folder(results, (benchmark.track, benchmark.name, cell.system), cell.fingerprint) as (
        folder,
        place,
    ):
        tables = {
            "records": write_records(folder / "records.parquet", tally.records, run=place.name),
            "calls": write_calls(folder / "calls.parquet", tally.calls.values()),
            "retrievals": write_retrievals(folder / "retrievals.parquet", retrievals),
        }
        run = Run(
            system=cell.system,
            benchmark=benchmark.name,
            track=benchmark.track,
            fingerprint=cell.fingerprint,
            parts=dict(cell.parts),
            submission=cell.parts["submission"],
            questions=len(benchmark.questions),
            repeats=repeats,
            started_at=started.isoformat(timespec="seconds"),
            finished_at=datetime.now(UTC).isoformat(timespec="seconds"),
            wall_s=round(time.monotonic() - clock, 3),
            calls_made=tally.made,
            calls_replayed=tally.replayed,
            outcomes=tally.outcomes,
            platform=f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
            libraries={library: version(library) for library in _LIBRARIES},
            corpus_documents=len(benchmark.documents),
            tables=tables,
        )
        write_run(folder, run)
    return RunFolder(place, run)


def _newest(cell: Cell, repeats: int) -> RunFolder | None:
    """Return the cell's newest run of these questions, asked this often, which need not be the one shown."""
    questions = cell.parts["questions"]
    return next(
        (
            folder
            for folder in cell.runs
            if folder.run.repeats == repeats and folder.run.parts.get("questions") == questions
        ),
        None,
    )


class Asked(NamedTuple):
    """A question and which time it is asked, from 0."""

    question: Question
    repeat: int


@contextmanager
def _opened(cell: Cell, bench: Bench) -> Iterator[Session]:
    try:
        with open_session(cell, bench, recorded_searches(cell)) as session:
            yield session
    except EncoderError as error:
        raise CellNotRun(str(error)) from error


def _each(session: Session, asked: Sequence[Asked], workers: int) -> Iterator[Answered]:
    """Yield the answers in order: the first question alone, since it shows whether anybody answers.

    Each task of the pool runs in a copy of this context: dspy's settings are in it. An interrupt waits for the
    answers in flight, so that they are kept, and ends every wait between retries.
    """
    if workers == 1:
        yield from (session.answer(*one) for one in asked)
        return
    yield session.answer(*asked[0])
    pool = ThreadPoolExecutor(max_workers=workers)
    try:
        futures = [
            pool.submit(contextvars.copy_context().run, session.answer, question, repeat)
            for question, repeat in asked[1:]
        ]
        for future in futures:
            while not future.done():
                # With a timeout: polars' own handler of SIGINT lets a wait without one go on after Ctrl-C.
                wait([future], timeout=INTERRUPT_S)
            yield future.result()
    except BaseException:
        session.stop.set()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
