"""The working store of model calls: every response is on disk before the program that asked receives it.

SQLite through diskcache, with a ``Disk`` that holds text only: diskcache's own ones unpickle what they find.
The durable form is the parquet file of a run; this store is filled from it and may be deleted.
"""

from __future__ import annotations

import json
import math
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import diskcache
from diskcache.core import MODE_RAW, UNKNOWN

from leaderboard.calls.keys import call_key

MINIMUM_FREE_BYTES = 64 << 20
_HEX = frozenset("0123456789abcdef")
_TEXTS = ("text", "finish_reason", "model_version")
_COUNTS = ("prompt_tokens", "completion_tokens", "cached_tokens")


class CallStoreError(Exception):
    """The store cannot be used. The text says which folder, what is wrong, and what to do."""


@dataclass(frozen=True, slots=True)
class StoredCall:
    """A request and its whole response.

    ``request`` is the canonical request (``calls.keys``), ``response`` the parts of the answer (``text``,
    ``finish_reason``, the three token counts, the provider's ``model_version``, and its whole JSON as ``raw``).
    ``paid_usd`` is what was paid when it was recorded, None when unknown; ``recorded_at`` an ISO time in UTC;
    ``latency_s`` seconds. Raises ``CallStoreError`` that names the field when one is not so: no such call exists.
    """

    key: str
    request: Mapping[str, Any]
    response: Mapping[str, Any]
    latency_s: float
    paid_usd: float | None
    recorded_at: str

    def __post_init__(self) -> None:
        fault = _fault(self)
        if fault:
            raise CallStoreError(
                f"call {str(self.key)[:12]}: {fault}; the recording was altered: take it from its source again"
            )


def _fault(call: StoredCall) -> str:
    """Return what is wrong with a call, "" if nothing is. The annotations do not bind what is read from a file."""
    fields: dict[str, Any] = {name: getattr(call, name) for name in StoredCall.__slots__}
    for name, kind in (("key", str), ("request", dict), ("response", dict), ("recorded_at", str)):
        if not isinstance(fields[name], kind):
            return f"{name}: expected {kind.__name__}, found {fields[name]!r:.60}"
    for name in ("latency_s", "paid_usd"):
        unknown = name == "paid_usd" and fields[name] is None
        if not unknown and not _is_amount(fields[name]):
            return f"{name}: expected a finite number from 0, found {fields[name]!r:.60}"
    response = fields["response"]
    missing = [name for name in (*_TEXTS, *_COUNTS, "raw") if name not in response]
    if missing:
        return f"response: has no {', '.join(missing)}"
    for name in _TEXTS:
        if not isinstance(response[name], str):
            return f"response.{name}: expected str, found {response[name]!r:.60}"
    for name in _COUNTS:
        count = response[name]
        if count is not None and (type(count) is not int or count < 0):
            return f"response.{name}: expected a count or none, found {count!r:.60}"
    if not isinstance(response["raw"], dict):
        return f"response.raw: expected dict, found {response['raw']!r:.60}"
    try:
        _to_text(response).encode()
        expected = call_key(fields["request"])
    except (ValueError, TypeError, RecursionError) as error:
        return f"it holds what JSON cannot ({error})"
    return (
        "" if call.key == expected else f"the key does not belong to its request (expected {expected[:12]})"
    )


def _is_amount(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf


def _to_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


class TextDisk(diskcache.Disk):  # type: ignore[misc]
    """Raw hex keys and UTF-8 text values. A row of any other kind is refused, so nothing is ever unpickled."""

    def put(self, key: str) -> tuple[str, bool]:
        """Return the database form of a key: 64 hex digits as they are."""
        if len(key) != 64 or not set(key) <= _HEX:
            raise CallStoreError(f"a call's key is 64 hex digits, found {key[:80]!r}")
        return key, True

    def get(self, key: Any, raw: bool) -> str:
        """Return a key from its database form."""
        if not raw or not isinstance(key, str):
            raise CallStoreError("the store holds a key that is not text: it was not written by this program")
        return key

    def store(self, value: str, read: bool, key: Any = UNKNOWN) -> tuple[int, int, None, str]:
        """Return size, mode, file name and column value of a text value: always in the database, never a file."""
        if not isinstance(value, str) or read:
            raise CallStoreError("only text is stored")
        return 0, MODE_RAW, None, value

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> str:
        """Return a text value; refuse every other mode."""
        if mode != MODE_RAW or not isinstance(value, str) or filename is not None or read:
            raise CallStoreError(
                "the store holds a value that is not text: it was not written by this program"
            )
        return value


class CallStore:
    """Calls by key, shared by threads and processes. ``folder`` is made when missing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._flights: dict[str, threading.Lock] = {}
        self._flights_lock = threading.Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._cache = diskcache.Cache(
                str(folder),
                disk=TextDisk,
                eviction_policy="none",
                size_limit=2**62,
                cull_limit=0,
            )
            self._probe()
        except (OSError, sqlite3.Error, diskcache.Timeout) as error:
            raise self._unusable(error) from error
        self.require_space()

    def _probe(self) -> None:
        probe = "0" * 64
        self._cache.set(probe, "{}")
        self._cache.delete(probe)

    def _unusable(self, error: BaseException) -> CallStoreError:
        text = str(error)
        if "malformed" in text or "not a database" in text or "unsupported file format" in text:
            advice = (
                f"the file cache.db is damaged. Move the folder away (mv '{self.folder}' '{self.folder}.damaged') and run "
                "again: the calls of committed runs are read back from results/; calls not yet in a run are asked again"
            )
        elif (
            "readonly" in text
            or "read-only" in text
            or "Permission denied" in text
            or "unable to open" in text
        ):
            advice = (
                "it cannot be written. Make it writable, or set LEADERBOARD_CACHE_DIR to a folder that is"
            )
        elif "full" in text or "No space" in text or "too large" in text or "disk I/O" in text:
            advice = (
                "the disk is full. Free some space, or set LEADERBOARD_CACHE_DIR to a folder on another disk"
            )
        else:
            advice = "set LEADERBOARD_CACHE_DIR to a folder that can be written"
        return CallStoreError(f"call store {self.folder}: {text or type(error).__name__}; {advice}")

    def require_space(self) -> None:
        """Raise ``CallStoreError`` when less than 64 MiB are free: no call is made that could not be kept."""
        free = shutil.disk_usage(self.folder).free
        if free < MINIMUM_FREE_BYTES:
            raise CallStoreError(
                f"call store {self.folder}: {free >> 20} MiB free, expected at least {MINIMUM_FREE_BYTES >> 20}; "
                "free some space, or set LEADERBOARD_CACHE_DIR to a folder on another disk"
            )

    def get(self, key: str) -> StoredCall | None:
        """Return the call with this key, or None. Raises ``CallStoreError`` for a damaged or altered row."""
        try:
            text = self._cache.get(key)
        except (OSError, sqlite3.Error, diskcache.Timeout) as error:
            raise self._unusable(error) from error
        if text is None:
            return None
        try:
            call = StoredCall(**json.loads(text))
            if call.key != key:
                raise CallStoreError(f"it holds call {call.key[:12]}")
        except (ValueError, TypeError, RecursionError, CallStoreError) as error:
            raise CallStoreError(
                f"call store {self.folder}: call {key[:12]}: its row is not a call ({error}). Move the folder away "
                f"(mv '{self.folder}' '{self.folder}.damaged') and run again: the calls of committed runs are read back "
                "from results/"
            ) from error
        return call

    def put(self, call: StoredCall) -> None:
        """Commit a call. An equal key with another response stays as it was: the first recording counts.

        When it cannot be written, the response is kept in a file of the temporary folder, and the error names it.
        """
        text = _to_text(asdict(call))
        try:
            self._cache.add(call.key, text)
        except (OSError, sqlite3.Error, diskcache.Timeout) as error:
            problem = self._unusable(error)
            raise CallStoreError(f"{problem}{self._rescue(call.key, text)}") from error

    def _rescue(self, key: str, text: str) -> str:
        try:
            with tempfile.NamedTemporaryFile(
                "w", encoding="utf-8", prefix=f"call-{key[:12]}-", suffix=".json", delete=False
            ) as stream:
                stream.write(text)
        except OSError:
            return "; the response could not be saved elsewhere either"
        return f"; the response was saved as {stream.name}"

    @contextmanager
    def flight(self, key: str) -> Iterator[None]:
        """Hold the only flight of ``key`` in this process: of two equal calls in flight the second one waits."""
        with self._flights_lock:
            lock = self._flights.setdefault(key, threading.Lock())
        with lock:
            yield

    def once(self, request: Mapping[str, Any], ask: Callable[[str], StoredCall]) -> tuple[StoredCall, bool]:
        """Return the call for ``request`` and whether it was replayed; ask, and commit, only when it is new.

        What is returned is what is stored: another process may have asked the same at the same time and been first.
        """
        key = call_key(request)
        with self.flight(key):
            found = self.get(key)
            if found is not None:
                return found, True
            call = ask(key)
            self.put(call)
            return self.get(key) or call, False

    def merge(self, calls: Iterable[StoredCall]) -> tuple[str, ...]:
        """Add calls that are not here yet; return the keys whose stored response differs (kept as they were)."""
        conflicts = []
        for call in calls:
            present = self.get(call.key)
            if present is None:
                self.put(call)
            elif present.response != call.response:
                conflicts.append(call.key)
        return tuple(conflicts)

    def close(self) -> None:
        """Close the database."""
        self._cache.close()
