"""From a submission's ``[program]`` table to a dspy module: the only place where a catalog's string is resolved."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from leaderboard.catalog.parameters import ProgramParameters
from leaderboard.catalog.programs import PROGRAMS
from leaderboard.catalog.rerankers import RERANKERS, NoReranker, RerankerParameters


def open_program(parameters: ProgramParameters, reranker: RerankerParameters | None = None) -> Any:
    """Return the program for these parameters: called with ``task=``, it returns what has an ``answer``.

    A reranker becomes its ``reranker`` attribute, so that its predictors are the program's.
    """
    program = _resolved(PROGRAMS[_kind(parameters)].module, parameters)
    reranker = reranker or NoReranker()
    if module := RERANKERS[_kind(reranker)].module:
        program.reranker = _resolved(module, reranker)
    return program


def _resolved(name: str, parameters: object) -> Any:
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)(parameters)


def _kind(parameters: object) -> str:
    kind: str = parameters.kind  # type: ignore[attr-defined]
    return kind
