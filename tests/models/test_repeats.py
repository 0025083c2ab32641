"""Repeats: a run of several rounds of the same questions draws anew each time, and the first round is what it was."""

from __future__ import annotations

import contextvars
from concurrent.futures import ThreadPoolExecutor

import pytest

from leaderboard.calls.spending import Ledger, Spent
from leaderboard.calls.store import CallStore
from leaderboard.models.engine import Engine, open_lm
from leaderboard.models.meter import metering
from tests.scripted import ScriptedProvider, answer


@pytest.fixture
def store(tmp_path):
    opened = CallStore(tmp_path / "calls")
    yield opened
    opened.close()


@pytest.fixture
def provider():
    """A model that never says the same twice."""
    numbers = iter(range(1000))
    return ScriptedProvider(lambda _: answer(str(next(numbers))))


def lm_of(provider, store, temperature=1.0, **options):
    engine = Engine(
        provider,
        store,
        **{"model": "scripted/one", "mode": "live", "ledger": Ledger(None, Spent()), **options},
    )
    return open_lm(engine, temperature=temperature, max_tokens=64)


def asked(lm, repeat: int | None = None, **options):
    """Ask the same question; return the texts and the calls it came to."""
    with metering() if repeat is None else metering(repeat) as meter:
        texts = lm("Where?", **options)
    return texts, meter.calls


def test_each_repeat_is_asked_anew_and_replayed_as_it_was(store, provider):
    lm = lm_of(provider, store)
    first = [asked(lm, repeat) for repeat in range(3)]
    assert [texts for texts, _ in first] == [[answer(str(n))] for n in range(3)]
    assert [[call.request["draw"] for call in calls] for _, calls in first] == [
        [[0, 0]],
        [[0, 0, 1]],
        [[0, 0, 2]],
    ]
    assert len({calls[0].key for _, calls in first}) == 3
    assert [asked(lm, repeat) for repeat in range(3)] == first
    assert len(provider.requests) == 3


def test_the_seed_sent_follows_from_the_key_and_differs_in_each_repeat(store, provider):
    lm = lm_of(provider, store)
    keys = [asked(lm, repeat)[1][0].key for repeat in range(3)]
    seeds = [request["seed"] for request in provider.requests]
    assert seeds == [int(key[:8], 16) >> 1 for key in keys]
    assert len(set(seeds)) == 3
    # Nothing else tells them apart: what is asked is the same.
    assert len({str({**request, "seed": 0}) for request in provider.requests}) == 1


def test_greedy_repeats_are_asked_anew_without_a_seed(store, provider):
    lm = lm_of(provider, store, temperature=0.0)
    assert [asked(lm, repeat)[0] for repeat in range(3)] == [[answer(str(n))] for n in range(3)]
    assert not any("seed" in request for request in provider.requests)


def test_the_first_repeat_is_the_run_that_was_not_repeated(store, provider):
    """Recorded calls of a single run are its first round: nothing of it is asked again."""
    single = asked(lm_of(provider, store))
    assert asked(lm_of(provider, store), 0) == single
    assert lm_of(provider, store)("Where?") == single[0]  # and what nobody counts
    assert len(provider.requests) == 1


def test_samples_and_rollouts_of_a_repeat_are_draws_of_their_own(store, provider):
    lm = lm_of(provider, store)
    texts = []
    for repeat in range(2):
        texts += asked(lm, repeat, n=2)[0] + asked(lm, repeat, rollout_id=1)[0]
    assert texts == [answer(str(n)) for n in range(6)]
    calls = asked(lm, 1, n=2)[1] + asked(lm, 1, rollout_id=1)[1]
    assert [call.request["draw"] for call in calls] == [[0, 0, 1], [0, 1, 1], [1, 0, 1]]


def test_the_limit_of_calls_counts_each_repeat_by_itself(store, provider):
    lm = lm_of(provider, store, calls_per_question=1)
    for repeat in range(3):
        assert len(asked(lm, repeat)[1]) == 1


def test_a_repeat_is_its_own_in_the_tasks_of_a_pool(store, provider):
    lm = lm_of(provider, store)
    with ThreadPoolExecutor(max_workers=3) as pool:
        futures = [
            pool.submit(contextvars.copy_context().run, asked, lm, repeat) for repeat in (2, 0, 1, 2, 0, 1)
        ]
        draws = [future.result()[1][0].request["draw"] for future in futures]
    assert draws == [[0, 0, 2], [0, 0], [0, 0, 1]] * 2
    assert len(provider.requests) == 3


def test_what_was_recorded_in_repeats_is_replayed_in_repeats(store, provider):
    live = [asked(lm_of(provider, store), repeat)[0] for repeat in range(3)]
    other = ScriptedProvider()
    assert [asked(lm_of(other, store, mode="replay"), repeat)[0] for repeat in range(3)] == live
    assert other.requests == []
