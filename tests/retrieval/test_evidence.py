"""Which gold items a text holds."""

import pytest

from leaderboard.benchmarks.questions import Evidence, Question
from leaderboard.retrieval.evidence import covered

PARAGRAPH = "Ada wrote notes.\nShe met Babbage."


def asked(*evidence: Evidence) -> Question:
    return Question("q", "Who?", "Ada", (), evidence, {})


ARTICLES = asked(Evidence("Ada", "article", "Ada", "", "ada"), Evidence("Bob", "article", "Bob", "", ""))
PARAGRAPHS = asked(
    Evidence("k1", "paragraph", "Ada", PARAGRAPH, "p1"), Evidence("k2", "paragraph", "B", "Bob.", "p2")
)
FACTS = asked(
    Evidence("f1", "fact", "", "She met “Babbage” in 1833", "ada"),
    Evidence("f2", "fact", "", "Bob slept", ""),
    Evidence("f3", "fact", "", "met “Babbage”", "ada"),
)


@pytest.mark.parametrize(
    ("document", "text", "expected"),
    [("ada", "any", (0,)), ("bob", "Ada", ()), ("ada", " \n", ()), ("", "any", ())],
)
def test_an_article_is_covered_by_any_text_of_it(document, text, expected):
    assert covered(ARTICLES, document, text) == expected


@pytest.mark.parametrize(
    ("document", "text", "expected"),
    [
        ("p1", PARAGRAPH, (0,)),
        ("p1", f"Ada\n{PARAGRAPH} ...", (0,)),
        ("p1", "Ada wrote notes. She met Babbage.", (0,)),
        ("p1", "Ada wrote notes.", ()),
        ("p1", PARAGRAPH.lower(), ()),
        ("p1", PARAGRAPH.replace(" ", "\u00a0"), ()),
        ("p2", PARAGRAPH, ()),
        ("p2", "Bob.", (1,)),
    ],
)
def test_a_paragraph_is_covered_by_its_whole_text(document, text, expected):
    assert covered(PARAGRAPHS, document, text) == expected


@pytest.mark.parametrize(
    ("document", "text", "expected"),
    [
        ("ada", "Then She met “Babbage” in 1833, they say. Bob slept.", (0, 1, 2)),
        ("other", "She met\n“Babbage”  in 1833", (0, 2)),
        ("ada", 'She met "Babbage" in 1833', ()),
        ("ada", "she met “babbage” in 1833", ()),
        ("ada", "She met “Babbage” in 18", (2,)),
        ("ada", "", ()),
    ],
)
def test_a_fact_is_covered_in_any_document_by_official_matching(document, text, expected):
    assert covered(FACTS, document, text) == expected


def test_a_question_without_evidence_covers_nothing():
    assert covered(asked(), "ada", "text") == ()
