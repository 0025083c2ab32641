"""The best constant answer: the floor under every headline."""

from dataclasses import replace

import pytest

from leaderboard.benchmarks.registry import load_benchmark
from leaderboard.board.floor import Floor, best_constant
from leaderboard.metrics.match import match
from tests import tiny


def asked(*answers: str):
    first = tiny.QUESTIONS[0]
    return tiny.benchmark(
        questions=tuple(replace(first, id=str(n), answer=answer) for n, answer in enumerate(answers))
    )


def test_the_constant_that_is_right_most_often_is_the_floor():
    assert best_constant(asked("Ada", "Bo", "Bo", "Cleo")) == Floor("Bo", 2, 4)


def test_ties_go_to_the_alphabetically_first():
    assert best_constant(asked("Bo", "Ada", "Bo", "Ada")) == Floor("Ada", 2, 4)


def test_the_abstention_is_a_candidate_even_where_no_gold_says_it():
    nulls = tuple(replace(q, null=True, answer="none") for q in tiny.QUESTIONS)
    assert best_constant(tiny.benchmark(questions=nulls)) == Floor("Insufficient information.", 4, 4)


def test_a_constant_counts_wherever_match_calls_it_right_aliases_included():
    first = tiny.QUESTIONS[0]
    questions = (
        replace(first, answer="Marsh"),
        replace(first, id="2", answer="Cleo Marsh", aliases=("Marsh",)),
    )
    assert best_constant(tiny.benchmark(questions=questions)) == Floor("Cleo Marsh", 2, 2)
    assert best_constant(tiny.benchmark(questions=questions[::-1])) == Floor("Cleo Marsh", 2, 2)


def test_on_the_real_multihop_rag_questions_yes_is_right_on_150_of_500(real_data):
    benchmark = load_benchmark("multihop_rag", "full", data_dir=real_data)
    floor = best_constant(benchmark)
    assert floor == Floor("Yes", 150, 500)
    assert floor.right / floor.n == pytest.approx(0.30)


@pytest.mark.parametrize("name", ["frames", "musique", "multihop_rag"])
def test_the_shortcut_finds_what_trying_every_constant_on_every_question_finds(name):
    benchmark = load_benchmark(name, "sample")
    floor = best_constant(benchmark)
    for question in benchmark.questions:
        right = sum(match(question.answer, q.golds, null_question=q.null) for q in benchmark.questions)
        assert (right, question.answer) == (floor.right, floor.answer) or right <= floor.right
    assert floor.right == sum(match(floor.answer, q.golds, null_question=q.null) for q in benchmark.questions)
