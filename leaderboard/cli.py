"""The command line: argument parsing, and errors as a person reads them. Everything heavy is imported by its command.

Exit codes: 0 all well · 1 a fault of this program · 2 something given is wrong · 3 ``--strict`` and a cell has no
complete run · 130 interrupted.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

STRICT_FAILED = 3
WRONG_INPUT = 2
INTERRUPTED = 130


def run() -> NoReturn:
    """Run the command line of this process, and end it without taking the interpreter apart: a sixth of a check's time."""
    gc.disable()
    code = main()
    with suppress(BrokenPipeError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.command(options)
        return code
    except KeyboardInterrupt:
        print(
            "\nInterrupted. Every answer received so far is kept; the same command goes on from here.",
            file=sys.stderr,
        )
        return INTERRUPTED
    except OSError as error:
        if error.filename is None:
            raise
        print(
            f"leaderboard: {error.filename}: {error.strerror}; give a path that can be used", file=sys.stderr
        )
        return WRONG_INPUT
    except Exception as error:
        if not _is_for_the_reader(error):
            raise
        print(f"leaderboard: {error}", file=sys.stderr)
        return WRONG_INPUT


def _is_for_the_reader(error: Exception) -> bool:
    """Whether an error is one of ours, whose text says what is wrong and what to do."""
    return type(error).__module__.startswith("leaderboard.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="leaderboard",
        description="A leaderboard of multi-hop RAG systems, recomputed from recorded calls.",
        epilog="Example: leaderboard new my-system, then leaderboard check submissions/my-system.toml",
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    new = commands.add_parser("new", help="write a commented submission to start from")
    new.add_argument("name", help="the file's stem: small letters, digits, hyphens")
    _folder(new, "--submissions", "submissions", "the folder of submissions")
    new.set_defaults(command=_new)

    check = commands.add_parser("check", help="say everything that is wrong with submissions, and where")
    check.add_argument("paths", nargs="*", type=Path, help="files or folders (default: submissions)")
    _config(check)
    check.set_defaults(command=_check)

    build = commands.add_parser(
        "build",
        help="run what has no run, score, and render the site",
        description="Run cells without a run, score all runs, and render the site. Interrupt it at any time: the next "
        "build goes on.",
    )
    _config(build)
    _folder(build, "--submissions", "submissions", "the folder of submissions")
    _folder(build, "--results", "results", "the folder of runs")
    _folder(build, "--out", "build", "where scores, pages and site go")
    build.add_argument(
        "--data-dir",
        type=Path,
        help="the published data, a folder a benchmark (default: $LEADERBOARD_DATA_DIR)",
    )
    build.add_argument(
        "--only", action="append", default=[], metavar="SYSTEM", help="run only this system; may be repeated"
    )
    build.add_argument(
        "--benchmark",
        action="append",
        default=[],
        metavar="NAME",
        help="run only on this benchmark; may be repeated",
    )
    build.add_argument(
        "--refresh",
        action="store_true",
        help="run again what was recorded with an older revision, such as a submission edited since",
    )
    build.add_argument("--replay", action="store_true", help="answer from recorded calls alone; make none")
    build.add_argument("--no-run", action="store_true", help="score and render what is there")
    build.add_argument(
        "--strict", action="store_true", help="exit 3 when a cell asked for has no complete run"
    )
    build.set_defaults(command=_build)

    serve = commands.add_parser("serve", help="show the built site on this machine")
    _folder(serve, "--out", "build", "where the site was built")
    serve.add_argument(
        "--port", type=_port, default=8000, help="port on 127.0.0.1 (default: 8000; 0: any free one)"
    )
    serve.set_defaults(command=_serve)
    return parser


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"expected a port from 0 to 65535, found {text!r}")
    return int(text)


def _config(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--config",
        type=Path,
        default=Path("leaderboard.toml"),
        help="the board's configuration (default: leaderboard.toml)",
    )


def _folder(parser: argparse.ArgumentParser, name: str, default: str, text: str) -> None:
    parser.add_argument(
        name, type=Path, default=Path(default), metavar="DIR", help=f"{text} (default: {default})"
    )


def _new(options: argparse.Namespace) -> int:
    from leaderboard.submissions.template import new_submission

    path = new_submission(options.name, options.submissions).path
    print(f"{path}: written. Edit it, then: {_myself()} check {path}")
    return 0


def _check(options: argparse.Namespace) -> int:
    from leaderboard.checking.check import check_paths
    from leaderboard.submissions.config import load_config

    config = load_config(options.config)
    report = check_paths(options.paths or [Path("submissions")], config)
    for error in report.errors:
        print(error, file=sys.stderr)
    for entry in report.summaries:
        print(
            f"{entry.path}: ok: {entry.name}; {entry.model}, retriever {entry.retriever}, program {entry.program}, "
            f"at most {entry.most_calls} call{'s' if entry.most_calls > 1 else ''} a question on "
            f"{', '.join(entry.benchmarks)}"
        )
    if report.errors:
        print(f"{len(report.errors)} error{'s' if len(report.errors) > 1 else ''}", file=sys.stderr)
        return WRONG_INPUT
    return 0


def _build(options: argparse.Namespace) -> int:
    gc.enable()  # unlike the other commands this one lives long
    from leaderboard.build import Choice, Places, build, say

    places = Places(
        config=options.config,
        submissions=options.submissions,
        results=options.results,
        out=options.out,
        data_dir=options.data_dir,
    )
    choice = Choice(
        systems=frozenset(options.only),
        benchmarks=frozenset(options.benchmark),
        refresh=options.refresh,
        run=not options.no_run,
        replay=options.replay,
    )
    built = build(places, choice)
    for trouble in built.troubles:
        say(f"note   {trouble}")
    if options.strict and built.troubles:
        say(f"strict {len(built.troubles)} of the cells asked for have no complete run")
    print(f"The board: {built.site.resolve() / 'index.html'}")
    out = "" if options.out == Path("build") else f" --out {options.out}"
    print(f"Look at it: open that file, or run {_myself()} serve{out}")
    return STRICT_FAILED if options.strict and built.troubles else 0


def _myself() -> str:
    """Return how this program was called, so that what it prints can be typed."""
    return sys.argv[0] if Path(sys.argv[0]).name == "leaderboard" else "python -m leaderboard"


def _serve(options: argparse.Namespace) -> int:
    gc.enable()
    from leaderboard.site.mkdocs import serve

    serve(options.out / "site", options.port)
    return 0
