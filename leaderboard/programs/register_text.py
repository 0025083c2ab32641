"""Reading a requirement register, or an update of one, out of a model's text: tolerant, bounded, never an error."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

MOST_CHARACTERS = 20_000
"""Longest text that is looked through; what stands behind is not read."""
MOST_DEPTH = 8
"""Deepest nesting that is parsed: a register's own is four."""
MOST_ENTRIES = 32
"""Most items that are read out of one text, long before a register cuts them to its own number."""
MOST_REFERENCES = 8
LONGEST_ID = 40
LONGEST_TEXT = 300
LONGEST_NOTES = 400
LONGEST_QUOTE = 200

_WRAPPERS = ("requirement_register", "register", "requirements", "updates", "update", "delta", "items")
_IDS = ("id", "req_id")
_EVIDENCE = ("evidence", "passages", "passage", "chunk_ids", "chunk_id", "chunks")
_PASSAGE = ("passage", "passage_id", "chunk_id", "chunk", "id")
_SUMMARY = "evidence_summary"
_STATUSES = ("pending", "active", "answered", "retired")
_OF_AN_ITEM = ("status", "text", "evidence_notes", "notes")
_NAMED = re.compile(r"^(?:chunk|passage)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reference:
    """A passage as the model named it, and the words it took from there ("" without)."""

    passage: str
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a text says about one item. ``None`` and "" are what it leaves out; ``status`` is any word, lower case.

    ``malformed``: the item is there, and is no object.
    """

    id: str = ""
    text: str = ""
    status: str | None = None
    notes: str = ""
    evidence: tuple[Reference, ...] = ()
    depends_on: tuple[str, ...] | None = None
    malformed: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """The items that a text speaks of, in its order, ids as often as they stand there, and its evidence summary."""

    entries: tuple[Entry, ...]
    summary: str = ""


class _Object(dict[str, Any]):
    """A JSON object that keeps each of its pairs: a repeated key is something to tell."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(reversed(pairs))  # the first of a name stays
        self.pairs = pairs


def read_register(text: str) -> Reading | None:
    """Return what the first JSON value of the text that speaks of items says; None when the text holds none.

    Around it may stand anything: a fence, sentences, other brackets. Accepted are ``{id: item}``, a list of items,
    one item, each also under a name such as ``requirement_register``; a comma before a closing bracket is no fault.
    An empty object or list says that there is nothing to say: no entries.
    """
    empty = None
    for span in _spans(text[:MOST_CHARACTERS]):
        try:
            value = json.loads(span, object_pairs_hook=_Object, parse_constant=lambda _: None)
        except (ValueError, RecursionError):
            continue
        reading = reading_of(value)
        if reading and reading.entries:
            return reading
        empty = empty or reading
    return empty


def reading_of(value: Any) -> Reading | None:
    """Return what a JSON value says about items; None for a value of another form."""
    summary = _line(value.get(_SUMMARY), LONGEST_NOTES) if isinstance(value, Mapping) else ""
    found = _entries(value)
    return None if found is None else Reading(tuple(found[:MOST_ENTRIES]), summary)


def bare(name: str) -> str:
    """Return a passage's name without the brackets and the word "chunk" or "passage" that a model puts around it."""
    name = _NAMED.sub("", name.strip())
    while len(name) > 1 and name[0] + name[-1] in ("[]", "()"):
        name = name[1:-1].strip()
    return name


def _entries(value: Any) -> list[Entry] | None:
    if isinstance(value, list):
        if value and not any(isinstance(item, Mapping) for item in value):
            return None
        return [_entry("", item) for item in value]
    if not isinstance(value, Mapping):
        return None
    for name in _WRAPPERS:
        if isinstance(value.get(name), list | Mapping):
            return _entries(value[name])
    if any(isinstance(value.get(name), str) for name in _OF_AN_ITEM):
        return [_entry("", value)]
    pairs = value.pairs if isinstance(value, _Object) else list(value.items())
    items = [(key, item) for key, item in pairs if isinstance(key, str) and key != _SUMMARY]
    if items and not any(isinstance(item, Mapping | str) for _, item in items):
        return None
    return [_entry(key, item) for key, item in items]


def _entry(key: str, item: Any) -> Entry:
    id = _line(key, LONGEST_ID)
    if isinstance(item, str):
        said = _line(item, LONGEST_TEXT)
        if said.casefold() in _STATUSES:
            return Entry(id, status=said.casefold())
        return Entry(id, text=said) if said else Entry(id, malformed=True)
    if not isinstance(item, Mapping):
        return Entry(id, malformed=True)
    status = item.get("status")
    depends = item.get("depends_on")
    return Entry(
        id=id or _line(_first(item, _IDS), LONGEST_ID),
        text=_line(item.get("text"), LONGEST_TEXT),
        status=None if status is None else _line(status, LONGEST_ID).casefold(),
        notes=_line(_first(item, ("evidence_notes", "notes")), LONGEST_NOTES),
        evidence=tuple(_references(_first(item, _EVIDENCE))),
        depends_on=None if depends is None else tuple(_names(depends)),
    )


def _first(item: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((item[name] for name in names if item.get(name) is not None), None)


def _references(value: Any) -> Iterator[Reference]:
    values = value if isinstance(value, list) else [value]
    for one in values[:MOST_REFERENCES]:
        named = _first(one, _PASSAGE) if isinstance(one, Mapping) else one
        quote = _line(one.get("quote"), LONGEST_QUOTE) if isinstance(one, Mapping) else ""
        if passage := _line(named, LONGEST_TEXT):
            yield Reference(passage, quote)


def _names(value: Any) -> Iterator[str]:
    values = value if isinstance(value, list) else [value]
    for one in values[:MOST_REFERENCES]:
        if name := _line(one, LONGEST_ID):
            yield name


def _line(value: Any, longest: int) -> str:
    """Return a text or a number on one line without what no line holds; "" for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    if isinstance(value, int):
        return str(value) if abs(value) < 10**18 else ""
    whole = value[: 4 * longest].encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    printable = "".join(character if character.isprintable() else " " for character in whole)
    return " ".join(printable.split())[:longest].rstrip()


def _spans(text: str) -> Iterator[str]:
    """Yield the outermost bracketed parts of a text that close, without commas before a closing bracket.

    One pass: strings, which may hold brackets, are known inside brackets only. What nests too deep is left out.
    """
    closing: list[str] = []
    kept: list[str] = []
    deep = in_string = escaped = False
    for place, character in enumerate(text):
        if not closing:
            if character in "{[":
                closing, kept, deep = ["}" if character == "{" else "]"], [character], False
            continue
        if in_string:
            in_string = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == '"':
            in_string = True
        elif character in "{[":
            closing.append("}" if character == "{" else "]")
            deep = deep or len(closing) > MOST_DEPTH
        elif character in "}]":
            if character != closing.pop():
                closing = []  # no JSON: look for the next opening
                continue
        elif character == "," and _closes(text, place + 1):
            continue
        kept.append(character)
        if not closing and not deep:
            yield "".join(kept)


def _closes(text: str, place: int) -> bool:
    while place < len(text) and text[place] in " \t\r\n":
        place += 1
    return place < len(text) and text[place] in "}]"
