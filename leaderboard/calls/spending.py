"""Prices and ceilings: what a call costs, and that no call is made which the board's ceilings do not allow."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

TOKENS_PER_MESSAGE = 16
"""What a chat template adds to a message at most. A token is at least one byte, so bytes bound a text's tokens."""


class CeilingReached(Exception):
    """A ceiling does not allow another call: the board's (money or calls), or a submission's ``usd_total``."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars a million tokens: uncached input, cached input, output."""

    input_usd: float
    cached_usd: float
    output_usd: float

    def of(self, prompt: float | None, cached: float | None, completion: float | None) -> float | None:
        """Return what a call, or a mean of calls, cost (spec § 4.1), None when its usage is unknown."""
        if prompt is None or completion is None:
            return None
        held = min(cached or 0, prompt)
        return (
            (prompt - held) * self.input_usd + held * self.cached_usd + completion * self.output_usd
        ) / 1e6


@dataclass(slots=True)
class Bill:
    """What one request came to. Nothing said, it counts with the most it could cost: a provider may have charged it."""

    price: Price | None
    reserved_usd: float
    cost_usd: float

    def usage(self, prompt: int | None, cached: int | None, completion: int | None) -> float | None:
        """Take the usage a response tells; return what was paid, None when price or usage is unknown."""
        paid = self.price.of(prompt, cached, completion) if self.price else None
        self.cost_usd = self.reserved_usd if paid is None else paid
        return paid

    def nothing(self) -> None:
        """Take note that the request was not charged."""
        self.cost_usd = 0.0


@dataclass(slots=True)
class Spent:
    """What a build has spent so far, over all its cells: calls made, US dollars where they are known."""

    calls: int = 0
    usd: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)


class Ledger:
    """Enforces the ceilings before each request and adds up what was spent. Safe to use from several threads.

    ``price`` None means unknown: its cost is unknown too, never 0, and a ceiling in US dollars refuses it.
    A request in flight counts with the most it can cost; every attempt is a request.
    """

    def __init__(
        self,
        price: Price | None,
        spent: Spent,
        *,
        most_usd: float | None = None,
        most_calls: int | None = None,
        whose: str = "the board's",
    ) -> None:
        self._price = price
        self._spent = spent
        self._most_usd = most_usd
        self._most_calls = most_calls
        self._whose = whose

    def of_submission(self, spent: Spent, most_usd: float | None) -> Ledger:
        """Return the ledger of a submission's own ``usd_total``, at the same price."""
        return Ledger(self._price, spent, most_usd=most_usd, whose="the submission's")

    @contextmanager
    def spending(self, body: Mapping[str, Any]) -> Iterator[Bill]:
        """Reserve the most that a request can cost, and replace it at the end by what its bill says.

        Raises ``CeilingReached`` when there is not that much left.
        """
        reserved = self._bound(body)
        with self._spent.lock:
            self._require(reserved)
            self._spent.calls += 1
            self._spent.usd += reserved
        bill = Bill(self._price, reserved, reserved)
        try:
            yield bill
        finally:
            with self._spent.lock:
                self._spent.usd += bill.cost_usd - reserved

    def _require(self, reserved: float) -> None:
        if self._most_calls is not None and self._spent.calls + 1 > self._most_calls:
            raise CeilingReached(f"{self._whose} ceiling of {self._most_calls} calls is reached")
        if self._most_usd is None:
            return
        if self._price is None:
            raise CeilingReached(
                f"{self._whose} ceiling of {self._most_usd:.2f} USD cannot be held without a price: give the model one in "
                "leaderboard.toml (zeros for a server of your own), or take the ceiling away"
            )
        if reserved and self._spent.usd + reserved > self._most_usd:
            raise CeilingReached(
                f"{self._whose} ceiling of {self._most_usd:.2f} USD: {self._spent.usd:.4f} spent, and this call could cost "
                f"{reserved:.4f}"
            )

    def _bound(self, body: Mapping[str, Any]) -> float:
        if self._price is None:
            return 0.0
        messages = body["messages"]
        most = sum(len(str(message.get("content", "")).encode()) + TOKENS_PER_MESSAGE for message in messages)
        return self._price.of(most, 0, int(body.get("max_tokens", 0))) or 0.0
