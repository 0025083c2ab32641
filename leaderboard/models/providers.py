"""What a language model is to the rest of the program: a request goes in, a completion or a named error out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

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


class ProviderError(Exception):
    """A request got no completion.

    The text names the endpoint by its logical name only (never its address or key), since it may be published
    in a record. ``attempts`` is how often the request was made before this error was passed on.
    """

    default_retryable: ClassVar[bool] = False
    most_retries: ClassVar[int | None] = None
    """How often this kind of error is worth another try; None leaves it to the caller."""

    def __init__(
        self, message: str, *, retryable: bool | None = None, retry_after_s: float | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.retryable = self.default_retryable if retryable is None else retryable
        self.retry_after_s = retry_after_s
        self.attempts = 1


class Unreachable(ProviderError):
    """Nobody answers: connection refused or lost, name unknown."""

    default_retryable = True


class Timeout(ProviderError):
    """No whole answer within the time allowed."""

    default_retryable = True


class RateLimited(ProviderError):
    """429: too many requests; ``retry_after_s`` where the endpoint says when to come back."""

    default_retryable = True


class ServerError(ProviderError):
    """5xx: the endpoint broke."""

    default_retryable = True


class BadResponse(ProviderError):
    """An answer came that is not a chat completion: a web page, half a JSON, a missing or mistyped field.

    Worth one more try only: a program that answers like this twice will go on doing so.
    """

    default_retryable = True
    most_retries = 1


class Refused(ProviderError):
    """4xx: the endpoint understood and says no (key, model name, prompt too long). Asking again won't help."""


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


def error_of_status(status: int, message: str, *, retry_after_s: float | None = None) -> ProviderError:
    """Return the error that stands for an HTTP status of 300 or more."""
    if status == 429:
        return RateLimited(message, retry_after_s=retry_after_s)
    if status == 408:
        return Timeout(message, retry_after_s=retry_after_s)
    if status >= 500:
        return ServerError(message, retry_after_s=retry_after_s)
    return Refused(message)
