"""The requirement register: which transitions an update may make, and what becomes of one that breaks a rule."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from leaderboard.programs.register import Register
from leaderboard.programs.register_text import Entry, Reference
from leaderboard.programs.requirements import Evidence, Status
from tests.programs.registers import (
    ACTIVE,
    ANSWERED,
    PENDING,
    RETIRED,
    RETRIEVED,
    item,
    register,
    rules,
    states,
    to,
    with_item,
)

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
