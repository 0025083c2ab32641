"""Write the sample encyclopedia in the native formats of FRAMES and MuSiQue.

Reads ``encyclopedia/articles.jsonl``, ``facts.tsv`` and ``questions.json``; writes

* ``frames/test.tsv``: the columns of the official file,
* ``musique/musique_ans_v1.0_dev.jsonl`` and ``..._train.jsonl``: one question a line, with
  twenty paragraphs, of which one supports each hop.

The output depends on the three files alone: every shuffle is seeded with the question's id.

    python -m leaderboard.sample.assemble
"""

from __future__ import annotations

import csv
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SAMPLE = Path(__file__).parent
PARAGRAPHS_PER_QUESTION = 20
LINK_COLUMNS = [*(f"wikipedia_link_{n}" for n in range(1, 11)), "wikipedia_link_11+"]
FRAMES_COLUMNS = ["", "Prompt", "Answer", *LINK_COLUMNS, "reasoning_types", "wiki_links"]

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


class Encyclopedia:
    """The paragraphs, and the paragraph in which each fact stands."""

    def __init__(self, paragraphs: list[Paragraph], facts: list[Fact]) -> None:
        self.paragraphs = paragraphs
        self.facts = facts
        self._words = {paragraph: paragraph.words for paragraph in paragraphs}

    def support(self, fact: Fact) -> Paragraph:
        """The one paragraph that holds the fact's sentence."""
        for paragraph in self.paragraphs:
            if paragraph.title == fact.article and fact.sentence in paragraph.text:
                return paragraph
        raise SampleError(f"no paragraph of {fact.article!r} holds {fact.sentence!r}")

    def hops(self, question: Question) -> list[Fact]:
        """The fact that each step of a MuSiQue question looks up, in the order of its steps.

        ``#k`` in an argument stands for the answer of step k.
        """
        answers = [hop["answer"] for hop in question["decomposition"]]
        found = []
        for step in question["steps"]:
            first, second = (
                re.sub(r"#(\d+)", lambda m: str(answers[int(m[1]) - 1]), arg) for arg in step["args"]
            )
            for fact in self.facts:
                reverse = step["op"] == "subject_of"
                key = (fact.relation, fact.value) if reverse else (fact.subject, fact.relation)
                if key == (first, second):
                    found.append(fact)
                    break
            else:
                raise SampleError(f"{question['id']}: no fact for {step['op']}({first}, {second})")
        return found

    def distractors(
        self, question: str, gold: list[Paragraph], count: int, used: Counter[Paragraph]
    ) -> list[Paragraph]:
        """The paragraphs that share most words with the question, and are not gold.

        One half is the most confusable of all, the other half the most confusable of those that
        fewest questions have shown so far: so a file of questions covers the encyclopedia.
        """
        words = content_words(question)
        pool = [paragraph for paragraph in self.paragraphs if paragraph not in gold]
        pool.sort(key=lambda paragraph: -len(words & self._words[paragraph]))
        confusable, rest = pool[: count // 2], pool[count // 2 :]
        rest.sort(key=lambda paragraph: used[paragraph])  # a stable sort keeps the order above
        return confusable + rest[: count - len(confusable)]


def frames_rows(questions: list[Question]) -> Iterator[dict[str, str]]:
    """One row of the official table for each FRAMES question."""
    for question in questions:
        links = question["links"]
        yield {
            "": question["id"],
            "Prompt": question["question"],
            "Answer": question["answer"],
            **dict(zip(LINK_COLUMNS, links, strict=False)),
            "reasoning_types": " | ".join(question["reasoning_types"]),
            "wiki_links": repr(links),
        }


def musique_rows(questions: list[Question], encyclopedia: Encyclopedia) -> Iterator[dict[str, Any]]:
    """One line of the official file for each MuSiQue question."""
    used: Counter[Paragraph] = Counter()
    for question in questions:
        gold = [encyclopedia.support(fact) for fact in encyclopedia.hops(question)]
        count = PARAGRAPHS_PER_QUESTION - len(gold)
        shown = gold + encyclopedia.distractors(question["question"], gold, count, used)
        used.update(shown)
        random.Random(question["id"]).shuffle(shown)
        yield {
            "id": question["id"],
            "paragraphs": [
                {
                    "idx": idx,
                    "title": paragraph.title,
                    "paragraph_text": paragraph.text,
                    "is_supporting": paragraph in gold,
                }
                for idx, paragraph in enumerate(shown)
            ],
            "question": question["question"],
            "question_decomposition": [
                {**hop, "paragraph_support_idx": shown.index(paragraph)}
                for hop, paragraph in zip(question["decomposition"], gold, strict=True)
            ],
            "answer": question["answer"],
            "answer_aliases": question["aliases"],
            "answerable": True,
        }


def main() -> None:
    source = SAMPLE / "encyclopedia"
    encyclopedia = Encyclopedia(read_paragraphs(source / "articles.jsonl"), read_facts(source / "facts.tsv"))
    questions: list[Question] = json.loads((source / "questions.json").read_text(encoding="utf-8"))

    frames = SAMPLE / "frames" / "test.tsv"
    frames.parent.mkdir(exist_ok=True)
    with frames.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, FRAMES_COLUMNS, delimiter="\t", lineterminator="\n")
        table.writeheader()
        table.writerows(frames_rows([q for q in questions if q["benchmark"] == "frames"]))

    for split in ("dev", "train"):
        path = SAMPLE / "musique" / f"musique_ans_v1.0_{split}.jsonl"
        path.parent.mkdir(exist_ok=True)
        chosen = [q for q in questions if q["benchmark"] == "musique" and q["split"] == split]
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for row in musique_rows(chosen, encyclopedia):
                file.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
