"""Errata of tests: entries written as TOML, in a folder that takes the place of the package's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from leaderboard.benchmarks import errata
from leaderboard.benchmarks.errata import wording_digest
from leaderboard.benchmarks.questions import Question


def erratum(question: Question, **changes: Any) -> str:
    """Return an entry of a question as TOML: it excludes the question where nothing else is said."""
    fields = {
        "id": question.id,
        "digest": wording_digest(question)[:12],
        "kind": "wrong",
        "exclude": True,
        "reason": "Wrong.",
        "source": "us",
    }
    fields = {name: value for name, value in {**fields, **changes}.items() if value is not None}
    lines = (f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in fields.items())
    return "\n".join(["[[erratum]]", *lines])


def write(folder: Path, *entries: str, benchmark: str = "frames") -> None:
    """Write a benchmark's file of errata."""
    folder.mkdir(exist_ok=True)
    (folder / f"{benchmark}.toml").write_text("\n\n".join(entries), encoding="utf-8")


def use(patch: pytest.MonkeyPatch, home: Path, *entries: str, benchmark: str = "frames") -> None:
    """Let these be all errata there are."""
    write(home / "errata", *entries, benchmark=benchmark)
    patch.setattr(errata, "FOLDER", home / "errata")
