"""Small registers, and what is read from them: for the tests of the requirement register."""

from __future__ import annotations

from leaderboard.programs.register import Register
from leaderboard.programs.register_text import Entry, Reference
from leaderboard.programs.requirements import Evidence, Requirement, Status

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
