"""Reading tool calls out of a model's text, however it writes them; a text without any is the answer."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

MOST_OBJECTS = 8
"""Most JSON objects of one text that are looked at."""
MOST_ARGUMENTS = 8
MOST_CHARACTERS = 200
"""Longest argument, in characters."""
ANSWERS = ("answer", "final_answer", "finish")
"""What a model may call to give its answer."""

_CALL = re.compile(r"\b([A-Za-z][A-Za-z_]{2,40}) ?[(\[]")
_COLON = re.compile(r"^\W*([A-Za-z][A-Za-z_]{2,40}) ?: *(\S.*)$")
_QUOTED = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|(?<!\w)'((?:[^'\\]|\\.)*)'(?!\w)|“([^”]*)”")
_NAMED = re.compile(r"^ *([A-Za-z_]{1,20}) ?= ?")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input", "action_input")
_NAME_KEYS = ("name", "tool", "function", "action")


class ToolCall(NamedTuple):
    """A tool's name and its texts; ``top_k`` where the model asked for a number of results."""

    name: str
    arguments: tuple[str, ...]
    top_k: int | None = None

    def __str__(self) -> str:
        """Return the call as it stands in a transcript."""
        shown = [
            argument if argument.isdecimal() else json.dumps(argument, ensure_ascii=False)
            for argument in self.arguments
        ]
        if self.top_k is not None:
            shown.append(f"top_k={self.top_k}")
        return f"{self.name}({', '.join(shown)})"


class Said(NamedTuple):
    """What a step said: calls, of which a repeated one counts once, or the answer; ``unknown`` are names no tool has."""

    calls: tuple[ToolCall, ...]
    answer: str
    unknown: tuple[str, ...] = ()


def said(text: str, tools: Collection[str]) -> Said:
    """Return what ``text`` calls of ``tools``; where it calls nothing, its answer ("" for a text without one).

    Read are ``tool("a", "b")``, ``tool[a]``, ``tool: a`` on a line, and JSON objects with a name and arguments, as
    models write that were trained on them. Calls count before an answer in the same text: it was written before their
    results were seen. Never raises.
    """
    found = list(_json_calls(text)) or list(_calls(text, {*tools, *ANSWERS}))
    calls = tuple(dict.fromkeys(call for call in found if call.name in tools))
    if calls:
        return Said(calls, "")
    for call in found:
        if call.name in ANSWERS and call.arguments:
            return Said((), ", ".join(call.arguments))
    unknown = tuple(dict.fromkeys(call.name for call in found if call.name not in ANSWERS))
    return Said((), "" if unknown or found else text.strip(), unknown)


def _calls(text: str, names: Collection[str]) -> Iterator[ToolCall]:
    for line in text.splitlines():
        end = 0
        for match in _CALL.finditer(line):
            if match.start() < end:
                continue
            name = match[1].lower()
            # A name that no tool has is a call only where the line is nothing else: "Paris (France)" is none.
            alone = not line[: match.start()].strip(" \t`*-•0123456789.") and "_" in name
            if name in names or alone:
                inside, end = _inside(line, match.end(), line[match.end() - 1])
                yield _call(name, inside)
        if not end and (colon := _COLON.match(line)) and colon[1].lower() in names:
            yield _call(colon[1].lower(), colon[2])


def _inside(line: str, start: int, opening: str) -> tuple[str, int]:
    """Return what stands up to the bracket that closes, or the line's end, and where that is."""
    closing = {"(": ")", "[": "]"}[opening]
    depth, quote = 1, ""
    for place in range(start, len(line)):
        character = line[place]
        if quote:
            quote = "" if character == quote and line[place - 1] != "\\" else quote
        elif character == '"':
            quote = character
        elif character == opening:
            depth += 1
        elif character == closing:
            depth -= 1
            if not depth:
                return line[start:place], place + 1
    return line[start:], len(line)


def _call(name: str, inside: str) -> ToolCall:
    arguments: list[str] = []
    top_k = None
    quoted = [
        next(group for group in match.groups() if group is not None) for match in _QUOTED.finditer(inside)
    ]
    rest = _QUOTED.sub("", inside) if quoted else inside
    for part in rest.split(","):
        named = _NAMED.match(part)
        value = part[named.end() :] if named else part
        if named and named[1].lower() in ("top_k", "k"):
            top_k = _number(value)
        elif not quoted:
            arguments.append(value)
    if name in ANSWERS and not quoted:
        arguments = [inside]
    return _bounded(name, [_unescaped(text) for text in quoted] if quoted else arguments, top_k)


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def _number(value: object) -> int | None:
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdecimal() and len(value) < 6:
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**5 else None


def _bounded(name: str, arguments: list[str], top_k: int | None) -> ToolCall:
    kept = []
    for argument in arguments:
        whole = argument.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        clean = " ".join(whole.split()).strip("[]{}\"'`“” ")[:MOST_CHARACTERS].rstrip()
        if any(character.isalnum() for character in clean):
            kept.append(clean)
    return ToolCall(name, tuple(kept[:MOST_ARGUMENTS]), top_k)


def _json_calls(text: str) -> Iterator[ToolCall]:
    """Yield the calls that JSON objects in ``text`` spell; one that holds no name is passed over."""
    decoder = json.JSONDecoder()
    place = text.find("{")
    tries = 0
    while place >= 0 and tries < MOST_OBJECTS:
        tries += 1
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            if call := _json_call(value):
                yield call
        place = text.find("{", end)


def _json_call(value: Any) -> ToolCall | None:
    if not isinstance(value, dict):
        return None
    name = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
    if name is None and isinstance(value.get("function"), dict):
        return _json_call(value["function"])
    if name is None:
        return None
    given: Any = next((value[key] for key in _ARGUMENT_KEYS if key in value), [])
    if isinstance(given, str) and given.lstrip().startswith(("{", "[")):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            given = [given]
    top_k = None
    if isinstance(given, dict):
        top_k = _number(given.get("top_k"))
        given = [item for key, item in given.items() if key != "top_k"]
    return _bounded(name.strip().lower()[:40], list(_texts(given, 3)), top_k)


def _texts(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**9:
        yield str(value)
    elif isinstance(value, list) and depth:
        for item in value:
            yield from _texts(item, depth - 1)
