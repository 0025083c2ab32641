"""Whole builds: real files in, a real endpoint on the loopback, the real command line, a real site out."""

from __future__ import annotations

import hashlib
import html
import json

from leaderboard.benchmarks.registry import load_benchmark
from leaderboard.results.tables import read_calls, read_records
from tests.loopback import chat_endpoint
from tests.project import gold_of, question_of
from tests.scripted import answer


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
        assert "recorded with another submission; to run it again: --only one --refresh" in err
        [page] = project.board().systems
        assert page.notes[0].startswith(
            "MuSiQue-like (sample): recorded with another submission than this page's"
        )
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


def test_a_missing_folder_of_submissions_is_an_error_and_touches_no_site(project):
    project.configure("http://127.0.0.1:9/v1")
    code, _, err = project.run("build", "--submissions", "nope")
    assert (code, "no such folder" in err, (project.folder / "build").exists()) == (2, True, False)


def test_an_output_that_is_a_file_is_an_error_that_names_it(project):
    (project.folder / "taken").write_text("mine")
    project.configure("http://127.0.0.1:9/v1")
    code, _, err = project.run("build", "--no-run", "--out", "taken")
    assert (code, "taken" in err, "Traceback" in err) == (2, True, False)


def test_eight_questions_at_a_time_each_get_their_own_answer_and_calls(project):
    def own(message: str) -> str:
        return answer(hashlib.sha256(question_of(message).strip().split("\n")[0].encode()).hexdigest())

    with chat_endpoint(own, delay_s=0.05) as endpoint:
        project.configure(endpoint.url, questions=24)
        code, _, err = project.run("build")
        assert code == 0, err
    [folder] = project.runs()
    calls = {call.key: call for call in read_calls(folder.table("calls"))}
    questions = load_benchmark("musique", "sample").by_id
    for record in read_records(folder.table("records")):
        text = questions[record.question].text
        assert record.raw_answer == hashlib.sha256(text.encode()).hexdigest()
        [key] = record.calls
        assert text in calls[key].request["body"]["messages"][-1]["content"]


def test_a_store_that_cannot_be_written_is_an_error_before_the_first_call(project):
    (project.folder / "cache").write_text("a file where the folder should be")
    with chat_endpoint(gold_of) as endpoint:
        project.configure(endpoint.url)
        code, _, err = project.run("build")
        assert (code, endpoint.asked, project.runs()) == (2, [], [])
    assert "call store" in err and "LEADERBOARD_CACHE_DIR" in err and "Traceback" not in err


def test_a_build_from_another_folder_finds_the_templates(project, tmp_path):
    project.configure("http://127.0.0.1:9/v1")
    for name in ("site_templates", "mkdocs.yml"):
        (project.folder / name).unlink()
    code, _, err = project.run("build", "--no-run")
    assert code == 0, err


def test_strict_asks_only_for_the_cells_asked_for(project):
    with chat_endpoint(gold_of) as endpoint:
        project.configure(endpoint.url)
        project.run("build")
        project.submit("two")
        assert project.run("build", "--no-run", "--strict", "--only", "one")[0] == 0
        code, _, err = project.run("build", "--no-run", "--strict")
        assert (code, "1 of the cells asked for" in err) == (3, True)


def test_a_folder_of_runs_that_cannot_be_written_is_told_before_the_first_call(project):
    (project.folder / "results").write_text("a file")
    with chat_endpoint(gold_of) as endpoint:
        project.configure(endpoint.url)
        code, _, err = project.run("build")
        assert (code, endpoint.asked, "--results" in err, "Traceback" in err) == (2, [], True, False)
