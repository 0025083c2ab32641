"""What a question cost: every call of one question, in order, whether made or replayed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from leaderboard.calls.store import StoredCall


@dataclass(slots=True)
class Meter:
    """The calls of one question. ``fresh`` are those that were really asked now, the others were replayed.

    ``repeat`` tells which run of the question this is, from 0: its calls are draws of their own.
    """

    repeat: int = 0
    calls: list[StoredCall] = field(default_factory=list)
    fresh: list[StoredCall] = field(default_factory=list)

    @property
    def made(self) -> int:
        """How many calls were really asked now."""
        return len(self.fresh)

    def add(self, call: StoredCall, *, replayed: bool) -> None:
        """Count a call."""
        self.calls.append(call)
        if not replayed:
            self.fresh.append(call)

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
def metering(repeat: int = 0) -> Iterator[Meter]:
    """Count the calls made in this context (and in contexts copied from it) as those of one repeat of a question."""
    meter = Meter(repeat)
    token = _CURRENT.set(meter)
    try:
        yield meter
    finally:
        _CURRENT.reset(token)
