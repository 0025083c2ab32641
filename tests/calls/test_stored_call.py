"""What is a call: a request under its key, a whole response, and numbers that can be."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict, replace

import pytest

from leaderboard.calls.store import CallStore, CallStoreError, StoredCall
from tests.results.examples import call

RESPONSE = call().response
WRONG = [
    ({"key": 7}, "key: expected str, found 7"),
    ({"key": "0" * 64}, "the key does not belong to its request"),
    ({"request": [1]}, r"request: expected dict, found \[1\]"),
    ({"request": {**call().request, "draw": [0, 1]}}, "the key does not belong to its request"),
    ({"request": {"draw": float("nan")}}, "it holds what JSON cannot"),
    ({"response": [1]}, r"response: expected dict, found \[1\]"),
    ({"response": None}, "response: expected dict, found None"),
    ({"response": {}}, "response: has no text, finish_reason, model_version, prompt_tokens, .*, raw"),
    *(
        ({"response": {**RESPONSE, field: None}}, rf"response\.{field}: expected \w+, found None")
        for field in ("text", "finish_reason", "model_version", "raw")
    ),
    *(
        ({"response": {**RESPONSE, field: count}}, rf"response\.{field}: expected a count or none, found")
        for field in ("prompt_tokens", "completion_tokens", "cached_tokens")
        for count in (-1, 1.5, True, "10")
    ),
    ({"response": {**RESPONSE, "raw": {"took": float("nan")}}}, "it holds what JSON cannot"),
    ({"response": {**RESPONSE, "text": "\ud83d"}}, "it holds what JSON cannot"),
    *(
        ({field: amount}, f"{field}: expected a finite number from 0, found")
        for field in ("latency_s", "paid_usd")
        for amount in (float("nan"), float("inf"), -0.1, "1", True, -(10**400))
    ),
    ({"latency_s": None}, "latency_s: expected a finite number from 0, found None"),
    ({"recorded_at": None}, "recorded_at: expected str, found None"),
]


@pytest.fixture
def store(tmp_path):
    opened = CallStore(tmp_path / "calls")
    yield opened
    opened.close()


def test_what_is_unknown_of_a_call_may_be_none():
    counts = dict.fromkeys(("prompt_tokens", "completion_tokens", "cached_tokens"))
    assert call(response={**RESPONSE, **counts}, paid_usd=None).response["cached_tokens"] is None


@pytest.mark.parametrize(("changes", "said"), WRONG)
def test_a_call_with_a_wrong_field_cannot_be_made(changes, said):
    with pytest.raises(CallStoreError, match=rf"^call .{{1,12}}: {said}.*: take it from its source again"):
        replace(call(), **changes)


@pytest.mark.parametrize(("changes", "said"), WRONG)
def test_a_row_with_a_wrong_field_names_the_store_and_says_what_to_do(store, changes, said):
    store.put(call())
    text = json.dumps({**asdict(call()), **changes})
    with sqlite3.connect(store.folder / "cache.db") as database:
        database.execute("UPDATE Cache SET value = ?", [text])
    with pytest.raises(
        CallStoreError, match=rf"{store.folder}: call .{{12}}: its row is not a call .*{said}.*mv "
    ):
        store.get(call().key)


def test_a_call_has_these_fields_and_no_other():
    with pytest.raises(TypeError):
        StoredCall(**asdict(call()), said="more")
