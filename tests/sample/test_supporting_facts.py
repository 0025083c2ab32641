"""The files of HotpotQA and 2WikiMultiHopQA: official fields, whole paragraphs, sentences, names of answers."""

import hashlib
import re
from collections import Counter

import pytest

from leaderboard.sample.supporting_facts import hotpotqa_rows, sentences
from leaderboard.sample.world import Fact, Paragraph, SampleError, World
from tests.sample.corpora import read_lines
from tests.sample.paragraph_rows import ARTICLES, FILES, QUESTIONS, Case, by_benchmark, cases

ALIASES = read_lines("two_wiki/id_aliases.json")


def test_the_fields_are_those_of_the_official_files():
    common = frozenset(("_id", "type", "question", "answer", "supporting_facts", "context"))
    assert {frozenset(row) for row in FILES["hotpotqa"][0]} == {common | {"level"}}
    assert {frozenset(row) for row in FILES["two_wiki"][0]} == {
        common | {"evidences", "entity_ids", "answer_id"}
    }


@cases()
def test_a_row_has_the_question_and_answer_and_an_id_made_from_the_question(row, question):
    assert {key: row[key] for key in ("question", "answer", "type")} == {
        key: question[key] for key in ("question", "answer", "type")
    }
    digits = Case(row, question).id_digits
    expected = hashlib.sha256(question["question"].encode()).hexdigest()[:digits]
    assert row["_id"] == question["id"] == expected


def test_no_id_stands_twice():
    ids = Counter((q["benchmark"], q["split"], q["id"]) for q in QUESTIONS)
    assert max(ids.values()) == 1
    native = [row["_id"] for rows, _, _ in FILES.values() for row in rows]
    assert len({identity[:24] for identity in native}) == len(native) == 24


@cases()
def test_the_context_is_ten_whole_paragraphs_of_ten_articles(row, question):
    case = Case(row, question)
    whole = {(article["title"], part) for article in ARTICLES for part in article["text"].split("\n\n")}
    assert len(row["context"]) == len(case.texts) == 10
    assert set(case.texts.items()) <= whole


@cases()
def test_sentences_are_cut_at_their_ends_and_only_hotpotqa_keeps_the_space_before_them(row, question):
    case = Case(row, question)
    for _, (first, *rest) in row["context"]:
        assert [re.match(r" ?(?=\S)", text)[0] for text in rest] == [" " * (case.joint == "")] * len(rest)
        for text in (first, *(text.removeprefix(" ") for text in rest)):
            assert text[0].isupper()
            assert text.endswith(".")
            assert re.findall(r"[.!?] ", text) == []


@cases()
def test_the_supporting_facts_are_the_sentences_that_the_chain_reads(row, question):
    case = Case(row, question)
    parts = dict(row["context"])
    assert [parts[title][place].strip() for title, place in row["supporting_facts"]] == [
        fact.sentence for fact in case.facts
    ]
    assert [title for title, _ in row["supporting_facts"]] == [fact.article for fact in case.facts]
    assert question["facts"] == [[fact.subject, fact.relation] for fact in case.facts]


@pytest.mark.parametrize("benchmark", FILES)
def test_gold_stands_early_and_late_in_a_context(benchmark):
    places = {
        place
        for row in FILES[benchmark][0]
        for place, (title, _) in enumerate(row["context"])
        if title in dict(row["supporting_facts"])
    }
    assert len(places) >= 8
    assert {min(places), max(places)} == {0, 9}


def test_the_evidences_of_2wiki_are_the_facts_as_triples():
    for row, question in zip(FILES["two_wiki"][0], by_benchmark("two_wiki"), strict=True):
        facts = Case(row, question).facts
        assert row["evidences"] == [[fact.subject, fact.relation, fact.value] for fact in facts]
        assert len(row["entity_ids"].split("_")) == len(facts)


def test_an_answer_that_is_an_entity_has_an_id_with_a_line_of_other_names():
    entities = [row for row in FILES["two_wiki"][0] if row["answer_id"] is not None]
    others = {row["answer"] for row in FILES["two_wiki"][0]} - {row["answer"] for row in entities}
    assert others == {"yes", "no", "14 November 1877"}
    assert [line["Q_id"] for line in ALIASES] == [row["answer_id"] for row in entities]
    assert len({line["Q_id"] for line in ALIASES}) == len(ALIASES) == 9
    assert {len(line["Q_id"]) for line in ALIASES} == {11}
    assert {frozenset(line) for line in ALIASES} == {frozenset(("Q_id", "aliases", "demonyms"))}


def test_several_answers_have_another_name_and_one_a_demonym():
    answers = {row["answer_id"]: row["answer"] for row in FILES["two_wiki"][0]}
    others = {answers[line["Q_id"]]: line["aliases"] + line["demonyms"] for line in ALIASES}
    assert {answer: other for answer, other in others.items() if other} == {
        "Quendle": ["Quendling"],
        "Ambrose Sorlevane": ["Sorlevane"],
        "Isaura Kembrick": ["Orlando Thrupphay"],
        "Tanners' Bridge": ["Tanners Bridge"],
        "Outer Isles Steam Company": ["Outer Isles Company"],
        "Agathe Corvenhay": ["Agathe Abingrove"],
    }


def test_the_sentences_of_a_paragraph_make_the_paragraph_again_and_a_decimal_point_ends_none():
    text = "The flood stood at 9.4 metres. Was it high? It was."
    assert sentences(text) == ["The flood stood at 9.4 metres.", "Was it high?", "It was."]
    assert " ".join(sentences(text)) == text


def tiny_question() -> dict:
    return {
        "id": "ab12",
        "type": "bridge",
        "question": "Who is mayor where the Pellow ends?",
        "answer": "Ida Moss",
        "aliases": [],
        "facts": [["Pellow", "mouth"], ["Karrow", "mayor"]],
    }


def tiny_world(mouth: str, hills: int) -> World:
    """Return two gold paragraphs and some hills; the first fact's sentence is ``mouth``."""
    facts = [
        Fact("Pellow", "mouth", "Karrow", "Pellow", mouth),
        Fact("Karrow", "mayor", "Ida Moss", "Karrow", "Its mayor is Ida Moss."),
    ]
    gold = [Paragraph("Pellow", "It ends at Karrow."), Paragraph("Karrow", "Its mayor is Ida Moss.")]
    return World([*gold, *(Paragraph(f"Hill {number}", "It is a hill.") for number in range(hills))], facts)


def test_a_question_of_a_tiny_world_has_its_two_gold_paragraphs_and_all_of_eight_others():
    [row] = hotpotqa_rows([tiny_question()], tiny_world("It ends at Karrow.", 8))
    assert row["supporting_facts"] == [["Pellow", 0], ["Karrow", 0]]
    assert sorted(title for title, _ in row["context"]) == sorted(
        ["Pellow", "Karrow", *(f"Hill {number}" for number in range(8))]
    )


def test_a_question_that_too_few_paragraphs_surround_is_an_error_that_names_it():
    with pytest.raises(SampleError, match="ab12: 7 paragraphs are near, expected 8"):
        next(hotpotqa_rows([tiny_question()], tiny_world("It ends at Karrow.", 7)))


def test_a_fact_that_is_part_of_a_sentence_is_an_error_that_names_the_sentence():
    with pytest.raises(SampleError, match="0 sentences of 'Pellow' are 'ends at Karrow', expected one"):
        next(hotpotqa_rows([tiny_question()], tiny_world("ends at Karrow", 8)))
