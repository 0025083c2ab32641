"""Questions and records by hand: what a metric is given, without a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from leaderboard.benchmarks.questions import Document, Evidence, Question
from leaderboard.metrics.final_answer import final_answer
from leaderboard.results.records import Outcome, Record, Returned, Shown
from leaderboard.scoring.metric import Case

NULL_ANSWER = "Insufficient information."


def fact(text: str, document: str = "d") -> Evidence:
    return Evidence(text, "fact", "", text, document)


def paragraph(key: str, document: str | None = None) -> Evidence:
    return Evidence(key, "paragraph", key, f"Text of {key}.", key if document is None else document)


def article(key: str) -> Evidence:
    return Evidence(key, "article", key, "", key)


def question(
    answer: str = "Ada Fenn", *aliases: str, evidence: Sequence[Evidence] = (), null: bool = False
) -> Question:
    return Question("q", "Who?", answer, aliases, tuple(evidence), {}, null)


def null_question() -> Question:
    return question(NULL_ANSWER, null=True)


def returned(*evidence: Sequence[int], round: int = 1, passages: Sequence[str] = ()) -> tuple[Returned, ...]:
    """Passages of one query, best first: the gold items in each, and its id where that matters."""
    names = passages or [f"p{place}" for place in range(1, len(evidence) + 1)]
    return tuple(
        Returned(name, name, "query", round, rank, 1 / rank, tuple(items))
        for rank, (name, items) in enumerate(zip(names, evidence, strict=True), start=1)
    )


def shown(*evidence: Sequence[int]) -> tuple[Shown, ...]:
    return tuple(Shown(f"p{place}", "", 10, False, tuple(items)) for place, items in enumerate(evidence))


def record(raw: str = "", **changes: Any) -> Record:
    """A record of a raw answer; what is not said is empty."""
    final = final_answer(raw)
    fields: Mapping[str, Any] = {
        "question": "q",
        "question_digest": "",
        "repeat": 0,
        "outcome": Outcome.ANSWERED,
        "raw_answer": raw,
        "final_answer": final.text,
        "overlong": final.overlong,
        "finish_reason": "stop",
        "parse_repairs": 0,
        "returned": (),
        "shown": (),
        "cited": (),
        "rounds": 1,
        "trace": (),
        "calls": (),
        "prompt_tokens": 0,
        "completion_tokens": 0,
        "cached_tokens": 0,
        "retrieved_tokens": 0,
        "latency_s": 0.0,
        "paid_usd": None,
        "error": "",
    }
    return Record(**{**fields, **changes})


def case(
    of: Question, raw: str = "", documents: Mapping[str, Document] | None = None, **changes: Any
) -> Case:
    return Case(record(raw, **changes), of, documents or {})


def written(*rounds: Sequence[str]) -> tuple[Mapping[str, Any], ...]:
    """The trace of a program that searches in rounds: the queries that the model wrote in each."""
    return tuple(
        {"step": "queries", "round": number, "written": list(queries), "asked": []}
        for number, queries in enumerate(rounds, start=1)
    )
