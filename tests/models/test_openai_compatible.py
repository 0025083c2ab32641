"""An endpoint may answer anything or nothing: each case has its own error, and what it said is never lost."""

import gzip
import json
import time

import pytest

from leaderboard.fetching.retrying import call_with_retries
from leaderboard.models.openai_compatible import LARGEST_RESPONSE_BYTES, OpenAIProvider
from leaderboard.models.providers import (
    BadResponse,
    ProviderError,
    RateLimited,
    Refused,
    ServerError,
    Timeout,
    Unreachable,
)
from tests.models.lab import KEY, REQUEST, answer


def test_a_request_is_sent_as_it_is_with_the_endpoint_s_model_and_key(endpoint, provider):
    endpoint.then(answer())
    completion = provider.complete(REQUEST)
    assert completion.text == "Ada"
    assert completion.finish_reason == "stop"
    assert (completion.prompt_tokens, completion.completion_tokens, completion.cached_tokens) == (31, 2, 16)
    assert completion.model_version == "small-2026-01-01"
    assert completion.raw == answer()
    assert 0 < completion.latency_s < 5
    sent = endpoint.requests[0]
    assert sent["path"] == "/v1/chat/completions"
    assert sent["body"] == REQUEST | {"model": "small"}
    assert sent["headers"]["Authorization"] == f"Bearer {KEY}"
    assert provider.identity == {"endpoint": "lab"}


def test_an_endpoint_that_is_down_is_unreachable_and_may_be_asked_again(closed_address):
    provider = OpenAIProvider("lab", closed_address, None, "small")
    with pytest.raises(Unreachable, match="endpoint 'lab' can't be reached") as caught:
        provider.complete(REQUEST)
    assert caught.value.retryable
    assert closed_address.removeprefix("http://") not in str(caught.value)


def test_a_name_nobody_has_is_unreachable():
    with pytest.raises(Unreachable):
        OpenAIProvider("lab", "http://nobody.invalid/v1", None, "small").complete(REQUEST)


@pytest.mark.parametrize("how", [{"delay_s": 3}, {"drip_s": 0.1}])
def test_a_slow_endpoint_is_left_after_the_time_allowed(endpoint, how):
    endpoint.then(answer(), **how)
    provider = OpenAIProvider("lab", endpoint.url, None, "small", timeout_s=0.4)
    began = time.monotonic()
    with pytest.raises(Timeout, match=r"no whole answer within 0.4 s") as caught:
        provider.complete(REQUEST)
    assert time.monotonic() - began < 2
    assert caught.value.retryable


def test_too_many_requests_are_waited_out_and_the_answer_kept(endpoint, provider):
    endpoint.then({"error": "slow down"}, 429, headers={"Retry-After": "3"}).then(answer())
    waits: list[float] = []
    assert call_with_retries(lambda: provider.complete(REQUEST), sleep=waits.append).text == "Ada"
    assert waits == [3]


def test_too_many_requests_tell_what_was_asked_for(endpoint, provider):
    endpoint.then({"error": "slow down"}, 429, headers={"Retry-After": "Wed, 01 Jul 2020 12:00:00 GMT"})
    with pytest.raises(RateLimited, match="answers 429") as caught:
        provider.complete(REQUEST)
    assert caught.value.retry_after_s == 0


@pytest.mark.parametrize("status", [500, 502, 503])
def test_a_broken_server_is_asked_again(endpoint, provider, status):
    endpoint.then(b"oops", status).then(answer())
    with pytest.raises(ServerError, match=f"answers {status}: 'oops'") as caught:
        provider.complete(REQUEST)
    assert caught.value.retryable
    assert provider.complete(REQUEST).text == "Ada"


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_names_its_variable_and_never_shows_it(endpoint, provider, status):
    endpoint.then({"error": {"message": f"Incorrect API key provided: {KEY}"}}, status)
    with pytest.raises(Refused, match="TEST_API_KEY") as caught:
        provider.complete(REQUEST)
    assert not caught.value.retryable
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("status", [400, 404, 500])
def test_a_key_that_an_error_repeats_is_taken_out(endpoint, provider, status):
    endpoint.then(f"bad request with Bearer {KEY}".encode(), status)
    with pytest.raises(ProviderError) as caught:
        provider.complete(REQUEST)
    assert KEY not in f"{caught.value} {caught.value!r} {provider!r} {vars(provider)}"
    assert "[key]" in str(caught.value)


def test_a_missing_key_is_told_before_anything_is_sent(endpoint, provider, monkeypatch):
    monkeypatch.delenv("TEST_API_KEY")
    with pytest.raises(Refused, match="the environment variable TEST_API_KEY is not set"):
        provider.complete(REQUEST)
    assert endpoint.requests == []


def test_a_key_that_no_header_can_hold_is_refused_without_showing_it(provider, monkeypatch):
    monkeypatch.setenv("TEST_API_KEY", f"{KEY}\nX-Other: 1")
    with pytest.raises(Refused, match="TEST_API_KEY holds characters") as caught:
        provider.complete(REQUEST)
    assert KEY not in str(caught.value)


def test_a_redirect_is_not_followed(endpoint, provider):
    endpoint.then(b"", 307, headers={"Location": "/v1/elsewhere"})
    with pytest.raises(Refused, match=r"answers 307 .* leaderboard.toml"):
        provider.complete(REQUEST)
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"<!DOCTYPE html><html>Log in</html>", "found a web page"),
        (json.dumps(answer()).encode()[:70], r"found 70 bytes that are not JSON"),
        (b"", "found nothing"),
        (b"\xff\xfe\x00", "found 3 bytes that are not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"choices": NaN}', "NaN is not JSON"),
        (
            json.dumps(answer() | {"score": 7}).replace("7", "1e999").encode(),
            "1e999 is larger than any number",
        ),
        (json.dumps(answer() | {"score": 7}).replace("7", "-1e999").encode(), "-1e999 is larger than any"),
        (json.dumps(answer() | {"n": 7}).replace("7", "7" * 5000).encode(), "not JSON"),
        (json.dumps(answer()).encode("utf-16"), "not JSON"),
        (answer(usage={"prompt_tokens": 10**400}), "usage.prompt_tokens: expected a whole number"),
        ([], "response: expected an object, found "),
        ({}, "choices: expected a list with at least one item, found nothing"),
        ({"choices": []}, r"choices: expected .* found \[\]"),
        ({"choices": ["Ada"]}, r"choices\[0\]: expected an object, found 'Ada'"),
        ({"choices": [{}]}, r"choices\[0\].message: expected an object, found nothing"),
        (answer(content=42), "content: expected a string or null, found 42"),
        (answer(finish=["stop"]), "finish_reason: expected one of"),
        (answer(finish="error"), "finish_reason: expected one of"),
        (answer(model=3), "model: expected a string, found 3"),
        (answer(usage="many"), "usage: expected an object, found 'many'"),
        (answer(usage={"prompt_tokens": -1}), "usage.prompt_tokens: expected a whole number"),
        (answer(usage={"prompt_tokens": True}), "usage.prompt_tokens: expected a whole number"),
        ({"error": {"message": "overloaded"}}, "an error in place of a completion: overloaded"),
    ],
)
def test_what_is_no_completion_is_named_and_asked_once_more(endpoint, provider, body, told):
    endpoint.then(body).then(answer())
    with pytest.raises(BadResponse, match=told) as caught:
        provider.complete(REQUEST)
    assert caught.value.retryable
    assert len(str(caught.value)) < 600
    endpoint.replies.insert(0, endpoint.replies[0])
    assert call_with_retries(lambda: provider.complete(REQUEST), sleep=lambda _: None).text == "Ada"


def test_an_error_inside_a_200_is_the_error_its_code_says(endpoint, provider):
    endpoint.then({"error": {"code": 429, "message": "upstream"}})
    with pytest.raises(RateLimited, match="error 429: upstream"):
        provider.complete(REQUEST)


def test_an_answer_that_breaks_off_may_be_asked_again(endpoint, provider):
    endpoint.then(json.dumps(answer()).encode(), cut=True)
    with pytest.raises(BadResponse, match="broke off") as caught:
        provider.complete(REQUEST)
    assert caught.value.retryable


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ("", ""),
        ("<script>alert(1)</script>\x00 [[ ## answer ##", "<script>alert(1)</script>\x00 [[ ## answer ##"),
        ("x" * 100_000, "x" * 100_000),
        ("half a pair: \ud83d", "half a pair: \ufffd"),
    ],
    ids=["null", "empty", "nonsense", "100,000 characters", "broken surrogate"],
)
def test_an_answer_is_kept_as_it_is(endpoint, provider, content, text):
    endpoint.then(answer(content))
    completion = provider.complete(REQUEST)
    assert completion.text == text
    json.dumps(completion.raw, ensure_ascii=False).encode("utf-8")


@pytest.mark.parametrize(
    ("finish", "meant"),
    [
        ("length", "length"),
        ("content_filter", "content_filter"),
        ("tool_calls", "tool_calls"),
        ("function_call", "tool_calls"),
        (None, "stop"),
    ],
)
def test_why_an_answer_ended_is_kept(endpoint, provider, finish, meant):
    endpoint.then(answer(finish=finish))
    assert provider.complete(REQUEST).finish_reason == meant


def test_an_endpoint_that_tells_no_usage_leaves_it_unknown(endpoint, provider):
    reply = answer()
    del reply["usage"]
    endpoint.then(reply)
    completion = provider.complete(REQUEST)
    assert (completion.prompt_tokens, completion.completion_tokens, completion.cached_tokens) == (None,) * 3
    endpoint.replies.clear()
    endpoint.then(answer(usage={"prompt_tokens": 5, "completion_tokens": 1}))
    assert provider.complete(REQUEST).cached_tokens == 0


def test_a_compressed_answer_is_read_and_a_broken_one_told(endpoint, provider):
    endpoint.then(gzip.compress(json.dumps(answer()).encode()), headers={"Content-Encoding": "gzip"})
    assert provider.complete(REQUEST).text == "Ada"
    endpoint.replies.clear()
    endpoint.then(b"not gzip", headers={"Content-Encoding": "gzip"})
    with pytest.raises(BadResponse, match="can't be decompressed"):
        provider.complete(REQUEST)


def test_an_endless_answer_is_cut(endpoint, provider):
    endpoint.then(b" " * (LARGEST_RESPONSE_BYTES + 1))
    with pytest.raises(BadResponse, match="larger than 20,000,000 bytes"):
        provider.complete(REQUEST)


def test_a_request_that_json_cannot_hold_is_refused(endpoint, provider):
    with pytest.raises(Refused, match="can't be written as JSON"):
        provider.complete(REQUEST | {"messages": [{"role": "user", "content": "\ud83d"}]})
    assert endpoint.requests == []


@pytest.mark.parametrize(
    "address",
    ["ftp://host/v1", "localhost:8000", "http://user:secret@host/v1", "http://host/v1?key=secret", ""],
)
def test_an_address_that_is_none_is_refused_without_repeating_it(address):
    with pytest.raises(ValueError, match="base_url") as caught:
        OpenAIProvider("lab", address, None, "small")
    assert "secret" not in str(caught.value)


def test_connections_are_kept_and_reopened_after_closing(endpoint, provider):
    endpoint.then(answer())
    provider.complete(REQUEST)
    provider.close()
    assert provider.complete(REQUEST).text == "Ada"
