"""The digests of files whose publisher names none: noted when they were first seen, and held to from then on.

A lock file is JSON that can be committed: name → sha256, bytes, source, first_seen.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from leaderboard.fetching.pinned import ChangedUpstream, FetchError
from leaderboard.files import write_json

LARGEST_BYTES = 16 << 20
LOCK_TIMEOUT_S = 60.0

_SHA256 = re.compile(r"[0-9a-f]{64}")
_CONFLICT = re.compile(r"^(<<<<<<<|=======|>>>>>>>)", re.MULTILINE)


class LockfileError(FetchError):
    """A lock file can't be read or written. The text names file, line, what was expected, found, and what to do."""


@dataclass(frozen=True, slots=True)
class LockEntry:
    """One file as it was first seen: ``source`` is where it came from (no secrets), ``first_seen`` a day in UTC."""

    sha256: str
    size_bytes: int
    source: str
    first_seen: date

    def as_json(self) -> dict[str, str | int]:
        """Return the entry as it stands in the file."""
        return {
            "sha256": self.sha256,
            "bytes": self.size_bytes,
            "source": self.source,
            "first_seen": self.first_seen.isoformat(),
        }


class Lockfile:
    """The lock file at ``path``, which need not be there yet. Nothing is kept in memory between two calls."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> Mapping[str, LockEntry]:
        """Return the entries by name, none where there is no file. Raises ``LockfileError`` for a broken one."""
        try:
            with self.path.open("rb") as stream:
                data = stream.read(LARGEST_BYTES + 1)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise LockfileError(
                f"{self.path} can't be read: {error.strerror}; make it a readable file"
            ) from error
        if len(data) > LARGEST_BYTES:
            raise self._broken(1, f"at most {LARGEST_BYTES:,} bytes", "more")
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise self._broken(line, "UTF-8", f"byte {data[error.start]:#04x}") from error
        return {name: self._entry(text, name, value) for name, value in self._parsed(text).items()}

    def entry(self, name: str) -> LockEntry | None:
        """Return the entry of ``name``, None where there is none. Raises ``LockfileError``."""
        return self.read().get(name)

    def note(self, name: str, *, sha256: str, size_bytes: int, source: str) -> LockEntry:
        """Note a file that was seen whole, dated today (UTC), beside what others noted meanwhile; return its entry.

        An entry with the same digest stays as it is. Raises ``ChangedUpstream`` where ``name`` stands there with
        another digest, ``LockfileError`` when the file is broken or can't be written; nothing is changed then.
        """
        if not name or not name.isprintable() or not _SHA256.fullmatch(sha256) or size_bytes < 0:
            raise ValueError(f"no entry of a lock file: {name!r}, sha256 {sha256!r}, {size_bytes} bytes")
        try:
            with self._alone():
                entries = dict(self.read())
                present = entries.get(name)
                if present is None:
                    entries[name] = LockEntry(sha256, size_bytes, source, datetime.now(UTC).date())
                    write_json(self.path, {key: entry.as_json() for key, entry in entries.items()})
                elif present.sha256 != sha256:
                    raise ChangedUpstream(
                        f"{name} changed upstream: expected sha256 {present.sha256} (first seen "
                        f"{present.first_seen}, {self.path}), found {sha256} from {source}. {self.advice(name)}"
                    )
                return entries[name]
        except OSError as error:
            raise LockfileError(
                f"{self.path} can't be written: {error.strerror or error}; {name} (sha256 {sha256}) was not noted. "
                "Make the folder writable and run again."
            ) from error

    def advice(self, name: str) -> str:
        """Return what to do when the file ``name`` is no longer the one that was first seen."""
        return f"To accept the new file, take the entry of {name} out of {self.path} and run again."

    @contextmanager
    def _alone(self) -> Iterator[None]:
        from filelock import FileLock, Timeout

        self.path.parent.mkdir(parents=True, exist_ok=True)
        lock = self.path.with_name(f".{self.path.name}.lock")
        try:
            with FileLock(lock, timeout=LOCK_TIMEOUT_S):
                yield
        except Timeout as error:
            raise LockfileError(
                f"{self.path} is held by another process for more than {LOCK_TIMEOUT_S:g} s; end it and run again"
            ) from error

    def _parsed(self, text: str) -> dict[str, Any]:
        conflict = _CONFLICT.search(text)
        if conflict:
            line = text.count("\n", 0, conflict.start()) + 1
            raise self._broken(line, "JSON", f"a conflict of two versions ({conflict[0]})")
        try:
            value = json.loads(text, object_pairs_hook=self._unique)
        except json.JSONDecodeError as error:
            found = repr(text[error.pos : error.pos + 20]) if error.pos < len(text) else "the end of the file"
            raise self._broken(error.lineno, f"JSON ({error.msg})", found) from error
        except _Twice as twice:
            second = [match.start() for match in re.finditer(re.escape(json.dumps(twice.key)), text)][1:2]
            line = text.count("\n", 0, second[0]) + 1 if second else 1
            raise self._broken(line, "every name once", f"{twice.key!r} twice") from twice
        except (ValueError, RecursionError) as error:
            raise self._broken(1, "JSON", "numbers too long or brackets too deep") from error
        if not isinstance(value, dict):
            raise self._broken(1, "an object of names", type(value).__name__)
        return value

    @staticmethod
    def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key, value in pairs:
            if key in made:
                raise _Twice(key)
            made[key] = value
        return made

    def _entry(self, text: str, name: str, value: Any) -> LockEntry:
        fields = ("sha256", "bytes", "source", "first_seen")
        if not name or not name.isprintable():
            raise self._broken(_line(text, name), "a printable name of a file", repr(name)[:100])
        if not isinstance(value, dict) or set(value) != set(fields):
            found = ", ".join(sorted(value)) if isinstance(value, dict) else type(value).__name__
            raise self._broken(
                _line(text, name), f"{', '.join(fields)} of {name!r}", found[:200] or "nothing"
            )
        day = _day(value["first_seen"])
        sound = {
            "sha256": ("64 lower-case hex digits", _is_text(value["sha256"], _SHA256)),
            "bytes": ("a whole number", type(value["bytes"]) is int and value["bytes"] >= 0),
            "source": ("a line of text", isinstance(value["source"], str) and value["source"].isprintable()),
            "first_seen": ("a day such as 2026-01-31", day is not None),
        }
        for field, (expected, is_sound) in sound.items():
            if not is_sound:
                line = _line(text, name, field)
                raise self._broken(line, f"{expected} as {field} of {name!r}", repr(value[field])[:100])
        return LockEntry(value["sha256"], value["bytes"], value["source"], day or date.min)

    def _broken(self, line: int, expected: str, found: str) -> LockfileError:
        return LockfileError(
            f"{self.path}:{line}: expected {expected}, found {found}. "
            "Correct the line, or take the file as it was committed last."
        )


class _Twice(Exception):
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _is_text(value: object, pattern: re.Pattern[str]) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def _day(value: object) -> date | None:
    if not isinstance(value, str) or not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII):
        return None
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None


def _line(text: str, *keys: str) -> int:
    """Return the line of the last of ``keys``, each one looked for after the one before."""
    at = 0
    for key in keys:
        written = "|".join(
            re.escape(json.dumps(key, ensure_ascii=ascii_only)) for ascii_only in (False, True)
        )
        match = re.compile(rf"(?:{written})\s*:").search(text, at)
        at = match.start() if match else at
    return text.count("\n", 0, at) + 1
