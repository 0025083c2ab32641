"""How much of the gold an index can hold at all."""

import pytest

from leaderboard.benchmarks.questions import Benchmark, Document, Evidence, Question
from leaderboard.metrics.ranking import Ceiling
from leaderboard.retrieval.ceiling import fact_ceiling

ARTICLE = Document("a", "A", "One two three four five. Six seven eight nine ten. Red fox ran fast home.")
BLANK = Document("b", "B", " \n ")


def fact(text, document="a"):
    return Evidence(text, "fact", "A", text, document)


def article(document):
    return Evidence(document or "gone", "article", "A", "", document)


def paragraph(key, text, document):
    return Evidence(key, "paragraph", "A", text, document)


def benchmark(*evidence, documents=(ARTICLE, BLANK), chunked=True):
    questions = [Question(f"q{number}", "?", "x", (), (one,), {}) for number, one in enumerate(evidence)]
    questions.append(Question("null", "?", "x", (), (), {}, null=True))
    return Benchmark("multihop_rag", "MultiHop-RAG", "full", tuple(questions), documents, (), chunked)


def test_a_fact_that_a_border_cuts_is_lost_and_an_overlap_finds_it_again():
    across = benchmark(fact("Six seven eight nine ten. Red fox ran fast home."), fact("two three four"))
    assert fact_ceiling(across, "passage", 16, 0) == Ceiling(1, 2)
    assert fact_ceiling(across, "passage", 16, 7) == Ceiling(2, 2)
    assert fact_ceiling(across, "article", 16, 0) == Ceiling(2, 2)


def test_a_fact_counts_once_however_many_questions_need_it():
    twice = benchmark(fact("two three"), fact("two  three"), fact("not there"))
    ceiling = fact_ceiling(twice, "passage", 16, 0)
    assert ceiling == Ceiling(1, 2)
    assert ceiling is not None and ceiling.share == 0.5


def test_a_fact_may_stand_in_any_document():
    assert fact_ceiling(benchmark(fact("Red fox", document="elsewhere")), "passage", 16, 0) == Ceiling(1, 1)


def test_an_article_is_held_where_the_corpus_has_its_text():
    gold = benchmark(article("a"), article("a"), article("b"), article("none"), article(""))
    assert fact_ceiling(gold, "passage", 16, 0) == Ceiling(1, 4)


def test_a_paragraph_is_held_whole_in_its_own_document():
    gold = benchmark(
        paragraph("1", "Six seven eight nine ten.", "a"),
        paragraph("2", ARTICLE.text, "a"),
        paragraph("3", "Six seven eight nine ten.", "b"),
    )
    assert fact_ceiling(gold, "passage", 16, 0) == Ceiling(1, 3)
    assert fact_ceiling(gold, "article", 16, 0) == Ceiling(2, 3)


@pytest.mark.parametrize("made", [benchmark(), benchmark(fact("two"), documents=())])
def test_without_gold_or_without_a_corpus_there_is_no_ceiling(made):
    assert fact_ceiling(made, "passage", 16, 0) is None
