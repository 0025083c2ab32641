"""What a question cost: every call of one question, in order, whether made or replayed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from leaderboard.calls.store import StoredCall


@dataclass(slots=True)
class Meter:
    """The calls of one question. ``made`` counts those that were really asked now, the others were replayed."""

    calls: list[StoredCall] = field(default_factory=list)
    made: int = 0

    def add(self, call: StoredCall, *, replayed: bool) -> None:
        """Count a call."""
        self.calls.append(call)
        self.made += not replayed

    def usage(self, name: str) -> int | None:
        """Sum a usage field (``prompt_tokens``, ``completion_tokens``, ``cached_tokens``) over the calls.

        None as soon as one call's usage is unknown.
        """
        counts = [call.response[name] for call in self.calls]
        return None if None in counts else sum(counts)

    @property
    def latency_s(self) -> float:
        """Seconds that the calls took when they were recorded."""
        return sum(call.latency_s for call in self.calls)

    @property
    def paid_usd(self) -> float | None:
        """What was paid when the calls were recorded; None as soon as one of them is unknown."""
        paid = [call.paid_usd for call in self.calls]
        return None if None in paid else sum(amount for amount in paid if amount is not None)

    @property
    def finish_reason(self) -> str:
        """The last call's finish reason, "" when no call was made."""
        return str(self.calls[-1].response["finish_reason"]) if self.calls else ""


_CURRENT: ContextVar[Meter | None] = ContextVar("meter", default=None)


def current() -> Meter | None:
    """Return the meter of the question being worked on, if there is one."""
    return _CURRENT.get()


@contextmanager
def metering() -> Iterator[Meter]:
    """Count the calls made in this context (and in contexts copied from it)."""
    meter = Meter()
    token = _CURRENT.set(meter)
    try:
        yield meter
    finally:
        _CURRENT.reset(token)
