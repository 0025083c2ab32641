"""The requirement register: which transitions are allowed, and that no update breaks a rule."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.programs.register import Register, progress, select
from leaderboard.programs.register_text import MOST_ENTRIES, Entry, Reference, reading_of
from leaderboard.programs.requirements import (
    BrokenRegister,
    Evidence,
    Requirement,
    Rule,
    Status,
)

PENDING, ACTIVE, ANSWERED, RETIRED = Status
RETRIEVED = {name: f"id of {name}" for name in ("p1", "p2", "Foo (film)#0-64")}


def item(id: str, status: Status = PENDING, **values) -> Requirement:
    """Return an item that may stand in a register as it is."""
    if status is ANSWERED:
        values.setdefault("evidence", (Evidence("p1", "id of p1"),))
    if status is RETIRED:
        values.setdefault("evidence_notes", "its premise is wrong")
    return Requirement(id, f"text of {id}", status, **values)


def register(**statuses: Status) -> Register:
    """Return a register of items in these states."""
    return Register(tuple(item(id, status) for id, status in statuses.items()))


def states(register: Register) -> dict[str, str]:
    """Return each item's state, in the register's order."""
    return {item.id: item.status.value for item in register.items}


def rules(violations) -> list[tuple[str, str]]:
    """Return what was broken, and by which item."""
    return [(violation.rule.value, violation.item) for violation in violations]


def to(status: Status, id: str = "a", **values) -> Entry:
    """Return an update of one item with all that the status asks for."""
    return Entry(id, status=status.value, notes="because", evidence=(Reference("p2"),), **values)


def with_item(status: Status) -> Register:
    """Return a register with item ``a`` in this state, and an active one where ``a`` is not that itself."""
    return register(a=status) if status is ACTIVE else register(a=status, z=ACTIVE)


ALLOWED = [
    (ACTIVE, ANSWERED),
    (PENDING, ANSWERED),
    (ACTIVE, RETIRED),
    (PENDING, RETIRED),
    (ANSWERED, RETIRED),
]


@pytest.mark.parametrize(("before", "after"), ALLOWED)
def test_an_update_may_take_an_item_along_the_table_of_the_spec(before, after):
    changed, changes, violations = with_item(before).apply([to(after)], RETRIEVED)
    assert changed.items[0].status is after
    assert changed.items[0].evidence_notes == "because"
    assert changes[0].as_json() == {"item": "a", "from": before.value, "to": after.value}
    assert violations == ()


@pytest.mark.parametrize(
    ("before", "after", "rule"),
    [
        (ACTIVE, PENDING, "forbidden transition"),
        (RETIRED, ANSWERED, "forbidden transition"),
        (ANSWERED, PENDING, "closed item reopened"),
        (ANSWERED, ACTIVE, "closed item reopened"),
        (RETIRED, PENDING, "closed item reopened"),
        (RETIRED, ACTIVE, "closed item reopened"),
        (PENDING, ACTIVE, "several active"),  # the place is taken
    ],
)
def test_every_other_change_of_status_is_refused(before, after, rule):
    changed, _, violations = with_item(before).apply([to(after)], RETRIEVED)
    assert changed.items[0].status is before
    assert rules(violations) == [(rule, "a")]


def test_the_tables_of_this_test_name_every_pair_of_states():
    refused = {(ACTIVE, PENDING), (RETIRED, ANSWERED), (PENDING, ACTIVE)} | set(
        itertools.product((ANSWERED, RETIRED), (PENDING, ACTIVE))
    )
    assert {*ALLOWED, *refused} == set(itertools.permutations(Status, 2))


def test_a_status_said_again_changes_nothing():
    before = register(a=ACTIVE, b=PENDING, c=ANSWERED, d=RETIRED)
    said = [Entry(item.id, item.text, item.status.value) for item in before.items]
    assert before.apply(said, RETRIEVED) == (before, (), ())


def test_answered_needs_a_passage_that_was_really_retrieved():
    before = register(a=ACTIVE)
    for evidence, broken in [
        ((), ["answered without a retrieved passage"]),
        (
            (Reference("elsewhere"),),
            ["evidence that was not retrieved", "answered without a retrieved passage"],
        ),
    ]:
        after, _, violations = before.apply(
            [Entry("a", status="answered", notes="found", evidence=evidence)], RETRIEVED
        )
        assert after.items == (replace(before.items[0], evidence_notes="found"),)
        assert rules(violations) == [(rule, "a") for rule in broken]


def test_a_passage_that_was_not_retrieved_is_no_evidence_beside_one_that_was():
    evidence = (Reference("elsewhere"), Reference("p2", "a quote"))
    after, changes, violations = register(a=ACTIVE).apply(
        [Entry("a", status="answered", notes="found", evidence=evidence)], RETRIEVED
    )
    assert after.items[0].evidence == (Evidence("p2", "id of p2", "a quote"),)
    assert rules(violations) == [("evidence that was not retrieved", "a")]
    assert changes[0].line == "a active -> answered: found (evidence: p2)"


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("[p1]", "p1"),
        ("chunk p1", "p1"),
        ("Passage [p1]", "p1"),
        ("Foo (film)#0-64", "Foo (film)#0-64"),
        ("[Foo (film)#0-64]", "Foo (film)#0-64"),
    ],
)
def test_a_passage_is_known_with_brackets_and_the_word_chunk_around_it(said, meant):
    after, _, violations = register(a=ACTIVE).apply(
        [Entry("a", status="answered", evidence=(Reference(said),))], RETRIEVED
    )
    assert (after.items[0].evidence, violations) == ((Evidence(meant, f"id of {meant}"),), ())


def test_evidence_gathered_while_an_item_was_open_counts_when_it_is_answered():
    gathered, _, _ = register(a=ACTIVE).apply([Entry("a", evidence=(Reference("p1"),))], RETRIEVED)
    after, _, violations = gathered.apply([Entry("a", status="answered")], RETRIEVED)
    assert (states(after), violations) == ({"a": "answered"}, ())


@pytest.mark.parametrize("before", [ACTIVE, PENDING, ANSWERED])
def test_retired_needs_a_note(before):
    after, changes, violations = with_item(before).apply([Entry("a", status="retired")], RETRIEVED)
    assert after == with_item(before)
    assert changes == ()
    assert rules(violations) == [("retired without a note", "a")]


def test_notes_on_what_was_found_are_no_reason_to_retire_an_item():
    before = Register((item("a", ACTIVE, evidence_notes="found in Sarnforth"),))
    after, _, violations = before.apply([Entry("a", status="retired")], RETRIEVED)
    assert (after, rules(violations)) == (before, [("retired without a note", "a")])


def test_an_item_that_closes_makes_room_for_the_one_the_same_update_names():
    after, changes, violations = register(a=ACTIVE, b=PENDING, c=PENDING).apply(
        [Entry("c", status="active"), to(ANSWERED)], RETRIEVED
    )
    assert states(after) == {"a": "answered", "b": "pending", "c": "active"}
    assert [change.line for change in changes] == [
        "a active -> answered: because (evidence: p2)",
        "c pending -> active: text of c",
    ]
    assert violations == ()


def test_of_two_items_named_active_the_first_of_the_register_becomes_it():
    after, _, violations = register(a=ACTIVE, b=PENDING, c=PENDING).apply(
        [to(ANSWERED), Entry("c", status="active"), Entry("b", status="active")], RETRIEVED
    )
    assert states(after) == {"a": "answered", "b": "active", "c": "pending"}
    assert rules(violations) == [("several active", "c")]


def test_an_update_may_add_an_item_in_place_of_a_retired_one():
    after, changes, violations = register(a=ACTIVE).apply(
        [to(RETIRED), Entry("b", "when did Austin become it", notes="Austin is the capital")], RETRIEVED
    )
    assert states(after) == {"a": "retired", "b": "active"}
    assert changes[1].line == "b new, active: when did Austin become it"
    assert violations == ()


@pytest.mark.parametrize(
    ("entry", "added", "broken"),
    [
        (Entry("b", "new"), {"b": "pending"}, []),
        (Entry("", "new"), {"req_0": "pending"}, []),
        (Entry("b", "new", "active"), {"b": "pending"}, ["several active"]),
        (Entry("b", "new", "answered", evidence=(Reference("p1"),)), {"b": "pending"}, ["new item not open"]),
        (Entry("b", "new", "retired", notes="why"), {"b": "pending"}, ["new item not open"]),
        (Entry("b", "new", "done"), {"b": "pending"}, ["unknown status"]),
        (Entry("b", "new", depends_on=("a", "b", "x")), {"b": "pending"}, ["depends on no item"]),
        (Entry("b", status="pending"), {}, ["new item without text"]),
        (Entry("b", malformed=True), {}, ["malformed item"]),
    ],
)
def test_a_new_item_is_open_has_a_text_and_waits_for_its_turn(entry, added, broken):
    after, _, violations = register(a=ACTIVE).apply([entry], RETRIEVED)
    assert states(after) == {"a": "active", **added}
    assert [violation.rule.value for violation in violations] == broken
    assert all(set(item.depends_on) <= {"a"} for item in after.items)


@pytest.mark.parametrize(
    ("entry", "broken"),
    [
        (Entry("a", "another text"), "text of an item changed"),
        (Entry("a", status="done"), "unknown status"),
        (Entry("a", malformed=True), "malformed item"),
        (Entry("a", depends_on=("a",)), "depends on no item"),
    ],
)
def test_what_an_update_cannot_say_of_an_item_is_left_out(entry, broken):
    before = register(a=ACTIVE)
    after, changes, violations = before.apply([entry], RETRIEVED)
    assert (after, changes) == (before, ())
    assert [violation.rule.value for violation in violations] == [broken]


def test_an_id_said_twice_counts_once():
    after, _, violations = register(a=ACTIVE).apply([to(ANSWERED), to(RETIRED)], RETRIEVED)
    assert states(after) == {"a": "answered"}
    assert rules(violations) == [("repeated id", "a")]


def test_a_register_holds_eight_items_closed_ones_counted():
    full = register(**{f"r{n}": ANSWERED for n in range(7)}, r7=ACTIVE)
    after, changes, violations = full.apply([Entry("r8", "one more")], RETRIEVED)
    assert (after, changes) == (full, ())
    assert rules(violations) == [("too many items", "r8")]


def test_a_closed_item_keeps_its_notes():
    before = register(a=ANSWERED, b=ACTIVE)
    after, changes, _ = before.apply([Entry("a", notes="something else")], RETRIEVED)
    assert (after, changes) == (before, ())


@pytest.mark.parametrize(
    ("entries", "expected", "broken"),
    [
        ([Entry("x", "t", "active"), Entry("y", "t")], {"x": "active", "y": "pending"}, []),
        ([Entry("x", "t"), Entry("y", "t")], {"x": "active", "y": "pending"}, [("none active", "x")]),
        (
            [Entry("x", "t"), Entry("y", "t", "active"), Entry("z", "t", "active")],
            {"x": "pending", "y": "active", "z": "pending"},
            [("several active", "z")],
        ),
        (
            [Entry("x", "t", "answered"), Entry("y", "t", "active")],
            {"x": "pending", "y": "active"},
            [("new item not open", "x")],
        ),
        (
            [Entry("x", "t", "active"), Entry("x", "u", "active")],
            {"x": "active"},
            [("repeated id", "x")],
        ),
        ([Entry("", "t", "active"), Entry("", "u")], {"req_0": "active", "req_1": "pending"}, []),
        (
            [Entry(f"r{n}", "t", "active" if n == 9 else "pending") for n in range(10)],
            {"r0": "active", **{f"r{n}": "pending" for n in range(1, 8)}},
            [("too many items", "r8"), ("too many items", "r9"), ("none active", "r0")],
        ),
    ],
)
def test_a_first_register_is_repaired_and_each_repair_is_told(entries, expected, broken):
    opened, violations = Register.initial(entries)
    assert states(opened) == expected
    assert rules(violations) == broken


def test_there_is_no_register_without_items():
    assert Register.initial([]) == (None, ())
    opened, violations = Register.initial([Entry("x"), Entry("y", malformed=True)])
    assert opened is None
    assert rules(violations) == [("new item without text", "x"), ("malformed item", "y")]


def test_the_fallback_is_the_question_itself():
    assert Register.fallback("Who  was\nit?").items == (Requirement("req_0", "Who was it?", ACTIVE),)


def test_the_next_item_is_the_first_whose_dependencies_are_closed():
    items = [
        item("feast", depends_on=("city",)),
        item("city", depends_on=("company",)),
        item("company"),
    ]
    assert [one.id for one in select(items) if one.status is ACTIVE] == ["company"]
    items[2] = item("company", ANSWERED)
    assert [one.id for one in select(items) if one.status is ACTIVE] == ["city"]
    items[1] = item("city", RETIRED)
    assert [one.id for one in select(items) if one.status is ACTIVE] == ["feast"]


def test_without_an_order_the_next_item_is_the_first_pending_one_and_so_in_a_circle():
    assert [one.status for one in select([item("a", ANSWERED), item("b"), item("c")])] == [
        ANSWERED,
        ACTIVE,
        PENDING,
    ]
    circle = [item("a", depends_on=("b",)), item("b", depends_on=("a",))]
    assert [one.status for one in select(circle)] == [ACTIVE, PENDING]


def test_nothing_is_selected_while_an_item_is_active_or_none_is_open():
    for items in ([item("a"), item("b", ACTIVE)], [item("a", ANSWERED)], []):
        assert select(items) == items


@pytest.mark.parametrize(
    ("items", "broken"),
    [
        ((item("a", ACTIVE), item("a")), "repeated id: a"),
        ((item("a", ACTIVE), item("b", ACTIVE)), "several active: a, b"),
        ((item("a"), item("b", ANSWERED)), "none active: a"),
        ((item("a", ANSWERED, evidence=()),), "answered without a retrieved passage: a"),
        ((item("a", RETIRED, evidence_notes=""),), "retired without a note: a"),
        ((Requirement("a", "", ACTIVE),), "new item without text: a"),
        (
            tuple(item(f"r{n}", PENDING if n else ACTIVE) for n in range(9)),
            "too many items: 9 of at most 8",
        ),
    ],
)
def test_a_register_that_breaks_a_rule_cannot_be_made(items, broken):
    with pytest.raises(BrokenRegister, match=f"^{broken}$"):
        Register(items)


def test_a_register_reads_as_a_line_an_item():
    shown = Register(
        (
            item(
                "req_0",
                ANSWERED,
                evidence_notes="It is Anna.",
                evidence=(Evidence("p1", "id of p1", "Anna"),),
            ),
            item("req_1", ACTIVE),
        )
    )
    assert shown.render() == (
        "req_0 (answered): text of req_0 | notes: It is Anna. | evidence: p1\nreq_1 (active): text of req_1"
    )


def test_progress_lists_what_changed_and_what_is_in_work():
    after, changes, _ = register(a=ACTIVE, b=PENDING).apply([to(ANSWERED)], RETRIEVED)
    assert progress(after, changes) == (
        "[Progress]\na active -> answered: because (evidence: p2)\nb pending -> active: text of b\n"
        "Active now: b: text of b"
    )
    done, changes, _ = after.apply([to(ANSWERED, "b")], RETRIEVED)
    assert progress(done, changes).endswith("\nNothing is open: answer the question.")
    assert progress(after, ()) == "[Progress]\nno requirement changed\nActive now: b: text of b"


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
