"""A whole build of published data with errata: real files in, the real command line, a page with both scores."""

import html
import json
import os
import re
import subprocess
import sys

from leaderboard.benchmarks.registry import load_benchmark
from tests.benchmarks.test_musique import row
from tests.loopback import chat_endpoint
from tests.overlay import erratum, write
from tests.project import ROOT
from tests.scripted import answer

PROGRAM = """
import sys
from pathlib import Path
from leaderboard.benchmarks import errata
from leaderboard.cli import run
errata.FOLDER = Path(sys.argv.pop(1))
run()
"""


def test_the_page_of_a_benchmark_shows_match_with_and_without_its_errata(project):
    folder = project.folder
    names = {"2hop__1_2": "Kim Il - Sung", "2hop__3_4": "Ada", "2hop__5_6": "Bo", "2hop__7_8": "Bo"}
    rows = [
        row(key, answer=gold, answer_aliases=[], question=f"Who is {key}?") for key, gold in names.items()
    ]
    (folder / "data" / "musique").mkdir(parents=True)
    file = folder / "data" / "musique" / "musique_ans_v1.0_dev.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in rows), encoding="utf-8")
    dash, _, _, bo = load_benchmark("musique", "full", folder / "data").questions
    write(
        folder / "errata",
        erratum(dash, exclude=None, kind="debris", aliases=["Kim Il-Sung"]),
        erratum(bo, kind="duplicate", twin="2hop__5_6"),
        benchmark="musique",
    )

    def said(message):
        return answer("Kim Il-Sung" if "2hop__1_2" in message else "Bo")

    def leaderboard(*arguments):
        return subprocess.run(
            [sys.executable, "-c", PROGRAM, str(folder / "errata"), *arguments, "--data-dir", "data"],
            cwd=folder,
            env={**os.environ, "LEADERBOARD_CACHE_DIR": str(folder / "cache"), "NO_PROXY": "*", "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=240,
        )  # fmt: skip

    with chat_endpoint(said) as endpoint:
        project.configure(endpoint.url)
        config = folder / "leaderboard.toml"
        config.write_text(config.read_text().replace('track = "sample"', 'track = "full"'))
        done = leaderboard("build")
        assert done.returncode == 0, done.stderr
        asked = len(endpoint.asked)
        assert asked == 4

        page = html.unescape((folder / "build" / "site" / "benchmarks" / "musique.html").read_text())
        found = dict(
            re.findall(r'data-table="musique-errata" data-row="one" data-column="(\w+)"[^>]* data-value="([^"]+)"', page)
        )  # fmt: skip
        # As published Kim, Ada, Bo, Bo: 0 0 1 1. With errata: 1 0 1, and the twin is left out.
        assert found == {"match": "0.5", "match_errata": str(2 / 3), "difference": str(2 / 3 - 0.5)}
        assert "n = 4" in page and "n = 3" in page
        assert "1 (1 duplicate) is left out and 1 (1 debris in the gold) is scored" in page
        assert "Ranks always use the published questions." in page
        assert project.board().home.rows[0].values["overall"].value == 0.5
        assert "Match with errata" in (folder / "build" / "docs" / "method.md").read_text()

        listed = leaderboard("benchmarks")
        assert "  errata: 1 excluded, 1 corrected\n" in listed.stdout, listed.stderr

        write(folder / "errata", erratum(bo), benchmark="musique")
        assert leaderboard("build").returncode == 0
        board = project.board()
        [table] = [table for table in board.benchmarks[0].scorecards if table.key == "musique-errata"]
        assert table.rows[0].values["match_errata"].value == 1 / 3
        assert len(endpoint.asked) == asked

        (folder / "errata" / "musique.toml").write_text('[[erratum]]\nid = "x"\n')
        refused = leaderboard("build")
        assert refused.returncode == 2
        assert (
            "musique.toml:1:1: erratum[0].digest: expected 12 to 64 lower-case hex digits" in refused.stderr
        )
