"""A system opened on a benchmark: retriever, model and program, ready to answer one question after another."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import dspy

from leaderboard.benchmarks.questions import Question
from leaderboard.calls.spending import Ledger, Spent
from leaderboard.calls.store import CallStore, CallStoreError
from leaderboard.checking.compiled import state_of
from leaderboard.models.engine import Engine, Mode, open_lm
from leaderboard.models.providers import Provider
from leaderboard.plan import Cell
from leaderboard.programs.answering import adapter
from leaderboard.programs.system import System, open_system
from leaderboard.results.records import RetrievalCall
from leaderboard.results.tables import read_retrievals
from leaderboard.retrieval.keyword_sentence import KeywordSentenceLog
from leaderboard.retrieval.recorded import RetrievalLog
from leaderboard.running.questions import Answered, answer_question


@dataclass(frozen=True, slots=True)
class Bench:
    """What cells are run with: the provider asked, the store, prices and ceilings, the mode, questions at a time.

    ``provider`` is None for systems that ask no model. ``spent`` holds what each system has spent in this build.
    """

    provider: Provider | None
    store: CallStore
    ledger: Ledger
    mode: Mode = "live"
    workers: int = 1
    spent: defaultdict[str, Spent] = field(default_factory=lambda: defaultdict(Spent))


@dataclass(frozen=True, slots=True)
class Session:
    """An opened system that answers; once ``stop`` is set nothing more is asked."""

    system: System
    stop: threading.Event

    @property
    def log(self) -> RetrievalLog | KeywordSentenceLog | None:
        """The searches made, None for a system that searches nothing."""
        return self.system.log

    def answer(self, question: Question, repeat: int = 0) -> Answered:
        """Answer a question; whatever happens is in the record, except ``CallStoreError``."""
        try:
            return answer_question(self.system.program, self.system.task(question), repeat=repeat)
        except CallStoreError:
            self.stop.set()  # the other threads ask nothing more that could not be kept either
            raise


@contextmanager
def open_session(cell: Cell, bench: Bench, recorded: Iterable[RetrievalCall] = ()) -> Iterator[Session]:
    """Open a cell's system; searches of ``recorded`` runs are answered from there.

    Raises ``EncoderError`` when the retriever's encoder cannot be had, ``StateErrors`` for a compiled state that is not
    one of this submission's.
    """
    document = cell.submission.document
    state = state_of(cell.submission)
    system = open_system(document, cell.benchmark, cell.encoder, recorded=recorded, state=state)
    if bench.provider is None or document.lm is None:
        yield Session(system, threading.Event())
        return
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
    with dspy.context(lm=lm, adapter=adapter(), disable_history=True, track_usage=False):
        yield Session(system, engine.stop)


def recorded_searches(cell: Cell) -> Iterator[RetrievalCall]:
    """Yield the searches of a cell's runs, the newest run's last, so that it counts where two differ."""
    for earlier in reversed(cell.runs):
        yield from read_retrievals(earlier.table("retrievals"))
