"""Errors that may pass are asked again at a fixed, polite pace; the others at once passed on."""

import threading
import time
from datetime import UTC, datetime

import pytest

from leaderboard.fetching.faults import (
    BadResponse,
    Interrupted,
    ProviderError,
    RateLimited,
    Refused,
    ServerError,
    Timeout,
    Unreachable,
)
from leaderboard.fetching.retrying import call_with_retries, retry_after_s


def failing(*errors: ProviderError):
    """Return a function that raises each error once and then answers."""
    left = list(errors)

    def function() -> str:
        if left:
            raise left.pop(0)
        return "answer"

    return function


def test_the_waits_double_and_stop_at_thirty_seconds():
    waits: list[float] = []
    function = failing(*(ServerError("500") for _ in range(8)))
    assert call_with_retries(function, attempts=9, sleep=waits.append) == "answer"
    assert waits == [0.5, 1, 2, 4, 8, 16, 30, 30]


def test_the_last_error_is_passed_on_with_the_number_of_attempts():
    waits: list[float] = []
    errors = [Unreachable(str(number)) for number in range(5)]
    with pytest.raises(Unreachable) as caught:
        call_with_retries(failing(*errors), sleep=waits.append)
    assert caught.value is errors[4]
    assert caught.value.attempts == 5
    assert waits == [0.5, 1, 2, 4]


def test_a_longer_time_asked_for_is_waited():
    waits: list[float] = []
    assert call_with_retries(failing(RateLimited("429", retry_after_s=7)), sleep=waits.append) == "answer"
    assert waits == [7]


def test_a_shorter_time_asked_for_is_not_taken_as_leave_to_hurry():
    waits: list[float] = []
    call_with_retries(failing(RateLimited("429", retry_after_s=0)), sleep=waits.append)
    assert waits == [0.5]


def test_a_quota_of_the_day_is_not_waited_for():
    waits: list[float] = []
    with pytest.raises(RateLimited):
        call_with_retries(failing(RateLimited("429", retry_after_s=86_400)), sleep=waits.append)
    assert waits == []


def test_a_refusal_is_not_asked_again():
    with pytest.raises(Refused) as caught:
        call_with_retries(failing(Refused("no such model")), sleep=pytest.fail)
    assert caught.value.attempts == 1


def test_a_bad_response_is_asked_again_once():
    assert call_with_retries(failing(BadResponse("HTML")), sleep=lambda _: None) == "answer"
    with pytest.raises(BadResponse) as caught:
        call_with_retries(failing(BadResponse("HTML"), BadResponse("HTML")), sleep=lambda _: None)
    assert caught.value.attempts == 2


def test_an_error_of_another_kind_is_not_touched():
    def function() -> None:
        raise KeyError("a fault of ours")

    with pytest.raises(KeyError):
        call_with_retries(function, sleep=pytest.fail)


def test_a_stop_ends_a_long_wait_at_once():
    stop = threading.Event()
    timer = threading.Timer(0.1, stop.set)
    timer.start()
    began = time.monotonic()
    with pytest.raises(Interrupted, match=r"stopped before another try after 1 .* the last: 429") as caught:
        call_with_retries(failing(RateLimited("429", retry_after_s=100)), stop=stop)
    assert time.monotonic() - began < 5
    assert caught.value.attempts == 1
    assert not caught.value.retryable
    assert not caught.value.of_endpoint
    timer.join()


def test_a_stopped_program_asks_nobody():
    stop = threading.Event()
    stop.set()
    with pytest.raises(Interrupted) as caught:
        call_with_retries(pytest.fail, stop=stop)
    assert (caught.value.attempts, caught.value.billed) == (0, False)


@pytest.mark.parametrize("error", [Timeout("slow"), ServerError("500")])
def test_a_stop_keeps_whether_the_last_call_was_charged(error):
    stop = threading.Event()
    with pytest.raises(Interrupted) as caught:
        call_with_retries(failing(error), stop=stop, sleep=lambda _: stop.set())
    assert caught.value.billed is error.billed
    assert caught.value.__cause__ is error


def test_an_answer_or_a_last_error_that_comes_with_the_stop_is_kept():
    stop = threading.Event()

    def stopping(result: Exception | None) -> str:
        stop.set()
        if result:
            raise result
        return "answer"

    assert call_with_retries(lambda: stopping(None), stop=stop) == "answer"
    stop.clear()
    with pytest.raises(Refused):
        call_with_retries(lambda: stopping(Refused("no")), stop=stop)


def test_an_event_that_is_never_set_changes_nothing():
    waits: list[float] = []
    function = failing(Unreachable("1"), Unreachable("2"))
    assert call_with_retries(function, stop=threading.Event(), sleep=waits.append) == "answer"
    assert waits == [0.5, 1]


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("12", 12.0),
        (" 0 ", 0.0),
        ("Wed, 01 Jul 2026 12:00:30 GMT", 30.0),
        ("Wed, 01 Jul 2026 11:59:30 GMT", 0.0),
        ("soon", None),
        ("-5", None),
        ("", None),
        ("9" * 5000, None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header, seconds):
    assert retry_after_s(header, now=datetime(2026, 7, 1, 12, tzinfo=UTC)) == seconds
