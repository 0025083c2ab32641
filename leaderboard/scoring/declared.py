"""Every metric of the board, declared once: name, label, hint, direction, source, and how it is computed.

Computation, table, tooltip, CSV header and method page read this list. A metric is None where it does not apply to
a question; the board averages over the questions it applies to, and says how many those are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from leaderboard.benchmarks.questions import Question
from leaderboard.metrics.abstention import is_abstention, is_explicit_abstention
from leaderboard.metrics.answers import contain, contain_token, exact_match, f1
from leaderboard.metrics.containment import evidence_recall
from leaderboard.metrics.match import match
from leaderboard.metrics.tokens import NAME as TOKENIZER
from leaderboard.metrics.tokens import count_tokens
from leaderboard.results.records import Record

REVISION = 1
"""Raised by hand when a value for an unchanged record can change: scores are then computed again."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric of one record. ``compute`` returns None where it does not apply, or where it is unknown.

    ``applies`` tells of a question alone whether the metric says anything about it. ``binary`` metrics are 0 or 1 for each question: their means get Wilson intervals.
    """

    key: str
    label: str
    hint: str
    source: str
    compute: Callable[[Record, Question], float | None]
    applies: Callable[[Question], bool] = lambda _: True
    binary: bool = False
    percent: bool = True
    decimals: int = 1
    higher_is_better: bool | None = True
    unit: str = ""


def _match(record: Record, question: Question) -> float:
    return float(match(record.raw_answer, question.golds, null_question=question.null))


def _exact_match(record: Record, question: Question) -> float:
    if question.null:
        return float(is_explicit_abstention(record.final_answer))
    return float(exact_match(record.final_answer, question.golds))


def _f1(record: Record, question: Question) -> float:
    if question.null:
        return float(is_explicit_abstention(record.final_answer))
    return f1(record.final_answer, question.golds)


def _found(hits: set[int], question: Question) -> float | None:
    return evidence_recall(len(hits), len(question.evidence))


def _shown(record: Record, question: Question) -> float | None:
    return _found({index for shown in record.shown for index in shown.evidence}, question)


def _returned(record: Record, question: Question) -> float | None:
    return _found({index for returned in record.returned for index in returned.evidence}, question)


def _complete(record: Record, question: Question) -> float | None:
    share = _shown(record, question)
    return None if share is None else float(share == 1.0)


def _abstained(record: Record, question: Question) -> float:
    # The gold of a null question is itself an abstention: it is no answer that could be mistaken for one.
    return float(is_abstention(record.final_answer, () if question.null else question.golds))


def _answerable(question: Question) -> bool:
    return not question.null


def _has_evidence(question: Question) -> bool:
    return bool(question.evidence)


METRICS: tuple[Metric, ...] = (
    Metric(
        "match",
        "Match",
        "Share of all questions answered correctly: the first thing said is the gold answer. A null question is right "
        "when the system says that it cannot be answered.",
        "spec § 0, rule R2",
        _match,
        binary=True,
    ),
    Metric(
        "em",
        "EM",
        "Exact match of the final answer after the official MuSiQue normalisation, best of all golds; for a null "
        "question the abstention counts.",
        "MuSiQue's official script; spec § 1.2",
        _exact_match,
        binary=True,
    ),
    Metric(
        "f1",
        "F1",
        "Token F1 of the final answer after the official MuSiQue normalisation, best of all golds; for a null question "
        "the abstention counts.",
        "MuSiQue's official script; spec § 1.2",
        _f1,
    ),
    Metric(
        "contain",
        "Contain",
        "The normalised gold (any alias) is a run of characters of the answer. Rewards long answers: read it beside "
        "the answer's length. Answerable questions only.",
        "A-RAG's script, extended to aliases; spec § 1.6",
        lambda record, question: None if question.null else contain(record.final_answer, question.golds),
        applies=_answerable,
        binary=True,
    ),
    Metric(
        "contain_token",
        "Contain (tokens)",
        "As Contain, but whole tokens: “us” is not in “russia”. Answerable questions only.",
        "spec § 1.6",
        lambda record, question: (
            None if question.null else contain_token(record.final_answer, question.golds)
        ),
        applies=_answerable,
        binary=True,
    ),
    Metric(
        "abstained",
        "Abstained",
        "Share of all questions on which the final answer says that it cannot be answered, or is empty.",
        "spec § 5.2",
        _abstained,
        binary=True,
        higher_is_better=None,
    ),
    Metric(
        "evidence_recall",
        "Evidence recall",
        "Mean share of a question's gold evidence that any search brought back. Questions without gold evidence are "
        "left out.",
        "spec § 0, rule R10",
        _returned,
        applies=_has_evidence,
    ),
    Metric(
        "evidence_shown",
        "Evidence shown",
        "Mean share of a question's gold evidence that stood before the model. Questions without gold evidence are "
        "left out.",
        "spec § 0, rule R10",
        _shown,
        applies=_has_evidence,
    ),
    Metric(
        "evidence_complete",
        "Evidence complete",
        "Share of questions with every gold item before the model. Questions without gold evidence are left out.",
        "spec § 0, rule R10",
        _complete,
        applies=_has_evidence,
        binary=True,
    ),
    Metric(
        "answer_tokens",
        "Answer length",
        f"Mean length of the final answer in {TOKENIZER} tokens.",
        "spec § 1.6",
        lambda record, _: float(count_tokens(record.final_answer)),
        percent=False,
        higher_is_better=None,
        unit="tokens",
    ),
    Metric(
        "retrieved_tokens",
        "Retrieved tokens",
        f"Mean {TOKENIZER} tokens of the passages that stood before the model, a question.",
        "spec § 4.1",
        lambda record, _: float(record.retrieved_tokens),
        percent=False,
        decimals=0,
        higher_is_better=None,
        unit="tokens",
    ),
    Metric(
        "tokens",
        "Tokens a question",
        "Mean prompt and completion tokens a question, in the model's own usage, over all calls.",
        "the responses' usage",
        lambda record, _: (
            None
            if record.prompt_tokens is None or record.completion_tokens is None
            else float(record.prompt_tokens + record.completion_tokens)
        ),
        percent=False,
        decimals=0,
        higher_is_better=False,
        unit="tokens",
    ),
    Metric(
        "seconds",
        "Seconds a question",
        "Mean seconds that a question's calls took when they were recorded; it says as much about the machine as "
        "about the system.",
        "the recorded calls",
        lambda record, _: record.latency_s,
        percent=False,
        higher_is_better=False,
        unit="s",
    ),
)

BY_KEY = {metric.key: metric for metric in METRICS}
EVIDENCE = frozenset({"evidence_recall", "evidence_shown", "evidence_complete"})
"""Metrics that say nothing about a system that never retrieves."""
