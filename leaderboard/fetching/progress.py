"""How far a download has come: a bar on a terminal, a line every 10 % elsewhere, nothing when not wanted."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.progress import ProgressColumn


class Report(Protocol):
    """Where a source tells how far it is."""

    def expect(self, total_bytes: int) -> None:
        """Say how many bytes there will be in all."""

    def at(self, done_bytes: int) -> None:
        """Say that ``done_bytes`` of the file are on disk."""

    def say(self, text: str) -> None:
        """Say one thing worth knowing, on a line of its own."""


class _Silent:
    def expect(self, total_bytes: int) -> None:
        pass

    def at(self, done_bytes: int) -> None:
        pass

    def say(self, text: str) -> None:
        pass


class _Lines:
    def __init__(self, label: str, total_bytes: int | None) -> None:
        self._label = label
        self._total = total_bytes
        self._tenths = 0

    def expect(self, total_bytes: int) -> None:
        self._total = total_bytes

    def at(self, done_bytes: int) -> None:
        if not self._total:
            return
        tenths = 10 * done_bytes // self._total
        if tenths > self._tenths:
            self.say(self._told(tenths))
        self._tenths = tenths

    def _told(self, tenths: int) -> str:
        return f"{10 * tenths} % of {(self._total or 0) / 1e6:,.0f} MB"

    def say(self, text: str) -> None:
        print(f"{self._label}: {text}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def reporting(label: str, total_bytes: int | None, *, wanted: bool) -> Iterator[Report]:
    """Yield the report that fits standard error, and close it at the end. ``total_bytes`` None: not known yet."""
    if not wanted:
        yield _Silent()
    elif sys.stderr.isatty():
        with _bar(label, total_bytes) as report:
            yield report
    else:
        yield _Lines(label, total_bytes)


@contextlib.contextmanager
def _bar(label: str, total: int | None, columns: Sequence[ProgressColumn] | None = None) -> Iterator[Report]:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn

    columns = columns or (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Progress("{task.description}", *columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(escape(label), total=total)

        class Bar:
            def expect(self, total_bytes: int) -> None:
                progress.update(task, total=total_bytes)

            def at(self, done_bytes: int) -> None:
                progress.update(task, completed=done_bytes)

            def say(self, text: str) -> None:
                progress.console.print(escape(f"{label}: {text}"), highlight=False)

        yield Bar()


@contextlib.contextmanager
def counting(label: str, total: int, things: str, *, wanted: bool) -> Iterator[Report]:
    """Yield the report of something that is counted, not weighed: ``at`` takes how many of ``total`` are done."""
    if not wanted:
        yield _Silent()
    elif sys.stderr.isatty():
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

        columns = (BarColumn(), MofNCompleteColumn(), TextColumn(things), TimeRemainingColumn())
        with _bar(label, total, columns) as report:
            yield report
    else:
        yield _CountLines(label, total, things)


class _CountLines(_Lines):
    def __init__(self, label: str, total: int, things: str) -> None:
        super().__init__(label, total)
        self._things = things

    def _told(self, tenths: int) -> str:
        return f"{10 * tenths} % of {self._total:,} {self._things}"
