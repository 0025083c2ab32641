"""How far the cells of a build are: a live display on a terminal, a line every ten seconds elsewhere."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from leaderboard.submissions.errors import escaped

if TYPE_CHECKING:
    from leaderboard.results.runs import Run
    from leaderboard.running.cell import Progress, Report

EVERY_S = 10.0
WIDEST = 100
_BAR_CELLS = 10


class RunProgress:
    """The progress of all cells of a build, shown on standard error while one of them runs.

    ``answers`` holds for each cell how many answers it comes to; ``clock`` returns seconds.
    """

    def __init__(self, answers: Sequence[int], clock: Callable[[], float] = time.monotonic) -> None:
        self.cells = len(answers)
        self.ended = 0
        self.answers = sum(answers)
        self.done = 0
        self._clock = clock
        self._started = clock()

    @contextmanager
    def cell(self, label: str) -> Iterator[Report]:
        """Yield the function that takes a cell's progress and shows it, with that of the whole build."""
        now = CellProgress(self, label, self._clock)
        try:
            with _live(now) if draws() else _lines(now) as report:
                yield report
        finally:
            self.ended += 1
            self.done += now.done
            self.answers -= now.answers - now.done

    def leave_out(self, answers: Sequence[int]) -> None:
        """Take note that cells of so many answers cannot be run."""
        self.ended += len(answers)
        self.answers -= sum(answers)

    @property
    def elapsed_s(self) -> float:
        """Seconds since the run stage began."""
        return self._clock() - self._started


class CellProgress:
    """How far one cell is, and the build with it."""

    def __init__(self, whole: RunProgress, label: str, clock: Callable[[], float]) -> None:
        self.whole = whole
        self.label = label
        self.answers = 0
        self.done = 0
        self.taken = ""
        self._clock = clock
        self._started = clock()

    def take(self, progress: Progress) -> None:
        """Take what the cell reports."""
        self.answers, self.done, self.taken = progress.answers, progress.done, taken(progress)

    @property
    def left_s(self) -> float | None:
        """Seconds that the cell still takes, at its pace so far."""
        return time_left_s(self._clock() - self._started, self.done, self.answers)

    @property
    def all_left_s(self) -> float | None:
        """Seconds that all cells still take, at the pace of all answers so far."""
        return time_left_s(self.whole.elapsed_s, self.whole.done + self.done, self.whole.answers)

    @property
    def overall(self) -> str:
        """The whole build in words: cells, time so far, time left."""
        left = self.all_left_s
        about = "" if left is None else f", about {clock_text(left)} left"
        return (
            f"{self.whole.ended} of {self.whole.cells} cells done, {clock_text(self.whole.elapsed_s)}{about}"
        )


def say(line: str) -> None:
    """Tell the person at the terminal what a stage does. An endpoint's own words may be in it: nothing of it acts."""
    print("\n".join(map(escaped, line.split("\n"))), file=sys.stderr, flush=True)


def time_left_s(elapsed_s: float, done: int, answers: int) -> float | None:
    """Return the seconds that the other answers take at the pace of those that are done; None before the first."""
    return elapsed_s / done * (answers - done) if done else None


def summary(progress: Progress) -> str:
    """Return progress as words: answers, and what they took."""
    return f"{progress.done}/{progress.answers} answers, {taken(progress)}"


def taken(progress: Progress) -> str:
    """Return in words what the answers took: calls, tokens and money of those made, answers without a result."""
    parts = [f"{progress.made} calls made", f"{progress.replayed} replayed"]
    if progress.made:
        parts += [f"{progress.tokens:,} tokens", f"spent {usd(progress.paid_usd)}"]
    if progress.troubles:
        parts.append(f"{progress.troubles} without a result")
    return ", ".join(parts)


def usd(amount: float | None) -> str:
    """Return US dollars as words: "unknown" for None; cents, and four decimals below one cent."""
    if amount is None:
        return "unknown"
    return f"{amount:,.4f} USD" if 0 < amount < 0.01 else f"{amount:,.2f} USD"


def clock_text(seconds: float) -> str:
    """Return seconds as a clock shows them: 0:07, 12:30, 1:02:03."""
    minutes, second = divmod(int(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


def finished(run: Run) -> str:
    """Return in words what a run came to: outcomes, calls, time."""
    outcomes = ", ".join(f"{count} {outcome.value}" for outcome, count in run.outcomes.items() if count)
    return f"{outcomes}; {run.calls_made} calls made, {run.calls_replayed} replayed, {run.wall_s:.1f} s"


def draws() -> bool:
    """Whether standard error is a terminal on which lines can be drawn anew."""
    return sys.stderr.isatty() and os.environ.get("TERM", "") not in ("", "dumb", "unknown")


@contextmanager
def _lines(now: CellProgress) -> Iterator[Report]:
    last = now.whole.elapsed_s

    def report(progress: Progress) -> None:
        nonlocal last
        now.take(progress)
        if progress.done == 0:
            line = f"{progress.answers} answers; {now.overall}"
        elif progress.done == progress.answers:
            line = summary(progress)
        elif now.whole.elapsed_s - last >= EVERY_S:
            last = now.whole.elapsed_s
            line = f"{summary(progress)}; {now.overall}"
        else:
            return
        say(f"  {now.label}: {line}")

    yield report


@contextmanager
def _live(now: CellProgress) -> Iterator[Report]:
    """Show three lines that are gone when the cell ends: the build, the cell with its bar, what it came to.

    They come with the first answer: until then an encoder may be fetched, which draws a bar of its own.
    """
    from rich.console import Console, Group
    from rich.live import Live
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    def lines() -> Any:
        left = now.left_s
        cell = Table.grid(padding=(0, 1))
        cell.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
        cell.add_column(width=_BAR_CELLS)
        cell.add_column(no_wrap=True, justify="right")
        cell.add_column(no_wrap=True, justify="right", min_width=10)
        cell.add_row(
            Text(f"  {now.label}"),
            ProgressBar(total=max(now.answers, 1), completed=now.done, width=_BAR_CELLS),
            Text(f"{now.done}/{now.answers}"),
            Text("" if left is None else f"{clock_text(left)} left"),
        )
        return Group(Text(f"  {now.overall}", style="dim"), cell, Text(f"    {now.taken}"))

    console = Console(stderr=True, highlight=False)
    console.width = min(console.width, WIDEST)
    live = Live(console=console, get_renderable=lines, transient=True, refresh_per_second=4)

    def report(progress: Progress) -> None:
        now.take(progress)
        if progress.done == 0:
            say(f"  {now.label}: {progress.answers} answers; {now.overall}")
        elif not live.is_started:
            live.start(refresh=True)

    try:
        yield report
    finally:
        live.stop()
