"""A system opened on a corpus: its program and what it searches, before any model is asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from leaderboard.benchmarks.questions import Benchmark, Question
from leaderboard.catalog.encoders import Encoder
from leaderboard.checking.state import State
from leaderboard.programs.opening import open_program
from leaderboard.programs.task import Task
from leaderboard.results.records import RetrievalCall
from leaderboard.retrieval.gold import GoldPassages
from leaderboard.retrieval.keyword_sentence import KeywordSentenceIndex, KeywordSentenceLog
from leaderboard.retrieval.opening import open_retriever
from leaderboard.retrieval.passages import Retriever
from leaderboard.retrieval.recorded import RetrievalLog
from leaderboard.submissions.schema import SubmissionDocument


@dataclass(frozen=True, slots=True)
class System:
    """An opened system. ``log`` holds its searches, None where it searches nothing; ``calls_per_question`` is its own limit."""

    program: Any
    log: RetrievalLog | KeywordSentenceLog | None
    gold: GoldPassages | None
    calls_per_question: int | None = None

    def task(self, question: Question, program: Any = None) -> Task:
        """Return a question as a new task of the program, or of a copy of it, whose reranker it then uses."""
        return Task(
            question,
            retriever=self.log if isinstance(self.log, RetrievalLog) else None,
            tools=self.log if isinstance(self.log, KeywordSentenceLog) else None,
            gold_hits=self.gold.hits if self.gold else None,
            rerank=getattr(self.program if program is None else program, "reranker", None),
            calls_per_question=self.calls_per_question,
        )


def open_system(
    document: SubmissionDocument,
    benchmark: Benchmark,
    encoder: Encoder | None = None,
    *,
    recorded: Iterable[RetrievalCall] = (),
    state: State | None = None,
) -> System:
    """Open a submission's system on a benchmark's corpus; searches of ``recorded`` runs are answered from there.

    Raises ``EncoderError`` when the retriever's encoder cannot be had.
    """
    retriever = open_retriever(document.retriever, benchmark, encoder)
    return System(
        program=open_program(document.program, document.reranker, state),
        log=_log(retriever, recorded) if retriever else None,
        gold=GoldPassages(benchmark.documents) if document.retriever.kind == "gold" else None,
        calls_per_question=document.limits.calls_per_question,
    )


def _log(
    retriever: Retriever | KeywordSentenceIndex, recorded: Iterable[RetrievalCall]
) -> RetrievalLog | KeywordSentenceLog:
    if isinstance(retriever, KeywordSentenceIndex):
        return KeywordSentenceLog(retriever, recorded)
    return RetrievalLog(retriever, recorded)
