"""The command compile: its progress, and what came of it in words."""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from leaderboard.cli.terminal import console, duration, plural, safe

if TYPE_CHECKING:
    from leaderboard.compiling.compilation import Finished
    from leaderboard.compiling.program import Learnt, Progress, Report

EVERY_S = 10.0
WIDEST = 100


def compile_(options: argparse.Namespace) -> int:
    """Compile a submission and say what changed."""
    gc.enable()
    from leaderboard.compiling.compilation import compile_system
    from leaderboard.submissions.config import load_config
    from leaderboard.submissions.load import load_submission

    config = load_config(options.config)
    submission = load_submission(options.file, config.names)
    with progress(submission.key) as report:
        finished = compile_system(
            submission,
            config,
            options.results,
            replay=options.replay,
            data_dir=options.data_dir,
            report=report,
        )
    out = console()
    for line in summary(finished, submission.state_path):
        out.print(safe(line))
    return 0


def summary(finished: Finished, path: Path) -> Iterator[str]:
    """Yield in words what a compile came to: predictors, calls, time, place."""
    learnt, facts = finished.learnt, finished.state.compiled
    if learnt.ended:
        yield f"ended early: {learnt.ended}; kept is the best program until then"
    for name in learnt.predictors:
        yield f"{name}: {_predictor(learnt, name)}"
    if not learnt.changed:
        yield "nothing changed: of all candidates the program as it is did best"
    scored = "" if facts.score is None else f"; {facts.score:.3f} right on the questions it was scored on"
    calls = learnt.calls
    yield (
        f"{facts.optimizer} on {facts.train}: {plural(facts.calls, 'call')}, {calls.made} made and {calls.replayed} "
        f"replayed, {_tokens(learnt)}, {duration(finished.wall_s)}{scored}"
    )
    yield f"{path}: {'written' if finished.written else 'unchanged'}; its calls: {finished.folder}"


def _predictor(learnt: Learnt, name: str) -> str:
    before, after = learnt.before[name], learnt.predictors[name]
    demos = plural(len(after["demos"]), "demonstration")
    own = sum(bool(demo.get("augmented")) for demo in after["demos"])
    from_runs = f", {own} from runs of the program" if own else ""
    same = before["signature"]["instructions"] == after["signature"]["instructions"]
    return f"{demos}{from_runs}; instructions {'as before' if same else 'changed'}"


def _tokens(learnt: Learnt) -> str:
    counts = [learnt.calls.usage(name) for name in ("prompt_tokens", "completion_tokens")]
    known = [count for count in counts if count is not None]
    return f"{sum(known):,} tokens" if len(known) == len(counts) else "tokens unknown"


@contextmanager
def progress(label: str, clock: Callable[[], float] = time.monotonic) -> Iterator[Report]:
    """Yield what shows how far a compile is, on standard error: a live line on a terminal, else one every ten seconds.

    The stream is taken now: while an optimizer runs, what it prints is kept from it.
    """
    from leaderboard.running.progress import draws

    with _live(label, sys.stderr, clock) if draws() else _lines(label, sys.stderr, clock) as report:
        yield report


def words(label: str, now: Progress, elapsed_s: float) -> str:
    """Return progress as words: calls of the ceiling, those made now, best score so far, time."""
    from leaderboard.running.progress import clock_text

    best = "" if now.best is None else f", best score {now.best:.3f}"
    return f"{label}: {now.calls} of at most {now.most} calls, {now.made} made{best}, {clock_text(elapsed_s)}"


@contextmanager
def _lines(label: str, stream: TextIO, clock: Callable[[], float]) -> Iterator[Report]:
    started = last = clock()

    def report(now: Progress) -> None:
        nonlocal last
        if now.calls == 0 or clock() - last >= EVERY_S:
            last = clock()
            print(f"  {words(label, now, last - started)}", file=stream, flush=True)

    yield report


@contextmanager
def _live(label: str, stream: TextIO, clock: Callable[[], float]) -> Iterator[Report]:
    from rich.console import Console
    from rich.live import Live
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    started = clock()
    latest: list[Progress] = []

    def line() -> Any:
        if not latest:
            return Text("")
        shown = Table.grid(padding=(0, 1))
        shown.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
        shown.add_column(width=10)
        now = latest[0]
        shown.add_row(
            Text(f"  {words(label, now, clock() - started)}"),
            ProgressBar(total=max(now.most, 1), completed=now.calls, width=10),
        )
        return shown

    drawn = Console(file=stream, force_terminal=True, highlight=False)
    drawn.width = min(drawn.width, WIDEST)
    # The optimizer's own prints are redirected already: a second redirection would undo that one at the wrong time.
    live = Live(
        console=drawn,
        get_renderable=line,
        transient=True,
        refresh_per_second=4,
        redirect_stdout=False,
        redirect_stderr=False,
    )

    def report(now: Progress) -> None:
        latest[:] = [now]
        if not live.is_started:
            live.start(refresh=True)

    try:
        yield report
    finally:
        live.stop()
