"""Write the sample encyclopedia in the native formats of FRAMES, MuSiQue, HotpotQA and 2WikiMultiHopQA.

Reads ``encyclopedia/articles.jsonl``, ``facts.tsv`` and ``questions.json``, and for the last two
``families.jsonl`` and ``families.tsv``; writes

* ``frames/test.tsv``: the columns of the official file,
* ``musique/musique_ans_v1.0_dev.jsonl`` and ``..._train.jsonl``: one question a line, with
  twenty paragraphs, of which one supports each hop,
* ``hotpotqa/hotpot_dev_distractor_v1.json``, ``two_wiki/dev.json`` and ``two_wiki/id_aliases.json``.

The output depends on the files of ``encyclopedia`` alone: every shuffle is seeded with the question's id.

    python -m leaderboard.sample.assemble
"""

from __future__ import annotations

import csv
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from leaderboard.sample.supporting_facts import alias_rows, hotpotqa_rows, two_wiki_rows
from leaderboard.sample.world import (
    Fact,
    Paragraph,
    Question,
    SampleError,
    World,
    content_words,
    read_facts,
    read_paragraphs,
)

SAMPLE = Path(__file__).parent
PARAGRAPHS_PER_QUESTION = 20
LINK_COLUMNS = [*(f"wikipedia_link_{n}" for n in range(1, 11)), "wikipedia_link_11+"]
FRAMES_COLUMNS = ["", "Prompt", "Answer", *LINK_COLUMNS, "reasoning_types", "wiki_links"]


class Encyclopedia(World):
    """The articles' paragraphs and facts, as MuSiQue's questions use them."""

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
        pool.sort(key=lambda paragraph: -len(words & self.words[paragraph]))
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


def write_array(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write a JSON array with an item a line."""
    path.parent.mkdir(exist_ok=True)
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8", newline="\n")


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

    world = World(
        encyclopedia.paragraphs + read_paragraphs(source / "families.jsonl"),
        encyclopedia.facts + read_facts(source / "families.tsv"),
    )
    hotpotqa = [q for q in questions if q["benchmark"] == "hotpotqa"]
    two_wiki = [q for q in questions if q["benchmark"] == "two_wiki"]
    write_array(SAMPLE / "hotpotqa" / "hotpot_dev_distractor_v1.json", list(hotpotqa_rows(hotpotqa, world)))
    write_array(SAMPLE / "two_wiki" / "dev.json", list(two_wiki_rows(two_wiki, world)))
    aliases = SAMPLE / "two_wiki" / "id_aliases.json"
    with aliases.open("w", encoding="utf-8", newline="\n") as file:
        for row in alias_rows(two_wiki):
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
