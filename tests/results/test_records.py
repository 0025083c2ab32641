"""Outcomes: which of them are the system's own doing."""

from leaderboard.results.records import Outcome


def test_what_the_system_did_is_scored_and_what_was_done_to_it_is_not():
    assert {outcome.value for outcome in Outcome if outcome.scored} == {
        "answered",
        "forced",
        "unparsed",
        "truncated",
        "filtered",
        "limit",
    }
    assert {outcome.value for outcome in Outcome if not outcome.scored} == {"failed", "unpaid", "uncached"}
