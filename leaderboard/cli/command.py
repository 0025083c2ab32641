"""How a command is declared: its line in the list, its own help, its example, and what runs it."""

from __future__ import annotations

import argparse
from typing import Any


class Paragraphs(argparse.HelpFormatter):
    """Wraps each line of a description or an epilog by itself, and leaves lines that begin with a space alone."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(
            line if line.startswith(" ") else super(Paragraphs, self)._fill_text(line, width, indent)
            for line in text.splitlines()
        )


def add(
    commands: Any,
    name: str,
    help: str,
    run: str,
    example: str,
    more: str = "",
) -> argparse.ArgumentParser:
    """Add a command: ``help`` is its line in the list, ``more`` what its own help says beside it."""
    text = f"{help[0].upper()}{help[1:]}."
    command: argparse.ArgumentParser = commands.add_parser(
        name,
        help=help,
        description=f"{text} {more}".strip(),
        epilog=f"Example:\n  {example}",
        formatter_class=Paragraphs,
    )
    command.set_defaults(command=run)
    return command
