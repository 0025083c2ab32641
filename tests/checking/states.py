"""A compiled state to be right, and to be spoilt."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from leaderboard.catalog.programs import PROGRAMS
from leaderboard.checking.strict_json import canonical_text

SINGLE = PROGRAMS["single_step"].parameters(kind="single_step")
COMPILED = {
    "optimizer": "bootstrap_few_shot",
    "fingerprint": "a" * 64,
    "train": "musique",
    "train_digest": "b" * 64,
    "calls": 57,
    "dspy": "3.4.1",
    "score": 0.25,
}
ANSWER = {
    "demos": [{"context": "[1] Mill\nAda.", "question": "Whose mill?", "answer": "Ada", "augmented": True}],
    "lm": None,
    "signature": {
        "fields": [
            {"description": "numbered passages", "prefix": "Context:"},
            {"description": "${question}", "prefix": "Question:"},
            {"description": "a few words", "prefix": "Answer:"},
        ],
        "instructions": "Answer briefly.",
    },
    "traces": [],
    "train": [],
}
RIGHT = {
    "schema": "state/1",
    "program": "single_step",
    "compiled": COMPILED,
    "predictors": {"answer": ANSWER},
}
LEFT_OUT = object()


def spoilt(*changes: tuple[str, Any]) -> dict[str, Any]:
    """Return the right state with the value at each dotted path changed, added, or left out."""
    state = copy.deepcopy(RIGHT)
    for path, value in changes:
        *around, last = (int(part) if part.isdigit() else part for part in path.split("."))
        place: Any = state
        for part in around:
            place = place[part]
        if value is LEFT_OUT:
            del place[last]
        else:
            place[last] = value
    return state


def written(folder: Path, value: object = RIGHT, name: str = "xx.state.json") -> Path:
    """Write ``value`` as canonical text, or bytes or text as they are."""
    path = folder / name
    if isinstance(value, bytes):
        path.write_bytes(value)
    else:
        path.write_text(value if isinstance(value, str) else canonical_text(value), encoding="utf-8")
    return path


def compact(value: object) -> str:
    return json.dumps(value)
