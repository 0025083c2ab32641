"""What the model is told about requirements, and the signatures of the calls that set them up and update them."""

from __future__ import annotations

from collections.abc import Sequence

import dspy

from leaderboard.programs.register import Register
from leaderboard.programs.requirements import Requirement

_INITIALISE = """List the facts that have to be found to answer the question, at most {most}: each leads to the next, and the last is what the question asks for. Use the names that the evidence gives. What it already tells is no fact to find: it goes into the summary, in a few words. Write one JSON object and nothing else. The status of the fact to find first is "active", of the others "pending".

Example: How old was the architect of the Marlow lighthouse when it was lit first?
{{"evidence_summary": "lit first in 1850", "requirement_register": {{"req_0": {{"text": "who was the architect of the Marlow lighthouse", "status": "active"}}, "req_1": {{"text": "when was that architect born", "status": "pending"}}}}}}"""

_UPDATE = """Say what the new evidence changes in the requirements. Write one JSON object with the changed ones and nothing else, {} when it changes none.
"answered": the evidence states the fact. Give it in evidence_notes, and the chunk's number in evidence.
"retired": the evidence shows that the requirement rests on a mistake. Say in evidence_notes what is true instead.
A requirement that turns out to be missing gets a new id, a text and the status "pending".
Never reopen one that is answered or retired.

Example: {"req_0": {"status": "answered", "evidence_notes": "Ada Fenn", "evidence": [31]}, "req_1": {"status": "active", "evidence_notes": "born in 1810 or 1811"}}"""

CLOSING = """Answer the question from what the steps brought, with a name, a number, a date, yes or no. No tool can be called any more. If no requirement is open, give the answer only. If one is open, give the best answer that the facts allow, then a comma and in a few words what is uncertain. If nothing fits, answer: Insufficient information."""

ACTING = """The steps begin with the requirements of the question; serve the active one. After a search comes read_chunk with the number of a chunk that may tell it; after reading, a search for the new name. Repeat no call. Call answer("...") only when no requirement is open."""

AGAIN = "The output before this one was no JSON object of that form. Write the JSON object alone."

_INJECTED = """Requirements of the question; the next call serves the active one:
{register}
Keep what was found and repeat no call. [Progress] messages tell what has changed."""

_REMINDER = (
    "An answer was given while this is open: {open}. Search for it. If it cannot be found, answer again."
)


class SetUpRequirements(dspy.Signature):  # type: ignore[misc]
    """Replaced by the instructions of the program."""

    question: str = dspy.InputField()
    evidence: str = dspy.InputField(desc="what a first search brought")
    requirements: str = dspy.OutputField(desc="a JSON object")


class UpdateRequirements(dspy.Signature):  # type: ignore[misc]
    """Replaced by the instructions of the program."""

    question: str = dspy.InputField()
    requirements: str = dspy.InputField(desc="their ids, states and texts")
    new_evidence: str = dspy.InputField(desc="numbered chunks that were just read")
    changes: str = dspy.OutputField(desc="a JSON object")


def initialiser(most: int) -> dspy.Predict:
    """Return the call that takes a question apart into at most ``most`` requirements."""
    return dspy.Predict(SetUpRequirements.with_instructions(_INITIALISE.format(most=most)))


def updater() -> dspy.Predict:
    """Return the call that says what new evidence changes."""
    return dspy.Predict(UpdateRequirements.with_instructions(_UPDATE))


def injected(register: Register, summary: str) -> str:
    """Return the requirements as they stand before the first step, once (spec § 4.5, S2)."""
    known = f"Known: {summary}\n" if summary else ""
    return known + _INJECTED.format(register=register.render())


def reminder(open: Sequence[Requirement]) -> str:
    """Return what the model is told that answers while something is open."""
    return _REMINDER.format(open="; ".join(f"{item.id}: {item.text}" for item in open))
