"""The questions of HotpotQA and 2WikiMultiHopQA: each needs all of its gold paragraphs, and no other one answers."""

import re
from collections import Counter

from tests.sample.chains import run_chain
from tests.sample.paragraph_rows import CHAINED, FILES, QUESTIONS, WORLD, Case, by_benchmark, cases, names


def read_by(question) -> frozenset:
    return frozenset(fact for step in run_chain(question["steps"], WORLD) for fact in step.facts)


def content(text: str) -> set[str]:
    return set(re.findall(r"\w{4,}", text.casefold()))


def test_hotpotqa_asks_eight_bridge_and_four_comparison_questions_two_of_them_with_yes_or_no():
    rows = FILES["hotpotqa"][0]
    assert Counter(row["type"] for row in rows) == {"bridge": 8, "comparison": 4}
    assert sorted(row["answer"] for row in rows if row["answer"] in ("yes", "no")) == ["no", "yes"]
    assert {row["level"] for row in rows} == {"hard"}


def test_2wiki_asks_three_questions_of_each_of_the_four_types():
    rows = FILES["two_wiki"][0]
    types = ["compositional", "comparison", "bridge_comparison", "inference"]
    assert Counter(row["type"] for row in rows) == dict.fromkeys(types, 3)


@cases()
def test_each_fact_stands_in_a_gold_paragraph_of_its_own(row, question):
    case = Case(row, question)
    assert len(case.facts) == len(case.gold) == (4 if case.type == "bridge_comparison" else 2)
    assert len(case.distractors) == 10 - len(case.gold)


@cases(*CHAINED)
def test_a_chain_goes_over_an_entity_that_the_question_does_not_name(row, question):
    first, last = Case(row, question).facts
    assert first.value == last.subject
    assert names(row["question"], first.subject)
    assert not names(row["question"], last.subject)


@cases(*CHAINED)
def test_no_gold_paragraph_of_a_chain_answers_alone(row, question):
    case = Case(row, question)
    first, last = case.facts
    golds = (row["answer"], *question["aliases"])
    assert [gold for gold in golds if names(f"{first.article} {case.gold[first.article]}", gold)] == []
    assert names(case.gold[last.article], row["answer"])
    assert not names(case.gold[last.article], first.subject)


@cases(*CHAINED)
def test_no_distractor_of_a_chain_names_the_answer_or_an_alias(row, question):
    golds = (row["answer"], *question["aliases"])
    for title, text in Case(row, question).distractors.items():
        assert [gold for gold in golds if names(f"{title} {text}", gold)] == []


@cases("comparison", "bridge_comparison")
def test_a_comparing_question_names_two_things_and_is_answered_with_one_of_them_or_yes_or_no(row, question):
    one, other = Case(row, question).compared
    assert one != other
    assert names(row["question"], one) and names(row["question"], other)
    assert row["answer"] in (one, other, "yes", "no")


def test_always_naming_the_first_or_the_second_or_saying_yes_gets_half_of_the_comparing_questions_right():
    answers = []
    for question in (q for q in QUESTIONS if q["benchmark"] in FILES and "comparison" in q["type"]):
        one, other = question["facts"][0][0], question["facts"][1][0]
        assert question["question"].index(one) < question["question"].index(other)
        places = {one: "first", other: "second"}
        answers.append(places.get(question["answer"], question["answer"]))
    assert Counter(answers) == {"first": 3, "second": 3, "yes": 2, "no": 2}


@cases("comparison")
def test_a_comparison_reads_one_relation_of_both(row, question):
    one, other = Case(row, question).facts
    assert one.relation == other.relation


@cases("bridge_comparison")
def test_a_bridge_comparison_reads_one_relation_of_two_entities_that_it_does_not_name(row, question):
    case = Case(row, question)
    lead, lead_too, told, told_too = case.facts
    assert [lead.value, lead_too.value] == [told.subject, told_too.subject]
    assert told.relation == told_too.relation
    assert not names(row["question"], told.subject) and not names(row["question"], told_too.subject)
    for fact in (told, told_too):
        assert [name for name in case.compared if names(case.gold[fact.article], name)] == []


@cases()
def test_a_distractor_states_no_fact_of_the_chain(row, question):
    case = Case(row, question)
    for title, text in case.distractors.items():
        for fact in case.facts:
            assert not (names(f"{title} {text}", fact.subject) and names(f"{title} {text}", fact.value))


@cases(*CHAINED, "bridge_comparison")
def test_some_distractor_states_a_relation_of_the_chain_of_something_else(row, question):
    case = Case(row, question)
    relations = {fact.relation for fact in case.facts}
    rivals = {fact for fact in WORLD if fact.relation in relations} - set(case.facts)
    assert [f for f in rivals if f.sentence in case.distractors.get(f.article, "")] != []


def test_hotpotqa_knows_one_answer_a_question_as_its_file_has_no_aliases():
    assert {tuple(question["aliases"]) for question in by_benchmark("hotpotqa")} == {()}


@cases()
def test_no_other_question_of_the_sample_asks_the_same(row, question):
    """Neither in other words (it would read the same facts), nor nearly in the same words."""
    mine, words = read_by(question), content(question["question"])
    for other in QUESTIONS:
        if other["id"] != question["id"]:
            theirs = read_by(other)
            assert not mine <= theirs and not theirs <= mine, other["question"]
            both = content(other["question"])
            assert len(words & both) / len(words | both) < 0.5, other["question"]
