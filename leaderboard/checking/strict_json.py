"""JSON that a stranger wrote, read without surprises, and its one canonical form."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, NoReturn

from leaderboard.submissions.errors import SubmissionError, clipped, dotted, quoted, shown
from leaderboard.submissions.positions import START, Path, Position

DEEPEST = 6
"""Objects and arrays inside each other, the outermost included."""

MOST_DIGITS = 15
"""Of a number: what a double holds exactly."""

MOST_ERRORS = 50

REWRITE = "python -m leaderboard.checking.state FILE writes it so"


class Fault(NamedTuple):
    """What is wrong at ``path``."""

    path: Path
    expected: str
    found: str
    hint: str = ""


class JsonFaults(Exception):
    """All faults found in a JSON text."""

    def __init__(self, errors: list[SubmissionError]) -> None:
        self.errors = errors
        super().__init__("\n".join(map(str, errors)))


class _Number(NamedTuple):
    """A number that is refused, kept until its path is known."""

    expected: str
    found: str


class _Object(dict[str, Any]):
    """An object in which ``twice`` stands more than once."""

    twice: str


def canonical_text(value: object) -> str:
    """Return a JSON value's canonical text: keys sorted, one space a level, no needless escape, newline at the end."""
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def parse_json(data: bytes, file: str, *, canonical: bool = True) -> Any:
    """Return the value of a JSON text in UTF-8; ``file`` is its name in errors.

    Refused are: other encodings, keys that stand twice, NaN and infinities, numbers of more than 15 digits, lone
    surrogates, nesting of more than 6 levels, and, if asked for, every form but the canonical one.
    Raises ``JsonFaults``.
    """
    text = _decoded(data, file)
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=lambda name: _Number("a number", name),
            parse_int=_integer,
            parse_float=_decimal,
        )
    except json.JSONDecodeError as error:
        _refuse(file, Position(error.lineno, error.colno), "valid JSON", clipped(error.msg))
    except RecursionError:
        _refuse(file, START, f"at most {DEEPEST} levels of nesting", "more")
    if faults := list(_surprises(value)):
        raise JsonFaults(located(faults, value, file))
    if canonical:
        _canonical(text, canonical_text(value), file)
    return value


def located(faults: list[Fault], value: object, file: str) -> list[SubmissionError]:
    """Give each fault its place in the canonical text of ``value``, in the order of the places; at most 50."""
    places = _places(value)
    errors = []
    for fault in faults:
        path = fault.path
        while path not in places:
            path = path[:-1]
        field = dotted(fault.path)
        errors.append(SubmissionError(file, *places[path], field, fault.expected, fault.found, fault.hint))
    return sorted(errors)[:MOST_ERRORS]


def found_in(value: object) -> str:
    """Return a JSON value as an error shows it."""
    if value is None:
        return "null"
    return "an object" if isinstance(value, Mapping) else shown(value)


def _refuse(file: str, place: Position, expected: str, found: str, hint: str = "") -> NoReturn:
    raise JsonFaults([SubmissionError(file, *place, "", expected, found, hint)]) from None


def _decoded(data: bytes, file: str) -> str:
    if data.startswith(b"\xef\xbb\xbf"):
        _refuse(file, START, "UTF-8 without a byte order mark", "a byte order mark")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        place = Position(before.count("\n") + 1, len(before) - before.rfind("\n"))
        _refuse(
            file, place, "UTF-8", f"the byte 0x{data[error.start]:02x} (byte {error.start + 1} of the file)"
        )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    twice = _Object(made)
    counts = Counter(key for key, _ in pairs)
    twice.twice = next(key for key, count in counts.items() if count > 1)
    return twice


def _integer(digits: str) -> object:
    if len(digits) > MOST_DIGITS:
        return _Number(f"a number of at most {MOST_DIGITS} digits", f"one of {len(digits)}")
    return int(digits)


def _decimal(digits: str) -> object:
    number = float(digits)
    return number if math.isfinite(number) else _Number("a finite number", clipped(digits))


def _surprises(value: object) -> Iterator[Fault]:
    """Yield what no JSON reader should take, without recursion."""
    pending: list[tuple[Path, object]] = [((), value)]
    while pending:
        path, item = pending.pop()
        match item:
            case _Number():
                yield Fault(path, item.expected, item.found)
            case str():
                yield from _surrogate(path, item)
            case dict() | list():
                if len(path) >= DEEPEST:
                    yield Fault(path, f"at most {DEEPEST} levels of nesting", "more")
                    continue
                if isinstance(item, _Object):
                    yield Fault((*path, item.twice), "each key once", f"{quoted(item.twice)} twice")
                within = item.items() if isinstance(item, dict) else enumerate(item)
                for key, inner in within:
                    if isinstance(key, str):
                        yield from _surrogate((*path, key), key)
                    pending.append(((*path, key), inner))


def _surrogate(path: Path, text: str) -> Iterator[Fault]:
    lone = next((character for character in text if "\ud800" <= character <= "\udfff"), "")
    if lone:
        yield Fault(path, "text", f"half a character, \\u{ord(lone):04x}")


def _canonical(text: str, wanted: str, file: str) -> None:
    """Refuse ``text`` where it first differs from ``wanted``."""
    if text == wanted:
        return
    same = next((n for n, (a, b) in enumerate(zip(text, wanted, strict=False)) if a != b), None)
    at = min(len(text), len(wanted)) if same is None else same
    place = Position(text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at))
    expected = "canonical JSON: keys sorted, one space a level, no needless escapes, a newline at the end"
    _refuse(file, place, expected, "another form", REWRITE)


def _places(value: object) -> dict[Path, Position]:
    """Return where each key and each item of an array stands in the canonical text."""
    places: dict[Path, Position] = {(): START}

    def walk(path: Path, item: object, line: int) -> int:
        if not isinstance(item, dict | list) or not item or len(path) > DEEPEST:
            return line
        keys = sorted(item) if isinstance(item, dict) else range(len(item))
        for key in keys:
            line += 1
            places[(*path, key)] = Position(line, len(path) + 2)
            line = walk((*path, key), item[key], line)
        return line + 1

    walk((), value, 1)
    return places
