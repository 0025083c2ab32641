"""A progress line a cell: a live bar on a terminal, a line every ten seconds elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from leaderboard.results.runs import Run
from leaderboard.running.cell import Progress, Report

EVERY_S = 10.0


@contextmanager
def cell_progress(label: str) -> Iterator[Report]:
    """Yield the function that takes a cell's progress and shows it on standard error."""
    if sys.stderr.isatty():
        with _bar(label) as report:
            yield report
    else:
        yield _lines(label)


def summary(progress: Progress) -> str:
    """Return progress as words: questions, calls, troubles."""
    text = f"{progress.done}/{progress.answers} answers, {progress.made} calls made, {progress.replayed} replayed"
    return f"{text}, {progress.troubles} without a result" if progress.troubles else text


def _lines(label: str) -> Report:
    last = time.monotonic()

    def report(progress: Progress) -> None:
        nonlocal last
        if progress.done == 0:
            print(f"  {label}: {progress.answers} answers", file=sys.stderr, flush=True)
        elif progress.done == progress.answers or time.monotonic() - last >= EVERY_S:
            last = time.monotonic()
            print(f"  {label}: {summary(progress)}", file=sys.stderr, flush=True)

    return report


@contextmanager
def _bar(label: str) -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns: tuple[Any, ...] = (
        TextColumn("  {task.description}", markup=False),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[state]}", markup=False),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Bars(*columns, console=Console(stderr=True)) as bars:
        task = bars.add_task(label, total=None, state="")
        yield lambda progress: bars.update(
            task, total=progress.answers, completed=progress.done, state=summary(progress)
        )


def finished(run: Run) -> str:
    """Return in words what a run came to: outcomes, calls, time."""
    outcomes = ", ".join(f"{count} {outcome.value}" for outcome, count in run.outcomes.items() if count)
    return f"{outcomes}; {run.calls_made} calls made, {run.calls_replayed} replayed, {run.wall_s:.1f} s"
