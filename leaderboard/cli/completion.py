"""Shell completion: the scripts, and what completes the arguments. argcomplete is imported only when it is needed."""

from __future__ import annotations

import argparse
from pathlib import Path


def complete(parser: argparse.ArgumentParser) -> None:
    """Answer the shell that asks for completions, and end the process. For when ``_ARGCOMPLETE`` is set."""
    import argcomplete
    from argcomplete.completers import ChoicesCompleter

    argcomplete.autocomplete(parser, always_complete_options="long", default_completer=ChoicesCompleter({}))


def print_script(options: argparse.Namespace) -> int:
    """Print the script that makes a shell ask this program for completions."""
    from argcomplete.shell_integration import shellcode

    print(shellcode(["leaderboard"], shell=options.shell))
    return 0


def systems(parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """Return the systems of the folder of submissions: its files' stems, where they are such."""
    folder: Path = getattr(parsed_args, "submissions", None) or Path("submissions")
    stems = (path.stem for path in folder.glob("*.toml"))
    return sorted(stem for stem in stems if stem.isascii() and stem.replace("-", "").isalnum())


def benchmarks(**_: object) -> list[str]:
    """Return the benchmarks' names."""
    from leaderboard.manifest import KEYS

    return list(KEYS)


def toml_files(prefix: str, **_: object) -> list[str]:
    """Return the TOML files and folders that ``prefix`` begins."""
    from argcomplete.completers import FilesCompleter

    return list(FilesCompleter(allowednames=("toml",))(prefix))


def folders(prefix: str, **_: object) -> list[str]:
    """Return the folders that ``prefix`` begins."""
    from argcomplete.completers import DirectoriesCompleter

    return list(DirectoriesCompleter()(prefix))
