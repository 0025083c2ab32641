"""The commands that only read, on this repository's own board and through the real command line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.loopback import chat_endpoint
from tests.project import gold_of, question_of
from tests.scripted import answer
from tests.terminals import on_a_terminal

ROOT = Path(__file__).parents[2]
SGR = re.compile(r"\x1b\[[0-9;]*m")
WHOLE = {"frames": ["article", "passage"], "musique": ["article"]}
"""A paragraph is never cut, so all chunkings are one."""
COLOUR = re.compile(r"\x1b\[[0-9;]*(?:3|4|9|10)[0-7][;m]")


def leaderboard(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "leaderboard", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "FORCE_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


def test_show_says_what_the_bundled_run_says():
    done = leaderboard("show", "bm25-2-articles", "3", "--benchmark", "frames", "--json", "--prompts")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["question"]["id"], told["question"]["answer"], told["match"]) == ("3", "HPWRIT", False)
    assert [gold["title"] for gold in told["gold"]] == ["Quendle", "Sarnforth", "Mawbrough"]
    assert [gold["shown"] for gold in told["gold"]] == [True, False, False]
    [call] = told["calls"]
    assert told["question"]["text"] in call["messages"][-1]["content"]
    assert call["response"].endswith(told["raw_answer"])
    plain = leaderboard("show", "bm25-2-articles", "3", "--benchmark", "frames")
    assert plain.returncode == 0, plain.stderr
    assert "\x1b" not in plain.stdout, "no colour off a terminal, whatever FORCE_COLOR says"
    assert "HPWRIT" in plain.stdout and "Sarnforth Mawbrough  no match" in plain.stdout
    assert max(map(len, plain.stdout.splitlines())) <= 80


def test_show_asks_for_what_it_needs():
    done = leaderboard("show", "bm25-2-articles", "3")
    assert (done.returncode, done.stdout) == (2, "")
    assert "'3' is in frames and multihop_rag: say which one with --benchmark" in done.stderr
    done = leaderboard("show", "bm25-2-article", "3")
    assert "did you mean bm25-2-articles?" in done.stderr
    done = leaderboard("show", "bm25-2-articles", "2hop__21614_2155", "--benchmark", "musique")
    assert done.returncode == 0, "the beginning of one id alone is enough"


def test_a_terminal_gets_colour_unless_it_asks_for_none():
    asked = ("show", "bm25-2-articles", "3", "--benchmark", "frames")
    assert COLOUR.search(on_a_terminal("-m", "leaderboard", *asked, stream="stdout"))
    assert not COLOUR.search(on_a_terminal("-m", "leaderboard", *asked, stream="stdout", NO_COLOR="1"))


def test_a_hostile_model_cannot_reach_the_terminal(project):
    evil = "\x1b]0;owned\x07\x1b[2JParis\u202e\r\x08"
    with chat_endpoint(lambda message: answer(evil)) as endpoint:
        project.configure(endpoint.url, questions=1)
        project.run("run")
    for arguments in (["--prompts"], ["--json", "--prompts"]):
        code, out, err = project.run("show", "one", "0", *arguments)
        assert code == 0, err
        assert {character for character in out if not character.isprintable()} == {"\n"}
        assert "owned" in out


def test_systems_are_listed_with_what_they_are_and_their_state():
    done = leaderboard("systems")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split(":")[0] for line in lines] == sorted(
        path.stem for path in (ROOT / "submissions").glob("*.toml")
    )
    [line] = [line for line in lines if line.startswith("bm25-2-articles: ")]
    assert "embedded/qwen2.5-coder-0.5b, bm25, single_step; complete on frames, musique, multihop_rag" in line


def test_benchmarks_are_listed_with_counts_groups_files_and_fact_ceilings():
    done = leaderboard("benchmarks", "--json")
    assert done.returncode == 0, done.stderr
    told = {benchmark["name"]: benchmark for benchmark in json.loads(done.stdout)}
    assert list(told) == ["frames", "musique", "multihop_rag", "hotpotqa", "two_wiki"]
    news = told["multihop_rag"]
    assert (news["questions"], news["documents"], news["label"]) == (24, 47, "MultiHop-RAG-like (sample)")
    assert sum(news["groups"]["question_type"].values()) == 24
    assert re.fullmatch("[0-9a-f]{64}", news["files"]["corpus.json"])
    [ceiling] = [one for one in news["fact_ceilings"] if one["chunk_tokens"] == 64]
    assert (ceiling["unit"], ceiling["share"]) == ("passage", ceiling["held"] / ceiling["facts"])
    assert ceiling["share"] >= 0.95
    for whole in ("frames", "musique"):
        assert [one["unit"] for one in told[whole]["fact_ceilings"]] == WHOLE[whole]
        assert {one["share"] for one in told[whole]["fact_ceilings"]} == {1.0}
    plain = leaderboard("benchmarks", "--strict")
    assert (plain.returncode, "warning" in plain.stderr) == (0, False), plain.stderr
    assert "  fact ceiling: passages of 64 tokens: " in plain.stdout
    assert "frames: FRAMES-like (sample); 24 questions, 76 documents, 1 defect handled" in plain.stdout


def test_a_chunking_that_cuts_facts_is_warned_of_and_fails_when_strict(project):
    project.configure("http://127.0.0.1:9/v1", benchmark="multihop_rag", questions=24)
    path = project.folder / "submissions" / "one.toml"
    path.write_text(path.read_text().replace("chunk_tokens = 64", "chunk_tokens = 16"))
    code, _, err = project.run("benchmarks")
    assert code == 0, err
    assert re.search(
        r"warning: multihop_rag: passages of 16 tokens: \d+ of \d+ gold items stand whole in no passage", err
    )
    assert project.run("benchmarks", "--strict")[0] == 3


def test_doctor_exits_0_when_this_board_can_be_built_and_2_when_not(project):
    code, out, err = project.run("doctor")
    assert (code, "leaderboard.toml" in out, "This board cannot be built yet." in out) == (2, True, True)
    project.configure("http://127.0.0.1:9/v1")
    code, out, err = project.run("doctor")
    assert (code, err) == (0, ""), out
    assert out.splitlines()[-1] == "This board can be built."
    code, out, _ = project.run("doctor", "--json")
    told = json.loads(out)
    assert (told["can_build"], {"part", "ok", "said", "advice", "needed"}) == (True, set(told["findings"][0]))


@pytest.mark.parametrize("command", ["show one 1", "systems", "benchmarks", "score"])
def test_a_submission_with_errors_is_told_by_every_command_that_reads_them(project, command):
    project.configure("http://127.0.0.1:9/v1")
    (project.folder / "submissions" / "bad.toml").write_text("[system]\nname = 3\n")
    code, out, err = project.run(*command.split())
    assert (code, out, "Traceback" in err) == (2, "", False)
    assert "submissions/bad.toml:2:8: system.name: expected" in err


def test_the_gold_of_the_first_question_is_told_right_in_a_project_of_its_own(project):
    with chat_endpoint(gold_of) as endpoint:
        project.configure(endpoint.url)
        project.run("run")
        first = question_of(endpoint.asked[0]).strip().splitlines()[0]
    code, out, err = project.run("show", "one", "0", "--json")
    assert code == 0, err
    told = json.loads(out)
    assert (told["question"]["text"], told["final_answer"], told["match"]) == (first, "Gervase Tolleth", True)
