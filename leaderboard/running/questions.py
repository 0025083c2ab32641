"""One question through a program: its record, whatever happens."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

from leaderboard.benchmarks.questions import Question
from leaderboard.calls.spending import CeilingReached
from leaderboard.calls.store import CallStoreError
from leaderboard.metrics.final_answer import final_answer
from leaderboard.models.engine import CallLimit, Uncached, root_cause
from leaderboard.models.meter import Meter, metering
from leaderboard.models.providers import ProviderError
from leaderboard.programs.answering import Unparsed
from leaderboard.programs.task import Task
from leaderboard.results.records import Outcome, Record

_LOG = logging.getLogger(__name__)
LONGEST_ERROR = 500
_CUT_SHORT = {"length": Outcome.TRUNCATED, "content_filter": Outcome.FILTERED}


@dataclass(frozen=True, slots=True)
class Answered:
    """A question's record and what it cost; ``unavailable`` says why the model cannot be had at all, "" if it can."""

    record: Record
    meter: Meter
    unavailable: str = ""


def answer_question(program: Any, task: Task, *, repeat: int = 0) -> Answered:
    """Run ``program`` on a task and return its record and what it cost.

    Errors of the endpoint, a missing recording, and bugs become outcomes that make the cell incomplete: nothing of
    that kind is ever scored as an answer (rule R4). Only a store that cannot keep responses stops the run.
    """
    with metering(repeat) as meter:
        raw, error, unavailable = "", "", ""
        try:
            prediction = program(task=task)
            raw = prediction.answer
            forced = task.limited or getattr(prediction, "forced", False)
            outcome = _CUT_SHORT.get(meter.finish_reason, Outcome.FORCED if forced else Outcome.ANSWERED)
        except Exception as raised:  # dspy wraps what an engine raises in errors of its own
            cause = root_cause(raised)
            if isinstance(cause, CallStoreError):
                raise cause from raised
            outcome, raw = _outcome(cause, meter)
            error = "" if outcome.scored else _error_text(cause)
            gone = outcome in (Outcome.UNCACHED, Outcome.UNPAID) or getattr(cause, "of_endpoint", False)
            unavailable = error if gone else ""
    return Answered(_record(task, meter, repeat, outcome, raw, error), meter, unavailable)


def _outcome(cause: BaseException, meter: Meter) -> tuple[Outcome, str]:
    match cause:
        case Unparsed():
            return _CUT_SHORT.get(meter.finish_reason, Outcome.UNPARSED), cause.raw
        case CallLimit():
            return Outcome.LIMIT, ""
        case Uncached():
            return Outcome.UNCACHED, ""
        case CeilingReached():
            return Outcome.UNPAID, ""
        case _:
            return Outcome.FAILED, ""


def _error_text(cause: BaseException) -> str:
    """Return what is recorded of an error. Of a fault of our own only its kind: its text may hold a path or a secret."""
    if not isinstance(cause, ProviderError | Uncached | CeilingReached):
        _LOG.error("a program failed; its question is recorded as failed", exc_info=cause)
        return f"{type(cause).__name__}: a fault of this program, not of the system"
    text = str(cause)
    return text if len(text) <= LONGEST_ERROR else text[: LONGEST_ERROR - 1] + "…"


def _record(task: Task, meter: Meter, repeat: int, outcome: Outcome, raw: str, error: str) -> Record:
    final = final_answer(raw)
    question: Question = task.asked
    return Record(
        question=question.id,
        question_digest=question.digest,
        repeat=repeat,
        outcome=outcome,
        raw_answer=raw,
        final_answer=final.text,
        overlong=final.overlong,
        finish_reason=meter.finish_reason,
        parse_repairs=task.parse_repairs,
        returned=tuple(task.returned),
        shown=tuple(task.shown),
        cited=(),
        rounds=max((returned.round for returned in task.returned), default=0),
        trace=tuple(task.trace),
        calls=tuple(call.key for call in meter.calls),
        prompt_tokens=meter.usage("prompt_tokens"),
        completion_tokens=meter.usage("completion_tokens"),
        cached_tokens=meter.usage("cached_tokens"),
        retrieved_tokens=task.retrieved_tokens,
        latency_s=meter.latency_s,
        paid_usd=meter.paid_usd,
        error=error,
        read=tuple(task.read),
    )
