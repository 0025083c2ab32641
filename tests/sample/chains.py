"""An interpreter of the sample's chains of steps, as the two README files describe them.

A chain leads from the facts to an answer. It is run here for nothing else than to hold the answers to the facts.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

ABSENT = "Insufficient information."


class BrokenChain(Exception):
    """A step that the facts do not support."""


@dataclass(frozen=True)
class Fact:
    """A line of ``facts.tsv``; ``sentence`` stands in ``article`` word for word."""

    subject: str
    relation: str
    value: str
    article: str
    sentence: str


@dataclass(frozen=True)
class Done:
    """A step that was taken: its result, the facts it read, and the steps (from 1) whose results it took."""

    result: str
    facts: tuple[Fact, ...]
    needs: tuple[int, ...]


def read_facts(path: Path) -> tuple[Fact, ...]:
    with path.open(encoding="utf-8", newline="") as file:
        return tuple(Fact(**row) for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def run_chain(steps: Sequence[Mapping[str, Any]], facts: Iterable[Fact]) -> list[Done]:
    """Return every step's result; the last one is the answer. Raises ``BrokenChain``."""
    known = tuple(facts)
    done: list[Done] = []
    for step in steps:
        op, raw = step["op"], step["args"]
        needs = tuple(sorted({int(k) for argument in raw for k in re.findall(r"#(\d+)", argument)}))
        if any(k > len(done) for k in needs):
            raise BrokenChain(f"step {len(done) + 1} takes the result of a later step: {raw}")
        args = [re.sub(r"#(\d+)", lambda k: done[int(k[1]) - 1].result, argument) for argument in raw]
        if op in _TEXT_STEPS:
            done.append(Done(_TEXT_STEPS[op](*args), (), needs))
        else:
            result, used = _FACT_STEPS[op](known, *args)
            done.append(Done(result, used, needs))
    return done


def number(text: str) -> Decimal:
    """Return the first number of a text: ``4,200 crowns`` is 4200."""
    found = re.search(r"\d[\d,]*(?:\.\d+)?", text)
    if not found:
        raise BrokenChain(f"no number in {text!r}")
    return Decimal(found[0].replace(",", ""))


def unit(text: str) -> str:
    """Return what follows the first number of a text."""
    return re.sub(r"^.*?\d[\d,]*(?:\.\d+)?", "", text).strip()


def _only(found: Sequence[Fact], what: str) -> Fact:
    if len(found) != 1:
        raise BrokenChain(f"{len(found)} facts for {what}, expected one")
    return found[0]


def _fact(facts: Sequence[Fact], subject: str, relation: str) -> Fact:
    found = [fact for fact in facts if (fact.subject, fact.relation) == (subject, relation)]
    return _only(found, f"{subject} | {relation}")


def _lookup(facts: Sequence[Fact], subject: str, relation: str) -> tuple[str, tuple[Fact, ...]]:
    fact = _fact(facts, subject, relation)
    return fact.value, (fact,)


def _subject_of(facts: Sequence[Fact], relation: str, value: str) -> tuple[str, tuple[Fact, ...]]:
    fact = _only([f for f in facts if (f.relation, f.value) == (relation, value)], f"{relation} = {value}")
    return fact.subject, (fact,)


def _absent(facts: Sequence[Fact], subject: str, relation: str) -> tuple[str, tuple[Fact, ...]]:
    if any((fact.subject, fact.relation) == (subject, relation) for fact in facts):
        raise BrokenChain(f"{subject} | {relation} has a value")
    return ABSENT, ()


def _extreme(sign: int) -> Callable[..., tuple[str, tuple[Fact, ...]]]:
    def step(facts: Sequence[Fact], relation: str, *subjects: str) -> tuple[str, tuple[Fact, ...]]:
        used = tuple(_fact(facts, subject, relation) for subject in subjects)
        best = max(sign * number(fact.value) for fact in used)
        return _only(
            [f for f in used if sign * number(f.value) == best], f"the extreme {relation}"
        ).subject, used

    return step


def _earliest(facts: Sequence[Fact], relation: str, *subjects: str) -> tuple[str, tuple[Fact, ...]]:
    used = tuple(_fact(facts, subject, relation) for subject in subjects)
    first = min(_date(fact.value) for fact in used)
    return _only([f for f in used if _date(f.value) == first], f"the earliest {relation}").subject, used


def _yes(truth: bool) -> str:
    return "Yes" if truth else "no"


def _truth(text: str) -> bool:
    if text not in ("Yes", "no"):
        raise BrokenChain(f"expected Yes or no, found {text!r}")
    return text == "Yes"


def _agree(a: str, b: str) -> str:
    if a != b:
        raise BrokenChain(f"two clues that should meet in one entity: {a!r}, {b!r}")
    return a


def _greater(a: str, b: str) -> str:
    if unit(a) != unit(b):
        raise BrokenChain(f"numbers of different things: {a!r}, {b!r}")
    return _yes(number(a) > number(b))


def _date(text: str) -> datetime:
    return datetime.strptime(text, "%d %B %Y")


_FACT_STEPS: Mapping[str, Callable[..., tuple[str, tuple[Fact, ...]]]] = {
    "lookup": _lookup,
    "subject_of": _subject_of,
    "absent": _absent,
    "argmax": _extreme(1),
    "argmin": _extreme(-1),
    "earliest": _earliest,
}
_TEXT_STEPS: Mapping[str, Callable[..., str]] = {
    "sum": lambda *numbers: str(sum(map(number, numbers))),
    "difference": lambda a, b: str(abs(number(a) - number(b))),
    "concat": lambda separator, *parts: separator.join(parts),
    "initials": lambda text: "".join(word[0].upper() for word in text.split()),
    "first_letter": lambda text: text[0].upper(),
    "last_word": lambda text: text.split()[-1],
    "upper": str.upper,
    "lower": str.lower,
    "reverse": lambda text: text[::-1],
    "letters": lambda text: str(sum(letter.isalpha() for letter in text)),
    "consonants": lambda text: "".join(c for c in text.lower() if c.isalpha() and c not in "aeiou"),
    "last_digits": lambda n, digits: digits[-int(n) :],
    "same": lambda a, b: _yes(a == b),
    "before": lambda a, b: _yes(_date(a) < _date(b)),
    "greater": _greater,
    "agree": _agree,
    "both": lambda a, b: _yes(_truth(a) and _truth(b)),
    "negate": lambda a: _yes(not _truth(a)),
}
