"""The commands that run the stages: run, score, site, build, serve."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from leaderboard.cli import STRICT_FAILED
from leaderboard.cli.terminal import console, print_json, safe

if TYPE_CHECKING:
    from leaderboard.board.tables import Board, Column, Value
    from leaderboard.build import Choice, Places, Ran


def run(options: argparse.Namespace) -> int:
    """Plan and run."""
    gc.enable()  # unlike the other commands this one lives long
    from leaderboard import build as stages

    choice = _choice(options, options.systems)
    ran = stages.run(places(options), choice)
    return _after(ran, options, "leaderboard run {system} --refresh")


def score(options: argparse.Namespace) -> int:
    """Score, write the board, and print the home table."""
    gc.enable()
    from leaderboard import build as stages

    board = stages.score(places(options))
    if options.json:
        print_json([row.model_dump(mode="json") for row in board.home.rows])
    else:
        _print_ranking(board)
    return 0


def site(options: argparse.Namespace) -> int:
    """Render the site from the board."""
    gc.enable()
    from leaderboard import build as stages

    _point_to(stages.site(places(options)), options.out)
    return 0


def build(options: argparse.Namespace) -> int:
    """All stages."""
    gc.enable()
    from leaderboard import build as stages

    built = stages.build(places(options), _choice(options, options.only, run=not options.no_run))
    code = _after(built.ran, options, "--only {system} --refresh")
    _point_to(built.site, options.out)
    return code


def serve(options: argparse.Namespace) -> int:
    """Serve the site until interrupted."""
    gc.enable()
    from leaderboard.site.mkdocs import serve

    serve(options.out / "site", options.port)
    return 0


def places(options: argparse.Namespace) -> Places:
    """Return where a command's inputs lie and its outputs go; what it has no option for is where it is by default."""
    from leaderboard.build import Places

    def place(name: str, default: str) -> Path:
        return Path(getattr(options, name, default))

    return Places(
        config=place("config", "leaderboard.toml"),
        submissions=place("submissions", "submissions"),
        results=place("results", "results"),
        out=place("out", "build"),
        data_dir=getattr(options, "data_dir", None),
    )


def _choice(options: argparse.Namespace, systems: Iterable[str], *, run: bool = True) -> Choice:
    from leaderboard.build import Choice

    return Choice(
        systems=frozenset(systems),
        benchmarks=frozenset(options.benchmark),
        refresh=options.refresh,
        run=run,
        replay=options.replay,
        repeats=options.repeats,
    )


def _after(ran: Ran, options: argparse.Namespace, again: str) -> int:
    """Say which cells are stale or without a run, and return the exit code that goes with it."""
    from leaderboard.running.progress import say

    for cell in ran.stale:
        say(
            f"note   {cell.system} on {cell.benchmark.label}: shown as recorded with another "
            f"{', '.join(cell.stale_parts)}; to run it again: {again.format(system=cell.system)}"
        )
    for trouble in ran.troubles:
        say(f"note   {safe(trouble)}")
    if options.strict and ran.troubles:
        say(f"strict {len(ran.troubles)} of the cells asked for have no complete run")
        return STRICT_FAILED
    return 0


def _point_to(site: Path, out: Path) -> None:
    print(f"The board: {site.resolve() / 'index.html'}")
    more = "" if out == Path("build") else f" --out {out}"
    print(f"Look at it: open that file, or run {myself()} serve{more}")


def myself() -> str:
    """Return how this program was called, so that what it prints can be typed."""
    return sys.argv[0] if Path(sys.argv[0]).name == "leaderboard" else "python -m leaderboard"


def _print_ranking(board: Board) -> None:
    """Print the home table in its order: name and marks, overall with its interval, each benchmark."""
    from rich.table import Table
    from rich.text import Text

    keys = {"overall", *(page.key for page in board.benchmarks)}
    shown = {column.key: column for column in board.home.columns if column.key in keys}
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column(board.home.row_heading, overflow="fold", ratio=1)
    for key, column in shown.items():
        heading = column.label if key == "overall" else key
        table.add_column(Text(safe(heading)), justify="right", no_wrap=True)
    for row in board.home.rows:
        marks = [*(["reference"] if row.kind == "reference" else []), *row.marks]
        name = Text(safe(row.label)).append(safe(f" ({', '.join(marks)})" if marks else ""), style="dim")
        cells = [
            _number(row.values.get(key), column, interval=key == "overall") for key, column in shown.items()
        ]
        table.add_row(name, *cells, style="" if row.kind == "ranked" else "dim")
    console().print(table)


def _number(value: Value | None, column: Column, *, interval: bool) -> str:
    from leaderboard.site.numbers import UNKNOWN, printed

    if value is None or value.value is None:
        return UNKNOWN
    text = printed(value.value, column)
    if interval and value.interval:
        text += f" ({printed(value.interval.low, column)}–{printed(value.interval.high, column)})"
    return text
