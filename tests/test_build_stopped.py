"""Builds stopped half way: nothing that a program had received is asked again."""

from __future__ import annotations

import signal
import sqlite3
import time
from contextlib import closing

import pytest

from leaderboard.calls.store import CallStore
from leaderboard.files import cache_dir
from leaderboard.models.weights import ensure_weights
from tests.loopback import Reply, chat_endpoint
from tests.project import gold_of
from tests.scripted import answer


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


@pytest.mark.model
def test_an_interrupt_of_the_embedded_model_keeps_what_it_answered(project):
    project.embed(questions=8)
    calls = project.folder / "cache" / "calls"
    weights = cache_dir() / "weights"
    ensure_weights("qwen2.5-coder-0.5b")
    (project.folder / "cache").mkdir()
    (project.folder / "cache" / "weights").symlink_to(weights)

    def kept() -> int:
        if not (calls / "cache.db").exists():
            return 0
        with closing(sqlite3.connect(f"file:{calls / 'cache.db'}?mode=ro", uri=True)) as database:
            return database.execute("SELECT COUNT(*) FROM Cache WHERE value != '{}'").fetchone()[0]

    process = project.start("build")
    deadline = time.monotonic() + 240
    while kept() < 3 and time.monotonic() < deadline:
        time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert (process.returncode, "Traceback" in err) == (130, False), err
    before = kept()
    assert 3 <= before < 8
    assert project.runs() == []
    code, _, err = project.run("build")
    assert code == 0, err
    [folder] = project.runs()
    assert (folder.run.calls_replayed, folder.run.calls_made) == (before, 8 - before)
