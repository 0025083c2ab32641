"""Prices and ceilings: what a call costs, and that no call is made which the board's ceilings do not allow."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from leaderboard.metrics.tokens import count_tokens

TOKENS_PER_WORD = 2
"""A model's tokens for a ``words-1`` token, on the safe side, to bound what a call can cost before it is made."""

Bill = Callable[[int | None, int | None, int | None], float | None]


class CeilingReached(Exception):
    """A ceiling of the board (money or calls) does not allow another call."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars a million tokens: uncached input, cached input, output."""

    input_usd: float
    cached_usd: float
    output_usd: float

    def of(self, prompt: int | None, cached: int | None, completion: int | None) -> float | None:
        """Return what a call cost (spec § 4.1), None when its usage is unknown."""
        if prompt is None or completion is None:
            return None
        held = min(cached or 0, prompt)
        return (
            (prompt - held) * self.input_usd + held * self.cached_usd + completion * self.output_usd
        ) / 1e6


@dataclass(slots=True)
class Spent:
    """What a build has spent so far, over all its cells: calls made, US dollars where they are known."""

    calls: int = 0
    usd: float = 0.0


class Ledger:
    """Enforces the ceilings before each call and adds up what was spent. Safe to use from several threads.

    ``price`` None means unknown: such calls count against the ceiling of calls only, and cost None, never 0.
    A call in flight counts with the most it can cost.
    """

    def __init__(
        self,
        price: Price | None,
        spent: Spent,
        *,
        most_usd: float | None = None,
        most_calls: int | None = None,
    ) -> None:
        self._price = price
        self._spent = spent
        self._most_usd = most_usd
        self._most_calls = most_calls
        self._lock = threading.Lock()

    @contextmanager
    def spending(self, body: Mapping[str, Any]) -> Iterator[Bill]:
        """Reserve the most that a request can cost; the yielded function replaces it by what it did cost.

        Raises ``CeilingReached`` when there is not that much left. A request that fails costs nothing.
        """
        reserved = self._bound(body)
        with self._lock:
            if self._most_calls is not None and self._spent.calls + 1 > self._most_calls:
                raise CeilingReached(f"the board's ceiling of {self._most_calls} calls is reached")
            if self._most_usd is not None and reserved and self._spent.usd + reserved > self._most_usd:
                raise CeilingReached(
                    f"the board's ceiling of {self._most_usd:.2f} USD: {self._spent.usd:.4f} spent, and this call could "
                    f"cost {reserved:.4f}"
                )
            self._spent.calls += 1
            self._spent.usd += reserved
        cost = 0.0
        made = False

        def bill(prompt: int | None, cached: int | None, completion: int | None) -> float | None:
            nonlocal cost, made
            made = True
            paid = self._price.of(prompt, cached, completion) if self._price else None
            cost = reserved if paid is None else paid
            return paid

        try:
            yield bill
        finally:
            with self._lock:
                self._spent.usd += cost - reserved
                self._spent.calls -= not made

    def _bound(self, body: Mapping[str, Any]) -> float:
        if self._price is None:
            return 0.0
        words = sum(count_tokens(str(message.get("content", ""))) for message in body["messages"])
        return self._price.of(TOKENS_PER_WORD * words, 0, int(body.get("max_tokens", 0))) or 0.0
