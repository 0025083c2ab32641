"""A benchmark of four questions over four documents, and systems run on it with a scripted model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from leaderboard.benchmarks.questions import Benchmark, Breakdown, Document, Evidence, Question
from leaderboard.calls.spending import Ledger, Spent
from leaderboard.calls.store import CallStore
from leaderboard.plan import Cell, plan
from leaderboard.running.cell import Bench, run_cell
from leaderboard.submissions.load import Submission, load_submission
from tests.scripted import Script, ScriptedProvider, answer

MILL, LOCK, HARBOUR, KEYS = (
    "Who built the mill?",
    "Is the lock older?",
    "Who painted it?",
    "Who has the keys?",
)
RIGHT = {MILL: "Ada", LOCK: "Yes", HARBOUR: "Insufficient information.", KEYS: "Cleo Marsh"}
"""Question → an answer that is right."""

CLOSED_BOOK = {"retriever": {"kind": "none"}, "program": {"kind": "closed_book"}}
READER = {
    "retriever": {"kind": "bm25", "unit": "article"},
    "program": {"kind": "single_step", "passages": 2, "context_tokens": 50},
}
GOLD = {"retriever": {"kind": "gold"}, "program": {"kind": "gold_context"}}

DOCUMENTS = (
    Document("mill", "The mill", "Ada built the mill. The mill was built of stone."),
    # Longer than a budget of 50 tokens: its last sentence is cut off when it is shown.
    Document(
        "plans", "Plans", "Long before, it was built on paper. " + "Many words. " * 20 + "Ada drew the plans."
    ),
    Document("lock", "The lock", "The lock is older than the bridge."),
    Document("keys", "The keys", "Cleo Marsh has the keys of the lock."),
)


def _fact(text: str, document: str) -> Evidence:
    return Evidence(text, "fact", "", text, document)


QUESTIONS = (
    Question(
        "q1",
        MILL,
        "Ada",
        (),
        (_fact("Ada built the mill.", "mill"), _fact("Ada drew the plans.", "plans")),
        {"kind": ("person",), "facts": ("2",)},
    ),
    Question(
        "q2",
        LOCK,
        "Yes",
        (),
        (_fact("The lock is older than the bridge.", "lock"),),
        {"kind": ("yes or no",), "facts": ("1",)},
    ),
    Question("q3", HARBOUR, "Insufficient information.", (), (), {"kind": ("person", "null")}, null=True),
    Question(
        "q4",
        KEYS,
        "Cleo Marsh",
        ("Marsh",),
        (_fact("Cleo Marsh has the keys of the lock.", "keys"),),
        {"kind": ("person",), "facts": ("1",)},
    ),
)
BREAKDOWNS = (
    Breakdown(
        "kind", "Kind", ("person", "yes or no", "null", "number"), "What is asked for.", overlapping=True
    ),
    Breakdown("facts", "Facts", ("1", "2"), "Facts needed."),
)


def benchmark(name: str = "multihop_rag", **changes: Any) -> Benchmark:
    """Return the benchmark under a name of the registry."""
    whole = Benchmark(name, f"{name} label", "sample", QUESTIONS, DOCUMENTS, BREAKDOWNS, chunked=True)
    return replace(whole, **changes)


def submit(folder: Path, key: str, **tables: Mapping[str, Any]) -> Submission:
    """Write a submission and load it; ``tables`` add to or replace those of a closed-book system."""
    system = {"name": key.title(), "authors": ["A"], "description": "Tiny.", **tables.pop("system", {})}
    lm = {"model": "embedded/tiny", "max_tokens": 64, **tables.pop("lm", {})}
    whole = {"system": system, "lm": lm, **CLOSED_BOOK, **tables}
    lines = []
    for table, fields in whole.items():
        lines += [f"[{table}]", *(f"{field} = {json.dumps(value)}" for field, value in fields.items())]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{key}.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return load_submission(path)


def script(answers: Mapping[str, Any]) -> Script:
    """Return a script that gives each question its answer: a text, a ``Completion``, or an exception to raise."""

    def reply(request: dict[str, Any]) -> Any:
        asked = request["messages"][-1]["content"]
        [found] = [said for question, said in answers.items() if question in asked]
        return answer(found) if isinstance(found, str) else found

    return reply


def run(
    home: Path, submission: Submission, on: Benchmark | None = None, answers: Mapping[str, Any] | None = None
) -> Cell:
    """Run a system on a benchmark into ``home/results``; return the cell with its run. ``answers`` add to RIGHT."""
    on = on or benchmark()
    [cell] = plan([submission], [on], home / "results")
    store = CallStore(home / "calls" / submission.key / on.name)
    provider = ScriptedProvider(script({**RIGHT, **(answers or {})}))
    run_cell(cell, Bench(provider, store, Ledger(None, Spent())), home / "results")
    [cell] = plan([submission], [on], home / "results")
    return cell
