"""The command line. Starting it imports nothing heavy: each command imports what it needs.

``parser`` declares the commands, a file a family runs them. Exit codes: ``EXIT_CODES``.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

from leaderboard.cli.terminal import safe

FAULT = 1
WRONG_INPUT = 2
STRICT_FAILED = 3
INTERRUPTED = 130
EXIT_CODES: Mapping[int, str] = {
    0: "all well",
    FAULT: "a fault of this program",
    WRONG_INPUT: "something given is wrong or missing; the message says what, and what to do",
    STRICT_FAILED: "--strict, and a cell has no complete run or a fact ceiling is below 0.95",
    INTERRUPTED: "interrupted; what was received is kept",
}
"""Exit code → what it means. Python itself ends with 1 on an error that nobody expected."""


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
    from leaderboard.cli.parser import parser

    if "_ARGCOMPLETE" in os.environ:
        from leaderboard.cli.completion import complete

        complete(parser())
    given = sys.argv[1:] if arguments is None else list(arguments)
    options = parser(given[0] if given else "").parse_args(given)
    try:
        module, _, function = options.command.partition(":")
        code: int = getattr(import_module(f"{__name__}.{module}"), function)(options)
        return code
    except KeyboardInterrupt:
        print(
            "\nInterrupted. Every answer received so far is kept; the same command goes on from here.",
            file=sys.stderr,
        )
        return INTERRUPTED
    except BrokenPipeError:  # whoever read the output has seen enough
        return 0
    except OSError as error:
        if error.filename is None:
            raise
        _say(f"{error.filename}: {error.strerror}; give a path that can be used")
        return WRONG_INPUT
    except Exception as error:
        if not _is_for_the_reader(error):
            raise
        _say(str(error))
        return WRONG_INPUT


def _say(text: str) -> None:
    print(f"leaderboard: {safe(text)}", file=sys.stderr)


def _is_for_the_reader(error: Exception) -> bool:
    """Whether an error is one of ours, whose text says what is wrong and what to do."""
    return type(error).__module__.startswith("leaderboard.")
