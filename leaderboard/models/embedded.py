"""The embedded model: llama.cpp inside this process, one slot, no account and no network."""

from __future__ import annotations

import gc
import os
import secrets
import threading
import time
from typing import TYPE_CHECKING, Any

from leaderboard.models import chat_completions
from leaderboard.models.embedded_models import SettingError, embedded_model
from leaderboard.models.providers import BadResponse, Completion, Refused
from leaderboard.models.weights import ensure_weights

if TYPE_CHECKING:
    import xllamacpp

THREADS_VARIABLE = "LEADERBOARD_THREADS"
MOST_THREADS = 512
"""llama.cpp's own limit (GGML_MAX_N_THREADS)."""
DEFAULT_CONTEXT_TOKENS = 8192
"""Enough for some 40 passages. The context's memory is taken at the start: 96 MiB here, 384 MiB for the whole 32,768
tokens of the default model, in every process that holds one."""
PROMPT_CACHE_MIB = 512
"""llama.cpp's own default is 8 GB. Without any, nine tenths of a shared prefix are computed again at each question."""


class EmbeddedProvider:
    """A model of the catalogue, loaded at the first call.

    ``threads`` defaults to ``LEADERBOARD_THREADS``, else to the cores this process may use: threads of all
    processes together should never exceed the cores. Answers at temperature 0 can differ with the order of calls,
    the thread count and the CPU; that is why calls are recorded. Raises ``SettingError`` for a variable that holds
    no such number.
    """

    def __init__(
        self, name: str, threads: int | None = None, *, context_tokens: int = DEFAULT_CONTEXT_TOKENS
    ) -> None:
        self._model = embedded_model(name)
        self._threads = threads if threads is not None else _default_threads()
        self._context_tokens = context_tokens
        self._server: xllamacpp.Server | None = None
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"EmbeddedProvider({self._model.name!r}, threads={self._threads})"

    @property
    def logical_name(self) -> str:
        """``embedded/…``, as submissions name it."""
        return self._model.logical_name

    @property
    def identity(self) -> dict[str, str]:
        """What of it goes into a call's key: the weights, whatever they are called."""
        return {"weights_sha256": self._model.sha256}

    def complete(self, request: dict[str, Any]) -> Completion:
        """Answer ``request``. Raises ``ProviderError``, and ``WeightsError`` when the weights can't be had."""
        body = {**request, "model": self._model.name}
        chat_completions.request_bytes(body, self._sender)  # refuse here what the C++ side can't take
        server = self.start()
        began = time.monotonic()
        try:
            response = server.handle_chat_completions(body)
        except (TypeError, ValueError) as error:  # what it finds wrong before it queues a request
            raise Refused(f"{self.logical_name}: the request is not a chat completion's: {error}") from error
        except RuntimeError as error:
            raise BadResponse(f"{self.logical_name}: {error}") from error
        latency_s = time.monotonic() - began
        self._refuse_too_long(response)
        return chat_completions.completion_of(response, sender=self._sender, latency_s=latency_s)

    def start(self) -> xllamacpp.Server:
        """Load the model if it isn't, and return llama.cpp's server. Raises ``WeightsError``."""
        with self._lock:
            if self._server is None:
                self._server = self._load()
            return self._server

    def close(self) -> None:
        """Free the model's memory. The next call loads it again."""
        with self._lock:
            self._server = None
        gc.collect()

    @property
    def _sender(self) -> chat_completions.Sender:
        return chat_completions.Sender(self.logical_name)

    def _load(self) -> xllamacpp.Server:
        path = ensure_weights(self._model.name)
        import xllamacpp

        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(path)
        parameters.model_alias = {self._model.name}  # else each response names the file's path
        parameters.n_parallel = 1
        parameters.n_ctx = self._context_tokens
        parameters.cache_ram_mib = PROMPT_CACHE_MIB
        parameters.cpuparams.n_threads = self._threads
        parameters.cpuparams_batch.n_threads = self._threads
        parameters.ui = False
        parameters.verbosity = -1
        # its loopback listener allows every origin: without a key any web page open here could use it
        parameters.api_keys = [secrets.token_urlsafe(32)]
        try:
            return xllamacpp.Server(parameters)
        except RuntimeError as error:
            raise Refused(
                f"{self.logical_name} can't be loaded from {path.name} with a context of "
                f"{self._context_tokens:,} tokens: {error}",
                of_endpoint=True,
            ) from error

    def _refuse_too_long(self, response: object) -> None:
        error = response.get("error") if isinstance(response, dict) else None
        if isinstance(error, dict) and error.get("type") == "exceed_context_size_error":
            raise Refused(
                f"{self.logical_name}: the prompt has {error.get('n_prompt_tokens')} tokens, more than the "
                f"context of {error.get('n_ctx')}; retrieve fewer or shorter passages"
            )


def _default_threads() -> int:
    chosen = os.environ.get(THREADS_VARIABLE, "").strip()
    if not chosen:
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity else os.cpu_count() or 1
    # the length first: Python refuses to read a number of some thousand digits
    if chosen.isascii() and chosen.isdigit() and len(chosen) < 10 and 1 <= int(chosen) <= MOST_THREADS:
        return int(chosen)
    raise SettingError(
        f"{THREADS_VARIABLE}: expected a whole number from 1 to {MOST_THREADS}, found {chosen[:40]!r}"
    )
