"""Text on a terminal: what strangers wrote made harmless, and the console that it is printed on."""

from __future__ import annotations

import sys
import unicodedata
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from rich.console import Console

WIDEST = 100
_TAB = 4
_JOINERS = frozenset("\u200c\u200d")  # some scripts and emoji can't be written without them


def safe(text: str) -> str:
    """Return ``text`` with nothing in it that a terminal acts on, its lines kept.

    Control characters, escape sequences, bidirectional overrides and other invisible characters become visible
    escapes such as ``\\x1b``; tabs and unusual spaces become spaces.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join("".join(map(_shown, line.expandtabs(_TAB))) for line in lines)


def one_line(text: str, longest: int | None = None) -> str:
    """Return ``safe(text)`` on one line, cut to ``longest`` characters with an ellipsis."""
    line = " ".join(safe(text).split())
    return line if longest is None or len(line) <= longest else line[: longest - 1] + "…"


def _shown(character: str) -> str:
    if character.isprintable() or character in _JOINERS:
        return character
    if unicodedata.category(character) == "Zs":
        return " "
    return character.encode("unicode_escape").decode("ascii")


def console() -> Console:
    """Return the console of standard output: coloured only on a terminal, and there unless ``NO_COLOR`` is set.

    At most 100 columns. No text is read as markup. A reader that goes away raises ``BrokenPipeError``.
    """
    from rich.console import Console

    class Plain(Console):
        def on_broken_pipe(self) -> NoReturn:
            raise BrokenPipeError

    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure:
        reconfigure(errors="backslashreplace")  # a terminal that lacks a letter is no fault
    made = Plain(
        force_terminal=None if sys.stdout.isatty() else False, markup=False, emoji=False, highlight=False
    )
    made.width = min(made.width, WIDEST)
    return made


def print_json(value: Any) -> None:
    """Print a value as JSON, every character but plain ASCII escaped."""
    import json

    print(json.dumps(value, indent=2, ensure_ascii=True, allow_nan=False))


def plural(count: int, word: str) -> str:
    """Return "1 question", "2 questions"."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def duration(seconds: float) -> str:
    """Return seconds in words that a person plans with: "45 s", "12 min", "3 h 20 min"."""
    if seconds < 90:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02} min"
