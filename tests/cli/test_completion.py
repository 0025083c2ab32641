"""What the shell is offered: asked as a shell asks, and through bash itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def home(tmp_path):
    (tmp_path / "submissions").mkdir()
    for name in ("alpha.toml", "also-this.toml", "beta.toml", "$(touch evil).toml", "notes.md"):
        (tmp_path / "submissions" / name).write_text("")
    return tmp_path


def offered(home: Path, line: str) -> set[str]:
    """Ask for the completions at the end of a line, by the protocol of argcomplete."""
    answer = home / "answer"
    environment = {
        "PYTHONPATH": str(ROOT),
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(answer),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
    }
    done = subprocess.run(
        [sys.executable, "-m", "leaderboard"],
        cwd=home,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    return {word.strip() for word in answer.read_text().split("\n") if word.strip()}


def test_commands_options_and_choices_are_offered(home):
    assert offered(home, "leaderboard s") == {"score", "site", "serve", "show", "systems"}
    assert offered(home, "leaderboard run --re") == {"--repeats", "--refresh", "--replay", "--results"}
    assert offered(home, "leaderboard completion ") >= {"bash", "zsh", "fish"}


def test_systems_are_those_of_the_folder_named_on_the_line(home):
    assert offered(home, "leaderboard run a") == {"alpha", "also-this"}
    assert offered(home, "leaderboard show b") == {"beta"}
    assert offered(home, "leaderboard build --only al") == {"alpha", "also-this"}
    (home / "others").mkdir()
    (home / "others" / "gamma.toml").write_text("")
    assert offered(home, "leaderboard run --submissions others g") == {"gamma"}


def test_benchmarks_are_offered_and_files_where_a_file_is_asked_for(home):
    assert offered(home, "leaderboard run --benchmark mu") == {"musique", "multihop_rag"}
    assert offered(home, "leaderboard check submissions/b") == {"submissions/beta.toml"}
    assert offered(home, "leaderboard try submissions/n") == set()
    assert offered(home, "leaderboard score --out sub") == {"submissions/"}


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_a_system_with_the_script_that_is_printed(home):
    bin = home / "bin"
    bin.mkdir()
    (bin / "leaderboard").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m leaderboard "$@"\n')
    (bin / "leaderboard").chmod(0o755)
    script = """
        source <(leaderboard completion bash)
        complete -p leaderboard
        COMP_LINE="leaderboard run al" COMP_POINT=18 COMP_TYPE=9 COMP_WORDS=(leaderboard run al) COMP_CWORD=2
        _python_argcomplete leaderboard al run
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        cwd=home,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PATH": f"{bin}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    registered, *found = done.stdout.split("\n")
    assert registered.endswith("-F _python_argcomplete leaderboard"), done.stderr
    assert {word.strip() for word in found} - {""} == {"alpha", "also-this"}
    assert not (home / "evil").exists()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_is_printed_for_each_shell(shell):
    done = subprocess.run(
        [sys.executable, "-m", "leaderboard", "completion", shell],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "leaderboard" in done.stdout and "_ARGCOMPLETE" in done.stdout
