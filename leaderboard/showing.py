"""What a system did with one question, put together from its run: gold, searches, answer, calls. For people to read."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from leaderboard.benchmarks.questions import Evidence, Question
from leaderboard.calls.store import StoredCall
from leaderboard.metrics.match import match
from leaderboard.plan import Cell
from leaderboard.results.records import Record, Returned
from leaderboard.results.tables import read_calls, read_records

MOST_SUGGESTED = 6
_LONGEST_NAMED = 80
_BRINGS = ("search", "gold", "keyword_search", "semantic_search", "read_chunk")
"""Steps that bring passages: what they brought stands in the record's ``returned``, in the same order."""


class ShowError(Exception):
    """The question or its record is not there. The text says what is."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a trace: its name, the passages it brought, and what else the program noted."""

    name: str
    passages: tuple[Returned, ...]
    notes: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class GoldItem:
    """A question's gold item: whether a search brought it, and whether it stood before the model."""

    evidence: Evidence
    found: bool
    shown: bool


@dataclass(frozen=True, slots=True)
class Trace:
    """A question as a system answered it.

    ``calls`` are the record's calls in order, None for one that its run does not hold. ``asks_model`` is False for a
    system that only retrieves, ``retrieves`` for one that retrieves nothing; ``repeats`` is how often its run asked
    each question.
    """

    system: str
    benchmark: str
    label: str
    question: Question
    record: Record
    calls: tuple[StoredCall | None, ...]
    asks_model: bool = True
    retrieves: bool = True
    repeats: int = 1

    @property
    def matches(self) -> bool | None:
        """Whether the answer is correct (rule R2); None where there is none, or it is not the system's own doing."""
        if not self.asks_model or not self.record.outcome.scored:
            return None
        return match(self.record.raw_answer, self.question.golds, null_question=self.question.null)

    @property
    def tokens(self) -> int | None:
        """Prompt and completion tokens in the model's own usage; None when they are unknown."""
        prompt, completion = self.record.prompt_tokens, self.record.completion_tokens
        return None if prompt is None or completion is None else prompt + completion

    @property
    def gold(self) -> tuple[GoldItem, ...]:
        """The question's gold items in the benchmark's order."""
        found = {index for returned in self.record.returned for index in returned.evidence}
        shown = {index for shown in self.record.shown for index in shown.evidence}
        return tuple(
            GoldItem(evidence, index in found, index in shown)
            for index, evidence in enumerate(self.question.evidence)
        )

    @property
    def evidence_complete(self) -> bool | None:
        """Whether all gold stood before the model, or was found where none is asked.

        None without gold, and for a system that retrieves nothing.
        """
        if not self.question.evidence or not self.retrieves:
            return None
        return all(item.shown if self.asks_model else item.found for item in self.gold)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The trace's steps; passages that no step accounts for stand in a last one, "returned"."""
        return tuple(_steps(self.record))

    def as_json(self, *, prompts: bool = False) -> dict[str, Any]:
        """Return the trace as JSON values; with ``prompts`` each call has its messages and its response's text."""
        record, question = self.record, self.question
        return {
            "system": self.system,
            "benchmark": self.benchmark,
            "question": {
                "id": question.id,
                "text": question.text,
                "answer": question.answer,
                "aliases": list(question.aliases),
                "null": question.null,
            },
            "run": record.run,
            "repeat": record.repeat,
            "repeats": self.repeats,
            "outcome": record.outcome.value,
            "raw_answer": record.raw_answer,
            "final_answer": record.final_answer,
            "match": self.matches,
            "error": record.error,
            "steps": [
                {
                    "step": step.name,
                    "notes": dict(step.notes),
                    "passages": [asdict(returned) for returned in step.passages],
                }
                for step in self.steps
            ],
            "shown": [asdict(shown) for shown in record.shown],
            "gold": [
                {**asdict(item.evidence), "found": item.found, "shown": item.shown} for item in self.gold
            ],
            "prompt_tokens": record.prompt_tokens,
            "completion_tokens": record.completion_tokens,
            "retrieved_tokens": record.retrieved_tokens,
            "latency_s": record.latency_s,
            "paid_usd": record.paid_usd,
            "calls": [
                _call_json(key, call, prompts=prompts)
                for key, call in zip(record.calls, self.calls, strict=True)
            ],
        }


def find_question(cells: Sequence[Cell], wanted: str, benchmark: str = "") -> tuple[Cell, Question]:
    """Return the question that ``wanted`` names among a system's cells, with its cell.

    In this order: an id, a place in the benchmark's file counted from 0, the beginning of one id alone. Raises
    ``ShowError`` where it names none, or several; ``benchmark`` chooses between benchmarks.
    """
    looked = [cell for cell in cells if benchmark in ("", cell.benchmark.name)]
    for named in (_by_id, _by_place, _by_beginning):
        found = [(cell, question) for cell in looked for question in named(cell, wanted)]
        if len(found) == 1:
            return found[0]
        if found:
            raise ShowError(_several(wanted, found))
    raise ShowError(_nowhere(wanted, looked))


def read_trace(cell: Cell, question: Question, repeat: int = 0) -> Trace:
    """Read a question's record and calls from the run that the board shows.

    Raises ``ShowError`` where the cell has no run, or the run no such record; ``RunError`` for a damaged run.
    """
    folder = cell.shown
    if folder is None:
        raise ShowError(
            f"{cell.system} on {cell.benchmark.label}: {cell.state}; "
            f"to run it: leaderboard run {cell.system} --benchmark {cell.benchmark.name}"
        )
    records = [
        record
        for record in read_records(folder.table("records"))
        if record.question == question.id and record.question_digest == question.digest
    ]
    found = [record for record in records if record.repeat == repeat]
    if not found and records:
        repeats = ", ".join(str(record.repeat) for record in records)
        raise ShowError(f"{folder.path}: has no repeat {repeat} of question {question.id}; it has: {repeats}")
    if len(found) != 1:
        raise ShowError(
            f"{folder.path}: expected one record of question {question.id}, found {len(found)}; run the cell again: "
            f"leaderboard run {cell.system} --refresh"
        )
    [record] = found
    calls = {call.key: call for call in read_calls(folder.table("calls"))}
    return Trace(
        cell.system,
        cell.benchmark.name,
        cell.benchmark.label,
        question,
        record,
        tuple(calls.get(key) for key in record.calls),
        asks_model=cell.program.asks_model,
        retrieves=cell.submission.document.retriever.kind != "none",
        repeats=folder.run.repeats,
    )


def _by_id(cell: Cell, wanted: str) -> Iterator[Question]:
    if wanted in cell.benchmark.by_id:
        yield cell.benchmark.by_id[wanted]


def _by_place(cell: Cell, wanted: str) -> Iterator[Question]:
    if wanted.isascii() and wanted.isdigit() and len(wanted) < 10:
        yield from cell.benchmark.questions[int(wanted) :][:1]


def _by_beginning(cell: Cell, wanted: str) -> Iterator[Question]:
    if wanted:
        yield from (question for question in cell.benchmark.questions if question.id.startswith(wanted))


def _several(wanted: str, found: Sequence[tuple[Cell, Question]]) -> str:
    benchmarks = list(dict.fromkeys(cell.benchmark.name for cell, _ in found))
    if len(benchmarks) == len(found):
        return (
            f"question {_named(wanted)} is in {' and '.join(benchmarks)}: say which one with --benchmark, such as "
            f"--benchmark {benchmarks[0]}"
        )
    ids = [question.id for _, question in found]
    more = f" and {len(ids) - MOST_SUGGESTED} more" if len(ids) > MOST_SUGGESTED else ""
    return f"{len(ids)} questions begin with {_named(wanted)}: {', '.join(ids[:MOST_SUGGESTED])}{more}"


def _nowhere(wanted: str, cells: Sequence[Cell]) -> str:
    ids = {question.id.lower(): question.id for cell in cells for question in cell.benchmark.questions}
    close = difflib.get_close_matches(wanted[:_LONGEST_NAMED].lower(), ids, n=MOST_SUGGESTED, cutoff=0.7)
    near = [ids[lower] for lower in close]
    where = ", ".join(
        f"{cell.benchmark.name} ({len(cell.benchmark.questions)} questions, such as {cell.benchmark.questions[0].id})"
        for cell in cells
    )
    said = f"no question is called {_named(wanted)}"
    return f"{said}; near it: {', '.join(near)}" if near else f"{said}; there are: {where or 'none'}"


def _named(wanted: str) -> str:
    return repr(wanted if len(wanted) <= _LONGEST_NAMED else wanted[: _LONGEST_NAMED - 1] + "…")


def _steps(record: Record) -> Iterator[Step]:
    left = record.returned
    for noted in record.trace:
        notes = dict(noted)
        name = str(notes.pop("step", "step"))
        brought: tuple[Returned, ...] = ()
        ids = notes.get("passages")
        if name in _BRINGS and isinstance(ids, list) and [r.passage for r in left[: len(ids)]] == ids:
            brought, left = left[: len(ids)], left[len(ids) :]
            del notes["passages"]
        yield Step(name, brought, notes)
    if left:
        yield Step("returned", left, {})


def _call_json(key: str, call: StoredCall | None, *, prompts: bool) -> dict[str, Any]:
    if call is None:
        return {"key": key, "recorded": False}
    told = {
        name: call.response[name]
        for name in ("finish_reason", "model_version", "prompt_tokens", "completion_tokens", "cached_tokens")
    }
    facts = {
        "key": key,
        "recorded": True,
        **told,
        "latency_s": call.latency_s,
        "recorded_at": call.recorded_at,
    }
    return {**facts, "messages": messages(call), "response": call.response["text"]} if prompts else facts


def messages(call: StoredCall) -> list[dict[str, str]]:
    """Return the messages that a call sent, each with role and content; nothing for a request of another form."""
    body = call.request.get("body")
    sent = body.get("messages") if isinstance(body, dict) else None
    return [
        {"role": str(message.get("role", "")), "content": str(message.get("content", ""))}
        for message in (sent if isinstance(sent, list) else [])
        if isinstance(message, dict)
    ]
