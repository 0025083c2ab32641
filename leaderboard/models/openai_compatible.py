"""Any endpoint that speaks OpenAI chat completions: hosted, or a server of one's own."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from leaderboard.models import chat_completions
from leaderboard.models.providers import (
    BadResponse,
    Completion,
    ProviderError,
    Refused,
    Timeout,
    Unreachable,
    error_of_status,
)
from leaderboard.models.retrying import retry_after_s

if TYPE_CHECKING:
    import httpx

LARGEST_RESPONSE_BYTES = 20_000_000
CONNECT_TIMEOUT_S = 10.0


class OpenAIProvider:
    """One model at one endpoint of the board's list.

    ``logical_name`` stands for the endpoint in keys and error texts, which never hold its address. The key is
    read from the environment variable ``api_key_env`` (None: the endpoint needs none) at each call and kept
    nowhere. ``timeout_s`` bounds a whole answer, however slowly it drips.
    """

    def __init__(
        self,
        logical_name: str,
        base_url: str,
        api_key_env: str | None,
        model: str,
        timeout_s: float = 120.0,
    ) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
            raise ValueError(
                f"endpoint {logical_name!r}: base_url: expected http(s)://host/v1 without user name or password "
                "(a key belongs in the environment variable that api_key_env names)"
            )
        self.logical_name = logical_name
        self.model = model
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
        import httpx

        key = self._key()
        body = chat_completions.request_bytes({**request, "model": self.model}, self._endpoint)
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        began = time.monotonic()
        try:
            with self._connected().stream("POST", self._address, content=body, headers=headers) as response:
                content = self._read(response, began + self._timeout_s)
        except httpx.TimeoutException as error:
            raise self._too_slow() from error
        except httpx.ConnectError as error:
            raise Unreachable(f"{self._endpoint} can't be reached: {error}") from error
        except httpx.DecodingError as error:
            raise BadResponse(f"{self._endpoint}: the answer can't be decompressed") from error
        except httpx.RemoteProtocolError as error:
            raise BadResponse(f"{self._endpoint}: the answer broke off: {error}") from error
        except httpx.TransportError as error:
            raise Unreachable(f"{self._endpoint}: the connection was lost: {error}") from error
        latency_s = time.monotonic() - began
        if response.status_code != 200:
            raise self._refusal(response, content, key)
        value = chat_completions.parse_json(content, self._endpoint)
        return chat_completions.completion_of(value, endpoint=self._endpoint, latency_s=latency_s)

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
                self._client = httpx.Client(timeout=timeout, follow_redirects=False)
            return self._client

    def _key(self) -> str:
        if self._api_key_env is None:
            return ""
        key = os.environ.get(self._api_key_env, "").strip()
        if not key:
            raise Refused(f"{self._endpoint}: the environment variable {self._api_key_env} is not set")
        if not (key.isascii() and key.isprintable() and " " not in key):
            # a header can't hold it, and the error of the layer below would quote it
            raise Refused(f"{self._endpoint}: {self._api_key_env} holds characters that no key has")
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

    def _refusal(self, response: httpx.Response, content: bytes, key: str) -> ProviderError:
        status = response.status_code
        if status in (401, 403):
            named = self._api_key_env or "none: name one as api_key_env in leaderboard.toml"
            return Refused(
                f"{self._endpoint} refuses the key ({status}); the environment variable with the key: {named}"
            )
        if status < 400:
            return Refused(
                f"{self._endpoint} answers {status} where 200 was expected; redirects are not followed: "
                "put the final address in leaderboard.toml"
            )
        if key:
            content = content.replace(key.encode(), b"[key]")
        wait_s = retry_after_s(response.headers.get("retry-after"))
        message = f"{self._endpoint} answers {status}{chat_completions.excerpt(content)}"
        return error_of_status(status, message, retry_after_s=wait_s)
