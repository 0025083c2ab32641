"""The rows of HotpotQA and 2WikiMultiHopQA, each beside its question and the facts that its chain reads."""

from __future__ import annotations

import pytest

from tests.sample.chains import read_facts, run_chain
from tests.sample.corpora import SAMPLE, read_json, read_lines

WORLD = read_facts(SAMPLE / "encyclopedia/facts.tsv") + read_facts(SAMPLE / "encyclopedia/families.tsv")
ARTICLES = read_lines("encyclopedia/articles.jsonl") + read_lines("encyclopedia/families.jsonl")
QUESTIONS = read_json("encyclopedia/questions.json")
FILES = {
    "hotpotqa": (read_json("hotpotqa/hotpot_dev_distractor_v1.json"), "", 24),
    "two_wiki": (read_json("two_wiki/dev.json"), " ", 32),
}
CHAINED = ("bridge", "compositional", "inference")


class Case:
    """A row of a native file beside its question, and the facts that the question's chain reads, each once."""

    def __init__(self, row, question) -> None:
        _, self.joint, self.id_digits = FILES[question["benchmark"]]
        self.row, self.question, self.type = row, question, question["type"]
        steps = run_chain(question["steps"], WORLD)
        self.facts = tuple(dict.fromkeys(fact for step in steps for fact in step.facts))
        self.texts = {title: self.joint.join(parts) for title, parts in row["context"]}
        self.gold = {fact.article: self.texts[fact.article] for fact in self.facts}
        self.distractors = {t: text for t, text in self.texts.items() if t not in self.gold}

    @property
    def compared(self) -> list[str]:
        """The two things that a comparing question names."""
        return [fact.subject for fact in self.facts[:2]]


def by_benchmark(name: str) -> list[dict]:
    return [question for question in QUESTIONS if question["benchmark"] == name]


def cases(*types: str):
    found = []
    for benchmark, (rows, _, _) in FILES.items():
        for row, question in zip(rows, by_benchmark(benchmark), strict=True):
            if not types or question["type"] in types:
                found.append(pytest.param(row, question, id=f"{benchmark}-{question['id'][:8]}"))
    return pytest.mark.parametrize(("row", "question"), found)


def names(text: str, name: str) -> bool:
    """Return whether a text names something, be it in the possessive."""
    return name.casefold() in text.casefold()
