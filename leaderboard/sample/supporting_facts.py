"""The sample in the format that HotpotQA and 2WikiMultiHopQA share: ten paragraphs, and supporting sentences."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from leaderboard.sample.world import Fact, Paragraph, Question, SampleError, World, content_words

PARAGRAPHS_PER_QUESTION = 10
NEAR = 24
"""How many of the paragraphs that are nearest to a question can stand beside its gold."""
CHOOSING = ("comparison", "bridge_comparison")
"""Question types whose answer is yes, no or one of the things that the question names."""


@dataclass(frozen=True)
class Supported:
    """A question with the facts that answer it, in order, and its paragraphs, in the order shown."""

    question: Question
    facts: tuple[Fact, ...]
    shown: tuple[Paragraph, ...]

    @property
    def supporting_facts(self) -> list[list[Any]]:
        """``[title, index of the sentence]`` of each fact."""
        return [[fact.article, self._place(fact)] for fact in self.facts]

    def _place(self, fact: Fact) -> int:
        places = [
            place
            for paragraph in self.shown
            if paragraph.title == fact.article
            for place, sentence in enumerate(sentences(paragraph.text))
            if fact.sentence == sentence
        ]
        if len(places) != 1:
            raise SampleError(
                f"{len(places)} sentences of {fact.article!r} are {fact.sentence!r}, expected one"
            )
        return places[0]


def hotpotqa_rows(questions: list[Question], world: World) -> Iterator[dict[str, Any]]:
    """One item of the official array for each HotpotQA question; later sentences begin with their space."""
    for supported in _supported(questions, world):
        question = supported.question
        yield {
            "_id": question["id"],
            "type": question["type"],
            "level": "hard",
            "question": question["question"],
            "answer": question["answer"],
            "supporting_facts": supported.supporting_facts,
            "context": [
                [paragraph.title, [f" {text}" if place else text for place, text in enumerate(parts)]]
                for paragraph in supported.shown
                for parts in [sentences(paragraph.text)]
            ],
        }


def two_wiki_rows(questions: list[Question], world: World) -> Iterator[dict[str, Any]]:
    """One item of the official array for each 2WikiMultiHopQA question."""
    for supported in _supported(questions, world):
        question, facts = supported.question, supported.facts
        yield {
            "_id": question["id"],
            "type": question["type"],
            "question": question["question"],
            "context": [[paragraph.title, sentences(paragraph.text)] for paragraph in supported.shown],
            "entity_ids": "_".join(dict.fromkeys(entity_id(fact.article) for fact in facts)),
            "supporting_facts": supported.supporting_facts,
            "evidences": [[fact.subject, fact.relation, fact.value] for fact in facts],
            "answer": question["answer"],
            "answer_id": _answer_id(question["answer"]),
        }


def alias_rows(questions: list[Question]) -> Iterator[dict[str, Any]]:
    """One line of ``id_aliases.json`` for each question whose answer is an entity, also if it has no other name."""
    for question in questions:
        if identity := _answer_id(question["answer"]):
            yield {"Q_id": identity, "aliases": question["aliases"], "demonyms": question["demonyms"]}


def sentences(text: str) -> list[str]:
    """The sentences of a paragraph; joined with a space they are the paragraph again."""
    return re.split(r"(?<=[.!?]) ", text)


def entity_id(name: str) -> str:
    """An id that looks like Wikidata's, with a digit more than any that Wikidata has given out."""
    return f"Q{10**9 + int(sha256(name.encode()).hexdigest()[:7], 16)}"


def _answer_id(answer: str) -> str | None:
    """The id of an answer; yes, no and dates have none."""
    return None if answer in ("yes", "no") or answer[0].isdigit() else entity_id(answer)


def _supported(questions: list[Question], world: World) -> Iterator[Supported]:
    used: Counter[Paragraph] = Counter()
    for question in questions:
        facts = tuple(world.fact(subject, relation) for subject, relation in question["facts"])
        gold = list(dict.fromkeys(world.support(fact) for fact in facts))
        shown = gold + _distractors(question, facts, gold, world, used)
        used.update(shown)
        random.Random(question["id"]).shuffle(shown)
        yield Supported(question, facts, tuple(shown))


def _distractors(
    question: Question, facts: tuple[Fact, ...], gold: list[Paragraph], world: World, used: Counter[Paragraph]
) -> list[Paragraph]:
    """The nearest paragraphs that don't answer the question, of as many articles.

    Nearest are those that state a relation of the chain of something else, then those that state any relation
    that a gold paragraph states; among them, those that share most words with the question and the gold titles,
    then with the gold paragraphs. One half is the nearest of all, the other half those of the ``NEAR`` nearest
    that fewest questions have shown so far. No paragraph of a gold article is one, none that names both ends of
    a fact of the chain, none that names an answer which the question doesn't, and no table, since sentences are
    joined with spaces. Raises SampleError where too few are left.
    """
    count = PARAGRAPHS_PER_QUESTION - len(gold)
    chain = frozenset(fact.relation for fact in facts)
    stated = _union(world.relations[paragraph] for paragraph in gold)
    asked = content_words(" ".join([question["question"], *(paragraph.title for paragraph in gold)]))
    told = _union(world.words[paragraph] for paragraph in gold)

    def distance(paragraph: Paragraph) -> tuple[bool, bool, int, int]:
        relations, words = world.relations[paragraph], world.words[paragraph]
        return not relations & chain, not relations & stated, -len(asked & words), -len(told & words)

    titles = {paragraph.title for paragraph in gold}
    secret = [] if question["type"] in CHOOSING else [question["answer"], *question["aliases"]]
    pool = [
        paragraph
        for paragraph in world.paragraphs
        if paragraph.title not in titles
        and "\n" not in paragraph.text
        and not any(_says(paragraph, name) for name in secret)
        and not any(_says(paragraph, fact.subject) and _says(paragraph, fact.value) for fact in facts)
    ]
    pool.sort(key=distance)
    nearest = _first_of_titles(pool, count // 2, frozenset())
    near = sorted(pool[:NEAR], key=lambda paragraph: used[paragraph])  # a stable sort keeps the order above
    taken = frozenset(paragraph.title for paragraph in nearest)
    chosen = nearest + _first_of_titles(near, count - len(nearest), taken)
    if len(chosen) != count:
        raise SampleError(f"{question['id']}: {len(chosen)} paragraphs are near, expected {count}")
    return chosen


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*sets)


def _first_of_titles(pool: list[Paragraph], count: int, taken: frozenset[str]) -> list[Paragraph]:
    """The first paragraphs of a pool, one of each title that isn't taken."""
    found: dict[str, Paragraph] = {}
    for paragraph in pool:
        if len(found) < count and paragraph.title not in taken:
            found.setdefault(paragraph.title, paragraph)
    return list(found.values())


def _says(paragraph: Paragraph, name: str) -> bool:
    text = f"{paragraph.title} {paragraph.text}"
    return re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE) is not None
