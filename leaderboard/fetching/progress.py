"""How far a download has come: a bar on a terminal, a line every 10 % elsewhere, nothing when not wanted."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Protocol


class Report(Protocol):
    """Where a source tells how far it is."""

    def at(self, done_bytes: int) -> None:
        """Say that ``done_bytes`` of the file are on disk."""

    def say(self, text: str) -> None:
        """Say one thing worth knowing, on a line of its own."""


class _Silent:
    def at(self, done_bytes: int) -> None:
        pass

    def say(self, text: str) -> None:
        pass


class _Lines:
    def __init__(self, label: str, total_bytes: int) -> None:
        self._label = label
        self._total_bytes = total_bytes
        self._tenths = 0

    def at(self, done_bytes: int) -> None:
        tenths = 10 * done_bytes // self._total_bytes
        if tenths > self._tenths:
            self.say(f"{10 * tenths} % of {self._total_bytes / 1e6:,.0f} MB")
        self._tenths = tenths

    def say(self, text: str) -> None:
        print(f"{self._label}: {text}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def reporting(label: str, total_bytes: int, *, wanted: bool) -> Iterator[Report]:
    """Yield the report that fits standard error, and close it at the end."""
    if not wanted:
        yield _Silent()
    elif sys.stderr.isatty():
        with _bar(label, total_bytes) as report:
            yield report
    else:
        yield _Lines(label, total_bytes)


@contextlib.contextmanager
def _bar(label: str, total_bytes: int) -> Iterator[Report]:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn

    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Progress("{task.description}", *columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(escape(label), total=total_bytes)

        class Bar:
            def at(self, done_bytes: int) -> None:
                progress.update(task, completed=done_bytes)

            def say(self, text: str) -> None:
                progress.console.print(escape(f"{label}: {text}"), highlight=False)

        yield Bar()
