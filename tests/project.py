"""A board of its own in a temporary folder, built through the real command line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from leaderboard.board.tables import Board
from leaderboard.results.runs import RunFolder, runs_of
from tests.scripted import answer

ROOT = Path(__file__).parents[1]

CONFIG = """
[board]
title = "Test board"
track = "sample"
benchmarks = ["{benchmark}"]

[questions]
{benchmark} = {questions}

[[models]]
name = "loopback/one"
kind = "openai"
endpoint = "loopback"
base_url = "{url}"
context_tokens = 8192
{more}

[ceilings]
{ceilings}
"""

SUBMISSION = """
[system]
name = "{name}"
authors = ["Tests"]
description = "A system of the tests."

[lm]
model = "loopback/one"
max_tokens = 64

[retriever]
kind = "bm25"
chunk_tokens = 64

[program]
kind = "single_step"
passages = 3
"""


class Project:
    """A board of its own in a temporary folder, built through the command line."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "submissions").mkdir()
        for name in ("site_templates", "mkdocs.yml"):
            (folder / name).symlink_to(ROOT / name)

    def configure(
        self, url: str, benchmark: str = "musique", questions: int = 4, ceilings: str = "", more: str = ""
    ) -> None:
        text = CONFIG.format(url=url, benchmark=benchmark, questions=questions, ceilings=ceilings, more=more)
        (self.folder / "leaderboard.toml").write_text(text)

    def embed(self, questions: int) -> None:
        """Use the bundled configuration's embedded model on a few MuSiQue-like questions."""
        text = (ROOT / "leaderboard.toml").read_text()
        text = text.replace('benchmarks = ["frames", "musique", "multihop_rag"]', 'benchmarks = ["musique"]')
        text = text.replace("[headline]", f"[questions]\nmusique = {questions}\n\n[headline]")
        (self.folder / "leaderboard.toml").write_text(text)
        path = self.folder / "submissions" / "one.toml"
        path.write_text(path.read_text().replace("loopback/one", "embedded/qwen2.5-coder-0.5b"))

    def submit(self, key: str = "one") -> None:
        (self.folder / "submissions" / f"{key}.toml").write_text(SUBMISSION.format(name=f"System {key}"))

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        environment = {**os.environ, "LEADERBOARD_CACHE_DIR": str(self.folder / "cache"), "NO_PROXY": "*"}
        return subprocess.Popen(
            [sys.executable, "-m", "leaderboard", *arguments],
            cwd=self.folder,
            env={**environment, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str) -> tuple[int, str, str]:
        process = self.start(*arguments)
        out, err = process.communicate(timeout=240)
        return process.returncode, out, err

    def runs(self, system: str = "one", benchmark: str = "musique") -> list[RunFolder]:
        return runs_of(self.folder / "results", "sample", benchmark, system)

    def board(self) -> Board:
        return Board.model_validate_json((self.folder / "build" / "board.json").read_bytes())


def question_of(message: str) -> str:
    """Return the question that a prompt asks."""
    return message.split("[[ ## question ## ]]")[1]


def gold_of(message: str) -> str:
    """Answer the first MuSiQue-like question rightly, all others wrongly."""
    return answer("Gervase Tolleth" if "composer of the Symphony of Weirs study" in message else "Nobody")
