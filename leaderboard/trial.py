"""A submission on a few questions of the sample, live and at once, before it is run on the board."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from leaderboard.benchmarks.questions import Question
from leaderboard.benchmarks.registry import load_benchmark
from leaderboard.build import require_known
from leaderboard.calls.spending import Spent
from leaderboard.calls.store import CallStore
from leaderboard.files import cache_dir
from leaderboard.models.opening import workers
from leaderboard.plan import Cell, plan
from leaderboard.results.tables import read_calls
from leaderboard.retrieval.encoders import EncoderError
from leaderboard.running.cells import open_bench
from leaderboard.running.session import Session, open_session, recorded_searches
from leaderboard.showing import Trace
from leaderboard.submissions.config import BoardConfig
from leaderboard.submissions.load import Submission


class TrialError(Exception):
    """Nothing can be tried: model, endpoint or encoder cannot be had, or nothing is left to try. The text says why."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A question that was tried. ``seconds`` are those of its calls when they were made, or of the search alone."""

    trace: Trace
    seconds: float


@dataclass(frozen=True, slots=True)
class Summary:
    """What the questions tried came to.

    ``matched`` of ``asked`` answers are correct; ``complete`` of ``with_gold`` questions had all their gold before
    the model (found, where none is asked). ``tokens`` and ``usd`` a question are None when they are unknown for one.
    ``without_result`` counts what was not the system's own doing.
    """

    questions: int
    asks_model: bool
    asked: int
    matched: int
    with_gold: int
    complete: int
    without_result: int
    tokens: float | None
    seconds: float
    usd: float | None


@dataclass(frozen=True, slots=True)
class Projection:
    """What a number of questions would take; ``usd`` None when it is unknown."""

    seconds: float
    usd: float | None


def plan_trial(
    config: BoardConfig, submission: Submission, names: Collection[str], questions: int, results: Path
) -> tuple[Cell, ...]:
    """Return a submission's cells on the first ``questions`` of each benchmark of the sample, whole corpus and all.

    ``names`` chooses benchmarks, all of the submission's when empty; earlier runs under ``results`` are read, never
    written. Raises ``BuildError`` for a name that the submission does not have, ``TrialError`` where no cell is left.
    """
    mine = submission.document.system.benchmarks
    require_known("benchmark", names, mine)
    benchmarks = [
        load_benchmark(name, "sample", limit=questions) for name in mine if not names or name in names
    ]
    cells = plan([submission], benchmarks, results, config.encoder_list)
    usable = tuple(cell for cell in cells if not cell.inapplicable)
    if not usable:
        raise TrialError("; ".join(cell.inapplicable for cell in cells))
    return usable


def run_trial(
    config: BoardConfig, cells: Sequence[Cell], told: Callable[[Tried], None], *, replay: bool = False
) -> tuple[Tried, ...]:
    """Ask each question of each cell, one at a time, and tell of each as soon as it is answered; return all.

    Calls are kept in the working store and answered from there and from the cells' runs. Raises ``TrialError`` when
    a cell's first question shows that nobody answers, ``WeightsError`` when an embedded model cannot be had.
    """
    tried: list[Tried] = []
    model = cells[0].submission.document.model
    with (
        closing(CallStore(cache_dir() / "calls")) as store,
        open_bench(config, model, store, Spent(), replay=replay) as bench,
    ):
        for cell in cells:
            for earlier in cell.runs:
                store.merge(read_calls(earlier.table("calls")))
            try:
                with open_session(cell, bench, recorded_searches(cell)) as session:
                    for number, question in enumerate(cell.benchmark.questions):
                        tried.append(_ask(session, cell, question, first=number == 0))
                        told(tried[-1])
            except EncoderError as error:
                raise TrialError(str(error)) from error
    return tuple(tried)


def on_the_board(config: BoardConfig, submission: Submission, data_dir: Path | None = None) -> dict[str, int]:
    """Return how many questions the board asks of a submission: benchmark → questions. Raises ``BenchmarkError``."""
    limits, track = config.questions, config.board.track
    return {
        name: len(
            load_benchmark(name, track, data_dir, limit=limits.limit(name), each=limits.group(name)).questions
        )
        for name in submission.document.system.benchmarks
        if name in config.board.every_benchmark
    }


def at_a_time(config: BoardConfig, submission: Submission) -> int:
    """Return how many questions a run asks at a time."""
    model = submission.document.model
    return workers(config.model_named(model)) if model else 1


def summarise(tried: Sequence[Tried]) -> Summary:
    """Return what one question or more came to."""
    traces = [one.trace for one in tried]
    matches = [trace.matches for trace in traces if trace.matches is not None]
    complete = [trace.evidence_complete for trace in traces if trace.evidence_complete is not None]
    return Summary(
        questions=len(tried),
        asks_model=traces[0].asks_model,
        asked=len(matches),
        matched=sum(matches),
        with_gold=len(complete),
        complete=sum(complete),
        without_result=sum(not trace.record.outcome.scored for trace in traces),
        tokens=_mean([trace.tokens for trace in traces]),
        seconds=sum(one.seconds for one in tried) / len(tried),
        usd=_mean([trace.record.paid_usd for trace in traces]),
    )


def projection(summary: Summary, questions: int, at_a_time: int) -> Projection:
    """Return what ``questions`` take at the pace and price of those that were tried, so many ``at_a_time``."""
    return Projection(
        summary.seconds * questions / at_a_time, None if summary.usd is None else summary.usd * questions
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if len(known) == len(values) else None


def _ask(session: Session, cell: Cell, question: Question, *, first: bool) -> Tried:
    started = time.monotonic()
    answered = session.answer(question)
    elapsed_s = time.monotonic() - started
    if first and answered.unavailable:
        raise TrialError(f"{cell.system} on {cell.benchmark.label}: {answered.unavailable}")
    trace = Trace(
        cell.system,
        cell.benchmark.name,
        cell.benchmark.label,
        question,
        answered.record,
        tuple(answered.meter.calls),
        asks_model=cell.program.asks_model,
        retrieves=cell.submission.document.retriever.kind != "none",
    )
    return Tried(trace, answered.record.latency_s if cell.program.asks_model else elapsed_s)
