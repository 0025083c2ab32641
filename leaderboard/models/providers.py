"""What a language model is to the rest of the program: a request goes in, a completion or a named error out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

from leaderboard.fetching.faults import (
    BadResponse,
    Interrupted,
    ProviderError,
    RateLimited,
    Refused,
    ServerError,
    Timeout,
    Unreachable,
)

__all__ = [
    "BadResponse",
    "Completion",
    "FinishReason",
    "Interrupted",
    "Provider",
    "ProviderError",
    "RateLimited",
    "Refused",
    "ServerError",
    "Timeout",
    "Unreachable",
]

FinishReason = Literal["stop", "length", "content_filter", "tool_calls"]


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer of a model.

    ``text`` is the answer as it came, possibly empty; it is data and never interpreted here. The token counts
    are the model's own, None where the endpoint doesn't tell; ``cached_tokens`` (those of the prompt served
    from a cache) is 0 where usage is told without it. ``model_version`` is what the provider says it ran.
    ``raw`` is the whole JSON response, tool calls included. ``latency_s`` is from sending to the last byte.
    """

    text: str
    finish_reason: FinishReason
    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None
    model_version: str
    raw: dict[str, Any]
    latency_s: float


class Provider(Protocol):
    """A language model that can be asked."""

    @property
    def logical_name(self) -> str:
        """The board's name for it, such as ``embedded/qwen2.5-coder-0.5b`` or ``openai``."""

    @property
    def identity(self) -> dict[str, str]:
        """What of it goes into a call's key: ``{"weights_sha256": …}`` or ``{"endpoint": logical name}``."""

    def complete(self, request: dict[str, Any]) -> Completion:
        """Answer a request in OpenAI chat form.

        ``request`` has ``model``, ``messages``, ``temperature``, ``max_tokens`` and, where wanted, ``top_p``,
        ``seed``, ``tools``, ``response_format``. Raises ``ProviderError``.
        """

    def close(self) -> None:
        """Give back connections or memory. Closing twice is no fault, and the next call opens anew."""
