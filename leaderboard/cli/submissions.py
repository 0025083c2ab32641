"""The commands about one's own submission: new, check, try."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from leaderboard.cli import WRONG_INPUT
from leaderboard.cli.terminal import console, duration, plural, print_json, safe

if TYPE_CHECKING:
    from leaderboard.submissions.config import BoardConfig
    from leaderboard.submissions.load import Submission
    from leaderboard.trial import Summary, Tried


def new(options: argparse.Namespace) -> int:
    """Write a new submission."""
    from leaderboard.cli.stages import myself
    from leaderboard.submissions.template import new_submission

    path = new_submission(options.name, options.submissions).path
    print(f"{path}: written. Edit it, then: {myself()} check {path}")
    return 0


def check(options: argparse.Namespace) -> int:
    """Check submissions against the board's configuration."""
    from leaderboard.checking.check import check_paths
    from leaderboard.submissions.config import load_config

    config = load_config(options.config)
    report = check_paths(options.paths or [Path("submissions")], config, options.data_dir)
    if options.json:
        print_json(
            {
                "errors": [asdict(error) for error in report.errors],
                "submissions": [
                    {**asdict(entry), "path": entry.path.as_posix()} for entry in report.summaries
                ],
            }
        )
        return 0 if report.ok else WRONG_INPUT
    for error in report.errors:
        print(error, file=sys.stderr)
    for entry in report.summaries:
        print(
            f"{entry.path}: ok: {entry.name}; {entry.model or 'no model'}, retriever {entry.retriever}, program {entry.program}, "
            f"at most {plural(entry.most_calls, 'call')} a question on "
            f"{', '.join(entry.benchmarks)}{f'; {entry.compiled}' if entry.compiled else ''}"
        )
    if report.errors:
        print(plural(len(report.errors), "error"), file=sys.stderr)
        return WRONG_INPUT
    return 0


def try_(options: argparse.Namespace) -> int:
    """Run a submission on a few questions and print each trace as it comes."""
    gc.enable()
    from rich.text import Text

    from leaderboard import trial
    from leaderboard.cli.traces import print_short
    from leaderboard.submissions.config import load_config
    from leaderboard.submissions.load import load_submission

    config = load_config(options.config)
    submission = load_submission(options.file, config.names)
    cells = trial.plan_trial(config, submission, options.benchmark, options.questions, options.results)
    out = console()
    begun: set[str] = set()

    def told(one: trial.Tried) -> None:
        if one.trace.benchmark not in begun:
            begun.add(one.trace.benchmark)
            out.rule(Text(safe(one.trace.label)), style="dim")
        print_short(out, one.trace)
        out.print()

    tried = trial.run_trial(config, cells, told, replay=options.replay)
    out.rule(Text("summary"), style="dim")
    out.print(Text(_came_to(trial.summarise(tried))))
    out.print(Text(safe(_board(config, submission, tried, options.data_dir))))
    return 0


def _came_to(summary: Summary) -> str:
    """Return in words what the questions tried came to."""
    parts = [f"{summary.matched} of {summary.asked} match"] if summary.asked else []
    if summary.with_gold:
        what = "all gold evidence before the model" if summary.asks_model else "all gold evidence found"
        parts.append(f"{what} in {summary.complete} of {summary.with_gold}")
    if summary.without_result:
        parts.append(f"{summary.without_result} without a result")
    tokens = "unknown" if summary.tokens is None else f"{summary.tokens:,.0f}"
    cost = f"{tokens} tokens and " if summary.asks_model else ""
    parts.append(f"{cost}{duration(summary.seconds)} a question")
    return f"{plural(summary.questions, 'question')}: {'; '.join(parts)}."


def _board(config: BoardConfig, submission: Submission, tried: Sequence[Tried], data_dir: Path | None) -> str:
    """Return in words what the whole board would take, at the pace and price of what was tried."""
    from leaderboard import trial
    from leaderboard.benchmarks.questions import BenchmarkError
    from leaderboard.running.progress import usd

    try:
        questions = sum(trial.on_the_board(config, submission, data_dir).values())
    except BenchmarkError as error:
        return f"What the whole board takes cannot be said: {error}"
    at_a_time = trial.at_a_time(config, submission)
    whole = trial.projection(trial.summarise(tried), questions, at_a_time)
    return (
        f"The whole board: {plural(questions, 'question')}, {at_a_time} at a time, about {duration(whole.seconds)}, "
        f"{'cost unknown' if whole.usd is None else usd(whole.usd)}."
    )
