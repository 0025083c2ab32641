"""A program played through with a scripted model: real engine, real store, real indexes over six articles."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dspy

from leaderboard.benchmarks.questions import Document, Evidence, Question
from leaderboard.calls.spending import Ledger, Spent
from leaderboard.calls.store import CallStore
from leaderboard.catalog.parameters import ProgramParameters
from leaderboard.catalog.programs import PROGRAMS, MultiStep
from leaderboard.catalog.rerankers import RerankerParameters
from leaderboard.catalog.retrievers import TOOLS
from leaderboard.models.engine import Engine, open_lm
from leaderboard.programs.answering import adapter
from leaderboard.programs.opening import open_program
from leaderboard.programs.task import Task
from leaderboard.results.records import Record
from leaderboard.retrieval.bm25 import BM25Retriever
from leaderboard.retrieval.dense import DenseRetriever
from leaderboard.retrieval.keyword_sentence import KeywordSentenceLog, open_keyword_sentence
from leaderboard.retrieval.passages import Passage
from leaderboard.retrieval.recorded import RetrievalLog
from leaderboard.running.questions import answer_question
from tests.retrieval.word_encoder import WordEncoder
from tests.scripted import ScriptedProvider

OPERA = Document("opera", "The Salt Wedding", "The Salt Wedding is an opera by Livia Brodrigh.")
COMPOSER = Document("composer", "Livia Brodrigh", "Livia Brodrigh wrote operas. She grew up in Sarnforth.")
TOWN = Document("town", "Sarnforth", "Sarnforth is a town. Abel Tranter is mayor there.")
FERRY = Document("ferry", "Little Obstinate", "The Little Obstinate is a ferry. Its age is a secret.")
HARBOUR = Document("harbour", "Lindrake", "Lindrake has a harbour. The ferry leaves at noon.")
CAFE = Document("cafe", "Café Marée", "The Café Marée stands in a straße of Mawbrough.")
QUESTION = Question(
    id="q1",
    text="Who is mayor where the composer of The Salt Wedding grew up?",
    answer="Abel Tranter",
    aliases=(),
    evidence=tuple(
        Evidence(document.text, "article", document.title, document.text, document.id)
        for document in (OPERA, COMPOSER, TOWN)
    ),
    groups={},
)

ASKED = QUESTION.text

Writer = Callable[[dict[str, Any]], Any]
"""From a request to what the model says."""


@dataclass(frozen=True)
class Played:
    """A question's record, the requests that were really made for it, the searches made: (query, k) in order."""

    record: Record
    requests: Sequence[dict[str, Any]]
    searches: Sequence[tuple[str, int]]

    def steps(self, name: str) -> list[Mapping[str, Any]]:
        """Return the steps of one kind in the trace."""
        return [step for step in self.record.trace if step["step"] == name]

    @property
    def asked(self) -> list[list[str]]:
        """The queries of each round."""
        return [step["asked"] for step in self.steps("queries")]


class _Listening:
    """A retriever that keeps what it was asked, each time."""

    def __init__(self, log: RetrievalLog) -> None:
        self.log = log
        self.searches: list[tuple[str, int]] = []

    def search(self, query: str, k: int):
        self.searches.append((query, k))
        return self.log.search(query, k)


class Stage:
    """One store for several plays, so that what was asked once is not asked again."""

    def __init__(self, home: Path) -> None:
        self.encoder = WordEncoder("opera", "brodrigh", "sarnforth", "mayor", "ferry", "harbour", "town")
        self.store = CallStore(home / "calls")

    def play(
        self,
        parameters: ProgramParameters,
        writer: Writer,
        reranker: RerankerParameters | None = None,
        documents: Sequence[Document] = (OPERA, COMPOSER, TOWN, FERRY, HARBOUR, CAFE),
        question: Question = QUESTION,
        calls_per_question: int | None = None,
    ) -> Played:
        """Run one program on a question with a model that says what ``writer`` returns."""
        provider = ScriptedProvider(writer)
        engine = Engine(
            provider,
            self.store,
            model="m",
            mode="live",
            ledger=Ledger(None, Spent()),
            calls_per_question=calls_per_question,
        )
        passages = [Passage.whole(document) for document in documents]
        retriever = _Listening(RetrievalLog(BM25Retriever(passages)))
        tools = None
        if set(PROGRAMS[parameters.kind].retrievers) == set(TOOLS):
            tools = KeywordSentenceLog(
                open_keyword_sentence(passages, lambda sentences: DenseRetriever(sentences, self.encoder))
            )
        program = open_program(parameters, reranker)
        task = Task(
            question,
            retriever=None if tools else retriever,
            tools=tools,
            rerank=getattr(program, "reranker", None),
            calls_per_question=calls_per_question,
        )
        lm = open_lm(engine, temperature=0.0, max_tokens=64)
        with dspy.context(lm=lm, adapter=adapter(), disable_history=True):
            record = answer_question(program, task).record
        return Played(record, provider.requests, retriever.searches)


def fields(request: Mapping[str, Any]) -> list[str]:
    """Return the output fields that a request asks for, in order."""
    return re.findall(r"`\[\[ ## (\w+) ## \]\]`", request["messages"][-1]["content"])[:-1]


def section(request: Mapping[str, Any], field: str) -> str:
    """Return what a request gives as an input field."""
    text = request["messages"][-1]["content"].split(f"[[ ## {field} ## ]]\n", 1)[1]
    return re.split(r"\n\n(?:\[\[ ## |Respond with)", text, maxsplit=1)[0]


def block(number: int, document: Document, text: str | None = None) -> str:
    """Return a document as it stands in a prompt."""
    return f"[{number}] {document.title}\n{document.text if text is None else text}"


def said(**values: str) -> str:
    """Return output fields in dspy's chat protocol."""
    parts = [f"[[ ## {name} ## ]]\n{value}" for name, value in values.items()]
    return "\n\n".join([*parts, "[[ ## completed ## ]]"])


def queries(request: Mapping[str, Any], text: str) -> str:
    """Return queries as the program that asks for them wants them, thought about or not."""
    thought = {"reasoning": "One is missing."} if "reasoning" in fields(request) else {}
    return said(**thought, queries=text)


def multi_step(**parameters: Any) -> MultiStep:
    """Return a multi-step system's parameters, with one passage a query unless said otherwise."""
    return MultiStep(kind="multi_step", **{"passages_per_query": 1, **parameters})


def rounds(*texts: str, answer: str = "Abel Tranter") -> Writer:
    """Return a model that writes ``texts`` as the queries of round after round, then the answer.

    It tells the rounds apart by counting, so each round's call has to be a new one.
    """
    left = iter(texts)

    def write(request: dict[str, Any]) -> str:
        return said(answer=answer) if fields(request) == ["answer"] else queries(request, next(left))

    return write
