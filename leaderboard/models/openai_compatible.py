"""Any endpoint that speaks OpenAI chat completions: hosted, or a server of one's own."""

from __future__ import annotations

import os
import re
import threading
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from leaderboard.fetching.faults import connection_fault, error_of_status
from leaderboard.fetching.retrying import retry_after_s
from leaderboard.models import chat_completions
from leaderboard.models.providers import (
    BadResponse,
    Completion,
    ProviderError,
    Refused,
    Timeout,
    Unreachable,
)

if TYPE_CHECKING:
    import httpx

LARGEST_RESPONSE_BYTES = 20_000_000
CONNECT_TIMEOUT_S = 10.0
SHORTEST_SECRET = 6
"""A shorter key is a placeholder that a local server wants, such as EMPTY: no secret, and a word of answers."""
SHORTEST_PATH = 8
"""A path that tells something of an endpoint, an account or a deployment; ``/v1`` doesn't."""


class OpenAIProvider:
    """One model at one endpoint of the board's list.

    ``logical_name`` stands for the endpoint in keys and error texts, which never hold its address. The key is
    read from the environment variable ``api_key_env`` (None: the endpoint needs none) at each call and kept
    nowhere: an answer that repeats it holds ``[key]`` instead. ``timeout_s`` bounds a whole answer, however slowly it drips.
    """

    def __init__(
        self,
        logical_name: str,
        base_url: str,
        api_key_env: str | None,
        model: str,
        timeout_s: float = 120.0,
    ) -> None:
        parts = _parts(base_url, logical_name)
        self.logical_name = logical_name
        self.model = model
        self._named = _address_pattern(parts)
        self._address = base_url.rstrip("/") + "/chat/completions"
        self._api_key_env = api_key_env
        self._timeout_s = timeout_s
        self._client: httpx.Client | None = None
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"OpenAIProvider({self.logical_name!r}, model={self.model!r})"

    @property
    def identity(self) -> dict[str, str]:
        """What of it goes into a call's key."""
        return {"endpoint": self.logical_name}

    def complete(self, request: dict[str, Any]) -> Completion:
        """Answer ``request``, with this provider's own model name in it. Raises ``ProviderError``."""
        key = self._key()
        secret = _key_pattern(key)

        def hide(text: str) -> str:
            if secret:
                text = re.sub(secret, "[key]", text)
            return self._named.sub(lambda _: self.logical_name, text)

        try:
            return self._ask(request, key, secret, chat_completions.Sender(self._endpoint, hide))
        except ProviderError as error:
            error.retell(hide(error.message))  # whatever a text was made of, this is its only way out
            raise

    def _ask(
        self, request: dict[str, Any], key: str, secret: str, sender: chat_completions.Sender
    ) -> Completion:
        body = chat_completions.request_bytes({**request, "model": self.model}, sender)
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        began = time.monotonic()
        response, content = self._post(body, headers, began + self._timeout_s)
        latency_s = time.monotonic() - began
        if secret:
            content = re.sub(secret.encode(), b"[key]", content)
        if response.status_code != 200:
            raise self._refusal(response, content, sender)
        value = chat_completions.parse_json(content, sender)
        return chat_completions.completion_of(value, sender=sender, latency_s=latency_s)

    def _post(self, body: bytes, headers: dict[str, str], deadline: float) -> tuple[httpx.Response, bytes]:
        """Return the response and its body.

        The errors of the layers below are told in words of our own and not chained: theirs hold the address.
        """
        import httpx

        client = self._connected()
        try:
            with client.stream("POST", self._address, content=body, headers=headers) as response:
                return response, self._read(response, deadline)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError):
            fault: ProviderError = Refused(
                f"{self._endpoint}: its base_url in leaderboard.toml is not an address", of_endpoint=True
            )
        except httpx.ConnectTimeout:
            fault = Unreachable(f"{self._endpoint} can't be reached: no connection in time")
        except httpx.TimeoutException:
            fault = self._too_slow()
        except (httpx.ConnectError, httpx.ProxyError) as error:
            fault = Unreachable(f"{self._endpoint} can't be reached: {connection_fault(error)}")
        except httpx.DecodingError:
            fault = BadResponse(f"{self._endpoint}: the answer can't be decompressed")
        except httpx.RemoteProtocolError:
            fault = BadResponse(f"{self._endpoint}: the answer broke off or is no HTTP")
        except httpx.TransportError as error:
            fault = Unreachable(
                f"{self._endpoint}: the connection was lost: {connection_fault(error)}", billed=True
            )
        raise fault

    def close(self) -> None:
        """Close the connections. The next call opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    @property
    def _endpoint(self) -> str:
        return f"endpoint {self.logical_name!r}"

    def _connected(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._client is None:
                timeout = httpx.Timeout(
                    self._timeout_s, connect=min(CONNECT_TIMEOUT_S, self._timeout_s), pool=None
                )
                try:
                    self._client = httpx.Client(timeout=timeout, follow_redirects=False)
                except (httpx.InvalidURL, ValueError, ImportError, OSError):
                    self._client = None
            if self._client is None:
                raise Refused(
                    f"{self._endpoint}: the environment's proxy or certificate settings can't be used "
                    "(HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, SSL_CERT_FILE, SSL_CERT_DIR)",
                    of_endpoint=True,
                )
            return self._client

    def _key(self) -> str:
        if self._api_key_env is None:
            return ""
        key = os.environ.get(self._api_key_env, "").strip()
        if not key:
            raise Refused(
                f"{self._endpoint}: the environment variable {self._api_key_env} is not set", of_endpoint=True
            )
        if not (key.isascii() and key.isprintable() and " " not in key):
            # a header can't hold it, and the error of the layer below would quote it
            raise Refused(
                f"{self._endpoint}: {self._api_key_env} holds characters that no key has", of_endpoint=True
            )
        return key

    def _read(self, response: httpx.Response, deadline: float) -> bytes:
        content = bytearray()
        for block in response.iter_bytes():
            content += block
            if len(content) > LARGEST_RESPONSE_BYTES:
                raise BadResponse(
                    f"{self._endpoint}: the answer is larger than {LARGEST_RESPONSE_BYTES:,} bytes"
                )
            if time.monotonic() > deadline:
                raise self._too_slow()
        return bytes(content)

    def _too_slow(self) -> Timeout:
        return Timeout(f"{self._endpoint} gave no whole answer within {self._timeout_s:g} s")

    def _refusal(
        self, response: httpx.Response, content: bytes, sender: chat_completions.Sender
    ) -> ProviderError:
        status = response.status_code
        if status in (401, 403):
            named = self._api_key_env or "none: name one as api_key_env in leaderboard.toml"
            message = (
                f"{sender.name} refuses the key ({status}); the environment variable with the key: {named}"
            )
        elif status < 400:
            message = (
                f"{sender.name} answers {status} where 200 was expected; redirects are not followed: "
                "put the final address in leaderboard.toml"
            )
        else:
            message = f"{sender.name} answers {status}{chat_completions.excerpt(content, sender)}"
        wait_s = retry_after_s(response.headers.get("retry-after"))
        return error_of_status(status, message, retry_after_s=wait_s)


def _parts(base_url: str, logical_name: str) -> SplitResult:
    try:
        parts = urlsplit(base_url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # its text may repeat the address
        sound = False
    if not sound or parts.username is not None or parts.query or parts.fragment:
        raise ValueError(
            f"endpoint {logical_name!r}: base_url: expected http(s)://host/v1 without user name, password or query "
            "(a key belongs in the environment variable that api_key_env names)"
        ) from None
    return parts


def _key_pattern(key: str) -> str:
    """Return a pattern of the key however an answer spells it; empty where there is nothing to hide."""
    return _spelled(key) if len(key) >= SHORTEST_SECRET else ""


def _address_pattern(parts: SplitResult) -> re.Pattern[str]:
    """Return a pattern of the endpoint's address and of each part that gives it away."""
    host = parts.hostname or ""
    named = _spelled(host)
    if "." not in host and ":" not in host:  # a bare name may be a part of any word
        named = rf"(?<![A-Za-z0-9]){named}(?![A-Za-z0-9])"
    port = _spelled(f":{parts.port}") if parts.port else _spelled(":") + "(?:80|443)(?![0-9])"
    path = parts.path.rstrip("/")
    pattern = rf"(?:{_spelled('http')}{_spelled('s')}?{_spelled('://')})?\[?{named}\]?(?:{port})?(?:{_spelled(path)})?"
    if len(path) >= SHORTEST_PATH:
        pattern += f"|{_spelled(path)}"
    return re.compile(pattern, re.IGNORECASE)


def _spelled(text: str) -> str:
    """Return a pattern of ``text``, each character plain, percent-encoded, or escaped as in JSON.

    Up to four backslashes, for JSON inside JSON; without a bound a run of them would take quadratic time.
    """
    spellings = []
    for character in text:
        plain = re.escape(character)
        if character in "\"'/\\":
            plain = r"\\{0,4}" + plain
        coded = "".join(f"%{byte:02x}" for byte in character.encode())
        spellings.append(rf"(?:{plain}|(?i:{coded}|\\{{1,4}}u{ord(character):04x}))")
    return "".join(spellings)
