"""The dspy engine with the call store around it, and the LM that tells it which draw a call is.

dspy's own cache stays off: its key ignores the endpoint, its rows are pickles, and a hit reports no usage. Here the
store lies around the real provider, so a replayed call brings the usage it was recorded with.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Literal, Protocol

import dspy
from dspy import lm15

from leaderboard.calls.keys import Draw, canonical_request
from leaderboard.calls.spending import Ledger, Spent
from leaderboard.calls.store import CallStore, StoredCall
from leaderboard.fetching.retrying import call_with_retries
from leaderboard.models import meter
from leaderboard.models.providers import Completion, Provider, ProviderError, Unreachable

Mode = Literal["replay", "live"]

FAILURES_IN_A_ROW = 5
"""So many calls that failed after all their retries, and the endpoint is taken to be gone."""

_DRAW: ContextVar[list[int] | None] = ContextVar("draw", default=None)
"""[rollout, next sample] of the LM call in progress."""


class Uncached(Exception):
    """Replaying, and this call is not recorded."""


class CallLimit(Exception):
    """The submission's own ``calls_per_question`` is used up."""


class Engine:
    """Answers dspy's requests from the store, else (in live mode) from the provider, committing before returning.

    ``model`` is the submission's model name, sent and hashed; ``calls_per_question`` bounds the calls of one metered
    question; ``ledger`` knows prices and the board's ceilings, ``allowance`` the submission's own. After five failures
    of the endpoint in a row nothing more is asked, nor once ``stop`` is set.
    """

    def __init__(
        self,
        provider: Provider,
        store: CallStore,
        *,
        model: str,
        mode: Mode,
        ledger: Ledger,
        allowance: Ledger | None = None,
        calls_per_question: int | None = None,
    ) -> None:
        self.provider = provider
        self.store = store
        self.model = model
        self.mode = mode
        self.calls_per_question = calls_per_question
        self.ledger = ledger
        self.allowance = allowance or Ledger(None, Spent())
        self.stop = threading.Event()
        self._failures = 0

    def complete(self, request: lm15.Request) -> lm15.Response:
        """Return the response to one canonical dspy request."""
        body = chat_body(request, self.model)
        canonical = self.canonical(body)
        counted = meter.current()
        if counted and self.calls_per_question is not None and len(counted.calls) >= self.calls_per_question:
            raise CallLimit(f"more than the submission's {self.calls_per_question} calls a question")
        call, replayed = self.store.once(canonical, lambda key: self._ask(key, canonical, body))
        if draw := _DRAW.get():
            draw[1] += 1
        if counted:
            counted.add(call, replayed=replayed)
        return _response(request.model, call)

    def canonical(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the canonical request of a body asked now: in this draw, in this repeat of the question."""
        rollout, sample = _DRAW.get() or (0, 0)
        counted = meter.current()
        return canonical_request(
            self.provider.identity, body, Draw(rollout, sample, counted.repeat if counted else 0)
        )

    def _ask(self, key: str, canonical: Mapping[str, Any], body: Mapping[str, Any]) -> StoredCall:
        if self.mode == "replay":
            raise Uncached(f"call {key[:12]} is not recorded; without --replay it would be made")
        if self._failures >= FAILURES_IN_A_ROW:
            raise Unreachable(
                f"not asked: {self.provider.logical_name} failed {FAILURES_IN_A_ROW} times in a row"
            )
        self.store.require_space()
        sent = dict(body)
        if sent.get("temperature"):
            sent["seed"] = int(key[:8], 16) >> 1
        try:
            completion, paid_usd = call_with_retries(lambda: self._attempt(sent), stop=self.stop)
        except ProviderError as error:
            self._failures = self._failures + 1 if error.of_endpoint else 0
            raise
        self._failures = 0
        response = asdict(completion)
        latency = response.pop("latency_s")
        return StoredCall(
            key=key,
            request=canonical,
            response=response,
            latency_s=latency,
            paid_usd=paid_usd,
            recorded_at=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    def _attempt(self, body: dict[str, Any]) -> tuple[Completion, float | None]:
        with self.allowance.spending(body) as own, self.ledger.spending(body) as bill:
            try:
                completion = self.provider.complete(body)
            except ProviderError as error:
                if not error.billed:
                    own.nothing()
                    bill.nothing()
                raise
            own.usage(completion.prompt_tokens, completion.cached_tokens, completion.completion_tokens)
            paid = bill.usage(
                completion.prompt_tokens, completion.cached_tokens, completion.completion_tokens
            )
        return completion, paid


@contextmanager
def drawing(rollout: int) -> Iterator[None]:
    """Ask in this context for the first, second, … sample of a rollout."""
    token = _DRAW.set([rollout, 0])
    try:
        yield
    finally:
        _DRAW.reset(token)


class DrawnLM(dspy.LM):  # type: ignore[misc]
    """A dspy.LM that tells its engine the rollout and the sample, which dspy itself drops before the engine.

    Without it every rollout and every one of ``n`` samples would be the same request, and get the same text.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the model; ``rollout_id`` numbers a repeated equal request."""
        rollout = kwargs.get("rollout_id", self.kwargs.get("rollout_id")) or 0
        with drawing(int(rollout)):
            return super().__call__(*args, **kwargs)


class Answers(Protocol):
    """What an LM asks: an ``Engine``, or what stands around one."""

    def complete(self, request: lm15.Request) -> lm15.Response:
        """Return the response to one canonical dspy request."""


def open_lm(engine: Answers, *, temperature: float, max_tokens: int, top_p: float | None = None) -> DrawnLM:
    """Return the LM a program runs with. Retries are the engine's: dspy's are off, and so is its cache.

    The LM's name is the same for all models, since dspy derives rules from a name even with an engine of our own.
    """
    logging.getLogger("dspy").setLevel(logging.ERROR)  # what it warns of stands in the record
    dspy.configure_cache(enable_disk_cache=False, enable_memory_cache=False)
    optional = {} if top_p is None else {"top_p": top_p}
    return DrawnLM(
        "board/model",
        engine=engine,
        cache=False,
        num_retries=0,
        temperature=temperature,
        max_tokens=max_tokens,
        **optional,
    )


def chat_body(request: lm15.Request, model: str) -> dict[str, Any]:
    """Return a dspy request in the chat-completions form. Only text is sent: other parts raise ``ValueError``."""
    messages = [{"role": "system", "content": _text(request.system)}] if request.system else []
    for message in request.messages:
        messages.append({"role": message.role, "content": _text(message.parts)})
    config = request.config
    body: dict[str, Any] = {"model": model, "messages": messages}
    for name in ("temperature", "max_tokens", "top_p"):
        value = getattr(config, name)
        if value is not None:
            body[name] = value
    if config.stop:
        body["stop"] = list(config.stop)
    unsupported = [
        name
        for name, value in (("tools", request.tools), ("response_format", config.response_format))
        if value
    ]
    if unsupported or config.extensions:
        raise ValueError(f"this engine sends text only, found {unsupported or sorted(config.extensions)}")
    return body


def _text(parts: Any) -> str:
    if isinstance(parts, str):
        return parts
    texts = []
    for part in parts:
        if part.type != "text":
            raise ValueError(f"this engine sends text only, found a part of type {part.type!r}")
        texts.append(part.text)
    return "".join(texts)


def _response(model: str, call: StoredCall) -> lm15.Response:
    stored = call.response
    return lm15.Response(
        id=call.key,
        model=model,
        message=lm15.Message.assistant(str(stored["text"])),
        finish_reason={"tool_calls": "tool_call"}.get(stored["finish_reason"], stored["finish_reason"]),
        usage=lm15.Usage(
            input_tokens=stored["prompt_tokens"],
            output_tokens=stored["completion_tokens"],
        ),
    )


def root_cause(error: BaseException) -> BaseException:
    """Return the first of our own errors that ``error`` was raised from, else ``error`` itself.

    dspy wraps what an engine raises, and says so (``raise … from``); what merely happened to be handled when another
    error was raised is no cause.
    """
    seen: BaseException | None = error
    while seen is not None:
        if type(seen).__module__.startswith("leaderboard."):
            return seen
        seen = seen.__cause__
    return error
