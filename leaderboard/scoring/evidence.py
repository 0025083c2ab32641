"""The metrics of evidence: what searches brought back, what stood before the model, and how rounds went."""

from __future__ import annotations

import math

from leaderboard.metrics.containment import evidence_recall
from leaderboard.metrics.queries import new_documents, repeated_query_share
from leaderboard.metrics.tokens import NAME as TOKENIZER
from leaderboard.results.records import Record
from leaderboard.retrieval.passages import document_of
from leaderboard.scoring.metric import Case, Metric, has_evidence

ROUNDS = 10
"""So many rounds have metrics of their own."""


def _share(case: Case, found: set[int]) -> float | None:
    return evidence_recall(len(found), len(case.question.evidence))


def _returned(case: Case, last_round: float = math.inf) -> float | None:
    brought = (returned for returned in case.record.returned if returned.round <= last_round)
    return _share(case, {index for returned in brought for index in returned.evidence})


def _shown(case: Case) -> float | None:
    return _share(case, {index for shown in case.record.shown for index in shown.evidence})


def _whole(share: float | None) -> float | None:
    return None if share is None else float(share == 1.0)


EVIDENCE: tuple[Metric, ...] = (
    Metric(
        "evidence_recall",
        "Evidence recall",
        "Mean share of a question's gold evidence that any search brought back. Questions without gold evidence are "
        "left out.",
        "spec § 0, rule R10",
        _returned,
        kind="evidence",
        applies=has_evidence,
    ),
    Metric(
        "evidence_returned",
        "Evidence all returned",
        "Share of questions of which every gold item was brought back by some search.",
        "spec § 0, rule R10",
        lambda case: _whole(_returned(case)),
        kind="evidence",
        applies=has_evidence,
        binary=True,
    ),
    Metric(
        "evidence_shown",
        "Evidence shown",
        "Mean share of a question's gold evidence that stood before the model. Questions without gold evidence are "
        "left out.",
        "spec § 0, rule R10; FRAMES: § 3.6",
        _shown,
        kind="evidence",
        applies=has_evidence,
        labels={"frames": "Article recall"},
    ),
    Metric(
        "evidence_complete",
        "Evidence complete",
        "Share of questions with every gold item before the model. Questions without gold evidence are left out.",
        "spec § 0, rule R10; FRAMES: § 3.6",
        lambda case: _whole(_shown(case)),
        kind="evidence",
        applies=has_evidence,
        binary=True,
        labels={"frames": "All articles"},
    ),
    Metric(
        "retrieved_tokens",
        "Retrieved tokens",
        f"Mean {TOKENIZER} tokens of the passages that stood before the model, a question; each passage once.",
        "spec § 4.1",
        lambda case: float(case.record.retrieved_tokens),
        kind="evidence",
        percent=False,
        decimals=0,
        higher_is_better=None,
        unit="tokens",
        range=(0.0, None),
    ),
)


_WRITING = ("queries", "sentence", "follow_up")
"""Steps of a trace in which the model wrote what to search for."""


def _written(record: Record) -> list[str]:
    """The queries that the model wrote, in order, whether they were searched for or dropped."""
    steps = (step.get("written") for step in record.trace if step.get("step") in _WRITING)
    return [query for step in steps if isinstance(step, list) for query in step if isinstance(query, str)]


def _repeated(case: Case) -> float | None:
    return repeated_query_share(_written(case.record))


def _new_documents(case: Case, rounds: int) -> tuple[int, ...]:
    brought: list[list[str]] = [[] for _ in range(rounds)]
    for returned in case.record.returned:
        if returned.round <= rounds:
            brought[returned.round - 1].append(document_of(returned.passage))
    return new_documents(brought)


QUERIES: tuple[Metric, ...] = (
    Metric(
        "queries",
        "Queries a question",
        "Mean queries that the model wrote for a question.",
        "spec § 4.3",
        lambda case: float(len(_written(case.record))),
        kind="rounds",
        percent=False,
        higher_is_better=None,
        unit="queries",
        range=(0.0, None),
    ),
    Metric(
        "repeated_query_share",
        "Repeated queries",
        "Mean share of a question's queries that the model had written before, letter case aside. Where repeats are "
        "dropped before the search, they count all the same.",
        "spec § 4.3",
        _repeated,
        kind="rounds",
        higher_is_better=False,
    ),
)


def after_round(number: int) -> tuple[Metric, Metric]:
    """Return the two metrics of one round: evidence recall after it, and documents that it was the first to bring."""
    return (
        Metric(
            f"recall_after_{number}",
            f"Recall after round {number}",
            f"Mean share of a question's gold evidence that the searches of the first {number} rounds brought back.",
            "spec § 4.3",
            lambda case: _returned(case, number),
            kind="rounds",
            applies=has_evidence,
        ),
        Metric(
            f"new_documents_{number}",
            f"New documents in round {number}",
            f"Mean documents that round {number} was the first to bring.",
            "spec § 4.3",
            lambda case: float(_new_documents(case, number)[-1]),
            kind="rounds",
            percent=False,
            higher_is_better=None,
            unit="documents",
            range=(0.0, None),
        ),
    )
