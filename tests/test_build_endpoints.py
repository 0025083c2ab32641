"""Builds whose endpoint is down, broken, busy, talkative or too dear: what is recorded, shown and asked again."""

from __future__ import annotations

import html
import json

import pytest

from leaderboard.results.tables import read_calls, read_records
from tests.loopback import Reply, chat_endpoint
from tests.project import gold_of, question_of
from tests.scripted import answer


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


def test_money_without_a_price_is_refused_before_the_first_call(project):
    with chat_endpoint(gold_of) as endpoint:
        project.configure(endpoint.url, ceilings="usd = 1.0")
        code, _, err = project.run("build")
        assert (code, endpoint.asked, project.runs()) == (0, [], [])
    assert "cannot be held without a price" in err


def test_a_submissions_own_limit_of_money_holds_before_each_call(project):
    path = project.folder / "submissions" / "one.toml"
    path.write_text(path.read_text() + "\n[limits]\nusd_total = 0.01\n")
    price = "price = { input_usd = 1.0, cached_usd = 1.0, output_usd = 10.0, date = 2026-01-01 }"
    with chat_endpoint(gold_of) as endpoint:
        project.configure(endpoint.url, questions=24, more=price)
        code, _, err = project.run("build")
        assert code == 0, err
        [folder] = project.runs()
        answered, unpaid = folder.run.outcomes["answered"], folder.run.outcomes["unpaid"]
        assert (answered + unpaid, answered == len(endpoint.asked), unpaid > 0) == (24, True, True)
        records = read_records(folder.table("records"))
        assert sum(record.paid_usd for record in records if record.calls) <= 0.01
        assert any("the submission's ceiling of 0.01 USD" in record.error for record in records)
