"""The command line as a person meets it: what it prints, how it fails, what it leaves unimported."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from leaderboard.cli import EXIT_CODES
from leaderboard.cli.reference import commands
from leaderboard.submissions.errors import SubmissionError

ROOT = Path(__file__).parents[2]
HEAVY = ("dspy", "polars", "numpy", "bm25s", "model2vec", "rich", "jinja2", "argcomplete")

RETRIEVAL_ONLY = """
[system]
name = "Only search"
authors = ["Tests"]
description = "Finds and stops."

[retriever]
kind = "bm25"
chunk_tokens = 64

[program]
kind = "retrieval_only"
"""


def leaderboard(*arguments, cwd=ROOT, **environment):
    return subprocess.run(
        [sys.executable, "-m", "leaderboard", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def board(tmp_path):
    (tmp_path / "leaderboard.toml").write_text((ROOT / "leaderboard.toml").read_text())
    (tmp_path / "submissions").mkdir()
    return tmp_path


def test_the_help_names_every_command_and_every_exit_code():
    done = leaderboard("--help")
    assert done.returncode == 0
    assert done.stdout.startswith("usage: leaderboard")
    words = done.stdout.split()
    assert {name.split()[0] for name in commands()} <= {*words}
    assert {str(code) for code in EXIT_CODES} <= {*words}


def test_no_command_is_a_usage_error():
    done = leaderboard()
    assert done.returncode == 2
    assert "COMMAND" in done.stderr


def test_new_then_check(board):
    done = leaderboard("new", "my-system", cwd=board)
    assert done.returncode == 0, done.stderr
    assert "leaderboard check submissions/my-system.toml" in done.stdout
    done = leaderboard("check", "submissions/my-system.toml", cwd=board)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("submissions/my-system.toml: ok: ")


def test_new_never_overwrites(board):
    leaderboard("new", "my-system", cwd=board)
    path = board / "submissions" / "my-system.toml"
    path.write_text("mine")
    done = leaderboard("new", "my-system", cwd=board)
    assert (done.returncode, path.read_text()) == (2, "mine")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["../evil", "/tmp/evil", "Upper", "a b", "x", "a" * 70, "ünïcode"])
def test_new_refuses_a_name_that_is_no_stem(board, name):
    done = leaderboard("new", name, cwd=board)
    assert done.returncode == 2
    assert "expected" in done.stderr and "Traceback" not in done.stderr
    assert list(board.rglob("*evil*")) == []


def test_check_says_all_errors_with_their_places_and_exits_2(board):
    (board / "submissions" / "bad.toml").write_text(
        '[system]\nname = "x"\nauthors = ["a"]\ndescription = "d"\n[lm]\nmodel = "embedded/qwen2.5-coder-0.5bb"\n'
        'temprature = 0\n[retriever]\nkind = "bm52"\n[program]\nkind = "closed_book"\n'
    )
    done = leaderboard("check", cwd=board)
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert lines[-1] == "3 errors"
    assert all(
        re.match(r"submissions/bad\.toml:\d+:\d+: \S+: expected .*, found .*", line) for line in lines[:-1]
    )
    assert sum("did you mean" in line for line in lines) == 3


def test_a_missing_configuration_is_named(tmp_path):
    done = leaderboard("build", cwd=tmp_path)
    assert done.returncode == 2
    assert "leaderboard.toml" in done.stderr and "Traceback" not in done.stderr


def test_check_says_the_same_as_json_with_the_same_exit_code(board):
    leaderboard("new", "my-system", cwd=board)
    (board / "submissions" / "bad.toml").write_text("[system]\nname = 3\n")
    said = leaderboard("check", cwd=board).stderr.splitlines()
    done = leaderboard("check", "--json", cwd=board)
    told = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (2, "")
    assert [entry["key"] for entry in told["submissions"]] == ["my-system"]
    assert said[:-1] == [str(SubmissionError(**error)) for error in told["errors"]]
    assert ("submissions/bad.toml", 2, 8, "system.name") in [
        (error["file"], error["line"], error["column"], error["field"]) for error in told["errors"]
    ]


def test_a_system_without_a_model_is_checked_as_one(board):
    (board / "submissions" / "only-search.toml").write_text(RETRIEVAL_ONLY)
    done = leaderboard("check", cwd=board)
    assert done.returncode == 0, done.stderr
    assert "; no model, retriever bm25, program retrieval_only, at most 0 calls a question on " in done.stdout


def test_what_goes_wrong_is_told_without_characters_that_a_terminal_acts_on(board):
    done = leaderboard("doctor", "--config", "none\x1b]0;evil\x07.toml", cwd=board)
    assert done.returncode == 2
    done_show = leaderboard("show", "\x1b[31mred\u202e", "1", cwd=ROOT)
    assert done_show.returncode == 2
    for text in (done.stdout, done.stderr, done_show.stdout, done_show.stderr):
        assert not set(text) & {"\x1b", "\x07", "\u202e"}


def test_a_reader_that_has_seen_enough_is_no_error():
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "leaderboard",
            "show",
            "bm25-2-articles",
            "3",
            "--benchmark",
            "frames",
            "--prompts",
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    process.stdout.close()
    err = process.stderr.read()
    assert (process.wait(timeout=120), err) == (0, "")


def test_check_and_help_import_nothing_heavy():
    for arguments in (["check", "submissions/closed-book.toml"], ["--help"]):
        code = (
            "import sys\nfrom leaderboard.cli import main\n"
            f"try:\n    main({arguments!r})\nexcept SystemExit:\n    pass\n"
            f"print('heavy:', [name for name in {HEAVY!r} if name in sys.modules])"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
        )
        assert done.stdout.endswith("heavy: []\n"), done.stdout


def test_serve_shows_the_site_on_the_loopback_and_ends_on_interrupt(tmp_path):
    site = tmp_path / "build" / "site"
    site.mkdir(parents=True)
    (site / "index.html").write_text("<p>the board</p>")
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "leaderboard", "serve", "--port", "0"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    address = process.stdout.readline().split()[0]
    assert address.startswith("http://127.0.0.1:")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    assert b"the board" in opener.open(address, timeout=10).read()
    process.send_signal(2)
    assert process.wait(timeout=10) == 0


def test_serve_says_when_there_is_no_site_or_the_port_is_taken(tmp_path):
    done = leaderboard("serve", cwd=tmp_path)
    assert done.returncode == 2 and "build it first" in done.stderr
    (tmp_path / "build" / "site").mkdir(parents=True)
    (tmp_path / "build" / "site" / "index.html").write_text("x")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = leaderboard("serve", "--port", taken.getsockname()[1], cwd=tmp_path)
    assert done.returncode == 2 and "is in use" in done.stderr
