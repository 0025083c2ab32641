"""The three case studies of seed 2 (its Tables 16 to 18) at the level of the register: the states after each step."""

from __future__ import annotations

from leaderboard.programs.register import Register, progress
from leaderboard.programs.register_text import read_register
from leaderboard.programs.requirements import Evidence
from tests.programs.registers import rules, states

PASSAGES = {
    "127": "douglass#0-64",
    "17": "song#90-160",
    "18": "song#0-90",
    "30": "feast",
    "630": "austin",
    "123": "johnson",
}


def retrieved(*names: str) -> dict[str, str]:
    """Return the passages of these names as what the question's searches brought."""
    return {name: PASSAGES[name] for name in names}


def opened(text: str) -> Register:
    """Return the register that a model's first text sets up, which needs no repair."""
    register, violations = Register.initial(read_register(text).entries)
    assert violations == ()
    return register


def updated(register: Register, text: str, passages: dict[str, str]) -> tuple[Register, list[str]]:
    """Return the register after a model's update, which breaks no rule, and the lines of its changes."""
    after, changes, violations = register.apply(read_register(text).entries, passages)
    assert violations == ()
    return after, [change.line for change in changes]


def test_case_1_the_seed_names_the_publisher_and_the_wife_follows():
    register = opened(
        """{"evidence_summary": "Frederick Douglass published The North Star.", "requirement_register": {
        "req_0": {"text": "identify the relevant marriage of Frederick Douglass", "status": "active", "evidence_notes": ""},
        "req_1": {"text": "identify Frederick Douglass's wife", "status": "pending", "evidence_notes": ""}}}"""
    )
    assert states(register) == {"req_0": "active", "req_1": "pending"}

    # One passage tells of the spouse: the relation stays in work, the name is found.
    said = """{"req_0": {"status": "active", "evidence_notes": "married in 1838"},
        "req_1": {"status": "answered", "evidence_notes": "Anna Murray", "evidence": ["127"]}}"""
    register, changes = updated(register, said, retrieved("127"))
    assert states(register) == {"req_0": "active", "req_1": "answered"}
    assert changes == [
        "req_0 active: married in 1838",
        "req_1 pending -> answered: Anna Murray (evidence: 127)",
    ]

    register, _ = updated(
        register, '{"req_0": {"status": "answered", "evidence": ["127"]}}', retrieved("127")
    )
    assert states(register) == {"req_0": "answered", "req_1": "answered"}
    assert register.open == ()


CHAIN = """Here is the register.
```json
{"evidence_summary": "Vilaiyaadu Mankatha is a song.", "requirement_register": {
 "req_2": {"text": "identify the company larger than Sony Music", "status": "pending", "evidence_notes": ""},
 "req_1": {"text": "identify the headquarters city of that company", "status": "pending", "depends_on": ["req_2"]},
 "req_0": {"text": "identify the feast day of that city", "status": "active", "depends_on": ["req_1"]},
}}
```"""


def test_case_2_one_passage_answers_two_items_of_a_chain_whose_end_is_active():
    register = opened(CHAIN)
    assert states(register) == {"req_2": "pending", "req_1": "pending", "req_0": "active"}

    said = """{"req_2": {"status": "answered", "evidence_notes": "Universal Music Group", "evidence": [18]},
        "req_1": {"status": "answered", "evidence_notes": "Santa Monica", "evidence": [{"chunk_id": 18, "quote": "in Santa Monica"}]}}"""
    register, changes = updated(register, said, retrieved("17", "18"))
    assert states(register) == {"req_2": "answered", "req_1": "answered", "req_0": "active"}
    assert register.items[1].evidence == (Evidence("18", "song#0-90", "in Santa Monica"),)
    assert changes == [
        "req_2 pending -> answered: Universal Music Group (evidence: 18)",
        "req_1 pending -> answered: Santa Monica (evidence: 18)",
    ]

    said = '{"req_0": {"status": "answered", "evidence_notes": "4 May", "evidence": ["30"]}}'
    register, _ = updated(register, said, retrieved("17", "18", "30"))
    assert states(register) == {"req_2": "answered", "req_1": "answered", "req_0": "answered"}


def test_case_2_by_the_dependencies_when_the_end_of_the_chain_closes_first():
    register, _ = updated(
        opened(CHAIN),
        '{"req_0": {"status": "retired", "evidence_notes": "the day is of a saint, not of a city"}}',
        {},
    )
    assert states(register) == {"req_2": "active", "req_1": "pending", "req_0": "retired"}


def test_case_3_evidence_contradicts_the_premise_and_the_item_is_retired():
    register = opened(
        """{"requirement_register": {"req_0":
        {"text": "determine when Houston became the capital of Texas", "status": "active", "evidence_notes": ""}}}"""
    )
    said = """{"req_0": {"status": "retired", "evidence_notes": "Houston is not the capital of Texas; Austin is.",
        "evidence": ["630"]}, "req_1": {"text": "determine when Austin became the capital", "status": "active"}}"""
    register, changes = updated(register, said, retrieved("630", "123"))
    assert states(register) == {"req_0": "retired", "req_1": "active"}
    assert changes == [
        "req_0 active -> retired: Houston is not the capital of Texas; Austin is. (evidence: 630)",
        "req_1 new, active: determine when Austin became the capital",
    ]

    # What was retired stays so, whatever a later update says.
    again, changes, violations = register.apply(
        read_register('{"req_0": {"status": "active"}}').entries, retrieved("630")
    )
    assert (states(again), changes) == (states(register), ())
    assert rules(violations) == [("closed item reopened", "req_0")]

    said = '{"req_1": {"status": "answered", "evidence_notes": "1839", "evidence": ["630"]}}'
    register, changes = updated(register, said, retrieved("630", "123"))
    assert states(register) == {"req_0": "retired", "req_1": "answered"}
    assert progress(register, ()) == (
        "[Progress]\nno requirement changed\nNothing is open: answer the question."
    )
