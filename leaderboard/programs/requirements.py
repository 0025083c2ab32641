"""A requirement, its states, and the rules that the items of a register keep together (spec § 4.5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """Where a requirement stands. Pending and active are open; answered and retired are closed."""

    PENDING = "pending"
    ACTIVE = "active"
    ANSWERED = "answered"
    RETIRED = "retired"

    @property
    def open(self) -> bool:
        """Whether something is still to be found."""
        return self in (Status.PENDING, Status.ACTIVE)


TRANSITIONS = frozenset(
    {
        (Status.PENDING, Status.ACTIVE),
        (Status.ACTIVE, Status.ANSWERED),
        (Status.PENDING, Status.ANSWERED),
        (Status.ACTIVE, Status.RETIRED),
        (Status.PENDING, Status.RETIRED),
        (Status.ANSWERED, Status.RETIRED),
    }
)
"""The table of spec § 4.5; every other change of status is forbidden. Pending → active only while none is active."""


class Rule(StrEnum):
    """A rule of the register, named by what broke it."""

    REPEATED_ID = "repeated id"
    MALFORMED = "malformed item"
    NO_TEXT = "new item without text"
    OTHER_TEXT = "text of an item changed"
    NEW_CLOSED = "new item not open"
    UNKNOWN_STATUS = "unknown status"
    SEVERAL_ACTIVE = "several active"
    NONE_ACTIVE = "none active"
    TOO_MANY = "too many items"
    REOPENED = "closed item reopened"
    FORBIDDEN = "forbidden transition"
    NO_EVIDENCE = "answered without a retrieved passage"
    NOT_RETRIEVED = "evidence that was not retrieved"
    NO_NOTE = "retired without a note"
    UNKNOWN_DEPENDENCY = "depends on no item"


class BrokenRegister(ValueError):
    """Items that no register may have. The text names the rule and the item."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage that was retrieved: the name that the model knows it by, its id, the words taken from it ("" without)."""

    name: str
    passage: str
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Requirement:
    """One thing that the question needs to know. ``depends_on`` holds ids of items that should be closed before."""

    id: str
    text: str
    status: Status
    evidence_notes: str = ""
    evidence: tuple[Evidence, ...] = ()
    depends_on: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the item as JSON values, for a trace."""
        return {
            "id": self.id,
            "text": self.text,
            "status": self.status.value,
            "evidence_notes": self.evidence_notes,
            "evidence": [{"passage": one.passage, "quote": one.quote} for one in self.evidence],
            "depends_on": list(self.depends_on),
        }

    def line(self) -> str:
        """Return the item on one line of a prompt."""
        notes = f" | notes: {self.evidence_notes}" if self.evidence_notes else ""
        passages = f" | evidence: {listed(self.evidence)}" if self.evidence else ""
        return f"{self.id} ({self.status.value}): {self.text}{notes}{passages}"


@dataclass(frozen=True, slots=True)
class Violation:
    """What a model said that a rule forbids, and what was done instead. ``item`` is "" where none is meant."""

    rule: Rule
    item: str
    repair: str

    def as_json(self) -> dict[str, str]:
        """Return the violation as JSON values, for a trace."""
        return {"rule": self.rule.value, "item": self.item, "repair": self.repair}


@dataclass(frozen=True, slots=True)
class Change:
    """A requirement before (None: it is new) and after an update."""

    before: Requirement | None
    after: Requirement

    @property
    def line(self) -> str:
        """The change on one line, as a ``[Progress]`` message lists it."""
        new, old = self.after, self.before
        if old is None:
            return f"{new.id} new, {new.status.value}: {new.text}"
        status = f"{old.status.value} -> {new.status.value}" if old.status != new.status else new.status.value
        told = f": {new.evidence_notes}" if new.evidence_notes != old.evidence_notes else f": {new.text}"
        passages = f" (evidence: {listed(new.evidence)})" if new.evidence != old.evidence else ""
        return f"{new.id} {status}{told}{passages}"

    def as_json(self) -> dict[str, str | None]:
        """Return the change of status as JSON values, for a trace."""
        before = self.before.status.value if self.before else None
        return {"item": self.after.id, "from": before, "to": self.after.status.value}


def broken(items: Sequence[Requirement], most: int) -> Iterator[tuple[Rule, str]]:
    """Yield the invariants that the items break, each with the item it is about."""
    seen: set[str] = set()
    active = [item.id for item in items if item.status is Status.ACTIVE]
    if len(items) > most:
        yield Rule.TOO_MANY, f"{len(items)} of at most {most}"
    if len(active) > 1:
        yield Rule.SEVERAL_ACTIVE, ", ".join(active)
    if not active and any(item.status.open for item in items):
        yield Rule.NONE_ACTIVE, ", ".join(item.id for item in items if item.status.open)
    for item in items:
        if item.id in seen:
            yield Rule.REPEATED_ID, item.id
        seen.add(item.id)
        if not item.text:
            yield Rule.NO_TEXT, item.id
        if item.status is Status.ANSWERED and not item.evidence:
            yield Rule.NO_EVIDENCE, item.id
        if item.status is Status.RETIRED and not item.evidence_notes:
            yield Rule.NO_NOTE, item.id


def listed(evidence: Sequence[Evidence]) -> str:
    """Return the passages as a prompt names them."""
    return ", ".join(one.name for one in evidence)
