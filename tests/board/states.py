"""Compiled states of the tiny reader, beside a submission that will be written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from leaderboard.checking.state import Compiled, state_text

COMPILE = {"optimizer": "labeled_few_shot", "k": 2}
FINGERPRINT = "0123456789abcdef" * 4
FIELDS = [
    {"prefix": "Context:", "description": "numbered passages"},
    {"prefix": "Question:", "description": "${question}"},
    {"prefix": "Answer:", "description": "a few words at most"},
]


def write_state(
    folder: Path, key: str, instructions: str, demos: Sequence[Mapping[str, Any]] = (), **compiled: Any
) -> Path:
    """Write the state of a ``single_step`` system and return its path; ``compiled`` replaces what it was made from."""
    facts = {
        "optimizer": "labeled_few_shot",
        "fingerprint": FINGERPRINT,
        "train": "musique",
        "train_digest": "ab" * 32,
        "calls": 1057,
        "dspy": "3.4.1",
        "score": 0.25,
    }
    predictor = {"demos": list(demos), "signature": {"fields": FIELDS, "instructions": instructions}}
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{key}.state.json"
    path.write_text(
        state_text("single_step", Compiled(**{**facts, **compiled}), {"answer": predictor}), encoding="utf-8"
    )
    return path
