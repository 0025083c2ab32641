"""Asking again after an error that may pass, at a pace that is fixed and polite."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from leaderboard.fetching.faults import Interrupted, ProviderError

FIRST_WAIT_S = 0.5
LONGEST_BACKOFF_S = 30.0
LONGEST_RETRY_AFTER_S = 120.0

T = TypeVar("T")


def call_with_retries(
    function: Callable[[], T],
    *,
    attempts: int = 5,
    stop: threading.Event | None = None,
    sleep: Callable[[float], object] | None = None,
) -> T:
    """Return ``function()``, called up to ``attempts`` times while it raises a retryable ``ProviderError``.

    Waits 0.5, 1, 2, … seconds (at most 30) between calls, or longer where the error says so. An error that asks
    for more than 120 s is passed on at once: coming back earlier than told would be refused again, and a run
    that stops can be resumed. The error passed on is the last one, with ``attempts`` set.

    Once ``stop`` is set nothing more is asked: ``Interrupted`` is raised, out of the middle of a wait too. It is
    ``billed`` when the call before the wait was. ``sleep`` waits in place of the clock.
    """
    wait = sleep or (stop.wait if stop else time.sleep)
    last: ProviderError | None = None
    for attempt in range(1, attempts + 1):
        if stop and stop.is_set():
            raise _interrupted(last, attempt - 1) from last
        try:
            return function()
        except ProviderError as error:
            last = error
            error.attempts = attempt
            wait_s = _wait_s(error, attempt, attempts)
            if wait_s is None:
                raise
        wait(wait_s)
    raise ValueError(f"attempts must be at least 1, not {attempts}")


def _interrupted(last: ProviderError | None, attempts: int) -> Interrupted:
    after = f" after {attempts} without success, the last: {last}" if last else ""
    error = Interrupted(f"stopped before another try{after}", billed=last is not None and last.billed)
    error.attempts = attempts
    return error


def _wait_s(error: ProviderError, attempt: int, attempts: int) -> float | None:
    allowed = attempts if error.most_retries is None else min(attempts, error.most_retries + 1)
    if not error.retryable or attempt >= allowed:
        return None
    asked_s = error.retry_after_s or 0.0
    if asked_s > LONGEST_RETRY_AFTER_S:
        return None
    return max(asked_s, min(LONGEST_BACKOFF_S, FIRST_WAIT_S * 2.0 ** (attempt - 1)))


def retry_after_s(header: str | None, *, now: datetime | None = None) -> float | None:
    """Return the seconds a ``Retry-After`` header asks to wait (RFC 9110 § 10.2.3: seconds or a date).

    None where there is no header or it can't be read; a date in the past gives 0.
    """
    if header is None:
        return None
    text = header.strip()
    if text.isascii() and text.isdigit() and len(text) < 10:
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())
