"""Builds stopped half way: nothing that a program had received is asked again."""

from __future__ import annotations

import signal
import time

import pytest

from leaderboard.calls.store import CallStore
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
