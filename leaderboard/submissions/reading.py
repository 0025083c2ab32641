"""Reading a TOML file that a stranger wrote: size, kind of file, encoding, syntax."""

from __future__ import annotations

import os
import re
import stat
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from leaderboard.submissions.errors import (
    LONGEST_SHOWN,
    SubmissionError,
    SubmissionErrors,
    clipped,
    did_you_mean,
)
from leaderboard.submissions.positions import Positions, positions

MOST_BYTES = 64 * 1024
LONGEST_LINE = 2000
"""In characters. A key of many thousand dotted parts takes ``tomllib`` minutes: time grows with its square."""

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


@dataclass(frozen=True)
class TomlFile:
    """A file as read: ``file`` is the path as errors show it, ``data`` what ``tomllib`` makes of ``text``."""

    path: Path
    file: str
    text: str
    data: dict[str, Any]

    @cached_property
    def positions(self) -> Positions:
        """Where its keys and values stand; worked out only when an error asks for it."""
        return positions(self.text)


def read_toml(path: Path, secret: bool = False) -> TomlFile:
    """Read and parse ``path``.

    Raises ``SubmissionErrors`` for what is no regular file, a link out of its folder, more than 64 kB, not UTF-8,
    or not TOML. At most 64 kB are ever read. With ``secret`` a syntax error doesn't show the text it stands at.
    """
    file = path.as_posix()
    text = _decode(file, _read(path, file))
    return TomlFile(path, file, text, parse_toml(text, file, secret))


def parse_toml(text: str, file: str, secret: bool = False) -> dict[str, Any]:
    """Return what ``tomllib`` makes of ``text``; raise ``SubmissionErrors`` with its line and column."""
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > LONGEST_LINE:
            raise _fault(
                file,
                number,
                LONGEST_LINE + 1,
                f"lines of at most {LONGEST_LINE} characters",
                f"one of {len(line)}",
            )
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise _fault(file, 1, 1, "tables and arrays a few levels deep", "nesting too deep to read") from None
    except ValueError as error:  # TOMLDecodeError is one; an integer of 5,000 digits raises another
        raise _syntax(file, text, str(error), secret) from None


def _read(path: Path, file: str) -> bytes:
    try:
        if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(
            os.path.realpath(path.parent)
        ):
            raise _fault(file, 1, 1, "a file of this folder", "a link that leaves it")
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            found = "a folder" if stat.S_ISDIR(status.st_mode) else "a device, pipe or socket"
            raise _fault(file, 1, 1, "a regular file", found)
        if status.st_size > MOST_BYTES:
            raise _fault(file, 1, 1, f"at most {MOST_BYTES:,} bytes", f"{status.st_size:,} bytes")
        with path.open("rb") as stream:
            return stream.read(MOST_BYTES)
    except FileNotFoundError:
        others = [other.name for other in path.parent.glob("*.toml")] if path.parent.is_dir() else []
        raise _fault(file, 1, 1, "a file", "nothing at this path", did_you_mean(path.name, others)) from None
    except (
        OSError,
        ValueError,
    ) as error:  # ValueError: a NUL in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise _fault(file, 1, 1, "a file that can be read", clipped(reason)) from None


def _decode(file: str, data: bytes) -> str:
    if data.startswith(b"\xef\xbb\xbf"):
        raise _fault(file, 1, 1, "UTF-8 without a byte order mark", "a byte order mark")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        found = f"the byte 0x{data[error.start]:02x} (byte {error.start + 1} of the file)"
        raise _fault(file, line, column, "UTF-8", found) from None


def _syntax(file: str, text: str, message: str, secret: bool) -> SubmissionErrors:
    place = _PLACE.search(message)
    lines = text.replace("\r\n", "\n").split("\n")
    if place is None:
        return _fault(file, 1, 1, "valid TOML", "text that is none", clipped(message))
    line = int(place[1] or len(lines))
    column = int(place[2] or len(lines[-1]) + 1)
    rest = lines[line - 1][column - 1 :]
    end = "the end of the file" if line == len(lines) else "the end of the line"
    shown = "something else, not shown here" if secret else f"`{clipped(rest, LONGEST_SHOWN - 2)}`"
    reason = message[: place.start()]
    hint = clipped(reason[:1].lower() + reason[1:])
    return _fault(file, line, column, "valid TOML", shown if rest else end, hint)


def _fault(file: str, line: int, column: int, expected: str, found: str, hint: str = "") -> SubmissionErrors:
    return SubmissionErrors([SubmissionError(file, line, column, "", expected, found, hint)])
