"""The encyclopedia: a chain of facts a question, and an article's sentence a fact."""

from collections import Counter
from urllib.parse import unquote

import pytest

from leaderboard.metrics.musique_ids import GRAPHS, parse_musique_id
from tests.sample.chains import read_facts, run_chain
from tests.sample.corpora import SAMPLE, read_json, read_lines, says, words

ARTICLES = read_lines("encyclopedia/articles.jsonl")
FAMILIES = read_lines("encyclopedia/families.jsonl")
FACTS = read_facts(SAMPLE / "encyclopedia/facts.tsv")
FAMILY_FACTS = read_facts(SAMPLE / "encyclopedia/families.tsv")
QUESTIONS = read_json("encyclopedia/questions.json")
FRAMES = [question for question in QUESTIONS if question["benchmark"] == "frames"]
MUSIQUE = [question for question in QUESTIONS if question["benchmark"] == "musique"]
PARAGRAPH_SETS = ("hotpotqa", "two_wiki")  # the families stand in their files alone
NAMED = ("comparison", "bridge_comparison")  # the answer is one of the things that the question names
DEPENDS_ON = {
    "2hop": [(), (1,)],
    "3hop1": [(), (1,), (2,)],
    "3hop2": [(), (), (1, 2)],
    "4hop1": [(), (1,), (2,), (3,)],
    "4hop2": [(), (), (1, 2), (3,)],
    "4hop3": [(), (1,), (), (2, 3)],
}


def name(question) -> str:
    return f"{question['benchmark']}-{question['split']}-{question['id']}"


def facts_of(question):
    return FACTS + FAMILY_FACTS if question["benchmark"] in PARAGRAPH_SETS else FACTS


def paragraph_of(fact) -> tuple[str, str]:
    """Return title and text of the one paragraph that holds the fact's sentence."""
    texts = [article["text"] for article in ARTICLES + FAMILIES if article["title"] == fact.article]
    [paragraph] = [part for text in texts for part in text.split("\n\n") if fact.sentence in part]
    return fact.article, paragraph


@pytest.mark.parametrize("question", QUESTIONS, ids=name)
def test_the_chain_of_facts_leads_to_the_gold_answer(question):
    assert run_chain(question["steps"], facts_of(question))[-1].result == question["answer"]


@pytest.mark.parametrize("question", [q for q in QUESTIONS if q.get("type") not in NAMED], ids=name)
def test_no_gold_stands_in_its_question(question):
    assert [
        gold for gold in (question["answer"], *question["aliases"]) if says(question["question"], gold)
    ] == []


def test_every_fact_stands_in_one_paragraph_of_its_article_with_its_value():
    for fact in FACTS + FAMILY_FACTS:
        assert fact.sentence in paragraph_of(fact)[1]
        assert fact.value in fact.sentence


def test_a_subject_has_one_value_for_a_relation():
    times = Counter((fact.subject, fact.relation) for fact in FACTS + FAMILY_FACTS)
    assert [pair for pair, count in times.items() if count > 1] == []


def test_there_are_at_least_60_articles_of_80_to_180_words_and_about_130_on_average():
    lengths = [words(article["text"]) for article in ARTICLES]
    assert len({article["title"] for article in ARTICLES}) == len(ARTICLES) >= 60
    assert 80 <= min(lengths) <= max(lengths) <= 180
    assert 120 <= sum(lengths) / len(lengths) <= 145


def test_a_family_article_is_one_short_paragraph_about_someone_who_has_no_other_article():
    assert {article["title"] for article in FAMILIES}.isdisjoint(article["title"] for article in ARTICLES)
    assert len({article["title"] for article in FAMILIES}) == len(FAMILIES)
    assert [article["title"] for article in FAMILIES if "\n" in article["text"]] == []
    assert {40 <= words(article["text"]) <= 80 for article in FAMILIES} == {True}


def test_several_articles_have_a_table():
    rows = [[line for line in article["text"].splitlines() if line.count("|") >= 2] for article in ARTICLES]
    assert sum(len(lines) >= 3 for lines in rows) >= 5


def test_24_questions_ask_for_two_to_five_articles():
    assert len(FRAMES) == 24
    assert {len(question["links"]) for question in FRAMES} <= {2, 3, 4, 5}


@pytest.mark.parametrize("question", FRAMES, ids=name)
def test_the_links_are_the_articles_of_the_facts_used(question):
    linked = [
        unquote(link.partition("#")[0].rpartition("/")[2]).replace("_", " ") for link in question["links"]
    ]
    used = {fact.article for step in run_chain(question["steps"], FACTS) for fact in step.facts}
    assert len(linked) == len(set(linked))
    assert set(linked) == used


def test_each_of_the_five_reasoning_types_is_asked_at_least_six_times():
    times = Counter(kind for question in FRAMES for kind in question["reasoning_types"])
    assert set(times) == {
        "Multiple constraints",
        "Numerical reasoning",
        "Temporal reasoning",
        "Tabular reasoning",
        "Post processing",
    }
    assert min(times.values()) >= 6


@pytest.mark.parametrize("split", ["dev", "train"])
def test_each_split_asks_four_questions_of_each_of_the_six_shapes(split):
    shapes = Counter(question["shape"] for question in MUSIQUE if question["split"] == split)
    assert shapes == dict.fromkeys(GRAPHS, 4)


@pytest.mark.parametrize("question", MUSIQUE, ids=name)
def test_the_steps_depend_on_each_other_as_the_shape_says(question):
    steps = run_chain(question["steps"], FACTS)
    parsed = parse_musique_id(question["id"])
    assert parsed.shape == question["shape"]
    assert [step.needs for step in steps] == DEPENDS_ON[question["shape"]]
    assert [str(hop["id"]) for hop in question["decomposition"]] == list(parsed.parts)
    assert [hop["answer"] for hop in question["decomposition"]] == [step.result for step in steps]


@pytest.mark.parametrize("question", MUSIQUE, ids=name)
def test_each_hop_reads_one_fact_of_a_paragraph_of_its_own(question):
    steps = run_chain(question["steps"], FACTS)
    assert [len(step.facts) for step in steps] == [1] * len(steps)
    assert len({paragraph_of(step.facts[0]) for step in steps}) == len(steps)


@pytest.mark.parametrize("question", MUSIQUE, ids=name)
def test_the_question_names_none_of_the_answers_on_the_way(question):
    assert [
        s.result for s in run_chain(question["steps"], FACTS) if says(question["question"], s.result)
    ] == []


def test_a_single_hop_number_belongs_to_one_fact():
    facts: dict[int, set[object]] = {}
    for question in MUSIQUE:
        for hop, step in zip(question["decomposition"], run_chain(question["steps"], FACTS), strict=True):
            facts.setdefault(hop["id"], set()).add(step.facts[0])
    assert {len(used) for used in facts.values()} == {1}


def test_no_question_is_asked_twice_not_even_in_the_other_split():
    asked = Counter(" ".join(question["question"].casefold().split()) for question in QUESTIONS)
    assert [text for text, count in asked.items() if count > 1] == []
