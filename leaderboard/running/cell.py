"""Running one cell: its questions, in order or several at a time, into a new run folder."""

from __future__ import annotations

import contextvars
import logging
import platform
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import dspy

from leaderboard.benchmarks.questions import Question
from leaderboard.calls.spending import Ledger, Spent
from leaderboard.calls.store import CallStore, CallStoreError, StoredCall
from leaderboard.models.engine import Engine, Mode, open_lm
from leaderboard.models.providers import Provider
from leaderboard.plan import Cell
from leaderboard.programs.answering import adapter
from leaderboard.programs.opening import open_program
from leaderboard.programs.task import Task
from leaderboard.results.records import Outcome, Record, RetrievalCall
from leaderboard.results.runs import Run, RunFolder, new_run_folder, write_run
from leaderboard.results.tables import (
    read_calls,
    read_retrievals,
    write_calls,
    write_records,
    write_retrievals,
)
from leaderboard.retrieval.gold import GoldPassages
from leaderboard.retrieval.opening import open_retriever
from leaderboard.retrieval.recorded import RetrievalLog
from leaderboard.running.questions import Answered, answer_question

_LOG = logging.getLogger(__name__)
INTERRUPT_S = 0.2
"""Longest wait before an interrupt is noticed, seconds."""

_LIBRARIES = ("dspy", "bm25s", "PyStemmer", "xllamacpp", "polars")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a cell is: questions done of all, calls made and replayed, outcomes that are not the system's doing."""

    done: int
    questions: int
    made: int
    replayed: int
    troubles: int


Report = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Bench:
    """What cells are run with: the provider asked, the store, prices and ceilings, the mode, questions at a time.

    ``spent`` holds what each system has spent in this build.
    """

    provider: Provider
    store: CallStore
    ledger: Ledger
    mode: Mode = "live"
    workers: int = 1
    spent: defaultdict[str, Spent] = field(default_factory=lambda: defaultdict(Spent))


class CellNotRun(Exception):
    """Model or endpoint cannot be had, as the first question already shows: nothing is written. The text says why."""


@dataclass(slots=True)
class Tally:
    """What a cell has come to so far."""

    questions: int
    records: list[Record] = field(default_factory=list)
    calls: dict[str, StoredCall] = field(default_factory=dict)
    made: int = 0
    replayed: int = 0

    def add(self, answered: Answered) -> None:
        """Count a question."""
        self.records.append(answered.record)
        self.calls.update((call.key, call) for call in answered.meter.calls)
        self.made += answered.meter.made
        self.replayed += len(answered.meter.calls) - answered.meter.made

    @property
    def outcomes(self) -> dict[Outcome, int]:
        """How often each outcome came."""
        counts = Counter(record.outcome for record in self.records)
        return {outcome: counts[outcome] for outcome in Outcome}

    @property
    def progress(self) -> Progress:
        """How far the cell is."""
        troubles = sum(not record.outcome.scored for record in self.records)
        return Progress(len(self.records), self.questions, self.made, self.replayed, troubles)


def run_cell(cell: Cell, bench: Bench, results: Path, report: Report = lambda _: None) -> RunFolder:
    """Run all questions of a cell and write its run folder; return it.

    An interrupt loses nothing: every response was committed when it came, and the next run replays it. Nothing is
    written for a cell that was not finished, nor for one in which nothing is new. Raises ``CallStoreError`` when
    responses cannot be kept, ``CellNotRun`` when model or endpoint cannot be had at all.
    """
    started, clock = datetime.now(UTC), time.monotonic()
    tally = Tally(len(cell.benchmark.questions))
    report(tally.progress)
    for earlier in cell.runs:
        if conflicts := bench.store.merge(read_calls(earlier.table("calls"))):
            _LOG.warning(
                "%s: %d calls are recorded otherwise in the store, which stays", earlier.path, len(conflicts)
            )
    document, benchmark = cell.submission.document, cell.benchmark
    retriever = open_retriever(document.retriever, benchmark)
    log = RetrievalLog(retriever, _recorded_retrievals(cell)) if retriever else None
    gold = GoldPassages(benchmark.documents) if document.retriever.kind == "gold" else None
    engine = Engine(
        bench.provider,
        bench.store,
        model=document.lm.model,
        mode=bench.mode,
        calls_per_question=document.limits.calls_per_question,
        ledger=bench.ledger,
        allowance=bench.ledger.of_submission(bench.spent[cell.system], document.limits.usd_total),
    )
    lm = open_lm(
        engine,
        temperature=document.lm.temperature,
        max_tokens=document.lm.max_tokens,
        top_p=document.lm.top_p,
    )
    program = open_program(document.program)

    def answer(question: Question) -> Answered:
        try:
            return answer_question(
                program, Task(question, retriever=log, gold_hits=gold.hits if gold else None)
            )
        except CallStoreError:
            engine.stop.set()  # the other threads ask nothing more that could not be kept either
            raise

    with dspy.context(lm=lm, adapter=adapter(), disable_history=True, track_usage=False):
        for answered in _each(answer, benchmark.questions, bench.workers, engine.stop):
            if not tally.records and answered.unavailable:
                raise CellNotRun(answered.unavailable)
            tally.add(answered)
            report(tally.progress)

    newest = cell.shown
    if newest and not newest.run.complete and not tally.made and tally.outcomes == newest.run.outcomes:
        return newest
    with new_run_folder(results, (benchmark.track, benchmark.name, cell.system), cell.fingerprint) as (
        folder,
        place,
    ):
        tables = {
            "records": write_records(folder / "records.parquet", tally.records, run=place.name),
            "calls": write_calls(folder / "calls.parquet", tally.calls.values()),
            "retrievals": write_retrievals(folder / "retrievals.parquet", log.rows() if log else ()),
        }
        run = Run(
            system=cell.system,
            benchmark=benchmark.name,
            track=benchmark.track,
            fingerprint=cell.fingerprint,
            parts=dict(cell.parts),
            submission=cell.parts["submission"],
            questions=len(tally.records),
            repeats=1,
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


def _recorded_retrievals(cell: Cell) -> Iterator[RetrievalCall]:
    for folder in reversed(cell.runs):
        yield from read_retrievals(folder.table("retrievals"))


def _each(
    answer: Callable[[Question], Answered], questions: Sequence[Question], workers: int, stop: threading.Event
) -> Iterator[Answered]:
    """Yield the results in the questions' order: the first question alone, since it shows whether anybody answers.

    Each task of the pool runs in a copy of this context: dspy's settings are in it. An interrupt waits for the
    answers in flight, so that they are kept, and ends every wait between retries.
    """
    if workers == 1:
        yield from map(answer, questions)
        return
    yield answer(questions[0])
    pool = ThreadPoolExecutor(max_workers=workers)
    try:
        futures = [
            pool.submit(contextvars.copy_context().run, answer, question) for question in questions[1:]
        ]
        for future in futures:
            while not future.done():
                # With a timeout: polars' own handler of SIGINT lets a wait without one go on after Ctrl-C.
                wait([future], timeout=INTERRUPT_S)
            yield future.result()
    except BaseException:
        stop.set()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
