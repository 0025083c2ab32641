"""A small board of real runs and its site: the fixtures beside those of the board with everything a page can meet."""

from __future__ import annotations

from pathlib import Path

import pytest

from leaderboard.board.tables import Board
from leaderboard.site.mkdocs import build_site
from leaderboard.site.pages import write_pages
from tests import tiny
from tests.board import boards, states

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def tiny_board(tmp_path_factory: pytest.TempPathFactory) -> Board:
    """The board of real runs: systems of every kind, among them a retriever alone, rounds, and three repeats."""
    home = tmp_path_factory.mktemp("runs")
    benchmarks = (tiny.benchmark("frames"), tiny.benchmark("multihop_rag"))
    wrong = {tiny.KEYS: "Cleo Reed"}
    varying = {tiny.KEYS: ("Cleo Marsh", "Cleo Reed", "Cleo Marsh")}
    answers = {
        "closed": wrong,
        "gold": {},
        "often": varying,
        "reader": wrong,
        "retriever": {},
        "steps": {},
        "steps-1": {},
        "taught": {},
    }
    one_round = {**tiny.STEPS["program"], "rounds": 1}
    tables = {
        "gold": tiny.GOLD,
        "often": tiny.READER,
        "reader": tiny.READER,
        "retriever": tiny.RETRIEVER,
        "steps": tiny.STEPS,
        "steps-1": {**tiny.STEPS, "program": one_round, "system": {"based_on": "steps"}},
        "taught": {**tiny.READER, "system": {"based_on": "reader"}, "compile": states.COMPILE},
    }
    demo = {
        "context": "[1] The weir\n" + "water " * 90,
        "question": "Who built the weir?",
        "answer": "Bo",
        "augmented": True,
    }
    states.write_state(home, "taught", "Answer in one word.\nRead <b>all</b> passages.", [demo])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        return boards.board(
            home,
            {key: {on.name: said for on in benchmarks} for key, said in answers.items()},
            tables,
            benchmarks,
            repeats={"often": 3},
            ceilings=lambda _: 0.875,
        )


@pytest.fixture(scope="session")
def tiny_built(tiny_board: Board, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The board of real runs, built as a reader gets it."""
    folder = tmp_path_factory.mktemp("tiny") / "build"
    write_pages(tiny_board, folder / "docs")
    build_site(ROOT, folder / "docs", folder / "site")
    return folder
