"""From a submission's ``[program]`` table to a dspy module: the only place where a catalog's string is resolved."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from leaderboard.catalog.parameters import ProgramParameters
from leaderboard.catalog.programs import PROGRAMS
from leaderboard.catalog.rerankers import RERANKERS, NoReranker, RerankerParameters
from leaderboard.checking.state import State


def open_program(
    parameters: ProgramParameters, reranker: RerankerParameters | None = None, state: State | None = None
) -> Any:
    """Return the program for these parameters: called with ``task=``, it returns what has an ``answer``.

    A reranker becomes its ``reranker`` attribute, so that its predictors are the program's. ``state`` holds compiled
    instructions and demonstrations; it was checked against the same parameters, and names no model.
    """
    program = _resolved(PROGRAMS[_kind(parameters)].module, parameters)
    reranker = reranker or NoReranker()
    if module := RERANKERS[_kind(reranker)].module:
        program.reranker = _resolved(module, reranker)
    if state is not None:
        program.load_state(state.loadable())
    return program


def _resolved(name: str, parameters: object) -> Any:
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)(parameters)


def _kind(parameters: object) -> str:
    kind: str = parameters.kind  # type: ignore[attr-defined]
    return kind
