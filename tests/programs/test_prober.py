"""The surrogate prober's features and probabilities, computed by hand."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.catalog.skill_rag import AfterRetrieval, BeforeRetrieval
from leaderboard.programs import prober
from leaderboard.programs.prober import AfterFeatures, BeforeFeatures, SearchScores

EVIDENCE = """Sarnforth
Sarnforth is a town. The first mayor of Sarnforth was Abel Tranter, a cooper.

Lindrake
Lindrake has a harbour. Tranter Street leads there."""
ASKED = "Who was the first mayor of Sarnforth?"  # words of four letters or more: first, mayor, sarnforth


@pytest.mark.parametrize(
    ("answer", "samples", "share"),
    [
        ("Abel Tranter", ["Abel Tranter", "Livia", "abel tranter."], 2 / 3),
        ("Abel Tranter", ["Abel", "Livia", "Tranter"], 0),
        ("The Answer: Livia\nbecause", ["Livia", "Livia", "livia"], 1),
        ("", ["", "", ""], 0),
        ("the", ["a", "an", "the"], 0),
        ("Livia", [], 0),
    ],
)
def test_agreement_is_the_share_of_samples_that_say_the_same(answer, samples, share):
    assert prober.agreement(answer, samples) == share


@pytest.mark.parametrize(
    ("samples", "chosen"),
    [
        (["Livia", "Abel", "abel"], "Abel"),
        (["Livia", "Abel", "Odo"], "Livia"),
        (["", "", "Odo"], "Odo"),
        (["", ""], ""),
        ([], ""),
    ],
)
def test_the_answer_most_samples_agree_with_is_chosen_of_equals_the_first(samples, chosen):
    assert prober.consensus(samples) == chosen


@pytest.mark.parametrize(
    ("answer", "share"),
    [
        ("Abel Tranter", 1),
        ("Abel Brodrigh", 1 / 2),
        ("Abel Tranter, baker of Lindrake", 4 / 5),
        ("Livia", 0),
        ("", 0),
    ],
)
def test_answer_in_evidence_is_the_share_of_the_answers_words_that_stand_there(answer, share):
    assert prober.answer_in_evidence(answer, EVIDENCE) == share


@pytest.mark.parametrize(
    ("question", "answer", "share"),
    [
        (ASKED, "Abel Tranter", 1),
        (ASKED, "a cooper", 1),
        (ASKED, "Tranter", 1),  # the better of two sentences
        (ASKED, "harbour", 0),
        (ASKED, "Abel Brodrigh", 0),
        (ASKED, "", 0),
        ("Who was the last mayor of Sarnforth?", "Abel Tranter", 2 / 3),
        ("Which town is it?", "Sarnforth", 1 / 2),  # which, town
        ("Who is he?", "Abel Tranter", 0),
        ("Abel Tranter", "Abel Tranter", 0),
    ],
)
def test_support_is_the_share_of_the_question_in_the_best_sentence_with_the_answer(question, answer, share):
    assert prober.support(question, answer, EVIDENCE) == pytest.approx(share)


@pytest.mark.parametrize(
    ("scores", "top", "margin"),
    [
        ((6.0, 4.5, 1.0), 6 / 9, 0.25),
        ((4.5, 6.0), 6 / 9, 0.25),  # a reranker's order
        ((3.0,), 1 / 2, 1),
        ((3.0, 3.0), 1 / 2, 0),
        ((0.5, -0.5), 0.5 / 3.5, 1),
        ((0.0, -1.0), 0, 0),
        ((-0.2, -0.4), 0, 0),
        ((), 0, 0),
    ],
)
def test_scores_become_shares(scores, top, margin):
    search = SearchScores.of(scores)
    assert (search.top(3.0), search.margin) == (pytest.approx(top), pytest.approx(margin))


def test_the_features_of_gate_1():
    samples = ["Abel Tranter", "I do not know", "abel tranter"]
    assert prober.before_retrieval("Abel Tranter", samples) == BeforeFeatures(2 / 3, 0)
    assert prober.before_retrieval("I do not know", samples) == BeforeFeatures(1 / 3, 1)
    assert prober.before_retrieval("", ["", ""]) == BeforeFeatures(0, 1)


def test_the_features_of_gate_2_with_the_means_over_a_rounds_searches():
    searches = [SearchScores.of((6.0, 4.5)), SearchScores.of(()), SearchScores.of((3.0, 1.5))]
    features = prober.after_retrieval(
        ASKED, "Abel Tranter", ["Livia", "Abel Tranter", "Odo"], EVIDENCE, searches, 3.0
    )
    assert features == AfterFeatures(
        self_consistency=1 / 3,
        abstained=0,
        answer_in_evidence=1,
        supported=1,
        top_score=pytest.approx((6 / 9 + 0 + 1 / 2) / 3),
        margin=pytest.approx((0.25 + 0 + 0.5) / 3),
    )
    nothing = prober.after_retrieval(ASKED, "Insufficient information.", [], "", [], 3.0)
    assert nothing == AfterFeatures(0, 1, 0, 0, 0, 0)


AFTER = AfterRetrieval(
    intercept=-1.0,
    self_consistency=0.3,
    abstained=-2.0,
    answer_in_evidence=1.5,
    supported=2.0,
    top_score=0.5,
    margin=-0.5,
)


@pytest.mark.parametrize(
    ("features", "z"),
    [
        (AfterFeatures(0, 0, 0, 0, 0, 0), -1.0),
        (AfterFeatures(1, 0, 1, 0.5, 0.5, 0.5), 1.8),
        (AfterFeatures(0, 1, 0, 0, 0.8, 0.2), -2.7),
    ],
)
def test_the_probability_is_the_logistic_of_the_weighted_sum(features, z):
    assert prober.probability(AFTER, features) == pytest.approx(1 / (1 + math.exp(-z)), abs=1e-15)


def test_probabilities_by_hand():
    weights = BeforeRetrieval(intercept=0.0, self_consistency=3.0, abstained=-1.0)
    assert prober.probability(weights, BeforeFeatures(0, 0)) == 0.5
    assert prober.probability(weights, BeforeFeatures(1, 1)) == pytest.approx(0.8807970779778823)
    largest = BeforeRetrieval(intercept=-100.0, self_consistency=-100.0, abstained=-100.0)
    assert 0 < prober.probability(largest, BeforeFeatures(1, 1)) < 1e-100


def test_each_feature_has_a_weight_and_each_weight_a_feature():
    for features, weights in ((BeforeFeatures, BeforeRetrieval), (AfterFeatures, AfterRetrieval)):
        assert ["intercept", *(field.name for field in fields(features))] == list(weights.model_fields)


@settings(max_examples=40, deadline=None)
@given(
    st.text(max_size=60),
    st.text(max_size=60),
    st.lists(st.text(max_size=20), max_size=3),
    st.text(max_size=120),
    st.lists(st.lists(st.floats(-1e6, 1e6), max_size=3), max_size=3),
    st.floats(1e-6, 1e6),
)
def test_every_feature_lies_in_0_to_1_whatever_the_texts(question, answer, samples, evidence, scores, scale):
    searches = [SearchScores.of(found) for found in scores]
    features = prober.after_retrieval(question, answer, samples, evidence, searches, scale)
    before = prober.before_retrieval(answer, samples)
    for found in (features, before):
        for field in fields(found):
            assert 0 <= getattr(found, field.name) <= 1, field.name
    assert 0 < prober.probability(AFTER, features) < 1


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("It cost 3.5 marks.\n\nThe end", ["It cost 3.5 marks.", "The end"]),
        (" \n ", []),
    ],
)
def test_sentences_end_before_white_space_or_with_a_line(text, sentences):
    assert prober.split_sentences(text) == sentences


def test_the_prober_needs_no_dspy():
    code = (
        "import sys, leaderboard.programs.prober; sys.exit('dspy' in sys.modules or 'numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
