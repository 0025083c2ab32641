"""What one system did with one question (design § 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

SCHEMA = "record/1"


class Outcome(StrEnum):
    """How a question ended. The first six are the system's doing and scored; the last three are not (rule R4)."""

    ANSWERED = "answered"
    FORCED = "forced"
    UNPARSED = "unparsed"
    TRUNCATED = "truncated"
    FILTERED = "filtered"
    LIMIT = "limit"
    FAILED = "failed"
    UNPAID = "unpaid"
    UNCACHED = "uncached"

    @property
    def scored(self) -> bool:
        """Whether this is the system's own doing: in the denominator."""
        return self not in (Outcome.FAILED, Outcome.UNPAID, Outcome.UNCACHED)


@dataclass(frozen=True, slots=True)
class Returned:
    """A passage that a query brought: ``rank`` counts from 1 within its query, ``round`` from 1.

    ``evidence`` holds the indexes of the question's gold items that stand in it.
    """

    passage: str
    title: str
    query: str
    round: int
    rank: int
    score: float
    evidence: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """A passage that stood before the model; ``evidence`` as in ``Returned``, for the part that was shown.

    ``tokens`` are ``words-1`` tokens of that part; ``truncated`` tells that the context budget cut it.
    """

    passage: str
    title: str
    tokens: int
    truncated: bool
    evidence: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """One system, one question, one repeat.

    ``raw_answer`` is what the program returned, ``final_answer`` what is scored (rule R1). Token counts are the
    model's own usage (None where the endpoint does not tell), ``retrieved_tokens`` the board's ``words-1`` tokens of what was shown. ``latency_s`` is the
    sum of the calls' latencies when they were recorded; ``paid_usd`` None when unknown. ``trace`` is what the program
    noted, step by step. ``read`` are the ids of the documents that it opened to read, whole or a chunk of them. ``run`` is the name of the run's
    folder, "" until it is written: where a record lies, not what was done, so that a replay's records are equal.
    """

    question: str
    question_digest: str
    repeat: int
    outcome: Outcome
    raw_answer: str
    final_answer: str
    overlong: bool
    finish_reason: str
    parse_repairs: int
    returned: tuple[Returned, ...]
    shown: tuple[Shown, ...]
    cited: tuple[str, ...]
    rounds: int
    trace: tuple[Mapping[str, Any], ...]
    calls: tuple[str, ...]
    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None
    retrieved_tokens: int
    latency_s: float
    paid_usd: float | None
    error: str
    read: tuple[str, ...] = ()
    run: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class RetrievalCall:
    """A retrieval and what it brought: passage ids and scores, best first. ``seconds`` when it was computed."""

    index_digest: str
    query: str
    k: int
    ids: tuple[str, ...]
    scores: tuple[float, ...]
    seconds: float
