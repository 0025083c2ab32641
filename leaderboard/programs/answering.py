"""Asking a predictor for an answer, and what to do with an output that does not keep to the protocol."""

from __future__ import annotations

import re
from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError

from leaderboard.programs.task import Task

_MARKER = re.compile(r"\[\[ ?##.*?## ?\]\]")


class Unparsed(Exception):
    """The model's output holds no answer. ``raw`` is that output."""

    def __init__(self, raw: str) -> None:
        super().__init__("the model's output holds no answer")
        self.raw = raw


def ask(predictor: Any, task: Task, **inputs: str) -> str:
    """Return the predictor's ``answer``.

    An output without the protocol's field markers is taken as the answer itself, without what is left of markers, and
    counted in ``task.parse_repairs``; rule R1 then applies to it as to any answer. Raises ``Unparsed`` when nothing
    is left.
    """
    try:
        prediction = predictor(**inputs)
    except AdapterParseError as error:
        task.parse_repairs += 1
        raw = error.lm_response or ""
        left = _MARKER.sub("", raw).strip()
        if not left:
            raise Unparsed(raw) from error
        return left
    answer = prediction.answer
    if not isinstance(answer, str) or not answer.strip():
        raise Unparsed("" if answer is None else str(answer))
    return answer


def adapter() -> dspy.ChatAdapter:
    """Return the adapter every program runs with: dspy's chat protocol, without its silent second call on errors."""
    return dspy.ChatAdapter(use_json_adapter_fallback=False)
