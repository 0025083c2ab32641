"""No sequence of updates, however malformed, breaks a rule of the requirement register."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.programs.register import Register, progress
from leaderboard.programs.register_text import MOST_ENTRIES, reading_of
from leaderboard.programs.requirements import Rule, Status
from tests.programs.registers import ACTIVE, ANSWERED, PENDING, RETIRED, RETRIEVED

_JSON = st.sampled_from(
    [None, True, 3, -1.5, "x", "", "active", [], {}, [[1]], ["x"], {"x": {}}, {"text": "x"}]
)
_ITEM = st.fixed_dictionaries(
    {"status": st.sampled_from([*(status.value for status in Status), "ACTIVE", "done"]) | _JSON},
    optional={
        "text": st.sampled_from(["t", "u"]) | _JSON,
        "evidence_notes": st.just("n") | _JSON,
        "evidence": st.sampled_from([["p1"], ["p2", "x"], ["x"], "[p1]"]) | _JSON,
        "depends_on": st.sampled_from([["a"], ["b", "c"], "d"]) | _JSON,
    },
)
_ID = st.sampled_from([*"abcdefghijk", ""])
_DELTA = st.dictionaries(_ID, _ITEM | _JSON, max_size=4) | st.lists(_ITEM | _JSON, max_size=3) | _JSON


@settings(max_examples=100)
@given(first=_DELTA, deltas=st.lists(_DELTA, min_size=1, max_size=5), most=st.integers(1, 8))
def test_no_sequence_of_updates_breaks_a_rule(first, deltas, most):
    reading = reading_of(first)
    opened, _ = Register.initial(reading.entries if reading else (), most)
    now = opened or Register.fallback("Q?", most)
    for delta in deltas:
        reading = reading_of(delta)
        entries = reading.entries if reading else ()
        assert len(entries) <= MOST_ENTRIES
        before, (now, changes, violations) = now, now.apply(entries, RETRIEVED)
        _check(now, most)
        old = {one.id: one for one in before.items}
        assert [one.id for one in now.items][: len(old)] == list(old)
        for one in now.items:
            was = old.get(one.id)
            if was is None:
                assert one.status.open
            elif was.status is RETIRED:
                assert one == was
            elif was.status is ANSWERED:
                assert one == was or one.status is RETIRED
            else:
                assert one.text == was.text
                assert (was.status, one.status) != (ACTIVE, PENDING)
        assert {change.after.id for change in changes} == {
            one.id for one in now.items if old.get(one.id) != one
        }
        assert all(isinstance(violation.rule, Rule) for violation in violations)
        now.render()
        progress(now, changes)


def _check(register: Register, most: int) -> None:
    """Hold the invariants once more, apart from the code that keeps them."""
    statuses = [one.status for one in register.items]
    assert 1 <= len(statuses) <= most
    assert len({one.id for one in register.items}) == len(statuses)
    assert statuses.count(ACTIVE) == (1 if {PENDING, ACTIVE} & set(statuses) else 0)
    for one in register.items:
        assert {(evidence.name, evidence.passage) for evidence in one.evidence} <= RETRIEVED.items()
        assert one.evidence or one.status is not ANSWERED
        assert one.evidence_notes or one.status is not RETIRED
