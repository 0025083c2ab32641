"""Errors that may pass are asked again at a fixed, polite pace; the others at once passed on."""

from datetime import UTC, datetime

import pytest

from leaderboard.models.providers import (
    BadResponse,
    ProviderError,
    RateLimited,
    Refused,
    ServerError,
    Unreachable,
)
from leaderboard.models.retrying import call_with_retries, retry_after_s


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
