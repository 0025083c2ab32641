"""ExecutionRAG played through: what its model says when, and what is read off its trace."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from leaderboard.benchmarks.questions import Document, Evidence, Question
from leaderboard.catalog.tool_programs import ExecutionRAG
from tests.programs.played import Played, Writer, fields, said


def execution_rag(**parameters: Any) -> ExecutionRAG:
    """Return the system's parameters, with two chunks a search unless said otherwise."""
    return ExecutionRAG(kind="execution_rag", **{"top_k": 2, "seed_passages": 2, **parameters})


def question(text: str, answer: str, documents: Sequence[Document]) -> Question:
    """Return a question whose evidence are these documents."""
    evidence = (Evidence(d.text, "article", d.title, d.text, d.id) for d in documents)
    return Question("q1", text, answer, (), tuple(evidence), {})


def script(
    requirements: Sequence[str] = (),
    calls: Sequence[str] = (),
    changes: Sequence[str] = (),
    answer: str = "the last call's answer",
) -> Writer:
    """Return a model that says these things in order, each when it is asked for that."""
    left = {"requirements": iter(requirements), "tool_call": iter(calls), "changes": iter(changes)}

    def write(request: dict[str, Any]) -> str:
        [field] = fields(request)
        return said(**{field: answer if field == "answer" else next(left[field])})

    return write


def register(**items: tuple[str, str]) -> str:
    """Return a first register as a model writes it: id to status and text."""
    return json.dumps(
        {
            "requirement_register": {
                id: {"text": text, "status": status} for id, (status, text) in items.items()
            }
        }
    )


def answered(id: str, notes: str, *chunks: int) -> str:
    """Return an update that answers one item."""
    return json.dumps({id: {"status": "answered", "evidence_notes": notes, "evidence": chunks}})


def states(step: Mapping[str, Any]) -> dict[str, str]:
    """Return the states of a step's register."""
    return {item["id"]: item["status"] for item in step["requirements"]}


def told(played: Played) -> list[str]:
    """Return what each request asked for, in order."""
    return [fields(request)[0] for request in played.requests]


def names(played: Played) -> list[str]:
    """Return the kinds of the trace's steps, in order."""
    return [step["step"] for step in played.record.trace]
