"""Runs and records with every field filled, for tests of how they are kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from leaderboard.calls.keys import Draw, call_key, canonical_request
from leaderboard.calls.store import StoredCall
from leaderboard.files import digest_json
from leaderboard.results.records import Outcome, Record, RetrievalCall, Returned, Shown
from leaderboard.results.runs import Run, RunFolder, cell_folder, write_run
from leaderboard.results.tables import write_calls, write_records, write_retrievals

RECORD = Record(
    question="q1",
    question_digest="d" * 64,
    repeat=0,
    outcome=Outcome.ANSWERED,
    raw_answer="Ada Å, “the first”\n\nof two",
    final_answer="Ada Å, “the first”",
    overlong=False,
    finish_reason="stop",
    parse_repairs=1,
    returned=(
        Returned("mill#0-12", "Mill", "Who built it?", 1, 1, 2.5, (0, 2)),
        Returned("weir", "Weir", "Who built it?", 1, 2, 0.1, ()),
    ),
    shown=(Shown("mill#0-12", "Mill", 3, True, (0,)),),
    cited=("mill#0-12",),
    rounds=1,
    trace=({"step": "search", "round": 1, "passages": ["mill#0-12"]}, {"step": "note", "text": "ß"}),
    calls=("a" * 64,),
    prompt_tokens=10,
    completion_tokens=5,
    cached_tokens=0,
    retrieved_tokens=3,
    latency_s=0.1 + 0.2,
    paid_usd=0.000125,
    error="",
    read=("weir",),
)
EMPTY = replace(
    RECORD,
    question="q2",
    outcome=Outcome.FAILED,
    raw_answer="",
    final_answer="",
    returned=(),
    shown=(),
    cited=(),
    trace=(),
    calls=(),
    prompt_tokens=None,
    completion_tokens=None,
    cached_tokens=None,
    paid_usd=None,
    error="503",
)
RETRIEVAL = RetrievalCall("i" * 64, "Who built it?", 2, ("mill#0-12", "weir"), (2.5, 0.1), 0.01)


def call(text: str = "Who?", **changes: Any) -> StoredCall:
    request = canonical_request({"endpoint": "scripted"}, {"messages": [text]}, Draw())
    fields = {
        "key": call_key(request),
        "request": request,
        "response": {
            "text": "Ada",
            "finish_reason": "stop",
            "prompt_tokens": 10,
            "completion_tokens": None,
            "cached_tokens": 0,
            "model_version": "scripted-1",
            "raw": {"id": "1"},
        },
        "latency_s": 0.5,
        "paid_usd": None,
        "recorded_at": "2026-01-01T00:00:00+00:00",
    }
    return StoredCall(**{**fields, **changes})


def run(**changes: Any) -> Run:
    """Return a run; its fingerprint follows from its parts."""
    parts = changes.get("parts", {"adapter": "chat/1", "submission": "{}"})
    fields: dict[str, Any] = {
        "system": "mill",
        "benchmark": "frames",
        "track": "sample",
        "fingerprint": digest_json(parts),
        "parts": parts,
        "submission": parts["submission"],
        "questions": 2,
        "repeats": 1,
        "started_at": "2026-01-01T00:00:00+00:00",
        "finished_at": "2026-01-01T00:00:02+00:00",
        "wall_s": 2.0,
        "calls_made": 2,
        "calls_replayed": 0,
        "outcomes": {"answered": 2},
        "platform": "Linux",
        "libraries": {"dspy": "3"},
        "corpus_documents": 2,
    }
    return Run(**{**fields, **changes})


def folder(results: Path, name: str, **changes: Any) -> RunFolder:
    """Write a run folder with its three tables and return it.

    A name that ends with eight f is given the fingerprint's first eight digits in their place.
    """
    name = name.replace("ffffffff", run(**changes).fingerprint[:8])
    path = cell_folder(results, "sample", "frames", "mill") / name
    tables = {
        "records": write_records(path / "records.parquet", [RECORD, EMPTY], run=name),
        "calls": write_calls(path / "calls.parquet", [call()]),
        "retrievals": write_retrievals(path / "retrievals.parquet", [RETRIEVAL]),
    }
    written = run(**{"tables": tables, **changes})
    write_run(path, written)
    return RunFolder(path, written)
