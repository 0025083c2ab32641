"""Options that several commands share, what their values may be, and what completes them."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from leaderboard.cli import completion

MOST_REPEATS = 1000


def running(parser: argparse.ArgumentParser) -> None:
    """Add what says which cells are run, and how."""
    benchmark(parser, "run only on this benchmark; may be repeated")
    parser.add_argument(
        "--repeats",
        type=count(MOST_REPEATS),
        metavar="R",
        help="ask each question R times; runs with fewer are run again (default: as the run shown, else once)",
    )
    parser.add_argument(
        "--refresh",
        action="store_true",
        help="run again what was recorded with an older revision, such as a submission edited since",
    )
    replay(parser)
    parser.add_argument(
        "--strict", action="store_true", help="exit 3 when a cell asked for has no complete run"
    )


def benchmark(parser: argparse.ArgumentParser, text: str) -> None:
    """Add ``--benchmark``, which may be repeated."""
    added = parser.add_argument("--benchmark", action="append", default=[], metavar="NAME", help=text)
    completes(added, completion.benchmarks)


def replay(parser: argparse.ArgumentParser) -> None:
    """Add ``--replay``."""
    parser.add_argument("--replay", action="store_true", help="answer from recorded calls alone; make none")


def as_json(parser: argparse.ArgumentParser) -> None:
    """Add ``--json``."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def places(parser: argparse.ArgumentParser) -> None:
    """Add where a board's inputs are."""
    config(parser)
    submissions(parser)
    results(parser)
    data_dir(parser)


def config(parser: argparse.ArgumentParser) -> None:
    """Add ``--config``."""
    added = parser.add_argument(
        "--config",
        type=Path,
        default=Path("leaderboard.toml"),
        metavar="FILE",
        help="the board's configuration (default: leaderboard.toml)",
    )
    completes(added, completion.toml_files)


def submissions(parser: argparse.ArgumentParser) -> None:
    """Add ``--submissions``."""
    _folder(parser, "--submissions", "submissions", "the folder of submissions")


def results(parser: argparse.ArgumentParser) -> None:
    """Add ``--results``."""
    _folder(parser, "--results", "results", "the folder of runs")


def out(parser: argparse.ArgumentParser) -> None:
    """Add ``--out``."""
    _folder(parser, "--out", "build", "where scores, board, pages and site are")


def data_dir(parser: argparse.ArgumentParser) -> None:
    """Add ``--data-dir``."""
    added = parser.add_argument(
        "--data-dir",
        type=Path,
        metavar="DIR",
        help="the published data, a folder a benchmark (default: $LEADERBOARD_DATA_DIR, else the user's data folder)",
    )
    completes(added, completion.folders)


def completes(action: argparse.Action, completer: Callable[..., list[str]]) -> None:
    """Let ``completer`` offer the values of an argument."""
    action.completer = completer  # type: ignore[attr-defined]  # where argcomplete looks for it


def count(most: int, least: int = 1) -> Callable[[str], int]:
    """Return what reads a whole number from ``least`` to ``most``."""

    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or len(text) > 9 or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(
                f"expected a whole number from {least} to {most}, found {text[:40]!r}"
            )
        return int(text)

    return read


def _folder(parser: argparse.ArgumentParser, name: str, default: str, text: str) -> None:
    added = parser.add_argument(
        name, type=Path, default=Path(default), metavar="DIR", help=f"{text} (default: {default})"
    )
    completes(added, completion.folders)
