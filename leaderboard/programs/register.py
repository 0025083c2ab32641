"""The requirement register of ExecutionRAG (spec § 4.5): what a question needs to know, and what is known by now.

Code keeps the rules, not the model: a register that breaks one cannot be made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from leaderboard.programs.register_text import Entry
from leaderboard.programs.register_update import distinct, known_dependencies, new, promoted, updated
from leaderboard.programs.requirements import (
    BrokenRegister,
    Change,
    Requirement,
    Rule,
    Status,
    Violation,
    broken,
)

MOST_REQUIREMENTS = 8


@dataclass(frozen=True, slots=True)
class Register:
    """The items in the order the model gave them. Raises ``BrokenRegister`` for items that break a rule."""

    items: tuple[Requirement, ...]
    most: int = MOST_REQUIREMENTS

    def __post_init__(self) -> None:
        """Hold the invariants of spec § 4.5."""
        for rule, item in broken(self.items, self.most):
            raise BrokenRegister(f"{rule.value}: {item}")

    @classmethod
    def fallback(cls, question: str, most: int = MOST_REQUIREMENTS) -> Self:
        """Return the register of a question that nobody has taken apart: itself, active."""
        text = " ".join(question.split())
        return cls((Requirement("req_0", text, Status.ACTIVE),), most)

    @classmethod
    def initial(
        cls, entries: Sequence[Entry], most: int = MOST_REQUIREMENTS
    ) -> tuple[Self | None, tuple[Violation, ...]]:
        """Return the register that the model set up, and what was repaired; None when no item is left.

        Of several active items the first stays; with none, the first becomes it; what exceeds ``most`` is cut.
        """
        violations: list[Violation] = []
        items: list[Requirement] = []
        for entry in distinct(entries, violations):
            if made := new(entry, [item.id for item in items], violations):
                items.append(made)
        for item in items[most:]:
            violations.append(Violation(Rule.TOO_MANY, item.id, "dropped"))
        items = known_dependencies(items[:most], violations)
        active = [item for item in items if item.status is Status.ACTIVE]
        for item in active[1:]:
            items[items.index(item)] = replace(item, status=Status.PENDING)
            violations.append(Violation(Rule.SEVERAL_ACTIVE, item.id, "pending"))
        if items and not active:
            items[0] = replace(items[0], status=Status.ACTIVE)
            violations.append(Violation(Rule.NONE_ACTIVE, items[0].id, "active"))
        return (cls(tuple(items), most) if items else None), tuple(violations)

    @property
    def open(self) -> tuple[Requirement, ...]:
        """The items that are pending or active."""
        return tuple(item for item in self.items if item.status.open)

    @property
    def active(self) -> Requirement | None:
        """The item in work: there is one as long as something is open."""
        return next((item for item in self.items if item.status is Status.ACTIVE), None)

    def apply(
        self, entries: Sequence[Entry], retrieved: Mapping[str, str]
    ) -> tuple[Self, tuple[Change, ...], tuple[Violation, ...]]:
        """Return the register after an update, what changed, and what in the update broke a rule.

        ``retrieved`` leads from the names that the model knows passages by to the ids of those that were really
        returned or read. A change of status that no rule
        allows is left out while its notes are kept; an item that cannot be is dropped. An item that leaves the
        active place makes it free within the same update; who takes it is said by the update, else by ``select``.
        """
        violations: list[Violation] = []
        items = {item.id: item for item in self.items}
        wishes: list[str] = []
        for entry in distinct(entries, violations):
            if old := items.get(entry.id):
                items[old.id] = updated(old, entry, retrieved, violations)
                if entry.status == Status.ACTIVE and old.status is Status.PENDING:
                    wishes.append(old.id)
            elif made := new(entry, items, violations):
                if len(items) >= self.most:
                    violations.append(Violation(Rule.TOO_MANY, made.id, "dropped"))
                    continue
                items[made.id] = replace(made, status=Status.PENDING)
                if made.status is Status.ACTIVE:
                    wishes.append(made.id)
        after = known_dependencies(items.values(), violations)
        after = select(promoted(after, wishes, violations))
        before = {item.id: item for item in self.items}
        changes = [Change(before.get(item.id), item) for item in after if before.get(item.id) != item]
        return replace(self, items=tuple(after)), tuple(changes), tuple(violations)

    def render(self) -> str:
        """Return the register as a prompt shows it: one line an item."""
        return "\n".join(item.line() for item in self.items)

    def as_json(self) -> list[dict[str, Any]]:
        """Return the items as JSON values, for a trace."""
        return [item.as_json() for item in self.items]


def select(items: Sequence[Requirement]) -> list[Requirement]:
    """Return the items with a pending one made active where none is.

    The first whose ``depends_on`` are all closed, in the order of the register; where each waits for another, the
    first pending one.
    """
    chosen = list(items)
    pending = [item for item in items if item.status is Status.PENDING]
    if not pending or any(item.status is Status.ACTIVE for item in items):
        return chosen
    waiting = {item.id for item in pending}
    ready = (item for item in pending if not waiting.intersection(item.depends_on))
    first = next(ready, pending[0])
    chosen[chosen.index(first)] = replace(first, status=Status.ACTIVE)
    return chosen


def progress(register: Register, changes: Sequence[Change]) -> str:
    """Return the ``[Progress]`` message of an update: a line a change, then what is in work now."""
    lines = [change.line for change in changes] or ["no requirement changed"]
    active = register.active
    now = f"Active now: {active.id}: {active.text}" if active else "Nothing is open: answer the question."
    return "\n".join(["[Progress]", *lines, now])
