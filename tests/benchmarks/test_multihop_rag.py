"""MultiHop-RAG is loaded from its official JSON, and each fact is looked up in its article."""

import json
from collections import Counter

import pytest

from leaderboard.benchmarks.multihop_rag import load
from leaderboard.benchmarks.questions import BenchmarkError

ARTICLES = [
    {"title": "One", "url": "https://a.example/1", "body": "First fact.\nSecond\nfact. The end."},
    {"title": "Two", "url": "https://a.example/2", "body": "Third fact."},
]


def fact(text, article=0):
    return {
        "fact": text,
        "title": ARTICLES[article]["title"],
        "url": ARTICLES[article]["url"],
        "author": None,
    }


def row(*facts, **changes):
    base = {
        "query": "Which?",
        "answer": "Yes",
        "question_type": "comparison_query",
        "evidence_list": list(facts) or [fact("First fact."), fact("Third fact.", 1)],
    }
    return {**base, **changes}


def write(folder, rows, articles=ARTICLES):
    (folder / "MultiHopRAG.json").write_text(json.dumps(rows), encoding="utf-8")
    (folder / "corpus.json").write_text(json.dumps(articles), encoding="utf-8")
    return folder


def problems(benchmark):
    return [(defect.row, defect.problem) for defect in benchmark.defects]


def test_a_row_becomes_a_question_with_facts_in_articles(tmp_path):
    benchmark = load(write(tmp_path, [row()]), "sample")
    (question,) = benchmark.questions
    assert (question.id, question.text, question.answer, question.null) == ("0", "Which?", "Yes", False)
    assert [(item.key, item.kind, item.title, item.text, item.document) for item in question.evidence] == [
        ("First fact.", "fact", "One", "First fact.", "https://a.example/1"),
        ("Third fact.", "fact", "Two", "Third fact.", "https://a.example/2"),
    ]
    assert question.groups == {"question_type": ("comparison",), "facts": ("2",)}
    assert (benchmark.label, benchmark.defects) == ("MultiHop-RAG-like (sample)", ())


def test_a_null_query_has_no_facts(tmp_path):
    null = row(
        question_type="null_query", evidence_list=[], answer="Insufficient information.", query="What?"
    )
    question = load(write(tmp_path, [row(), null]), "full").questions[1]
    assert (question.id, question.null, question.evidence) == ("1", True, ())
    assert question.groups == {"question_type": ("null",), "facts": ("0",)}


def test_a_fact_is_found_whatever_the_spaces_and_newlines_but_not_whatever_the_case(tmp_path):
    benchmark = load(write(tmp_path, [row(fact("Second fact. The end."), fact("first fact."))]), "full")
    assert problems(benchmark) == [(1, "fact 2 doesn't stand in its article")]
    assert benchmark.questions[0].evidence[1].document == "https://a.example/1"


def test_what_is_odd_in_a_row_is_loaded_and_reported(tmp_path):
    elsewhere = {"fact": "Fourth.", "title": "Gone", "url": "https://a.example/9"}
    rows = [
        row(fact("First fact."), fact("First fact.")),
        row(fact("First fact."), elsewhere, query=" Which?"),
    ]
    benchmark = load(write(tmp_path, rows), "full")
    assert [len(question.evidence) for question in benchmark.questions] == [1, 2]
    assert benchmark.questions[0].groups["facts"] == ()
    assert benchmark.questions[1].evidence[1].document == ""
    assert problems(benchmark) == [
        (1, "fact 2 stands twice in its question"),
        (1, "1 facts, where 0, 2, 3 or 4 are known"),
        (2, "white space around the query"),
        (2, "fact 2 is of an article that the corpus lacks"),
        (2, "the same query as question 0"),
    ]


def test_article_ids_are_urls_where_these_are_unique(tmp_path):
    shared = "https://a.example/live"
    articles = [
        *ARTICLES,
        {"title": "Live 1", "url": shared, "body": "Fifth."},
        {"title": "Live 2", "url": shared, "body": "Sixth."},
        {"title": "Bare", "url": None, "body": "Seventh."},
        {"title": "Bare", "url": None, "body": "Seventh."},
    ]
    facts = [
        {"fact": "Sixth.", "title": "Live 2", "url": shared},
        {"fact": "Seventh.", "title": "Bare", "url": "https://b.example/"},
        {"fact": "Third fact.", "title": "Retitled", "url": ARTICLES[1]["url"]},
    ]
    benchmark = load(write(tmp_path, [row(*facts)], articles), "full")
    assert [document.id for document in benchmark.documents] == [
        "https://a.example/1",
        "https://a.example/2",
        f"Live 1 | {shared}",
        f"Live 2 | {shared}",
        "Bare",
    ]
    assert [item.document for item in benchmark.questions[0].evidence] == [
        f"Live 2 | {shared}",
        "Bare",
        "https://a.example/2",
    ]
    assert problems(benchmark) == [
        (5, "an article without url"),
        (6, "an article without url"),
        (6, "an article that stands twice"),
    ]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (row(question_type="bridge_query"), "expected a question_type of inference_query"),
        (row(question_type="null_query"), "expected no facts for a null_query, found 2"),
        (row(evidence_list=[]), "expected facts for a comparison_query, found an empty evidence_list"),
        (row(evidence_list={}), 'expected a list as "evidence_list", found an object'),
        (row(fact(3)), r'evidence_list\[0\]: expected text as "fact", found a number 3'),
        (row(fact(" ")), r'evidence_list\[0\]: expected text as "fact", found nothing but white space'),
        (row(answer=True), 'expected text as "answer", found a truth value True'),
        (row(query="\0?"), 'expected text without NUL as "query"'),
        ("Which?", "expected an object, found text 'Which\\?'"),
    ],
)
def test_a_row_that_cannot_be_used_is_refused_with_its_number(tmp_path, bad, message):
    with pytest.raises(BenchmarkError, match=message) as caught:
        load(write(tmp_path, [row(), bad]), "full")
    assert "MultiHopRAG.json, item 2" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"query": "Wh', "found Unterminated string"),
        ('[{"query": "Which?"', "found a file that ends too early"),
        ('[{"query": NaN}]', "expected JSON, found NaN"),
        ('{"query": "Which?"}', "expected a JSON array of objects, found an object"),
        ("[]", "expected queries, found an empty array"),
        ("[" * 100_000, "expected JSON, found"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(tmp_path, text, message):
    write(tmp_path, [])
    (tmp_path / "MultiHopRAG.json").write_text(text, encoding="utf-8")
    with pytest.raises(BenchmarkError, match=message):
        load(tmp_path, "full")


def test_two_articles_of_one_title_and_url_are_refused(tmp_path):
    with pytest.raises(BenchmarkError, match=r"corpus\.json, item 3: expected one article a title and url"):
        load(write(tmp_path, [row()], [*ARTICLES, {**ARTICLES[0], "body": "Other."}]), "full")


def test_a_missing_corpus_is_refused(tmp_path):
    write(tmp_path, [row()])
    (tmp_path / "corpus.json").unlink()
    with pytest.raises(
        BenchmarkError, match=r"expected corpus\.json or one file corpus_\*\.json, found neither"
    ):
        load(tmp_path, "full")


def test_the_published_rows(real_data):
    benchmark = load(real_data / "multihop_rag", "full")
    types = Counter(question.groups["question_type"][0] for question in benchmark.questions)
    assert types == {"inference": 161, "comparison": 154, "temporal": 114, "null": 71}
    facts = Counter(question.groups["facts"][0] for question in benchmark.questions)
    assert facts == {"0": 71, "2": 207, "3": 149, "4": 73}
    assert len(benchmark.documents) == len({document.id for document in benchmark.documents}) == 350
    bodies = {document.id: document.text for document in benchmark.documents}
    evidence = [item for question in benchmark.questions for item in question.evidence]
    assert len(evidence) == 1153
    assert all(item.text in bodies[item.document] for item in evidence)
    assert len({item.key for item in evidence}) == 438
    counts = [Counter(item.document for item in question.evidence) for question in benchmark.questions]
    assert sum(max(count.values(), default=0) >= 2 for count in counts) == 35
    assert Counter(defect.problem for defect in benchmark.defects) == {"an article without url": 24}
