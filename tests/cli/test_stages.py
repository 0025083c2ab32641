"""The stages one by one through the real command line, with a real endpoint on the loopback."""

from __future__ import annotations

import json

from tests.loopback import Reply, chat_endpoint
from tests.project import gold_of


def test_run_then_score_then_site_each_does_its_part_and_no_more(project):
    build = project.folder / "build"
    with chat_endpoint(gold_of) as endpoint:
        project.configure(endpoint.url)
        code, out, err = project.run("run")
        assert (code, out) == (0, ""), err
        assert (len(endpoint.asked), len(project.runs()), build.exists()) == (4, 1, False)
        assert "4/4 answers, 4 calls made, 0 replayed, 440 tokens, spent unknown" in err

        code, out, err = project.run("score")
        assert code == 0, err
        heading, first, *rest = (line.split() for line in out.splitlines())
        assert heading == ["System", "Overall", "musique"]
        assert (first[:2], first[-1]) == (["System", "one"], "25.0")
        assert any(line[:3] == ["Best", "constant", "answer"] for line in rest)
        assert (project.board().home.rows[0].key, (build / "site").exists()) == ("one", False)

        code, out, err = project.run("site")
        assert code == 0, err
        assert str(build / "site" / "index.html") in out
        assert "score" not in err
        assert "System one" in (build / "site" / "index.html").read_text()
        assert len(endpoint.asked) == 4


def test_the_ranking_as_json_is_the_boards_own_rows(project):
    with chat_endpoint(gold_of) as endpoint:
        project.configure(endpoint.url)
        project.run("run")
    code, out, err = project.run("score", "--json", "--out", "elsewhere")
    assert code == 0, err
    rows = json.loads(out)
    board = json.loads((project.folder / "elsewhere" / "board.json").read_text())
    assert rows == board["home"]["rows"]
    assert rows[0]["values"]["musique"]["value"] == 0.25


def test_a_site_without_a_board_and_with_anothers_is_refused(project):
    project.configure("http://127.0.0.1:9/v1")
    code, _, err = project.run("site")
    assert (code, "leaderboard: build/board.json: no board there" in err, "leaderboard score" in err) == (
        2,
        True,
        True,
    )
    (project.folder / "build").mkdir()
    (project.folder / "build" / "board.json").write_text('{"title": "x"}')
    code, _, err = project.run("site")
    assert (code, "not a board of this version" in err, "Traceback" in err) == (2, True, False)
    assert not (project.folder / "build" / "site").exists()


def test_run_takes_the_systems_that_are_named(project):
    project.submit("two")
    with chat_endpoint(gold_of) as endpoint:
        project.configure(endpoint.url)
        code, _, err = project.run("run", "two", "--benchmark", "musique")
        assert code == 0, err
        assert (len(project.runs("one")), len(project.runs("two"))) == (0, 1)
        code, _, err = project.run("run", "tow")
        assert (code, "did you mean two?" in err) == (2, True)
        code, _, err = project.run("run", "two", "--benchmark", "frames")
        assert (code, "no benchmark of this board is called 'frames'" in err) == (2, True)


def test_repeats_ask_each_question_as_often_and_fewer_ask_nothing_more(project):
    with chat_endpoint(gold_of) as endpoint:
        project.configure(endpoint.url)
        project.run("run")
        code, _, err = project.run("run", "one", "--repeats", "2")
        assert code == 0, err
        newest = project.runs()[0].run
        assert (newest.repeats, newest.calls_made, newest.calls_replayed) == (2, 4, 4)
        assert len(endpoint.asked) == 8
        code, _, err = project.run("run", "--repeats", "1")
        assert (code, "0 to run" in err, len(endpoint.asked)) == (0, True, 8)
        code, out, err = project.run("show", "one", "0", "--repeat", "1")
        assert code == 0, err
        assert "repeat 1 of 0 to 1" in " ".join(out.split())
        code, out, err = project.run("show", "one", "0", "--repeat", "2")
        assert (code, "has no repeat 2" in err and "it has: 0, 1" in err) == (2, True)
        [listed] = json.loads(project.run("systems", "--json")[1])
        assert listed["benchmarks"]["musique"]["repeats"] == 2


def test_run_is_strict_on_request_and_says_how_to_run_what_is_stale(project):
    path = project.folder / "submissions" / "one.toml"
    with chat_endpoint(lambda _: Reply(401)) as endpoint:
        project.configure(endpoint.url)
        code, _, err = project.run("run", "--strict")
        assert (code, "1 of the cells asked for have no complete run" in err) == (3, True)
    with chat_endpoint(gold_of) as endpoint:
        project.configure(endpoint.url)
        project.run("run")
        path.write_text(path.read_text().replace("passages = 3", "passages = 2"))
        code, _, err = project.run("run", "--strict")
        assert (code, len(endpoint.asked)) == (0, 4)
        assert "another submission; to run it again: leaderboard run one --refresh" in err
        [listed] = json.loads(project.run("systems", "--json")[1])
        assert listed["benchmarks"]["musique"]["stale_parts"] == ["submission"]
        project.run("run", "one", "--refresh")
        assert len(endpoint.asked) == 8


def test_a_model_that_cannot_be_had_leaves_its_cells_not_run_and_the_others_go_on(project, monkeypatch):
    monkeypatch.setenv("LEADERBOARD_THREADS", "many")
    more = "price = { input_usd = 0, cached_usd = 0, output_usd = 0, date = 2026-01-01 }\n"
    more += '[[models]]\nname = "embedded/qwen2.5-coder-0.5b"\nkind = "embedded"\nendpoint = "embedded"\n'
    path = project.folder / "submissions" / "one.toml"
    project.submit("two")
    path.write_text(path.read_text().replace("loopback/one", "embedded/qwen2.5-coder-0.5b"))
    with chat_endpoint(gold_of) as endpoint:
        project.configure(endpoint.url, more=more + "context_tokens = 8192")
        assert project.run("run", "two")[0] == 0
        (project.folder / "results").rename(project.folder / "kept")
        code, _, err = project.run("run", "--replay", "--strict")
    assert code == 3, err
    assert "LEADERBOARD_THREADS: expected a whole number" in err
    assert "one on MuSiQue-like (sample): not run (embedded/qwen2.5-coder-0.5b cannot be had)" in err
    assert "two on MuSiQue-like (sample): 4 answers; 1 of 2 cells done" in err
    assert [folder.run.calls_replayed for folder in project.runs("two")] == [4]
    code, _, err = project.run("try", "submissions/one.toml", "--replay")
    assert (code, "LEADERBOARD_THREADS" in err, "Traceback" in err) == (2, True, False)


def test_an_endpoints_own_words_cannot_reach_the_terminal(project):
    told = json.dumps({"error": {"message": "\x1b]0;owned\x07\u202e", "code": 401}}).encode()
    with chat_endpoint(lambda _: Reply(200, told)) as endpoint:
        project.configure(endpoint.url)
        for arguments in (["run"], ["try", "submissions/one.toml"]):
            _, out, err = project.run(*arguments)
            assert "owned" in err
            assert {character for character in out + err if not character.isprintable()} <= {"\n"}
