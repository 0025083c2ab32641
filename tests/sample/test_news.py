"""The news: a chain of facts a question, and an article's sentence a fact."""

from collections import Counter

import pytest

from tests.sample.chains import read_facts, run_chain
from tests.sample.corpora import SAMPLE, read_json, says, words

ARTICLES = read_json("multihop_rag/corpus.json")
QUERIES = read_json("multihop_rag/MultiHopRAG.json")
CHAINS = read_json("news/questions.json")
FACTS = read_facts(SAMPLE / "news/facts.tsv")
PAIRS = [pytest.param(chain, QUERIES[int(chain["id"])], id=chain["id"]) for chain in CHAINS]


def test_every_query_has_its_chain():
    assert [chain["id"] for chain in CHAINS] == [str(number) for number in range(len(QUERIES))]


@pytest.mark.parametrize(("chain", "query"), PAIRS)
def test_the_chain_of_facts_leads_to_the_gold_answer(chain, query):
    assert run_chain(chain["steps"], FACTS)[-1].result == query["answer"]


@pytest.mark.parametrize(("chain", "query"), PAIRS)
def test_the_evidence_is_the_sentences_that_the_chain_reads(chain, query):
    read = {fact.sentence for step in run_chain(chain["steps"], FACTS) for fact in step.facts}
    cited = [evidence["fact"] for evidence in query["evidence_list"]]
    assert len(cited) == len(set(cited))
    assert set(cited) == read


@pytest.mark.parametrize(("chain", "query"), PAIRS)
def test_no_gold_stands_in_its_query(chain, query):
    assert not says(query["query"], query["answer"])


@pytest.mark.parametrize(("chain", "query"), PAIRS)
def test_every_cited_fact_is_a_sentence_of_the_article_it_names(chain, query):
    for evidence in query["evidence_list"]:
        [article] = [article for article in ARTICLES if article["url"] == evidence["url"]]
        assert evidence["fact"] in article["body"]
        assert {key: article[key] for key in evidence if key != "fact"} == {
            key: value for key, value in evidence.items() if key != "fact"
        }


def test_every_fact_stands_once_in_its_article_with_its_value():
    bodies = {article["title"]: article["body"] for article in ARTICLES}
    for fact in FACTS:
        assert bodies[fact.article].count(fact.sentence) == 1
        assert fact.value in fact.sentence


def test_a_subject_has_one_value_for_a_relation():
    times = Counter((fact.subject, fact.relation) for fact in FACTS)
    assert [pair for pair, count in times.items() if count > 1] == []


def test_there_are_at_least_40_articles_of_80_to_180_words():
    lengths = [words(article["body"]) for article in ARTICLES]
    assert len({article["url"] for article in ARTICLES}) == len(ARTICLES) >= 40
    assert 80 <= min(lengths) <= max(lengths) <= 180


def test_24_queries_are_six_of_each_type():
    assert Counter(query["question_type"] for query in QUERIES) == {
        "inference_query": 6,
        "comparison_query": 6,
        "temporal_query": 6,
        "null_query": 6,
    }


def test_a_null_query_has_no_fact_and_the_others_two_to_four():
    for query in QUERIES:
        facts = len(query["evidence_list"])
        assert facts == 0 if query["question_type"] == "null_query" else 2 <= facts <= 4


def test_no_query_is_asked_twice():
    assert len({query["query"].casefold() for query in QUERIES}) == len(QUERIES)
