"""The OpenAI chat completion: JSON bytes to a ``Completion``, or to an error that says what is wrong with it."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn, get_args

from leaderboard.models.providers import (
    BadResponse,
    Completion,
    FinishReason,
    ProviderError,
    Refused,
    error_of_status,
)

EXCERPT_CHARACTERS = 200

_SURROGATE = re.compile(r"[\ud800-\udfff]")

_FINISH_REASONS: dict[str | None, FinishReason] = {
    **{reason: reason for reason in get_args(FinishReason)},
    "function_call": "tool_calls",
    None: "stop",  # servers that never learned to say why: what they sent is all there is
}


def request_bytes(request: dict[str, Any], endpoint: str) -> bytes:
    """Return a request as JSON bytes. Raises ``Refused`` for what JSON or UTF-8 cannot hold."""
    try:
        return json.dumps(request, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (TypeError, ValueError) as error:
        raise Refused(f"{endpoint}: the request can't be written as JSON: {error}") from error


def parse_json(body: bytes, endpoint: str) -> object:
    """Return the JSON value of a response's body. Raises ``BadResponse``, telling a web page from half a JSON.

    A surrogate without its partner, which JSON can spell and UTF-8 cannot, becomes U+FFFD: an answer with one is
    nonsense, but it must still reach the disk.
    """
    try:
        return _storable(json.loads(body, parse_constant=_refuse_constant))
    except (ValueError, RecursionError) as error:
        start = body[:64].lstrip().lower()
        if start.startswith((b"<!doctype", b"<html", b"<?xml", b"<head")):
            found = "a web page"
        elif not body.strip():
            found = "nothing"
        else:
            found = f"{len(body):,} bytes that are not JSON ({error})"
        raise BadResponse(
            f"{endpoint}: expected a JSON chat completion, found {found}{excerpt(body)}"
        ) from error


def completion_of(response: object, *, endpoint: str, latency_s: float) -> Completion:
    """Return the completion that a chat completion's JSON value holds.

    Raises ``BadResponse`` where a field is missing or of a wrong type, and the error of its own code where the
    response is an ``error`` object.
    """
    raw = _object(response, "response", endpoint)
    if raw.get("error"):
        raise error_in(raw["error"], endpoint)
    choices = raw.get("choices")
    if not isinstance(choices, list) or not choices:
        _bad("choices", "a list with at least one item", choices, endpoint)
    choice = _object(choices[0], "choices[0]", endpoint)
    message = _object(choice.get("message"), "choices[0].message", endpoint)
    content = message.get("content")
    if content is not None and not isinstance(content, str):
        _bad("choices[0].message.content", "a string or null", content, endpoint)
    finish = choice.get("finish_reason")
    if not isinstance(finish, str | None) or finish not in _FINISH_REASONS:
        _bad("choices[0].finish_reason", "one of " + ", ".join(get_args(FinishReason)), finish, endpoint)
    usage = raw.get("usage")
    usage = None if usage is None else _object(usage, "usage", endpoint)
    version = raw.get("model")
    if version is not None and not isinstance(version, str):
        _bad("model", "a string", version, endpoint)
    return Completion(
        text=content or "",
        finish_reason=_FINISH_REASONS[finish],
        prompt_tokens=_count(usage, "prompt_tokens", endpoint),
        completion_tokens=_count(usage, "completion_tokens", endpoint),
        cached_tokens=_cached_tokens(usage, endpoint),
        model_version=version or "",
        raw=raw,
        latency_s=latency_s,
    )


def error_in(value: object, endpoint: str) -> ProviderError:
    """Return the error that an ``error`` object (or text) in a response's JSON stands for."""
    fields = value if isinstance(value, dict) else {"message": value}
    message = str(fields.get("message", "no message"))[:EXCERPT_CHARACTERS]
    code = fields.get("code")
    if isinstance(code, int) and 400 <= code < 600:
        return error_of_status(code, f"{endpoint}: error {code}: {message}")
    return BadResponse(f"{endpoint}: an error in place of a completion: {message}")


def excerpt(body: bytes) -> str:
    """Return the start of a body on one line, for the end of an error text."""
    text = " ".join(body[: 4 * EXCERPT_CHARACTERS].decode("utf-8", "replace").split())
    text = "".join(character if character.isprintable() else "\ufffd" for character in text)
    return f": {text[:EXCERPT_CHARACTERS]!r}" if text else ""


def _count(usage: dict[str, Any] | None, field: str, endpoint: str) -> int | None:
    value = None if usage is None else usage.get(field)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        _bad(f"usage.{field}", "a whole number, 0 or more", value, endpoint)
    return value


def _cached_tokens(usage: dict[str, Any] | None, endpoint: str) -> int | None:
    if usage is None:
        return None
    details = usage.get("prompt_tokens_details")
    if details is None:
        return 0
    details = _object(details, "usage.prompt_tokens_details", endpoint)
    return _count(details, "cached_tokens", endpoint) or 0


def _object(value: object, field: str, endpoint: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        _bad(field, "an object", value, endpoint)
    return value


def _bad(field: str, expected: str, found: object, endpoint: str) -> NoReturn:
    shown = "nothing" if found is None else repr(found)[:80]
    raise BadResponse(f"{endpoint}: {field}: expected {expected}, found {shown}")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _storable(value: object) -> object:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_storable(item) for item in value]
    if isinstance(value, dict):
        return {_storable(key): _storable(item) for key, item in value.items()}
    return value
