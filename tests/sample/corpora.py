"""The sample's files as the tests read them, beside the loaders that the program reads them with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import leaderboard.sample
from leaderboard.metrics.normalise import normalise_match

SAMPLE = Path(leaderboard.sample.__file__).parent


def read_json(name: str) -> Any:
    return json.loads((SAMPLE / name).read_text(encoding="utf-8"))


def read_lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SAMPLE / name).read_text(encoding="utf-8").splitlines()]


def words(text: str) -> int:
    return len(text.split())


def says(text: str, gold: str) -> bool:
    """Return whether the normalised gold stands in a text as whole words."""
    return f" {normalise_match(gold)} " in f" {normalise_match(text)} "
