"""Running one cell: its questions, in order or several at a time, into a new run folder."""

from __future__ import annotations

import contextvars
import platform
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import dspy

from leaderboard.benchmarks.questions import Question
from leaderboard.calls.spending import Ledger
from leaderboard.calls.store import CallStore, StoredCall
from leaderboard.models.engine import Engine, Mode, open_lm
from leaderboard.models.meter import Meter
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
from leaderboard.running.questions import answer_question

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
    """What cells are run with: the provider asked, the store, prices and ceilings, the mode, questions at a time."""

    provider: Provider
    store: CallStore
    ledger: Ledger
    mode: Mode = "live"
    workers: int = 1


class CellNotRun(Exception):
    """The first question already got no result that is the system's doing: nothing is written. The text says why."""


def run_cell(cell: Cell, bench: Bench, results: Path, report: Report = lambda _: None) -> RunFolder:
    """Run all questions of a cell and write its run folder; return it.

    An interrupt loses nothing: every response was committed when it came, and the next run replays it. Nothing is
    written for a cell that was not finished. Raises ``CallStoreError`` when responses cannot be kept, ``CellNotRun``
    when model or endpoint cannot be had at all.
    """
    started, clock = datetime.now(UTC), time.monotonic()
    report(Progress(0, len(cell.benchmark.questions), 0, 0, 0))
    for earlier in cell.runs:
        bench.store.merge(read_calls(earlier.table("calls")))
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
    )
    lm = open_lm(
        engine,
        temperature=document.lm.temperature,
        max_tokens=document.lm.max_tokens,
        top_p=document.lm.top_p,
    )
    program = open_program(document.program)

    def answer(question: Question) -> tuple[Record, Meter]:
        return answer_question(program, Task(question, retriever=log, gold_hits=gold.hits if gold else None))

    records: list[Record] = []
    calls: dict[str, StoredCall] = {}
    made = replayed = 0
    with dspy.context(lm=lm, adapter=adapter(), disable_history=True, track_usage=False):
        for record, meter in _each(answer, benchmark.questions, bench.workers):
            if not records and not record.outcome.scored:
                raise CellNotRun(record.error or record.outcome.value)
            records.append(record)
            calls.update((call.key, call) for call in meter.calls)
            made += meter.made
            replayed += len(meter.calls) - meter.made
            troubles = sum(not record.outcome.scored for record in records)
            report(Progress(len(records), len(benchmark.questions), made, replayed, troubles))

    counts = Counter(record.outcome for record in records)
    with new_run_folder(results, (benchmark.track, benchmark.name, cell.system), cell.fingerprint) as (
        folder,
        place,
    ):
        tables = {
            "records": write_records(folder / "records.parquet", records),
            "calls": write_calls(folder / "calls.parquet", calls.values()),
            "retrievals": write_retrievals(folder / "retrievals.parquet", log.rows() if log else ()),
        }
        run = Run(
            system=cell.system,
            benchmark=benchmark.name,
            track=benchmark.track,
            fingerprint=cell.fingerprint,
            parts=dict(cell.parts),
            submission=cell.parts["submission"],
            questions=len(records),
            repeats=1,
            started_at=started.isoformat(timespec="seconds"),
            finished_at=datetime.now(UTC).isoformat(timespec="seconds"),
            wall_s=round(time.monotonic() - clock, 3),
            calls_made=made,
            calls_replayed=replayed,
            outcomes={outcome: counts[outcome] for outcome in Outcome},
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
    answer: Callable[[Question], tuple[Record, Meter]], questions: Iterable[Question], workers: int
) -> Iterator[tuple[Record, Meter]]:
    """Yield the results in the questions' order. Each task runs in a copy of this context: dspy's settings are in it."""
    if workers == 1:
        yield from map(answer, questions)
        return
    pool = ThreadPoolExecutor(max_workers=workers)
    try:
        futures: list[Any] = [
            pool.submit(contextvars.copy_context().run, answer, question) for question in questions
        ]
        for future in futures:
            yield future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
