"""The invented world that the sample's native files are made from: paragraphs, facts and questions."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

Question = dict[str, Any]  # an entry of questions.json; its fields are in encyclopedia/README.md


class SampleError(Exception):
    """A question that the facts or the articles do not support."""


@dataclass(frozen=True)
class Paragraph:
    title: str
    text: str

    @property
    def words(self) -> frozenset[str]:
        return content_words(f"{self.title} {self.text}")


@dataclass(frozen=True)
class Fact:
    subject: str
    relation: str
    value: str
    article: str
    sentence: str


def content_words(text: str) -> frozenset[str]:
    """The words of four letters or more, in lower case; shorter ones tell little about a subject."""
    return frozenset(re.findall(r"\w{4,}", text.lower()))


def read_paragraphs(path: Path) -> list[Paragraph]:
    articles = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [Paragraph(a["title"], text) for a in articles for text in a["text"].split("\n\n")]


def read_facts(path: Path) -> list[Fact]:
    with path.open(encoding="utf-8", newline="") as file:
        return [Fact(**row) for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


class World:
    """Paragraphs, facts, and the paragraph in which each fact stands."""

    def __init__(self, paragraphs: list[Paragraph], facts: list[Fact]) -> None:
        self.paragraphs = paragraphs
        self.facts = facts
        self.words = {paragraph: paragraph.words for paragraph in paragraphs}

    @cached_property
    def relations(self) -> dict[Paragraph, frozenset[str]]:
        """The relations of the facts that each paragraph states."""
        found: dict[Paragraph, set[str]] = {paragraph: set() for paragraph in self.paragraphs}
        for fact in self.facts:
            found[self.support(fact)].add(fact.relation)
        return {paragraph: frozenset(relations) for paragraph, relations in found.items()}

    def support(self, fact: Fact) -> Paragraph:
        """Return the paragraph that holds the fact's sentence. Raises SampleError where none does."""
        for paragraph in self.paragraphs:
            if paragraph.title == fact.article and fact.sentence in paragraph.text:
                return paragraph
        raise SampleError(f"no paragraph of {fact.article!r} holds {fact.sentence!r}")

    def fact(self, subject: str, relation: str) -> Fact:
        """Return the fact that gives a subject's value for a relation. Raises SampleError where none does."""
        for fact in self.facts:
            if (fact.subject, fact.relation) == (subject, relation):
                return fact
        raise SampleError(f"no fact for {subject!r}, {relation!r}")
