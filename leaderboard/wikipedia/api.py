"""The MediaWiki Action API: ``action=query`` with its errors, warnings, continuation and good manners."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Any, TypeVar

from leaderboard.fetching.faults import BadResponse, ProviderError, RateLimited, Refused, ServerError
from leaderboard.fetching.progress import Report
from leaderboard.fetching.retrying import call_with_retries, retry_after_s
from leaderboard.wikipedia.exchange import Answer, Exchange, refusal
from leaderboard.wikipedia.hosts import SHORT_HOST, Endpoints, is_wiki

API_PATH = "/w/api.php"
ATTEMPTS = 8
"""With 5 s a time for a lagging database, then doubling, these last well over a minute."""
LAG_WAIT_S = 5.0
MOST_CONTINUATIONS = 100
COMMON = {"action": "query", "format": "json", "formatversion": "2", "maxlag": "5"}

T = TypeVar("T")

_PASSING = ("readonly", "internal_api_error", "internalerror")


class ActionApi:
    """Asks wikis through their ``api.php``, one request at a time, and waits when told to.

    ``exchange`` makes the requests. Warnings of the API are told once through ``report``, whichever requests bring
    them. Once ``stop`` is set nothing more is asked. ``sleep`` waits in place of the clock.
    """

    def __init__(
        self,
        exchange: Exchange,
        report: Report,
        *,
        stop: threading.Event | None = None,
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        self._exchange = exchange
        self._report = report
        self._stop = stop
        self._sleep = sleep
        self._warned: set[str] = set()

    def __enter__(self) -> ActionApi:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._exchange.close()

    @property
    def requests(self) -> int:
        """How many requests were made, repeated ones included."""
        return self._exchange.requests

    @property
    def warnings(self) -> tuple[str, ...]:
        """The API's warnings so far, each once."""
        return tuple(sorted(self._warned))

    def query(self, host: str, parameters: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """Yield the ``query`` objects of one question: the first answer's, then those of its continuations.

        Whoever has what was asked for may stop before the end. An answer without one gives an empty object. Raises
        ``ProviderError``: ``Refused`` with the API's code for an error that asking again won't mend, ``BadResponse``
        for what is no answer of the API.
        """
        if not is_wiki(host):
            raise ValueError(f"not a Wikipedia: {host!r}")
        seen: list[dict[str, str]] = []
        onward: dict[str, str] = {}
        while True:
            answer = self._answer(host, {**COMMON, **parameters, **onward})
            found = answer.get("query", {})
            if not isinstance(found, dict):
                raise BadResponse(f"{host}: query: expected an object, found {kind(found)}")
            yield found
            following = _continuation(host, answer, parameters)
            if following is None:
                return
            onward = following
            if onward in seen or len(seen) >= MOST_CONTINUATIONS:
                raise BadResponse(f"{host}: the answer's continuation doesn't end")
            seen.append(onward)

    def short_link(self, path: str) -> Answer:
        """Return what the short links' host answers at ``path``: a redirect unfollowed, or that there is none.

        Raises ``ProviderError`` for any other answer.
        """

        def once() -> Answer:
            answer = self._exchange.ask(SHORT_HOST, path, {})
            if answer.status >= 400 and answer.status not in (404, 410):
                raise refusal(SHORT_HOST, answer)
            return answer

        return self._retried(once)

    def _answer(self, host: str, parameters: Mapping[str, str]) -> dict[str, Any]:
        def once() -> dict[str, Any]:
            answer = self._exchange.ask(host, API_PATH, parameters)
            value = _json_object(host, answer)
            if "error" in value:
                raise _error(host, value["error"], answer)
            return value

        value = self._retried(once)
        if "warnings" in value:
            self._warn(host, value["warnings"])
        return value

    def _retried(self, function: Callable[[], T]) -> T:
        return call_with_retries(function, attempts=ATTEMPTS, stop=self._stop, sleep=self._sleep)

    def _warn(self, host: str, warnings: object) -> None:
        if not isinstance(warnings, dict):
            raise BadResponse(f"{host}: warnings: expected an object, found {kind(warnings)}")
        for module, warning in warnings.items():
            text = warning.get("warnings") if isinstance(warning, dict) else None
            if not isinstance(text, str):
                raise BadResponse(f"{host}: warnings: expected an object with a text, found {kind(warning)}")
            line = f"{host} warns: {excerpt(module)}: {excerpt(text)}"
            if line not in self._warned:
                self._warned.add(line)
                self._report.say(line)


def action_api(
    report: Report,
    *,
    endpoints: Mapping[str, str] | None = None,
    timeout_s: float = 120.0,
    stop: threading.Event | None = None,
) -> ActionApi:
    """Return the API of the wikis, at their own addresses or at those given (``hosts.Endpoints``)."""
    return ActionApi(Exchange(Endpoints(endpoints), timeout_s=timeout_s), report, stop=stop)


def kind(value: object) -> str:
    """Return in words what a JSON value is, for an error's text."""
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a number"}
    return names.get(type(value), "nothing" if value is None else "a fraction")


def excerpt(text: str) -> str:
    """Return a wiki's words, fit to be printed: on one line, without control characters, at most 200 long."""
    plain = "".join(character if character.isprintable() else " " for character in text[:400])
    plain = " ".join(plain.split())
    return plain if len(plain) <= 200 else plain[:199] + "…"


def _json_object(host: str, answer: Answer) -> dict[str, Any]:
    if answer.status != 200:
        raise refusal(host, answer)
    try:
        value = json.loads(answer.body.decode(), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        head = answer.body.lstrip()[:200].lower()
        web = head.startswith((b"<!doctype html", b"<html"))
        what = "a web page; a proxy or a login page may stand in between" if web else "something else"
        raise BadResponse(f"{host}: expected JSON from the API, found {what}") from error
    if not isinstance(value, dict):
        raise BadResponse(f"{host}: expected an object from the API, found {kind(value)}")
    return value


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no JSON")


def _error(host: str, error: object, answer: Answer) -> ProviderError:
    code = error.get("code") if isinstance(error, dict) else None
    if not isinstance(error, dict) or not isinstance(code, str):
        return BadResponse(f"{host}: error: expected an object with a code, found {kind(error)}")
    info = error.get("info")
    told = f": {excerpt(info)}" if isinstance(info, str) else ""
    message = f"{host}: the API refuses: {excerpt(code)}{told}"
    wait_s = retry_after_s(answer.headers.get("retry-after"))
    if code == "maxlag":
        return RateLimited(message, retry_after_s=LAG_WAIT_S if wait_s is None else wait_s)
    if code == "ratelimited":
        return RateLimited(message, retry_after_s=wait_s)
    if code.startswith(_PASSING):
        return ServerError(message, retry_after_s=wait_s)
    return Refused(message)


def _continuation(host: str, answer: Mapping[str, Any], asked: Mapping[str, str]) -> dict[str, str] | None:
    following = answer.get("continue")
    if following is None:
        return None
    if not isinstance(following, dict) or not following:
        raise BadResponse(f"{host}: continue: expected an object, found {kind(following)}")
    onward = {}
    for name, value in following.items():
        if name in COMMON or name in asked or not isinstance(value, str | int) or isinstance(value, bool):
            raise BadResponse(f"{host}: continue: expected texts to send back, found {kind(value)}")
        onward[name] = str(value)
    return onward
