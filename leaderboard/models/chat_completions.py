"""The OpenAI chat completion: JSON bytes to a ``Completion``, or to an error that says what is wrong with it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn, get_args

from leaderboard.fetching.faults import error_of_status
from leaderboard.models.providers import (
    BadResponse,
    Completion,
    FinishReason,
    ProviderError,
    Refused,
)

EXCERPT_CHARACTERS = 200
LARGEST_COUNT = 2**53 - 1
"""The largest whole number that every reader of JSON reads as it was written (RFC 8259 § 6)."""

_SURROGATE = re.compile(r"[\ud800-\udfff]")

_FINISH_REASONS: dict[str | None, FinishReason] = {
    **{reason: reason for reason in get_args(FinishReason)},
    "function_call": "tool_calls",
    None: "stop",  # servers that never learned to say why: what they sent is all there is
}


@dataclass(frozen=True, slots=True)
class Sender:
    """Who sent a response, for error texts: ``name`` is what they may tell, ``hide`` takes out what they may not.

    ``hide`` sees a quotation before it is cut, so that no half of a secret is left at its end.
    """

    name: str
    hide: Callable[[str], str] = str


def request_bytes(request: dict[str, Any], sender: Sender) -> bytes:
    """Return a request as JSON bytes. Raises ``Refused`` for what JSON or UTF-8 cannot hold."""
    try:
        return json.dumps(request, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (TypeError, ValueError) as error:
        raise Refused(f"{sender.name}: the request can't be written as JSON: {error}") from error


def parse_json(body: bytes, sender: Sender) -> object:
    """Return the JSON value of a response's body. Raises ``BadResponse``, telling a web page from half a JSON.

    Only UTF-8 is read, as RFC 8259 § 8.1 has it: in another encoding no key could be found and taken out. Numbers
    too large for a float are refused, since JSON cannot hold the infinity they become.
    A surrogate without its partner, which JSON can spell and UTF-8 cannot, becomes U+FFFD: an answer with one is
    nonsense, but it must still reach the disk.
    """
    try:
        return _storable(
            json.loads(
                body.decode("utf-8-sig", "surrogatepass"),
                parse_constant=_refuse_constant,
                parse_float=_finite,
            )
        )
    except (ValueError, RecursionError) as error:
        start = body[:64].lstrip().lower()
        if start.startswith((b"<!doctype", b"<html", b"<?xml", b"<head")):
            found = "a web page"
        elif not body.strip():
            found = "nothing"
        else:
            found = f"{len(body):,} bytes that are not JSON ({error})"
        raise BadResponse(
            f"{sender.name}: expected a JSON chat completion, found {found}{excerpt(body, sender)}"
        ) from error


def completion_of(response: object, *, sender: Sender, latency_s: float) -> Completion:
    """Return the completion that a chat completion's JSON value holds.

    Raises ``BadResponse`` where a field is missing or of a wrong type, and the error of its own code where the
    response is an ``error`` object.
    """
    raw = _object(response, "response", sender)
    if raw.get("error"):
        raise error_in(raw["error"], sender)
    choices = raw.get("choices")
    if not isinstance(choices, list) or not choices:
        _bad("choices", "a list with at least one item", choices, sender)
    choice = _object(choices[0], "choices[0]", sender)
    message = _object(choice.get("message"), "choices[0].message", sender)
    content = message.get("content")
    if content is not None and not isinstance(content, str):
        _bad("choices[0].message.content", "a string or null", content, sender)
    finish = choice.get("finish_reason")
    if not isinstance(finish, str | None) or finish not in _FINISH_REASONS:
        _bad("choices[0].finish_reason", "one of " + ", ".join(get_args(FinishReason)), finish, sender)
    usage = raw.get("usage")
    usage = None if usage is None else _object(usage, "usage", sender)
    version = raw.get("model")
    if version is not None and not isinstance(version, str):
        _bad("model", "a string", version, sender)
    return Completion(
        text=content or "",
        finish_reason=_FINISH_REASONS[finish],
        prompt_tokens=_count(usage, "prompt_tokens", sender),
        completion_tokens=_count(usage, "completion_tokens", sender),
        cached_tokens=_cached_tokens(usage, sender),
        model_version=version or "",
        raw=raw,
        latency_s=latency_s,
    )


def error_in(value: object, sender: Sender) -> ProviderError:
    """Return the error that an ``error`` object (or text) in a response's JSON stands for."""
    fields = value if isinstance(value, dict) else {"message": value}
    message = sender.hide(str(fields.get("message", "no message")))[:EXCERPT_CHARACTERS]
    code = fields.get("code")
    if isinstance(code, int) and 400 <= code < 600:
        return error_of_status(code, f"{sender.name}: error {code}: {message}")
    return BadResponse(f"{sender.name}: an error in place of a completion: {message}")


def excerpt(body: bytes, sender: Sender) -> str:
    """Return the start of a body on one line, for the end of an error text."""
    text = sender.hide(" ".join(body.decode("utf-8", "replace").split()))[:EXCERPT_CHARACTERS]
    text = "".join(character if character.isprintable() else "\ufffd" for character in text)
    return f": {text!r}" if text else ""


def _count(usage: dict[str, Any] | None, field: str, sender: Sender) -> int | None:
    value = None if usage is None else usage.get(field)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LARGEST_COUNT:
        _bad(f"usage.{field}", "a whole number, 0 or more", value, sender)
    return value


def _cached_tokens(usage: dict[str, Any] | None, sender: Sender) -> int | None:
    if usage is None:
        return None
    details = usage.get("prompt_tokens_details")
    if details is None:
        return 0
    details = _object(details, "usage.prompt_tokens_details", sender)
    return _count(details, "cached_tokens", sender) or 0


def _object(value: object, field: str, sender: Sender) -> dict[str, Any]:
    if not isinstance(value, dict):
        _bad(field, "an object", value, sender)
    return value


def _bad(field: str, expected: str, found: object, sender: Sender) -> NoReturn:
    shown = "nothing" if found is None else sender.hide(repr(found))[:80]
    raise BadResponse(f"{sender.name}: {field}: expected {expected}, found {shown}")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:20]} is larger than any number that can be kept")
    return value


def _storable(value: object) -> object:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_storable(item) for item in value]
    if isinstance(value, dict):
        return {_storable(key): _storable(item) for key, item in value.items()}
    return value
