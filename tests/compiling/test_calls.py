"""The calls of a compile: equal ones numbered, all of them bounded."""

from __future__ import annotations

import dspy
import pytest

from leaderboard.calls.spending import Ledger, Spent
from leaderboard.calls.store import CallStore
from leaderboard.compiling.calls import CompileCalls
from leaderboard.compiling.ending import CallsSpent, Stopped
from leaderboard.models.engine import Engine, Uncached, open_lm
from leaderboard.models.providers import Refused
from tests.scripted import ScriptedProvider


@pytest.fixture
def opened(tmp_path):
    store = CallStore(tmp_path / "calls")

    def open_(script=None, most=10, mode="live"):
        provider = ScriptedProvider(script or (lambda request: f"seed {request.get('seed', 'none')}"))
        engine = Engine(provider, store, model="m", mode=mode, ledger=Ledger(None, Spent()))
        calls = CompileCalls(engine, most)
        return open_lm(calls, temperature=0.0, max_tokens=8), calls, provider

    return open_


def test_equal_requests_above_temperature_0_are_draws_in_order_whatever_their_rollout(opened):
    lm, calls, _ = opened()
    said = [lm("x", temperature=1.0, rollout_id=rollout)[0] for rollout in (7, 7, 8)]
    assert len(set(said)) == 3
    assert [call.request["draw"] for call in calls.calls.values()] == [[0, 0], [1, 0], [2, 0]]
    assert [lm("y", temperature=1.0)[0], lm("x", temperature=0.5)[0]] != said[:2]
    assert [call.request["draw"] for call in list(calls.calls.values())[3:]] == [[0, 0], [0, 0]]
    again, replayed, silent = opened(mode="replay")
    assert [again("x", temperature=1.0, rollout_id=rollout)[0] for rollout in (1, 2, 3)] == said
    assert (silent.requests, replayed.made, replayed.replayed) == ([], 0, 3)


def test_several_samples_of_one_request_are_draws_too(opened):
    lm, calls, _ = opened()
    with dspy.context(lm=lm):
        assert len(set(lm("x", temperature=1.0, n=3))) == 3
    assert len(calls.calls) == 3


def test_equal_requests_at_temperature_0_are_one_call(opened):
    lm, calls, provider = opened(most=1)
    assert [lm("x")[0] for _ in range(3)] == ["seed none"] * 3
    assert (len(provider.requests), calls.made, len(calls.calls), calls.spent) == (1, 1, 1, "")


def test_the_call_beyond_the_ceiling_is_refused_and_no_exception_that_is_caught(opened):
    lm, calls, provider = opened(most=2)
    lm("a"), lm("b")
    with pytest.raises(Stopped) as stopped:
        lm("c")
    assert not isinstance(stopped.value, Exception)
    assert isinstance(stopped.value.cause, CallsSpent)
    assert calls.spent == "the call ceiling of 2 is reached"
    assert len(provider.requests) == 2
    # Replayed calls count as well, so that a replay ends at the same place.
    lm, calls, _ = opened(most=1)
    lm("a")
    with pytest.raises(Stopped):
        lm("b")


def test_what_keeps_a_request_from_its_answer_ends_the_compile_with_its_own_error(opened):
    lm, _, _ = opened(lambda _: Refused("no such key"))
    with pytest.raises(Stopped) as stopped:
        lm("a")
    assert (type(stopped.value.cause), str(stopped.value.cause)) == (Refused, "no such key")
    lm, _, _ = opened(mode="replay")
    with pytest.raises(Stopped) as stopped:
        lm("never asked")
    assert isinstance(stopped.value.cause, Uncached)
