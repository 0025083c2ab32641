"""The engine between dspy and a provider: what is asked, what is recorded, and that no draw gets another's text."""

from __future__ import annotations

from functools import partial

import dspy
import pytest
from dspy.utils.exceptions import LMError

from leaderboard.calls.spending import Ledger, Price, Spent
from leaderboard.calls.store import CallStore
from leaderboard.fetching.retrying import call_with_retries
from leaderboard.models import engine as engines
from leaderboard.models.engine import CallLimit, Engine, Uncached, open_lm, root_cause
from leaderboard.models.meter import metering
from leaderboard.models.providers import Refused, Unreachable
from leaderboard.programs.answering import adapter
from tests.scripted import ScriptedProvider, answer, said


@pytest.fixture
def store(tmp_path):
    opened = CallStore(tmp_path / "calls")
    yield opened
    opened.close()


def engine(provider, store, **options):
    defaults = {"model": "scripted/one", "mode": "live", "ledger": Ledger(None, Spent())}
    return Engine(provider, store, **{**defaults, **options})


def lm_of(provider, store, temperature=0.0, **options):
    return open_lm(engine(provider, store, **options), temperature=temperature, max_tokens=64)


def test_the_request_is_the_submissions_model_and_parameters_in_chat_form(store):
    provider = ScriptedProvider()
    lm_of(provider, store)("Where?")
    assert provider.requests == [
        {
            "model": "scripted/one",
            "messages": [{"role": "user", "content": "Where?"}],
            "temperature": 0.0,
            "max_tokens": 64,
        }
    ]


def test_an_equal_request_is_asked_once_and_replayed_with_its_usage(store):
    provider = ScriptedProvider(lambda _: said(answer("Paris"), prompt_tokens=11, completion_tokens=7))
    lm = lm_of(provider, store)
    meters = []
    for _ in range(3):
        with metering() as meter:
            lm("Where?")
        meters.append(meter)
    assert len(provider.requests) == 1
    assert [meter.made for meter in meters] == [1, 0, 0]
    assert {meter.usage("prompt_tokens") for meter in meters} == {11}
    assert {meter.latency_s for meter in meters} == {0.5}


def test_samples_and_rollouts_are_draws_of_their_own(store):
    numbers = iter(range(100))
    provider = ScriptedProvider(lambda _: answer(str(next(numbers))))
    lm = lm_of(provider, store, temperature=1.0)
    first = [lm("Where?", n=3), lm("Where?", rollout_id=1), lm("Where?", rollout_id=2)]
    texts = [text for outputs in first for text in outputs]
    assert len(set(texts)) == len(texts) == 5
    assert len({request["seed"] for request in provider.requests}) == 5
    again = [lm("Where?", n=3), lm("Where?", rollout_id=1), lm("Where?", rollout_id=2)]
    assert again == first
    assert len(provider.requests) == 5


def test_the_rollout_of_a_predictor_reaches_the_key(store):
    numbers = iter(range(100))
    lm = lm_of(ScriptedProvider(lambda _: answer(str(next(numbers)))), store, temperature=1.0)
    predict = dspy.Predict("question -> answer")
    with dspy.context(lm=lm, adapter=adapter()):
        answers = [
            predict(question="q", config={"rollout_id": i, "temperature": 1.0}).answer for i in (1, 2, 1)
        ]
    assert answers == ["0", "1", "0"]


def test_greedy_requests_carry_no_seed(store):
    provider = ScriptedProvider()
    lm_of(provider, store)("Where?")
    assert "seed" not in provider.requests[0]


def test_in_replay_mode_a_missing_call_is_uncached_and_nobody_is_asked(store):
    provider = ScriptedProvider()
    with pytest.raises(LMError) as caught:
        lm_of(provider, store, mode="replay")("Where?")
    assert isinstance(root_cause(caught.value), Uncached)
    assert provider.requests == []


def test_replay_gives_what_was_recorded_live(store):
    live = lm_of(ScriptedProvider(lambda _: answer("Paris")), store)("Where?")
    assert lm_of(ScriptedProvider(lambda _: answer("Rome")), store, mode="replay")("Where?") == live


def test_two_endpoints_never_share_an_answer(store):
    one, two = ScriptedProvider(lambda _: answer("one")), ScriptedProvider(lambda _: answer("two"))
    two.identity = {"endpoint": "another"}
    assert "one" in lm_of(one, store)("Where?")[0]
    assert "two" in lm_of(two, store)("Where?")[0]


def test_the_submissions_limit_of_calls_holds_for_each_question(store):
    lm = lm_of(ScriptedProvider(), store, calls_per_question=2)
    for _ in range(2):
        with metering():
            lm("a")
            lm("b")
            with pytest.raises(LMError) as caught:
                lm("c")
    assert isinstance(root_cause(caught.value), CallLimit)


def test_a_retryable_error_is_tried_again_and_any_other_is_not(store, monkeypatch):
    waits = []
    monkeypatch.setattr(engines, "call_with_retries", partial(call_with_retries, sleep=waits.append))
    results = iter([Unreachable("down"), Unreachable("down"), answer("Paris")])
    provider = ScriptedProvider(lambda _: next(results))
    assert "Paris" in lm_of(provider, store)("Where?")[0]
    assert (len(provider.requests), waits) == (3, [0.5, 1.0])

    refusing = ScriptedProvider(lambda _: Refused("no such model"))
    with pytest.raises(LMError) as caught:
        lm_of(refusing, store)("Where else?")
    assert isinstance(root_cause(caught.value), Refused)
    assert len(refusing.requests) == 1


def test_after_five_failures_in_a_row_nothing_more_is_asked_but_recorded_calls_still_answer(store):
    provider = ScriptedProvider(
        lambda request: Refused("gone", of_endpoint=True) if "new" in str(request) else answer("old")
    )
    lm = lm_of(provider, store)
    lm("recorded")
    for number in range(7):
        with pytest.raises(LMError) as caught:
            lm(f"new {number}")
    assert len(provider.requests) == 1 + 5
    assert "not asked: scripted failed 5 times in a row" in str(root_cause(caught.value))
    assert "old" in lm("recorded")[0]


def test_what_a_call_cost_is_stored_with_it(store):
    ledger = Ledger(Price(1.0, 0.5, 2.0), Spent(), most_usd=1.0)
    with metering() as meter:
        lm_of(ScriptedProvider(), store, ledger=ledger)("Where?")
    assert meter.paid_usd == pytest.approx((10 * 1.0 + 5 * 2.0) / 1e6)


def test_unknown_usage_and_cost_stay_unknown(store):
    unknown = said(answer("x"), prompt_tokens=None, completion_tokens=None, cached_tokens=None)
    with metering() as meter:
        lm_of(ScriptedProvider(lambda _: unknown), store)("Where?")
    assert (meter.usage("prompt_tokens"), meter.paid_usd) == (None, None)


@pytest.mark.parametrize(
    "text", ["", "\x00", "\ufffd" * 10, "x" * 100_000], ids=["empty", "nul", "odd", "long"]
)
def test_any_answer_is_stored_and_replayed_as_it_came(store, text):
    lm = lm_of(ScriptedProvider(lambda _: text), store)
    with metering() as meter:
        lm("Where?")
    assert meter.calls[0].response["text"] == text
    assert store.get(meter.calls[0].key) == meter.calls[0]


def test_dspys_own_cache_is_off(store):
    open_lm(engine(ScriptedProvider(), store), temperature=0.0, max_tokens=5)
    assert not dspy.cache.enable_disk_cache
    assert not dspy.cache.enable_memory_cache
