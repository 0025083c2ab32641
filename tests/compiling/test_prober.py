"""Training the surrogate prober from records: what is an example, what comes out, and how it is written."""

from __future__ import annotations

import math
import tomllib
from dataclasses import replace

import pytest

from leaderboard.catalog.skill_rag import AfterRetrieval, BeforeRetrieval, SurrogateProber
from leaderboard.compiling.prober import Example, TrainingError, gate_examples, score_scale, toml, train_gate
from leaderboard.programs.prober import AfterFeatures, BeforeFeatures
from tests import tiny
from tests.results.examples import RECORD

QUESTIONS = {question.id: question for question in tiny.QUESTIONS}
GATE = {
    "step": "gate",
    "gate": "before_retrieval",
    "answer": "Ada",
    "features": {"self_consistency": 1.0, "abstained": 0.0},
}
AFTER = {
    "self_consistency": 0.0,
    "abstained": 0.0,
    "answer_in_evidence": 1.0,
    "supported": 0.5,
    "top_score": 0.5,
    "margin": 0.25,
}


def test_examples_are_what_a_gate_saw_with_whether_the_answer_was_right():
    trace = (GATE, {"step": "search"}, {**GATE, "gate": "after_retrieval", "answer": "Bo", "features": AFTER})
    records = [replace(RECORD, question="q1", trace=trace), replace(RECORD, question="q4", trace=(GATE,))]
    assert gate_examples(records, QUESTIONS, "before_retrieval") == [
        Example(BeforeFeatures(1.0, 0.0), True),
        Example(BeforeFeatures(1.0, 0.0), False),  # the same answer to another question
    ]
    assert gate_examples(records, QUESTIONS, "after_retrieval") == [
        Example(AfterFeatures(0.0, 0.0, 1.0, 0.5, 0.5, 0.25), False)
    ]


def test_a_gate_that_never_saw_a_right_answer_expects_none():
    """The closed-book gate of an invented world."""
    report = train_gate([Example(BeforeFeatures(1 / 3, 0.0), False)] * 24, "before_retrieval")
    weights = report.weights
    assert isinstance(weights, BeforeRetrieval)
    z = weights.intercept + weights.self_consistency / 3
    assert 1 / (1 + math.exp(-z)) == pytest.approx(1 / 26, abs=1e-4)
    assert (report.examples, report.right, report.accuracy, report.majority) == (24, 0, 1, 1)
    assert report.base_brier == 0
    assert report.brier == pytest.approx((1 / 25) ** 2, rel=1e-3)


def test_a_feature_that_tells_right_from_wrong_gets_the_weight():
    told = [Example(AfterFeatures(0, 0, 1, n % 2, 0.5, 0.2), n % 2 == 1) for n in range(20)]
    report = train_gate(told, "after_retrieval")
    assert isinstance(report.weights, AfterRetrieval)
    assert report.weights.supported == pytest.approx(
        1.9277
    )  # by scipy: minimize the formula of statistics.logistic
    assert report.weights.margin == pytest.approx(0, abs=1e-3)
    assert (report.accuracy, report.majority, report.right) == (1, 0.5, 10)
    assert report.brier < 0.1 < 0.25 < report.base_brier


def test_one_example_is_too_few():
    with pytest.raises(TrainingError, match="two examples or more for after_retrieval, found 1"):
        train_gate([Example(AfterFeatures(0, 0, 0, 0, 0, 0), True)], "after_retrieval")


def test_the_scale_is_the_median_of_the_best_scores():
    assert score_scale([[4.0, 9.0], [2.0], [], [3.0, 1.0]]) == 3.0
    for nothing in ([], [[]], [[-0.5], [-1.0]]):
        with pytest.raises(TrainingError, match="scores above 0"):
            score_scale(nothing)


def test_the_tables_read_back_as_the_prober():
    prober = SurrogateProber.model_validate(tiny.PROBER)
    text = toml(prober)
    assert SurrogateProber.model_validate(tomllib.loads(text)["program"]["prober"]) == prober
    assert text.startswith('[program.prober]\nkind = "black_box"\nscore_scale = 1.0\n')
