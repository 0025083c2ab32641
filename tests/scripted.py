"""A model that follows a script, for tests of everything around a model: real engine, real store, real programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from leaderboard.models.providers import Completion

Script = Callable[[dict[str, Any]], Any]


def said(text: str, finish_reason: str = "stop", **usage: int | None) -> Completion:
    """Return a completion with this text; usage defaults to 10 prompt and 5 completion tokens."""
    counts = {"prompt_tokens": 10, "completion_tokens": 5, "cached_tokens": 0, **usage}
    return Completion(
        text=text,
        finish_reason=finish_reason,  # type: ignore[arg-type]
        model_version="scripted-1",
        raw={"scripted": True},
        latency_s=0.5,
        **counts,
    )


def answer(text: str) -> str:
    """Return an answer in the chat protocol of dspy."""
    return f"[[ ## answer ## ]]\n{text}\n\n[[ ## completed ## ]]"


class ScriptedProvider:
    """Answers with ``script(request)``: a text, a ``Completion``, or an exception to raise. Keeps every request."""

    logical_name = "scripted"

    def __init__(self, script: Script | None = None) -> None:
        self.identity = {"endpoint": "scripted"}
        self.script = script or (lambda _: answer("scripted"))
        self.requests: list[dict[str, Any]] = []

    def complete(self, request: dict[str, Any]) -> Completion:
        self.requests.append(request)
        result = self.script(request)
        if isinstance(result, BaseException):
            raise result
        return result if isinstance(result, Completion) else said(result)

    def close(self) -> None:
        pass
