"""Neither a key nor an address is ever told or recorded, whatever the endpoint says or does."""

import json
import socket
import ssl
import threading
import traceback
from contextlib import suppress
from urllib.parse import quote

import pytest

from leaderboard.fetching.faults import connection_fault
from leaderboard.models.openai_compatible import OpenAIProvider
from leaderboard.models.providers import (
    BadResponse,
    ProviderError,
    Refused,
    Timeout,
    Unreachable,
)
from tests.models.lab import REQUEST, answer

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
