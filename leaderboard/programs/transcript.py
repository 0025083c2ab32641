"""The transcript of a program that works in steps: it only grows, so that the prompt before a step is the next one's
beginning, and it keeps to a budget."""

from __future__ import annotations

from collections.abc import Hashable

from leaderboard.metrics.tokens import count_tokens

START = "nothing yet"


class Transcript:
    """Steps and what they brought, as one text of at most ``budget`` ``words-1`` tokens and one note."""

    def __init__(self, budget: int) -> None:
        self._parts: list[str] = []
        self._left = budget
        self._made: set[Hashable] = set()

    @property
    def left(self) -> int:
        """How many tokens may still be added."""
        return max(0, self._left)

    @property
    def full(self) -> bool:
        """Whether the budget is used up: the answer has to be given."""
        return self._left <= 0

    @property
    def text(self) -> str:
        """All of it, as it stands in a prompt."""
        return "\n".join(self._parts) or START

    def new(self, call: Hashable) -> bool:
        """Return whether this call was not made before, and remember it."""
        known = call in self._made
        self._made.add(call)
        return not known

    def add(self, text: str) -> None:
        """Add a line or several."""
        if text:
            self._parts.append(text)
            self._left -= count_tokens(text)
