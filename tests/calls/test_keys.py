"""What identifies a call: its request, who is asked, and which draw it is."""

from __future__ import annotations

import hashlib
import itertools

import pytest

from leaderboard.calls.keys import Draw, call_key, canonical_request

IDENTITY = {"endpoint": "test"}
BODY = {"model": "m", "messages": [{"role": "user", "content": "Who?"}], "temperature": 1.0, "max_tokens": 64}


def key(draw: Draw | None = None, identity=IDENTITY, **changes) -> str:
    return call_key(canonical_request(identity, {**BODY, **changes}, draw or Draw()))


def test_a_request_is_stored_with_who_is_asked_and_the_draw():
    assert canonical_request(IDENTITY, BODY, Draw(2, 1)) == {
        "key_version": 1,
        "asked": IDENTITY,
        "body": BODY,
        "draw": [2, 1],
    }


def test_the_first_repeat_has_the_very_key_of_a_run_that_is_not_repeated():
    assert canonical_request(IDENTITY, BODY, Draw(2, 1, 0))["draw"] == [2, 1]
    assert canonical_request(IDENTITY, BODY, Draw(2, 1, 3))["draw"] == [2, 1, 3]
    written = (
        '{"asked":{"endpoint":"test"},"body":{"max_tokens":64,"messages":[{"content":"Who?","role":"user"}],'
        '"model":"m","temperature":1},"draw":[0,0],"key_version":1}'
    )
    assert key() == key(Draw(repeat=0)) == hashlib.sha256(written.encode()).hexdigest()


def test_each_rollout_sample_and_repeat_is_a_draw_of_its_own():
    draws = [Draw(*numbers) for numbers in itertools.product(range(3), repeat=3)]
    assert len({key(draw) for draw in draws}) == 27


@pytest.mark.parametrize(
    "change",
    [
        {"model": "n"},
        {"temperature": 0.5},
        {"max_tokens": 65},
        {"top_p": 0.9},
        {"messages": [{"role": "user", "content": "Who ?"}]},
        {"messages": [{"role": "system", "content": "Who?"}]},
    ],
)
def test_whatever_is_sent_is_in_the_key(change):
    assert key(**change) != key()


def test_who_is_asked_is_in_the_key():
    assert key(identity={"endpoint": "other"}) != key()


def test_the_order_of_fields_and_the_way_a_number_is_written_are_not():
    body = dict(reversed(BODY.items()))
    assert call_key(canonical_request(IDENTITY, body, Draw())) == key()
    assert key(temperature=1) == key()


def test_a_request_is_a_copy_that_later_changes_do_not_reach():
    identity, body = dict(IDENTITY), dict(BODY)
    request = canonical_request(identity, body, Draw())
    before = call_key(request)
    identity["endpoint"], body["model"] = "other", "n"
    assert call_key(request) == before
