"""How a compile ends before its optimizer does."""

from __future__ import annotations


class CompileError(Exception):
    """A program cannot be compiled. The text says what is wrong and what to do."""


class CallsSpent(Exception):
    """The call ceiling of [compile] allows no further call: the optimizer ends with what it has."""


class Stopped(BaseException):
    """Ends an optimizer from inside. ``cause`` is what happened: ``CallsSpent``, or an error that nobody may score.

    No ``Exception``: dspy takes each of those for a wrong answer and goes on, so that a dead endpoint would be scored.
    """

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause
