"""The calls of a compile: numbered, bounded, and kept in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from dspy import lm15

from leaderboard.calls.keys import call_key
from leaderboard.calls.store import StoredCall
from leaderboard.compiling.ending import CallsSpent, Stopped
from leaderboard.files import digest_json
from leaderboard.models.engine import CallLimit, Engine, chat_body, drawing, root_cause


class CompileCalls:
    """The engine of a compile, around the one that answers from store and provider.

    The n-th equal request at a temperature above 0 is draw n, counted from 0, whatever the optimizer numbers: one that
    asks the same again wants another answer. At temperature 0 equal requests are one call. Both depend on the order of
    requests alone, so a second compile of the same file makes the same calls.

    ``most`` bounds the distinct calls, replayed ones included, so that a replay ends where the first compile did.
    Beyond it, and for whatever else keeps a request from its answer, ``Stopped`` is raised; only the submission's own
    ``calls_per_question`` is the program's business.
    """

    def __init__(self, engine: Engine, most: int, told: Callable[[], None] = lambda: None) -> None:
        self.most = most
        self.calls: dict[str, StoredCall] = {}
        self.made = 0
        self.spent = ""
        """Why the next call was refused, "" while none was."""
        self._engine = engine
        self._told = told
        self._times: Counter[str] = Counter()

    @property
    def replayed(self) -> int:
        """How many of the distinct calls were answered from the store."""
        return len(self.calls) - self.made

    def complete(self, request: lm15.Request) -> lm15.Response:
        """Return the response to one dspy request."""
        body = chat_body(request, self._engine.model)
        equal = digest_json(body) if body.get("temperature") else ""
        with drawing(self._times[equal] if equal else 0):
            key = call_key(self._engine.canonical(body))
            known = key in self.calls
            if not known and len(self.calls) >= self.most:
                self.spent = f"the call ceiling of {self.most} is reached"
                raise Stopped(CallsSpent(self.spent))
            try:
                recorded = known or self._engine.store.get(key) is not None
                response = self._engine.complete(request)
                call = self._engine.store.get(key)
            except CallLimit:
                raise
            except Exception as error:
                cause = root_cause(error)
                raise Stopped(cause if isinstance(cause, Exception) else error) from error
        if equal:
            self._times[equal] += 1
        if call is not None:
            self.calls[key] = call
            self.made += not recorded
        self._told()
        return response

    def usage(self, name: str) -> int | None:
        """Sum a usage field over the distinct calls; None as soon as one call's usage is unknown."""
        counts = [call.response[name] for call in self.calls.values()]
        return None if None in counts else sum(counts)
