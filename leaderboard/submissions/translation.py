"""From a validation error to plain words: the field, what it expects as a whole, what was found, a suggestion."""

from __future__ import annotations

import datetime
import types
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from leaderboard.submissions.errors import did_you_mean, dotted, one_of, quoted, shown
from leaderboard.submissions.positions import Path
from leaderboard.submissions.schema import Expected

NOTHING = "nothing"


class Fault(NamedTuple):
    """What is wrong at ``path``, before it has a place in a file. ``at_key``: the key is wrong, not its value."""

    path: Path
    expected: str
    found: str
    hint: str = ""
    at_key: bool = False
    missing: bool = False


class _Kind(NamedTuple):
    """A type with what surrounds it in ``Annotated`` or ``Field``, and the field that tells a union's members apart."""

    type: Any
    metadata: tuple[object, ...]
    tag: str | None = None
    description: str = ""


def faults(error: ValidationError, model: type[BaseModel]) -> list[Fault]:
    """Return every fault of ``error``, raised by validating TOML data against ``model``, in plain words."""
    return [
        _fault(item["type"], item["loc"], item["input"], item.get("ctx", {}), model)
        for item in error.errors(include_url=False)
        if not (item["type"] == "too_short" and item["input"])  # its items are the error: they aren't counted
    ]


def _fault(type_: str, loc: Path, found: object, context: Mapping[str, Any], model: type[BaseModel]) -> Fault:
    path, kind, around = _resolve(model, loc)
    if type_ == "extra_forbidden":
        return _unknown(path, around)
    if type_ in ("union_tag_invalid", "union_tag_not_found") and kind.tag:
        tags = sorted(_members(kind))
        path = (*path, kind.tag)
        if type_ == "union_tag_not_found":
            return Fault(path, one_of(tags), NOTHING, missing=True)
        value = found.get(kind.tag) if isinstance(found, Mapping) else found
        return Fault(path, one_of(tags), shown(value), did_you_mean(value, tags))
    expected = str(context.get("expected") or expectation(kind, path))
    if type_ == "missing":
        about = kind.description.rstrip(".")
        return Fault(path, expected, NOTHING, _continued(about), missing=True)
    if type_ == "literal_error":
        expected = expectation(kind, path)
        return Fault(path, expected, shown(found), did_you_mean(found, map(str, get_args(kind.type))))
    if type_ == "each_once":
        return Fault(path, expected, f"{quoted(context['found'])} twice")
    if any(isinstance(item, Expected) and item.secret for item in kind.metadata):
        return Fault(path, expected, "something else, not shown here")
    return Fault(path, expected, shown(found), str(context.get("hint", "")) or _unquoted(found, kind))


def _continued(sentence: str) -> str:
    """Return ``sentence`` as it goes on after other words: small first letter, unless it is an abbreviation's."""
    return sentence if sentence[1:2].isupper() else sentence[:1].lower() + sentence[1:]


def _unquoted(found: object, kind: _Kind) -> str:
    """Return the hint for a number written as text."""
    if kind.type in (int, float) and isinstance(found, str) and len(found) <= 12 and found.isascii():
        digits = found.removeprefix("-").replace(".", "", 1)
        if digits.isdigit():
            return f"write {found} without quotes"
    return ""


def _unknown(path: Path, around: Sequence[str]) -> Fault:
    name = str(path[-1])
    if len(path) == 1:
        tables = ", ".join(f"[{table}]" for table in around)
        return Fault(
            path, f"one of the tables {tables}", quoted(name), did_you_mean(name, around), at_key=True
        )
    return Fault(path, one_of(around), quoted(name), did_you_mean(name, around), at_key=True)


def expectation(kind: _Kind, path: Path) -> str:
    """Return what a field expects as a whole: its type and all its bounds."""
    for item in kind.metadata:
        if isinstance(item, Expected):
            return item.text
    if get_origin(kind.type) is Literal:
        return one_of(map(str, get_args(kind.type)))
    if get_origin(kind.type) is tuple:
        least, most = _bound(kind, MinLen, "min_length"), _bound(kind, MaxLen, "max_length")
        items = "tables" if _is_table(_unwrap(get_args(kind.type)[0])) else "items"
        return (
            f"an array of {least or 0} to {most} {items}"
            if most
            else f"an array of at least {least or 0} {items}"
        )
    if _is_table(kind):
        return f"a table [{dotted(path)}]"
    simple = {bool: "true or false", datetime.date: "a date such as 2024-07-18", str: "text"}
    if kind.type in simple:
        return simple[kind.type]
    return ("a whole number" if kind.type is int else "a number") + _range(kind)


def _range(kind: _Kind) -> str:
    least, above = _bound(kind, Ge, "ge"), _bound(kind, Gt, "gt")
    most, below = _bound(kind, Le, "le"), _bound(kind, Lt, "lt")
    if least is not None and most is not None:
        return f" from {least} to {most}"
    lower = f"at least {least}" if least is not None else f"above {above}" if above is not None else ""
    upper = f"at most {most}" if most is not None else f"below {below}" if below is not None else ""
    words = " and ".join(filter(None, (lower, upper)))
    return f" {words}" if words else ""


def _bound(kind: _Kind, mark: type, name: str) -> float | None:
    return next((getattr(item, name) for item in kind.metadata if isinstance(item, mark)), None)


def _is_table(kind: _Kind) -> bool:
    return kind.tag is not None or (isinstance(kind.type, type) and issubclass(kind.type, BaseModel))


def _resolve(model: type[BaseModel], loc: Path) -> tuple[Path, _Kind, tuple[str, ...]]:
    """Return the path ``loc`` means in the file, the type there, and the names that are known around it.

    A validation error's location names the member of a tagged union (``retriever``, ``bm25``, ``k1``); the file
    does not (``retriever.k1``).
    """
    path: Path = ()
    kind = _Kind(model, ())
    around: tuple[str, ...] = ()
    for part in loc:
        if kind.tag is not None:
            kind = _Kind(_members(kind)[str(part)], ())
            continue
        path = (*path, part)
        if isinstance(kind.type, type) and issubclass(kind.type, BaseModel):
            around = tuple(kind.type.model_fields)
            field = kind.type.model_fields.get(str(part))
            kind = _of_field(field) if field else _Kind(None, ())
        elif get_origin(kind.type) is tuple:
            kind = _unwrap(get_args(kind.type)[0])
        else:
            kind = _Kind(None, ())
    return path, kind, around


def _of_field(field: FieldInfo) -> _Kind:
    inner = _unwrap(field.annotation)
    tag = field.discriminator if isinstance(field.discriminator, str) else inner.tag
    return _Kind(inner.type, (*inner.metadata, *field.metadata), tag, field.description or "")


def _unwrap(annotation: object) -> _Kind:
    """Take ``Annotated`` and ``| None`` off a type."""
    metadata: list[object] = []
    tag: str | None = None
    while True:
        if get_origin(annotation) is Annotated:
            annotation, *marks = get_args(annotation)
            for mark in marks:
                if isinstance(mark, FieldInfo):
                    metadata += mark.metadata
                    tag = mark.discriminator if isinstance(mark.discriminator, str) else tag
                else:
                    metadata.append(mark)
            continue
        if get_origin(annotation) in (Union, types.UnionType):
            members = [member for member in get_args(annotation) if member is not type(None)]
            if len(members) == 1:
                annotation = members[0]
                continue
        return _Kind(annotation, tuple(metadata), tag)


def _members(kind: _Kind) -> dict[str, type[BaseModel]]:
    """Return the members of a tagged union by their tag."""
    members = get_args(kind.type) or (kind.type,)
    return {str(get_args(member.model_fields[kind.tag].annotation)[0]): member for member in members}
