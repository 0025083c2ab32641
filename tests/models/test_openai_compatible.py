"""An endpoint may answer anything or nothing: each case has its own error, and what it said is never lost."""

import gzip
import json
import socket
import ssl
import threading
import time
import traceback
from contextlib import suppress
from urllib.parse import quote

import pytest

from leaderboard.models.openai_compatible import LARGEST_RESPONSE_BYTES, OpenAIProvider
from leaderboard.models.providers import (
    BadResponse,
    ProviderError,
    RateLimited,
    Refused,
    ServerError,
    Timeout,
    Unreachable,
    connection_fault,
)
from leaderboard.models.retrying import call_with_retries

REQUEST = {
    "model": "the board's name",
    "messages": [{"role": "user", "content": "Who?"}],
    "temperature": 0.0,
    "max_tokens": 64,
    "seed": 7,
}
KEY = "sk-very-secret-0123456789"


def answer(content: object = "Ada", finish: object = "stop", **fields) -> dict:
    usage = {"prompt_tokens": 31, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 16}}
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content}}
    return {"model": "small-2026-01-01", "choices": [choice], "usage": usage} | fields


@pytest.fixture
def provider(endpoint, monkeypatch):
    monkeypatch.setenv("TEST_API_KEY", KEY)
    opened = OpenAIProvider("lab", endpoint.url, "TEST_API_KEY", "small", timeout_s=5)
    yield opened
    opened.close()


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


SPELLINGS = {
    "plain": lambda text: text,
    "percent": lambda text: quote(text, safe=""),
    "all percent": lambda text: "".join(f"%{ord(character):02X}" for character in text),
    "slashes": lambda text: text.replace("/", "\\/"),
    "escaped": lambda text: "".join(f"\\u{ord(character):04x}" for character in text),
}


def bodies(told: str) -> list[bytes]:
    """Return answers of every kind that hold ``told`` (as JSON spells it) where an error text could quote it."""
    long = f"{'x' * 190} {told}"  # a text cut in its middle would show half of it
    return [
        f'{{"error": {{"message": "Incorrect API key provided: {told}", "code": 401}}}}'.encode(),
        f'{{"error": {{"message": "{long}", "code": 500}}}}'.encode(),
        f'{{"error": "{told}"}}'.encode(),
        f'{{"choices": "{told}"}}'.encode(),
        f'{{"choices": "{"x" * 70} {told}"}}'.encode(),
        f'{{"choices": [{{"message": {{}}, "finish_reason": "{told}"}}]}}'.encode(),
        f"{{ {told}".encode(),
        long.encode(),
        f"<html>{told}".encode(),
    ]


@pytest.mark.parametrize("status", [200, 400, 401, 404, 429, 500])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_no_error_text_tells_the_key(endpoint, monkeypatch, status, spelling):
    key = "sk-Quux/zebra+0123456789"
    monkeypatch.setenv("TEST_API_KEY", key)
    provider = OpenAIProvider("lab", endpoint.url, "TEST_API_KEY", "small")
    told = SPELLINGS[spelling](key)
    for body in bodies(told):
        endpoint.replies.clear()
        endpoint.then(body, status)
        with pytest.raises(ProviderError) as caught:
            provider.complete(REQUEST)
        shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + caught.value.message
        assert "zebra" not in shown.lower(), body
        assert told[:6] not in str(caught.value), body
    provider.close()


@pytest.mark.parametrize("spelling", ["plain", "percent", "slashes", "escaped"])
def test_a_key_that_an_answer_repeats_is_not_recorded(endpoint, monkeypatch, spelling):
    key = "sk-Quux/zebra+0123456789"
    monkeypatch.setenv("TEST_API_KEY", key)
    provider = OpenAIProvider("lab", endpoint.url, "TEST_API_KEY", "small")
    body = json.dumps(answer("KEY is yours", model="KEY", headers={"Authorization": "Bearer KEY"}))
    endpoint.then(body.replace("KEY", SPELLINGS[spelling](key)).encode())
    completion = provider.complete(REQUEST)
    assert completion.text == "[key] is yours"
    assert completion.model_version == "[key]"
    assert completion.raw["headers"] == {"Authorization": "Bearer [key]"}
    provider.close()


def test_a_placeholder_for_a_key_changes_no_answer(endpoint, monkeypatch):
    monkeypatch.setenv("TEST_API_KEY", "EMPTY")
    endpoint.then(answer("EMPTY"))
    provider = OpenAIProvider("lab", endpoint.url, "TEST_API_KEY", "small")
    assert provider.complete(REQUEST).text == "EMPTY"
    provider.close()


@pytest.mark.parametrize("status", [200, 400, 404, 500])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_no_error_text_tells_the_address(endpoint, status, spelling):
    provider = OpenAIProvider("lab", f"{endpoint.url}/deployments/acme", None, "small")
    host = endpoint.url.removeprefix("http://").removesuffix("/v1")
    for address in (f"{endpoint.url}/deployments/acme", host, "127.0.0.1", "/v1/deployments/acme"):
        told = SPELLINGS[spelling](address)
        for body in bodies(told):
            endpoint.replies.clear()
            endpoint.then(body, status)
            with pytest.raises(ProviderError) as caught:
                provider.complete(REQUEST)
            text = str(caught.value)
            assert "127.0" not in text and "acme" not in text, body
            assert host.partition(":")[2] not in text, body
            assert told[:9] not in text, body
    provider.close()


def test_an_error_text_tells_the_logical_name_where_the_address_stood(endpoint, provider):
    endpoint.then(f"no route for {endpoint.url}/chat/completions".encode(), 400)
    with pytest.raises(Refused, match="answers 400: 'no route for lab/chat/completions'"):
        provider.complete(REQUEST)


def test_a_bare_host_name_is_hidden_as_a_word_of_its_own(endpoint):
    url = endpoint.url.replace("127.0.0.1", "localhost")
    endpoint.then(b"LOCALHOST is a localhosting", 400)
    with pytest.raises(Refused, match="400: 'lab is a localhosting'"):
        OpenAIProvider("lab", url, None, "small").complete(REQUEST)


@pytest.fixture
def hangs_up():
    """A listener that takes a request and closes the connection with a reset."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                request = b""
                while not request.endswith(b"}"):
                    request += connection.recv(65536)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                connection.close()

    thread = threading.Thread(target=serve)
    thread.start()
    yield f"127.0.0.1:{listener.getsockname()[1]}"
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join()


def lost(address: str) -> Unreachable:
    with pytest.raises(Unreachable) as caught:
        OpenAIProvider("lab", address, None, "small").complete(REQUEST)
    shown = "".join(traceback.format_exception(caught.value))
    told = shown.replace(__file__, "")
    assert address.partition("//")[2].partition("/")[0] not in told
    assert "httpx." not in told.replace("httpx.Client", "")
    return caught.value


def test_why_an_endpoint_is_not_reached_is_told_in_words_of_our_own(closed_address, endpoint):
    assert str(lost(closed_address)) == "endpoint 'lab' can't be reached: connection refused"
    assert str(lost("http://nobody.invalid/v1")) == "endpoint 'lab' can't be reached: the name is not known"
    plain = endpoint.url.replace("http:", "https:")
    assert str(lost(plain)) == "endpoint 'lab' can't be reached: TLS failed"


def test_a_connection_lost_after_sending_may_have_been_charged(hangs_up, closed_address):
    error = lost(f"http://{hangs_up}/v1")
    assert str(error) == "endpoint 'lab': the connection was lost: the other side broke the connection off"
    assert error.billed
    assert not lost(closed_address).billed


def test_every_fault_of_a_connection_has_words_that_name_nothing():
    faults = {
        ssl.SSLCertVerificationError(1, "Hostname mismatch, not valid for 'gpu7.internal'"): "certificate",
        ssl.SSLError(1, "gpu7.internal"): "TLS failed",
        socket.gaierror(-3, "gpu7.internal"): "the name is not known",
        ConnectionResetError(104, "gpu7.internal"): "broke the connection off",
        OSError(113, "gpu7.internal"): "no way leads there",
        TimeoutError("gpu7.internal"): "no sign in time",
        OSError("gpu7.internal"): "the connection failed",
    }
    for fault, words in faults.items():
        outer = RuntimeError(str(fault))
        outer.__cause__ = fault
        assert words in connection_fault(outer)
        assert "gpu7" not in connection_fault(outer)


@pytest.mark.parametrize("host", ["a..b", "x" * 70, "host:99999", "[::1", "ho st", "host\x7f"])
def test_an_address_nobody_can_have_is_refused_without_repeating_it(host):
    with pytest.raises((Refused, ValueError, Unreachable), match=r"base_url|can't be reached") as caught:
        OpenAIProvider("lab", f"http://{host}/v1", None, "small").complete(REQUEST)
    assert not isinstance(caught.value, UnicodeError)
    assert host not in "".join(traceback.format_exception(caught.value)).replace("host\x7f", "")


def test_proxy_settings_that_cannot_be_used_are_told_without_the_proxy_s_address(endpoint, monkeypatch):
    monkeypatch.delenv("NO_PROXY")
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "gopher://user:pass@proxy.internal")
    with pytest.raises(Refused, match="HTTPS_PROXY") as caught:
        OpenAIProvider("lab", "http://lab.example/v1", None, "small").complete(REQUEST)
    assert "proxy.internal" not in str(caught.value)
    assert caught.value.of_endpoint


@pytest.mark.parametrize(
    ("status", "of_endpoint", "billed"),
    [
        *((status, True, False) for status in (307, 401, 402, 403, 404, 429, 500, 503)),
        *((status, False, False) for status in (400, 409, 413, 415, 422, 451)),
        (408, True, True),
    ],
)
def test_a_refused_request_is_told_from_an_endpoint_that_cannot_be_had(
    endpoint, provider, status, of_endpoint, billed
):
    replies = [(b"no", status)]
    if status >= 400:
        replies.append((json.dumps({"error": {"code": status, "message": "no"}}).encode(), 200))
    for body, sent in replies:
        endpoint.replies.clear()
        endpoint.then(body, sent)
        with pytest.raises(ProviderError) as caught:
            provider.complete(REQUEST)
        assert (caught.value.of_endpoint, caught.value.billed) == (of_endpoint, billed)


def test_what_may_have_been_charged_is_told(endpoint, provider, monkeypatch):
    endpoint.then(b"nonsense")
    with pytest.raises(BadResponse) as caught:
        provider.complete(REQUEST)
    assert (caught.value.of_endpoint, caught.value.billed) == (True, True)
    endpoint.replies.clear()
    endpoint.then(answer(), delay_s=2)
    with pytest.raises(Timeout) as caught:
        OpenAIProvider("lab", endpoint.url, None, "small", timeout_s=0.2).complete(REQUEST)
    assert (caught.value.of_endpoint, caught.value.billed) == (True, True)
    with pytest.raises(Refused) as caught:
        provider.complete(REQUEST | {"temperature": float("nan")})
    assert (caught.value.of_endpoint, caught.value.billed) == (False, False)
    monkeypatch.delenv("TEST_API_KEY")
    with pytest.raises(Refused) as caught:
        provider.complete(REQUEST)
    assert (caught.value.of_endpoint, caught.value.billed) == (True, False)
