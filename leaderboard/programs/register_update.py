"""What one entry of an update does to one item: the transitions of spec § 4.5, each breach noted and repaired."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from leaderboard.programs.register_text import LONGEST_TEXT, Entry, bare
from leaderboard.programs.requirements import TRANSITIONS, Evidence, Requirement, Rule, Status, Violation


def updated(
    old: Requirement, entry: Entry, retrieved: Mapping[str, str], violations: list[Violation]
) -> Requirement:
    """Return an item after what the update says of it, but for its becoming active."""
    if entry.malformed:
        violations.append(Violation(Rule.MALFORMED, old.id, "dropped"))
        return old
    if entry.text and entry.text != old.text[:LONGEST_TEXT].rstrip():
        violations.append(Violation(Rule.OTHER_TEXT, old.id, "text kept"))
    evidence = _retrieved(old, entry, retrieved, violations)
    status = _status(old, entry, evidence, violations)
    if not old.status.open and status is old.status:
        return old
    depends = old.depends_on if entry.depends_on is None else entry.depends_on
    return replace(
        old,
        status=status,
        evidence_notes=entry.notes or old.evidence_notes,
        evidence=evidence,
        depends_on=depends,
    )


def _retrieved(
    old: Requirement, entry: Entry, retrieved: Mapping[str, str], violations: list[Violation]
) -> tuple[Evidence, ...]:
    """Return the item's evidence with what the update adds to it, each passage once."""
    evidence = {one.passage: one for one in old.evidence}
    for named in entry.evidence:
        name = named.passage if named.passage in retrieved else bare(named.passage)
        passage = retrieved.get(name)
        if passage is None:
            violations.append(Violation(Rule.NOT_RETRIEVED, old.id, "evidence dropped"))
        elif passage not in evidence or not evidence[passage].quote:
            evidence[passage] = Evidence(name, passage, named.quote)
    return tuple(evidence.values())


def _status(
    old: Requirement, entry: Entry, evidence: Sequence[Evidence], violations: list[Violation]
) -> Status:
    """Return the status that the item may take; active is given later, when it is known whether the place is free."""
    wanted = _known_status(entry, old.status, violations)
    if wanted is old.status or (old.status, wanted) == (Status.PENDING, Status.ACTIVE):
        return old.status
    broken = None
    if (old.status, wanted) not in TRANSITIONS:
        broken = Rule.REOPENED if wanted.open and not old.status.open else Rule.FORBIDDEN
    elif wanted is Status.ANSWERED and not evidence:
        broken = Rule.NO_EVIDENCE
    elif wanted is Status.RETIRED and not entry.notes:
        broken = Rule.NO_NOTE
    if broken is None:
        return wanted
    violations.append(Violation(broken, old.id, f"{old.status.value} kept"))
    return old.status


def _known_status(entry: Entry, otherwise: Status, violations: list[Violation]) -> Status:
    if entry.status is None:
        return otherwise
    try:
        return Status(entry.status)
    except ValueError:
        violations.append(Violation(Rule.UNKNOWN_STATUS, entry.id, f"{otherwise.value} kept"))
        return otherwise


def distinct(entries: Iterable[Entry], violations: list[Violation]) -> Iterator[Entry]:
    seen: set[str] = set()
    for entry in entries:
        if entry.id and entry.id in seen:
            violations.append(Violation(Rule.REPEATED_ID, entry.id, "dropped"))
            continue
        seen.add(entry.id)
        yield entry


def new(entry: Entry, taken: Collection[str], violations: list[Violation]) -> Requirement | None:
    """Return the item that an entry makes, pending or active, None where it makes none. Without an id it gets one."""
    if entry.malformed or not entry.text:
        rule = Rule.MALFORMED if entry.malformed else Rule.NO_TEXT
        violations.append(Violation(rule, entry.id, "dropped"))
        return None
    id = entry.id or next(f"req_{n}" for n in range(len(taken) + 1) if f"req_{n}" not in taken)
    status = _known_status(replace(entry, id=id), Status.PENDING, violations)
    if not status.open:
        violations.append(Violation(Rule.NEW_CLOSED, id, "pending"))
        status = Status.PENDING
    return Requirement(id, entry.text, status, entry.notes, depends_on=entry.depends_on or ())


def known_dependencies(items: Iterable[Requirement], violations: list[Violation]) -> list[Requirement]:
    """Return the items without dependencies on themselves and on what is not there."""
    given = list(items)
    ids = {item.id for item in given}
    kept = []
    for item in given:
        depends = tuple(dict.fromkeys(id for id in item.depends_on if id in ids and id != item.id))
        if set(depends) != set(item.depends_on):
            violations.append(Violation(Rule.UNKNOWN_DEPENDENCY, item.id, "dependency dropped"))
        kept.append(replace(item, depends_on=depends))
    return kept


def promoted(
    items: Sequence[Requirement], wishes: Sequence[str], violations: list[Violation]
) -> list[Requirement]:
    """Return the items with the first of the wishes active, if the place is free."""
    after = list(items)
    for place, item in enumerate(after):
        if item.id not in wishes or item.status is not Status.PENDING:
            continue
        if any(other.status is Status.ACTIVE for other in after):
            violations.append(Violation(Rule.SEVERAL_ACTIVE, item.id, "pending kept"))
        else:
            after[place] = replace(item, status=Status.ACTIVE)
    return after
