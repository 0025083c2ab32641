"""Whether a text holds a fact (spec §§ 2.2 and 2.3): the ranks of each fact in the retrieval vectors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.metrics.containment import containment_key, evidence_recall, holds_fact

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "retrieval.json").read_text("utf-8"))
MODES = ["verbatim", "official", "loose"]
ANSWERABLE = [case for case in VECTORS["cases"] if case["question_type"] != "null_query"]


def test_all_vectors_are_here():
    assert len(VECTORS["cases"]) == 22
    assert len(ANSWERABLE) == 21
    assert list(VECTORS["definitions"]["modes"]) == MODES


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", ANSWERABLE, ids=lambda case: case["id"])
def test_fact_ranks(case, mode):
    ranks = [
        next((rank for rank, chunk in enumerate(case["chunks"], 1) if holds_fact(fact, chunk, mode)), None)
        for fact in dict.fromkeys(case["facts"])
    ]
    assert ranks == case["expected"][mode]["fact_ranks"]


@pytest.mark.parametrize("case", VECTORS["chunking_ceiling"], ids=lambda case: case["id"])
def test_facts_present_in_an_index(case):
    present = [
        any(holds_fact(fact, chunk, case["mode"]) for chunk in case["corpus_chunks"])
        for fact in case["facts"]
    ]
    assert present == case["expected"]["present"]


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("‘single’", "'single'"),
        ("“double”", '"double"'),
        ("a–b — c", "a-b-c"),
        ("ﬁne\u00a0Straße", "fine STRASSE"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("it´s", "it's"),
    ],
)
def test_loose_folds_typography(text, same):
    assert containment_key(text, "loose") == containment_key(same, "loose")
    assert containment_key(text, "official") != containment_key(same, "official")


def test_official_deletes_space_and_line_feed_alone():
    assert containment_key("a b\nc\td\u00a0e\r", "official") == "abc\td\u00a0e\r"


@pytest.mark.parametrize(("fact", "mode"), [("", "verbatim"), (" \n", "official"), ("\t\u200b", "loose")])
def test_a_fact_without_text_is_an_error(fact, mode):
    with pytest.raises(ValueError, match="a fact with text"):
        holds_fact(fact, "any text", mode)


@given(st.text(), st.from_regex(r"[a-zA-Z ]*[a-zA-Z]", fullmatch=True), st.text())
def test_a_fact_is_held_wherever_it_stands_and_verbatim_implies_official(before, fact, after):
    for mode in ("verbatim", "official"):
        assert holds_fact(fact, before + fact + after, mode)


def test_every_published_fact_is_in_its_article(real_data):
    folder = real_data / "multihop_rag"
    bodies = {
        row["url"]: row["body"] for row in json.loads((folder / "corpus_reduced.json").read_text("utf-8"))
    }
    rows = json.loads((folder / "MultiHopRAG_500.json").read_text("utf-8"))
    facts = [evidence for row in rows for evidence in row["evidence_list"]]
    assert len(facts) == 1153
    for mode in MODES:
        assert all(holds_fact(fact["fact"], bodies[fact["url"]], mode) for fact in facts)


def test_evidence_recall():
    assert evidence_recall(1, 4) == 0.25
    assert evidence_recall(3, 3) == 1.0
    assert evidence_recall(0, 2) == 0.0
    assert evidence_recall(0, 0) is None


@pytest.mark.parametrize(("found", "gold"), [(2, 1), (-1, 1), (1, 0)])
def test_counts_that_cannot_be_are_errors(found, gold):
    with pytest.raises(ValueError, match="0 ≤ found ≤ gold"):
        evidence_recall(found, gold)
