"""``leaderboard compile``: through the real command line, and what it says meanwhile."""

from __future__ import annotations

import io
import json
import re
import sys

from leaderboard.cli.compiling import progress, words
from leaderboard.compiling.program import Progress
from tests.loopback import Reply, chat_endpoint
from tests.scripted import answer

COMPILE = (
    '\n[compile]\noptimizer = "bootstrap_few_shot"\nmax_examples = 4\nmax_labeled_demos = 1\nmax_calls = 3\n'
)


def test_a_system_is_compiled_replayed_and_run_with_what_it_learnt(project):
    path = project.folder / "submissions" / "one.toml"
    path.write_text(path.read_text() + COMPILE)
    with chat_endpoint(lambda _: answer("Nobody")) as endpoint:
        project.configure(endpoint.url, questions=1)
        code, out, err = project.run("compile", "submissions/one.toml")
        assert code == 2, out
        assert (
            "bootstrap_few_shot: the call ceiling of 3 is reached before a train question was answered right"
            in err
        )
        assert "one: 0 of at most 3 calls, 0 made, 0:00" in err

        path.write_text(path.read_text().replace("max_calls = 3\n", ""))
        code, out, err = project.run("compile", "submissions/one.toml")
        assert code == 0, err
        assert "answer: 1 demonstration; instructions as before" in out
        assert "bootstrap_few_shot on musique: 4 calls, 1 made and 3 replayed, 440 tokens" in out
        assert "submissions/one.state.json: written; its calls: results/compile/one/" in " ".join(out.split())
        state = project.folder / "submissions" / "one.state.json"
        learnt = state.read_bytes()
        [demo] = json.loads(learnt)["predictors"]["answer"]["demos"]
        assert set(demo) == {"context", "question", "answer"}

        asked = len(endpoint.asked)
        state.unlink()
        code, out, err = project.run("compile", "submissions/one.toml", "--replay")
        assert (code, len(endpoint.asked), state.read_bytes()) == (0, asked, learnt), err
        code, out, err = project.run("run")
        assert code == 0, err
        [run] = project.runs()
        assert run.run.parts["state"]
        assert len(endpoint.asked) == asked + 1


def test_a_dead_endpoint_is_an_error_in_words(project):
    path = project.folder / "submissions" / "one.toml"
    path.write_text(path.read_text() + COMPILE)
    with chat_endpoint(lambda _: Reply(401)) as endpoint:
        project.configure(endpoint.url)
        code, _, err = project.run("compile", "submissions/one.toml")
    assert code == 2
    assert re.search(r"leaderboard: .*401", err)
    assert "Traceback" not in err


def test_progress_goes_to_the_real_stream_while_the_optimizers_talk_is_kept_away(monkeypatch):
    stream, times = io.StringIO(), iter([0.0, 1.0, 12.0, 12.0, 13.0])
    monkeypatch.setattr(sys, "stderr", stream)
    with progress("one", lambda: next(times)) as report:
        monkeypatch.setattr(sys, "stderr", io.StringIO())
        report(Progress(0, 80, 0, None))
        report(Progress(7, 80, 5, 0.25))
        report(Progress(8, 80, 6, 0.25))
    assert stream.getvalue().splitlines() == [
        "  one: 0 of at most 80 calls, 0 made, 0:01",
        "  one: 7 of at most 80 calls, 5 made, best score 0.250, 0:12",
    ]
    assert words("one", Progress(3, 9, 3, None), 61.0) == "one: 3 of at most 9 calls, 3 made, 1:01"
