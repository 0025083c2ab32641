"""What is wrong with a file, said to the person who wrote it: place, field, expected, found, suggestion."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass

LONGEST_SHOWN = 80
"""Never more characters than this of what a stranger's file holds are shown."""


@dataclass(frozen=True, slots=True, order=True)
class SubmissionError:
    """One fault of one file. ``line`` and ``column`` count from 1, columns in characters; ``field`` is a dotted path.

    ``expected``, ``found`` and ``hint`` are phrases without control characters; ``hint`` and ``field`` may be ``""``.
    """

    file: str
    line: int
    column: int
    field: str
    expected: str
    found: str
    hint: str = ""

    def __str__(self) -> str:
        field = f" {self.field}:" if self.field else ""
        hint = f" ({self.hint})" if self.hint else ""
        place = f"{escaped(self.file)}:{self.line}:{self.column}:"
        return f"{place}{field} expected {self.expected}, found {self.found}{hint}"


class SubmissionErrors(Exception):
    """All faults of a file (and of the files it is based on), in the order of their places; never empty."""

    def __init__(self, errors: Iterable[SubmissionError]) -> None:
        self.errors: tuple[SubmissionError, ...] = tuple(dict.fromkeys(errors))
        super().__init__("\n".join(map(str, self.errors)))


def escaped(text: str) -> str:
    """Return ``text`` with everything unprintable (control, bidirectional, line separators) as an escape."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def clipped(text: str, longest: int = LONGEST_SHOWN) -> str:
    """Return ``text``, escaped, and cut to ``longest`` characters with an ellipsis where it is longer."""
    shown = escaped(text[: longest + 1])
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"


def quoted(text: str) -> str:
    """Return ``text`` in double quotes, at most 80 characters in all."""
    return f'"{clipped(text, LONGEST_SHOWN - 2)}"'


def one_of(words: Iterable[str]) -> str:
    """Return ``one of "a", "b"``, or ``"a"`` alone."""
    items = [f'"{word}"' for word in words]
    return items[0] if len(items) == 1 else "one of " + ", ".join(items)


def shown(value: object) -> str:
    """Return a TOML value as an error shows it: short, printable, without what a table or an array holds."""
    match value:
        case str():
            return quoted(value)
        case bool():
            return "true" if value else "false"
        case int():
            return str(value) if value.bit_length() <= 128 else "an integer of more than 38 digits"
        case float():
            return repr(value)
        case list() | tuple():
            return f"an array of {len(value)}"
        case dict():
            return "a table"
        case datetime.datetime():
            return f"the date and time {value.isoformat()}"
        case datetime.date():
            return f"the date {value.isoformat()}"
        case datetime.time():
            return f"the time {value.isoformat()}"
    return clipped(f"a {type(value).__name__}")


def did_you_mean(word: object, candidates: Iterable[str]) -> str:
    """Return ``did you mean "bm25"?`` when a candidate is close to ``word``, else ``""``. Case does not count."""
    if not isinstance(word, str):
        return ""
    from difflib import get_close_matches

    by_lower = {candidate.lower(): candidate for candidate in candidates}
    close = get_close_matches(word[:LONGEST_SHOWN].lower(), list(by_lower), n=1)
    return f'did you mean "{by_lower[close[0]]}"?' if close else ""


def dotted(path: Iterable[str | int]) -> str:
    """Return a path as people write it: ``models[0].name``; keys that need quotes get them."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
            continue
        bare = (
            part.isascii() and part.replace("-", "").replace("_", "").isalnum() and len(part) <= LONGEST_SHOWN
        )
        text += ("." if text else "") + (part if bare else quoted(part))
    return text
