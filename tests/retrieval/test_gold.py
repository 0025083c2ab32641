"""Gold evidence as hits, for articles, paragraphs and facts."""

from leaderboard.benchmarks.questions import Document, Evidence, Question
from leaderboard.retrieval.gold import GoldPassages
from leaderboard.retrieval.passages import Passage

ADA = Document("ada", "Ada", "Ada wrote notes. She met Babbage in 1833.")
EVE = Document("eve", "Eve", "Eve wrote  nothing.\nAt all.")


def question(*evidence: Evidence) -> Question:
    return Question("q", "Who?", "Ada", (), evidence, {})


def fact(text: str, document: str) -> Evidence:
    return Evidence(text, "fact", "", text, document)


def passages(*evidence: Evidence) -> list[Passage]:
    return [hit.passage for hit in GoldPassages([ADA, EVE]).hits(question(*evidence))]


def test_articles_are_whole_documents_in_gold_order():
    found = passages(
        Evidence("Eve", "article", "Eve", "", "eve"), Evidence("Ada", "article", "Ada", "", "ada")
    )
    assert found == [Passage("eve", "eve", "Eve", EVE.text), Passage("ada", "ada", "Ada", ADA.text)]


def test_a_paragraph_is_its_document():
    assert passages(Evidence("k", "paragraph", "Ada", ADA.text, "ada")) == [
        Passage("ada", "ada", "Ada", ADA.text)
    ]


def test_a_fact_is_its_own_text_located_in_its_document():
    assert passages(fact("She met Babbage in 1833.", "ada")) == [
        Passage("ada#17-41", "ada", "Ada", "She met Babbage in 1833.")
    ]


def test_a_fact_that_does_not_stand_verbatim_is_numbered():
    found = passages(fact("Ada wrote notes.", "ada"), fact("Eve wrote nothing. At all.", "eve"))
    assert found[1] == Passage("eve#fact-2", "eve", "Eve", "Eve wrote nothing. At all.")


def test_evidence_without_its_document_is_left_out():
    missing = Evidence("Bob", "article", "Bob", "", "")
    unknown = fact("Bob slept.", "bob")
    assert [p.id for p in passages(missing, unknown, fact("Ada wrote notes.", "ada"))] == ["ada#0-16"]


def test_a_fact_given_twice_is_one_hit_and_two_facts_of_an_article_are_two():
    one, two = fact("Ada wrote notes.", "ada"), fact("She met Babbage in 1833.", "ada")
    assert [p.id for p in passages(one, two, one)] == ["ada#0-16", "ada#17-41"]


def test_no_evidence_no_hits():
    assert GoldPassages([ADA]).hits(question()) == []
