"""Train questions: drawn by the seed, and never one that is scored."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.benchmarks.registry import load_benchmark, load_train
from leaderboard.catalog.optimizers import BootstrapFewShot
from leaderboard.compiling.ending import CompileError
from leaderboard.compiling.training import draw, evaluation, require_no_leak, training
from leaderboard.submissions.config import load_config
from tests.compiling.school import QUESTIONS

CONFIG = load_config(Path(__file__).parents[2] / "leaderboard.toml")


def drawn_with(**settings):
    return training(BootstrapFewShot(optimizer="bootstrap_few_shot", **settings), CONFIG)


def test_the_seed_draws_the_questions_and_their_order():
    some = drawn_with(max_examples=5)
    assert [question.id for question in some.questions] == [
        question.id for question in drawn_with(max_examples=5).questions
    ]
    assert some.questions != drawn_with(max_examples=5, seed=1).questions
    assert len(some.questions) == 5
    assert some.documents == load_train("musique", "sample").documents  # the corpus stays whole
    assert draw(QUESTIONS, 3, 0) == draw(QUESTIONS, 3, 0) != draw(QUESTIONS, 3, 2)


def test_every_question_of_the_boards_benchmarks_is_looked_for():
    expected = sum(len(load_benchmark(name, "sample").questions) for name in CONFIG.board.every_benchmark)
    assert len(evaluation(CONFIG)) == expected


def test_the_samples_whole_train_split_can_be_learnt_from():
    assert len(drawn_with(max_examples=24).questions) == 24


def test_a_train_question_that_is_scored_is_refused_and_both_are_named():
    text = "Who built the mill that stands at the northern end of the harbour?"
    train = [replace(QUESTIONS[0], text=text), QUESTIONS[1]]
    scored = [replace(QUESTIONS[2], id="dev7", text=text.replace("?", " ?"))]
    with pytest.raises(
        CompileError, match=r"1 of 2 train questions are scored .*train question t0 .*dev7"
    ) as error:
        require_no_leak(train, scored)
    assert text in str(error.value)
    require_no_leak(QUESTIONS, scored)
