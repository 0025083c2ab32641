"""The skills of Skill-RAG (surrogate prober): what the model is asked for each, and how its output is read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

import dspy

from leaderboard.catalog.skill_rag import SKILLS

FALLBACK = SKILLS[0]
"""The skill of a router's output that names none: it needs nothing of the failed round but the question."""

_NAMED = re.compile(r"(rewrit)|(decompos)|(focus)|(\bexit\b)", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
_AROUND = " \t\n.`'\"*"


class RouteSkill(dspy.Signature):  # type: ignore[misc]
    """The failed answer is wrong. Look why, and choose the one skill that helps. Give its name only.
    query_rewriting: the evidence is about other things, so the search needs better key words.
    question_decomposition: the question joins several facts, and the evidence lacks one of them.
    evidence_focusing: the evidence holds the answer, and the failed answer missed it.
    exit: no search can find the answer."""

    question: str = dspy.InputField()
    evidence: str = dspy.InputField(desc="numbered passages")
    failed_answer: str = dspy.InputField()
    skill: str = dspy.OutputField(desc="query_rewriting, question_decomposition, evidence_focusing or exit")


class RewriteQuery(dspy.Signature):  # type: ignore[misc]
    """The evidence does not hold the answer. Write one new search query for the fact that is missing: two to six key words, such as a name and what is asked about it, never the question itself. Use the names that the evidence revealed."""

    question: str = dspy.InputField()
    evidence: str = dspy.InputField(desc="numbered passages")
    failed_answer: str = dspy.InputField()
    query: str = dspy.OutputField(desc="key words, a single line")


class DecomposeQuestion(dspy.Signature):  # type: ignore[misc]
    """Replaced by the instructions with the number of sub-questions."""

    question: str = dspy.InputField()
    sub_questions: str = dspy.OutputField(desc="one a line")


class FocusEvidence(dspy.Signature):  # type: ignore[misc]
    """Choose the sentences that help to answer the question, at most four. Give their numbers and nothing else, such as: 2, 5"""

    question: str = dspy.InputField()
    sentences: str = dspy.InputField(desc="numbered sentences, below the title of their passage")
    numbers: str = dspy.OutputField(desc="numbers of sentences")


_DECOMPOSE = (
    "Break the question into two to {most} simple questions, one a line. Each asks for one fact and can be searched by "
    "itself. The first asks for what the others need."
)


def decompose_question(most: int) -> Any:
    """Return the signature that asks for at most so many sub-questions."""
    return DecomposeQuestion.with_instructions(_DECOMPOSE.format(most=most))


class Chosen(NamedTuple):
    """A skill, and whether the router said its name and nothing else."""

    skill: str
    exact: bool


def chosen_skill(said: str) -> Chosen:
    """Return the skill that the router's output names first, ``query_rewriting`` where it names none.

    A name may be cut or changed ("rewrite the query"), but then it is not exact.
    """
    named = _NAMED.search(said)
    skill = SKILLS[(named.lastindex or 1) - 1] if named else FALLBACK
    return Chosen(skill, said.strip(_AROUND).casefold() == skill)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the evidence; ``passage`` is the place of its passage, whose title it stands below."""

    passage: int
    title: str
    text: str


def numbered(sentences: Sequence[Sentence]) -> str:
    """Return the sentences numbered from 1, each passage's below its title."""
    lines: list[str] = []
    for number, sentence in enumerate(sentences, start=1):
        if number == 1 or sentence.passage != sentences[number - 2].passage:
            lines.append(sentence.title)
        lines.append(f"{number}. {sentence.text}")
    return "\n".join(lines)


def chosen_sentences(said: str, sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return the sentences whose numbers stand in the output, in the order of the evidence; other numbers are passed over."""
    named = {int(number) for number in _NUMBER.findall(said) if len(number) <= 4}
    return [sentence for number, sentence in enumerate(sentences, start=1) if number in named]


def context(sentences: Sequence[Sentence]) -> str:
    """Return sentences as passages stand before the model: numbered, each passage's sentences below its title."""
    passages = [list(group) for _, group in groupby(sentences, key=lambda sentence: sentence.passage)]
    return "\n\n".join(
        f"[{place}] {group[0].title}\n" + " ".join(sentence.text for sentence in group)
        for place, group in enumerate(passages, start=1)
    )
