"""Asking a predictor, and what to do with an output that does not keep to the protocol."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

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
        answer = _asked(predictor, task, inputs).answer
    except AdapterParseError as error:
        left = _without_markers(error, task)
        if not left:
            raise Unparsed(error.lm_response or "") from error
        return left
    if not isinstance(answer, str) or not answer.strip():
        raise Unparsed("" if answer is None else str(answer))
    return answer


class Told(NamedTuple):
    """What a predictor said in one field. ``whole``: the field was missing, and this is the whole output.

    ``thought`` is what it said in the field ``thought``, "" where it has none.
    """

    text: str
    whole: bool = False
    thought: str = ""


def told(predictor: Any, task: Task, field: str, **inputs: str) -> Told:
    """Return one output field of a step that is not the answer, "" when the model left it empty.

    Of an output that lacks a field, this one is taken if it is there, else the whole without markers; either is
    counted in ``task.parse_repairs``.
    """
    try:
        prediction = _asked(predictor, task, inputs)
    except AdapterParseError as error:
        everything = _without_markers(error, task)
        parsed = error.parsed_result
        value = parsed.get(field) if isinstance(parsed, dict) else None
        if not value:
            return Told(everything, whole=True)
        return Told(_stripped(value), thought=_stripped(parsed.get("thought")))
    return Told(_stripped(getattr(prediction, field)), thought=_stripped(prediction.get("thought")))


def _stripped(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _asked(predictor: Any, task: Task, inputs: Mapping[str, str]) -> Any:
    """Ask, and note that the model saw what it was shown, unless the call was never made."""
    try:
        prediction = predictor(**inputs)
    except AdapterParseError:
        task.saw()
        raise
    task.saw()
    return prediction


def _without_markers(error: AdapterParseError, task: Task) -> str:
    task.parse_repairs += 1
    return without_markers(error.lm_response or "")


def without_markers(output: str) -> str:
    """Return a model's output without the protocol's field markers, "" where nothing is left."""
    return _MARKER.sub("", output).strip()


def adapter() -> dspy.ChatAdapter:
    """Return the adapter every program runs with: dspy's chat protocol, without its silent second call on errors."""
    return dspy.ChatAdapter(use_json_adapter_fallback=False)
