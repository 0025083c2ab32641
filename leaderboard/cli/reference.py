"""The README's command reference, made from the parser: ``python -m leaderboard.cli.reference [--check]``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from leaderboard.cli import EXIT_CODES
from leaderboard.cli.parser import parser, subparsers
from leaderboard.files import write_text

README = Path("README.md")
BEGIN = "<!-- commands: written by python -m leaderboard.cli.reference -->"
END = "<!-- end of commands -->"


def commands() -> dict[str, argparse.ArgumentParser]:
    """Return the parser of each command, in the order of the help; one with commands of its own stands as those."""
    found: dict[str, argparse.ArgumentParser] = {}
    for name, command in subparsers(parser()).items():
        own = subparsers(command)
        found |= {f"{name} {part}": of for part, of in own.items()} if own else {name: command}
    return found


def arguments(command: argparse.ArgumentParser) -> list[argparse.Action]:
    """Return what a command takes, ``--help`` left out: what stands alone first, then the options."""
    taken = [action for action in command._actions if not isinstance(action, argparse._HelpAction)]
    return sorted(taken, key=lambda action: bool(action.option_strings))


def example(command: argparse.ArgumentParser) -> str:
    """Return the example of a command's help."""
    return (command.epilog or "").partition("\n")[2].strip()


def reference() -> str:
    """Return the reference as Markdown, markers included: a table of commands, the exit codes, all options."""
    made = commands()
    lines = [BEGIN, "| command | what it does | example |", "| --- | --- | --- |"]
    for name, command in made.items():
        does = (command.description or "").partition(". ")[0].rstrip(".")
        lines.append(f"| `{_usage(name, command)}` | {_cell(does)} | `{_cell(example(command))}` |")
    codes = "; ".join(f"**{code}** {meaning}" for code, meaning in EXIT_CODES.items())
    lines += ["", f"Exit codes: {codes}.", "", "<details><summary>All options</summary>", ""]
    lines += ["| option | of | meaning |", "| --- | --- | --- |", *_options(made), "", "</details>", END]
    return "\n".join(lines)


def updated(readme: str) -> str:
    """Return the README's text with the reference as it is now. Raises ``ValueError`` where it has no markers."""
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"expected the lines {BEGIN} and {END}")
    return before + reference() + after


def _usage(name: str, command: argparse.ArgumentParser) -> str:
    alone = (action for action in arguments(command) if not action.option_strings)
    return " ".join([name, *(f"[{a.metavar} …]" if a.nargs == "*" else str(a.metavar) for a in alone)])


def _options(made: dict[str, argparse.ArgumentParser]) -> Iterator[str]:
    """Yield a row an option; commands whose option of that name says the same share it."""
    rows: dict[tuple[str, str], list[str]] = {}
    for name, command in made.items():
        for action in arguments(command):
            if action.option_strings:
                value = "" if action.nargs == 0 else f" {action.metavar or action.dest.upper()}"
                rows.setdefault((f"{action.option_strings[0]}{value}", action.help or ""), []).append(name)
    for (option, meaning), names in sorted(rows.items()):
        yield f"| `{option}` | {', '.join(names)} | {_cell(meaning)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")


def main(given: list[str] | None = None) -> int:
    """Write the reference into the README, or with ``--check`` tell whether it is current (exit status 1 if not)."""
    own = argparse.ArgumentParser(prog="python -m leaderboard.cli.reference")
    own.add_argument("--check", action="store_true", help="write nothing; fail when the file is not current")
    own.add_argument("path", nargs="?", type=Path, default=README)
    options = own.parse_args(given)
    found = options.path.read_text(encoding="utf-8")
    try:
        text = updated(found)
    except ValueError as error:
        print(f"{options.path}: {error}", file=sys.stderr)
        return 1
    if not options.check:
        write_text(options.path, text)
    elif text != found:
        print(
            f"{options.path} is not current: run python -m leaderboard.cli.reference",
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
