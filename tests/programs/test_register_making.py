"""The requirement register: how it is made, what comes next, and how it reads in a prompt."""

from __future__ import annotations

import pytest

from leaderboard.programs.register import Register, progress, select
from leaderboard.programs.register_text import Entry
from leaderboard.programs.requirements import BrokenRegister, Evidence, Requirement
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
)


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
