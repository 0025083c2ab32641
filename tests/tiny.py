"""A benchmark of four questions over four documents, and systems run on it with a scripted model."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from leaderboard.benchmarks.questions import Benchmark, Breakdown, Document, Evidence, Question
from leaderboard.calls.spending import Ledger, Spent
from leaderboard.calls.store import CallStore
from leaderboard.plan import Cell, plan
from leaderboard.running.cell import run_cell
from leaderboard.running.session import Bench
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
STEPS = {
    "retriever": {"kind": "bm25", "unit": "article"},
    "program": {"kind": "multi_step", "rounds": 2, "queries_per_round": 1, "passages_per_query": 1},
}
PROBER = {
    "kind": "black_box",
    "score_scale": 1.0,
    "before_retrieval": {"intercept": -9.0, "self_consistency": 0.0, "abstained": 0.0},
    "after_retrieval": {
        "intercept": -9.0,
        "self_consistency": 0.0,
        "abstained": 0.0,
        "answer_in_evidence": 0.0,
        "supported": 0.0,
        "top_score": 0.0,
        "margin": 0.0,
    },
}
"""A prober that takes no answer."""

SKILLS = {
    "retriever": {"kind": "bm25", "unit": "article"},
    "program": {"kind": "skill_rag", "passages": 1, "prober": PROBER},
}
RETRIEVER = {
    "lm": None,
    "retriever": {"kind": "bm25", "unit": "article"},
    "program": {"kind": "retrieval_only"},
}
QUERIES = {
    MILL: ("stone mill", "Ada drew plans"),
    LOCK: ("older lock", "Older  LOCK"),
    HARBOUR: ("zebra", ""),  # nothing is found, so the first query is written again
    KEYS: ("keys Marsh", "Marsh keys"),
}
"""Question → the query that a multi-step system writes before anything is found, and the one it writes after."""

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
    """Write a submission and load it; ``tables`` add to or replace those of a closed-book system, None takes one away."""
    system = {"name": key.title(), "authors": ["A"], "description": "Tiny.", **tables.pop("system", {})}
    lm = tables.pop("lm", {})
    own = {} if lm is None else {"lm": {"model": "embedded/tiny", "max_tokens": 64, **lm}}
    whole = {"system": system, **own, **CLOSED_BOOK, **tables}
    lines = []
    for table, fields in whole.items():
        lines += [f"[{table}]", *(f"{field} = {toml(value)}" for field, value in fields.items())]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{key}.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return load_submission(path)


def toml(value: Any) -> str:
    """Return a value as it stands in one line of TOML: a table within a table is written inline."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{field} = {toml(inner)}" for field, inner in value.items()) + "}"
    return json.dumps(value)


def script(answers: Mapping[str, Any]) -> Script:
    """Return a script that gives each question its answer: a text, a ``Completion``, or an exception to raise.

    A tuple holds what is said the first time, the second, …, as the repeats of a run ask. Asked for queries, it writes
    those of ``QUERIES``.
    """
    times: Counter[str] = Counter()

    def reply(request: dict[str, Any]) -> Any:
        asked = request["messages"][-1]["content"]
        [question] = [question for question in answers if question in asked]
        if "[[ ## queries ## ]]" in asked:
            return _queries(asked, QUERIES[question]["nothing yet" not in asked])
        found = answers[question]
        if isinstance(found, tuple):
            times[question] += 1
            found = found[times[question] - 1]
        return answer(found) if isinstance(found, str) else found

    return reply


def _queries(asked: str, query: str) -> str:
    thought = "[[ ## reasoning ## ]]\nNext.\n\n" if "[[ ## reasoning ## ]]" in asked else ""
    return f"{thought}[[ ## queries ## ]]\n{query}\n\n[[ ## completed ## ]]"


def run(
    home: Path,
    submission: Submission,
    on: Benchmark | None = None,
    answers: Mapping[str, Any] | None = None,
    *,
    repeats: int = 1,
) -> Cell:
    """Run a system on a benchmark into ``home/results``; return the cell with its run. ``answers`` add to RIGHT."""
    on = on or benchmark()
    [cell] = plan([submission], [on], home / "results")
    store = CallStore(home / "calls" / submission.key / on.name)
    provider = ScriptedProvider(script({**RIGHT, **(answers or {})})) if submission.document.lm else None
    run_cell(cell, Bench(provider, store, Ledger(None, Spent())), home / "results", repeats=repeats)
    [cell] = plan([submission], [on], home / "results")
    return cell
