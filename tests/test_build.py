"""Whole builds: real files in, a real endpoint on the loopback, the real command line, a real site out."""

from __future__ import annotations

import html
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from leaderboard.board.tables import Board
from leaderboard.calls.store import CallStore
from leaderboard.results.runs import runs_of
from leaderboard.results.tables import read_calls, read_records
from tests.loopback import Reply, chat_endpoint
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

    def runs(self, system: str = "one", benchmark: str = "musique"):
        return runs_of(self.folder / "results", "sample", benchmark, system)

    def board(self) -> Board:
        return Board.model_validate_json((self.folder / "build" / "board.json").read_bytes())


@pytest.fixture
def project(tmp_path):
    made = Project(tmp_path)
    made.submit()
    return made


def question_of(message: str) -> str:
    return message.split("[[ ## question ## ]]")[1]


def gold_of(message: str) -> str:
    """Answer the first MuSiQue-like question rightly, all others wrongly."""
    return answer("Gervase Tolleth" if "composer of the Symphony of Weirs study" in message else "Nobody")


def test_a_build_asks_scores_and_renders_and_the_next_one_asks_nothing(project):
    with chat_endpoint(gold_of) as endpoint:
        project.configure(endpoint.url)
        code, out, err = project.run("build")
        assert code == 0, err
        assert len(endpoint.asked) == 4
        assert str(project.folder / "build" / "site" / "index.html") in out
        value = project.board().home.rows[0].values["overall"]
        assert (value.value, value.n) == (0.25, 4)
        page = html.unescape((project.folder / "build" / "site" / "index.html").read_text())
        assert 'data-value="0.25"' in page and "System one" in page and "(sample)" in page
        assert endpoint.url not in page

        code, _, err = project.run("build")
        assert code == 0
        assert "0 to run" in err
        assert len(endpoint.asked) == 4
        assert len(project.runs()) == 1


def test_no_address_and_no_key_is_ever_recorded_or_shown(project, monkeypatch):
    monkeypatch.setenv("LOOPBACK_KEY", "sk-secret-0123456789")

    def telling(message):
        told = json.dumps({"error": {"message": f"bad key sk-secret-0123456789 at {endpoint.url}"}}).encode()
        return Reply(400, told) if "The Lampwright" in question_of(message) else answer("x")

    with chat_endpoint(telling) as endpoint:
        project.configure(endpoint.url, more='api_key_env = "LOOPBACK_KEY"')
        code, out, err = project.run("build")
        assert code == 0, err
        [folder] = project.runs()
        assert folder.run.outcomes["failed"] == 1
        kept = [
            read_records(folder.table("records")),
            read_calls(folder.table("calls")),
            folder.run,
            out,
            err,
        ]
        kept += [page.read_text() for page in (project.folder / "build").rglob("*.html")]
        told = html.unescape(str(kept))
        assert "400" in told, "the failure itself is recorded"
        assert "127.0.0.1" not in told.replace("leaderboard serve", "")
        assert "sk-secret" not in told


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["kill -9", "Ctrl-C"])
def test_a_stopped_build_asks_nothing_again_that_a_program_had_received(project, how):
    with chat_endpoint(gold_of, delay_s=0.3) as endpoint:
        project.configure(endpoint.url, questions=24)
        process = project.start("build")
        deadline = time.monotonic() + 120
        while len(endpoint.asked) < 12 and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(how)
        _, err = process.communicate(timeout=60)
        if how == signal.SIGINT:
            assert process.returncode == 130
            assert "the same command goes on from here" in err
            assert "Traceback" not in err
        assert project.runs() == [], "a half-done cell leaves no run"
        first = list(endpoint.asked)
        assert 12 <= len(first) < 24
        store = CallStore(project.folder / "cache" / "calls")
        kept = sum(1 for _ in store._cache.iterkeys())
        store.close()
        endpoint.asked.clear()

        code, _, err = project.run("build")
        assert code == 0, err
        [folder] = project.runs()
        assert folder.run.complete
        assert folder.run.calls_replayed == kept
        assert len(endpoint.asked) == 24 - kept
        # What was in flight when it was stopped may be asked again (8 at a time), nothing else.
        assert len(first) - kept <= 8
        if how == signal.SIGINT:
            assert len(first) == kept, "an interrupt waits for what is in flight"


PAGE = Reply(body=b"<html><h1>It works</h1></html>", headers={"Content-Type": "text/html"})


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply(401), "401"),
        (Reply(429, headers={"Retry-After": "1"}), "429"),
        (Reply(500), "500"),
        (PAGE, "loopback"),
        (Reply(body=b'{"choices": [{"mess'), "loopback"),
        (None, "loopback"),
    ],
    ids=["refused", "too many requests", "broken", "a web page", "half a JSON", "down"],
)
def test_an_endpoint_that_cannot_be_had_leaves_the_cell_not_run_and_the_build_goes_on(project, reply, said):
    with chat_endpoint(lambda _: reply) as endpoint:
        project.configure(endpoint.url)
        if reply is not None:
            code, _, err = project.run("build")
    if reply is None:  # nobody listens there any more
        code, _, err = project.run("build")
    assert code == 0, err
    assert "Traceback" not in err
    assert project.runs() == []
    assert "one on MuSiQue-like (sample): not run: " in err and said in err
    assert len(set(endpoint.asked)) <= 1, "one question shows it"
    row = project.board().home.rows[0]
    assert (row.kind, row.values["overall"].value, "not run" in row.marks) == ("unranked", None, True)


def test_an_interrupt_ends_the_waits_between_retries(project):
    def busy(message):
        return (
            answer("x") if "Symphony of Weirs study" in message else Reply(429, headers={"Retry-After": "60"})
        )

    with chat_endpoint(busy) as endpoint:
        project.configure(endpoint.url, questions=24)
        process = project.start("build")
        deadline = time.monotonic() + 120
        while len(endpoint.asked) < 9 and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.5)
        started, asked = time.monotonic(), len(endpoint.asked)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert time.monotonic() - started < 20
        assert process.returncode == 130, err
        assert len(endpoint.asked) == asked == 9


def test_one_refused_question_is_no_dead_endpoint(project):
    def refusing(message):
        return Reply(400) if int(endpoint.asked.index(message)) < 12 else answer("x")

    with chat_endpoint(refusing) as endpoint:
        project.configure(endpoint.url, questions=24)
        code, _, err = project.run("build")
        assert code == 0, err
        [folder] = project.runs()
        assert {o.value: n for o, n in folder.run.outcomes.items() if n} == {"answered": 12, "failed": 12}
        code, _, err = project.run("build")
        assert len(project.runs()) == 1, "nothing new, no new run"


def test_strict_fails_when_a_cell_has_no_complete_run(project):
    with chat_endpoint(lambda _: Reply(401)) as endpoint:
        project.configure(endpoint.url)
        assert project.run("build", "--strict")[0] == 3


def test_questions_that_failed_make_the_cell_incomplete_and_the_next_build_asks_only_those(project):
    broken = {"on": True}

    def flaky(message):
        return (
            404
            if broken["on"] and "The Lampwright" in message.split("[[ ## question ## ]]")[1]
            else answer("x")
        )

    with chat_endpoint(flaky) as endpoint:
        project.configure(endpoint.url)
        code, _, err = project.run("build")
        assert code == 0, err
        [folder] = project.runs()
        records = read_records(folder.table("records"))
        assert [record.outcome.value for record in records].count("failed") == 1
        assert sum(folder.run.outcomes.values()) == 4
        row = project.board().home.rows[0]
        assert (row.kind, row.values["musique"].value, row.values["musique"].bounds) == (
            "unranked",
            None,
            (0.0, 0.25),
        )
        broken["on"] = False
        endpoint.asked.clear()
        code, _, err = project.run("build")
        assert code == 0, err
        assert len(endpoint.asked) == 1
        assert len(project.runs()) == 2, "a run is never changed: the complete one is new"
        assert project.board().home.rows[0].kind == "ranked"


def test_a_ceiling_of_calls_stops_before_the_next_call(project):
    with chat_endpoint(gold_of) as endpoint:
        project.configure(endpoint.url, questions=24, ceilings="calls = 5")
        code, _, err = project.run("build")
        assert code == 0, err
        assert len(endpoint.asked) == 5
        [folder] = project.runs()
        assert {o.value: n for o, n in folder.run.outcomes.items() if n} == {"answered": 5, "unpaid": 19}


def test_replay_makes_no_call(project):
    with chat_endpoint(gold_of) as endpoint:
        project.configure(endpoint.url)
        code, _, err = project.run("build", "--replay")
        assert code == 0, err
        assert endpoint.asked == []
        assert project.runs() == []
        assert "is not recorded" in err


def test_a_changed_parameter_leaves_the_row_ranked_and_marked_until_refresh(project):
    path = project.folder / "submissions" / "one.toml"
    with chat_endpoint(gold_of) as endpoint:
        project.configure(endpoint.url)
        project.run("build")
        path.write_text(path.read_text().replace("passages = 3", "passages = 2"))
        code, _, err = project.run("build")
        assert code == 0, err
        row = project.board().home.rows[0]
        assert (row.kind, "older revision" in row.marks, len(endpoint.asked)) == ("ranked", True, 4)
        project.run("build", "--refresh")
        assert len(project.runs()) == 2
        assert "older revision" not in project.board().home.rows[0].marks


def test_another_choice_of_questions_is_run_from_the_recorded_calls(project):
    with chat_endpoint(gold_of) as endpoint:
        project.configure(endpoint.url)
        project.run("build")
        project.configure(endpoint.url, questions=2)
        code, _, err = project.run("build")
        assert code == 0, err
        assert len(endpoint.asked) == 4
        assert [folder.run.questions for folder in project.runs()] == [2, 4]
        assert project.board().home.rows[0].values["overall"].value == 0.5


def test_an_unknown_system_is_said_with_the_nearest_name(project):
    project.configure("http://127.0.0.1:9/v1")
    code, _, err = project.run("build", "--only", "oen")
    assert (code, "did you mean one?" in err, "Traceback" in err) == (2, True, False)


def test_all_errors_of_all_submissions_come_at_once_and_nothing_is_run(project):
    (project.folder / "submissions" / "two.toml").write_text("[system]\nname = 3\n")
    (project.folder / "submissions" / "three.toml").write_text("[system\n")
    with chat_endpoint(gold_of) as endpoint:
        project.configure(endpoint.url)
        code, _, err = project.run("build")
        assert endpoint.asked == []
    assert code == 2
    assert "two.toml:2:8: system.name" in err and "three.toml:1:" in err
    assert "Traceback" not in err


def test_a_corrupted_store_is_a_clear_error_and_nothing_is_lost(project):
    with chat_endpoint(gold_of) as endpoint:
        project.configure(endpoint.url)
        calls = project.folder / "cache" / "calls"
        calls.mkdir(parents=True)
        (calls / "cache.db").write_bytes(b"this was a database once " * 400)
        code, _, err = project.run("build")
        assert (code, endpoint.asked) == (2, [])
    assert "is damaged" in err and str(calls) in err and "Traceback" not in err
    assert (calls / "cache.db").read_bytes() == b"this was a database once " * 400


def test_two_builds_of_the_same_results_are_the_same_bytes(project):
    with chat_endpoint(gold_of) as endpoint:
        project.configure(endpoint.url)
        assert project.run("build", "--out", "first")[0] == 0
        assert project.run("build", "--out", "second")[0] == 0
    first, second = (
        {path.relative_to(project.folder / out) for path in (project.folder / out / "site").rglob("*")}
        for out in ("first", "second")
    )
    assert first == second
    for path in (project.folder / "first" / "site").rglob("*"):
        if path.is_file():
            other = project.folder / "second" / path.relative_to(project.folder / "first")
            assert path.read_bytes() == other.read_bytes(), path
    assert json.loads((project.folder / "first" / "board.json").read_text())["title"] == "Test board"


def test_money_without_a_price_is_refused_before_the_first_call(project):
    with chat_endpoint(gold_of) as endpoint:
        project.configure(endpoint.url, ceilings="usd = 1.0")
        code, _, err = project.run("build")
        assert (code, endpoint.asked, project.runs()) == (0, [], [])
    assert "cannot be held without a price" in err


def test_a_missing_folder_of_submissions_is_an_error_and_touches_no_site(project):
    project.configure("http://127.0.0.1:9/v1")
    code, _, err = project.run("build", "--submissions", "nope")
    assert (code, "no such folder" in err, (project.folder / "build").exists()) == (2, True, False)


def test_an_output_that_is_a_file_is_an_error_that_names_it(project):
    (project.folder / "taken").write_text("mine")
    project.configure("http://127.0.0.1:9/v1")
    code, _, err = project.run("build", "--no-run", "--out", "taken")
    assert (code, "taken" in err, "Traceback" in err) == (2, True, False)
