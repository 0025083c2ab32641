"""How often each skill was picked, and what became of the answers it was picked for: counted by hand."""

from __future__ import annotations

from dataclasses import replace

from leaderboard.results.records import Outcome
from leaderboard.scoring.recovery import SkillCounts, skill_counts
from tests import tiny
from tests.results.examples import RECORD

QUESTIONS = {question.id: question for question in tiny.QUESTIONS}


def record(question, ended, *rounds, outcome=Outcome.ANSWERED):
    """A record whose rounds are (answer at the gate, skill picked for it)."""
    trace = []
    for answer, skill in rounds:
        trace += [{"step": "gate", "answer": answer}, {"step": "route", "skill": skill}, {"step": "search"}]
    return replace(RECORD, question=question, raw_answer=ended, outcome=outcome, trace=tuple(trace))


def test_each_choice_counts_with_the_answer_before_it_and_the_questions_end():
    records = [
        record("q1", "Ada", ("Bo", "query_rewriting")),  # recovered
        record("q1", "Ada", ("Bo", "query_rewriting"), ("Cleo", "evidence_focusing")),  # both did
        record("q1", "Bo", ("Ada", "query_rewriting")),  # lost
        record("q4", "Marsh", ("Cleo Marsh", "exit")),  # an alias
        record("q4", "", ("", "exit"), outcome=Outcome.UNPARSED),
        record("q4", "Bo"),
    ]
    counts = skill_counts(records, QUESTIONS)
    assert counts == {
        "evidence_focusing": SkillCounts(chosen=1, wrong_before=1, recovered=1, right_after=1),
        "exit": SkillCounts(chosen=2, wrong_before=1, recovered=0, right_after=1),
        "query_rewriting": SkillCounts(chosen=3, wrong_before=2, recovered=2, right_after=2),
    }
    assert [count.recovery_rate for count in counts.values()] == [1, 0, 1]
    assert SkillCounts(chosen=1).recovery_rate is None


def test_what_is_not_the_systems_doing_does_not_count():
    assert skill_counts([record("q1", "", ("Bo", "exit"), outcome=Outcome.FAILED)], QUESTIONS) == {}
    assert skill_counts([record("q1", "Ada")], QUESTIONS) == {}


def test_an_abstention_is_right_for_a_question_that_cannot_be_answered():
    counts = skill_counts([record("q3", "Insufficient information.", ("Ada", "exit"))], QUESTIONS)
    assert counts == {"exit": SkillCounts(chosen=1, wrong_before=1, recovered=1, right_after=1)}
