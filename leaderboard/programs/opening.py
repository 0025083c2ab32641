"""From a submission's ``[program]`` table to a dspy module: the only place where a catalog's string is resolved."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from leaderboard.catalog.programs import PROGRAMS, ProgramParameters


def open_program(parameters: ProgramParameters) -> Any:
    """Return the dspy module for a program's parameters."""
    kind: str = parameters.kind  # type: ignore[attr-defined]
    module, _, name = PROGRAMS[kind].module.partition(":")
    return getattr(import_module(module), name)(parameters)
