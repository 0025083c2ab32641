"""The best constant answer: the floor under every headline."""

from dataclasses import replace

import pytest

from leaderboard.benchmarks.questions import Breakdown
from leaderboard.benchmarks.registry import load_benchmark
from leaderboard.board.benchmark_pages import benchmark_page
from leaderboard.board.floor import Floor, best_constant
from leaderboard.metrics.match import match
from leaderboard.scoring.declared import BY_KEY
from tests import tiny
from tests.board.boards import numbers, row, table


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


# One constant a group

TYPES = Breakdown("question_type", "Question type", ("inference", "comparison", "null"), "What is asked.")


def typed(*asked: tuple[str, str]):
    """A benchmark of (question type, gold) pairs."""
    first = tiny.QUESTIONS[0]
    questions = tuple(
        replace(
            first, id=str(n), answer=gold, evidence=(), groups={"question_type": (kind,)}, null=kind == "null"
        )
        for n, (kind, gold) in enumerate(asked)
    )
    return tiny.benchmark(questions=questions, breakdowns=(TYPES,))


def constants(benchmark):
    page = benchmark_page(benchmark, [], best_constant(benchmark), BY_KEY["match"])
    return row(table(page.breakdowns, "multihop_rag-question_type"), "best-constant-a-group")


def test_whoever_knows_the_group_has_a_constant_for_each():
    benchmark = typed(
        *(("inference", name) for name in ("Ada", "Bo", "Cleo")),
        *(("comparison", said) for said in ("no", "Yes", "no", "Yes")),
        *[("null", tiny.RIGHT[tiny.HARBOUR])] * 2,
    )
    # One constant for all is right on 2 of 9; one a group on 1 of 3, 2 of 4 and 2 of 2.
    assert best_constant(benchmark).right == 2
    found = constants(benchmark)
    assert numbers(found) == {
        "all": pytest.approx(5 / 9),
        "inference": pytest.approx(1 / 3),
        "comparison": 0.5,
        "null": 1,
    }
    assert {key: (value.n, value.note) for key, value in found.values.items()} == {
        "all": (9, "each group's best constant answer, summed"),
        "inference": (3, "the constant answer “Ada”"),
        "comparison": (4, "the constant answer “Yes”"),
        "null": (2, "the constant answer “Insufficient information.”"),
    }
    interval = found.values["all"].interval
    assert (found.kind, interval.method) == ("reference", "Wilson")
    assert (interval.low, interval.high) == (
        pytest.approx(0.266651, abs=1e-5),
        pytest.approx(0.811217, abs=1e-5),
    )


def test_a_group_without_questions_has_no_constant():
    assert list(numbers(constants(typed(("inference", "Ada"))))) == ["all", "inference"]


def test_one_constant_a_type_is_right_on_56_of_100_real_multihop_rag_questions(real_data):
    found = constants(load_benchmark("multihop_rag", "full", data_dir=real_data)).values
    assert (found["all"].n, round(found["all"].value, 2)) == (500, 0.56)


@pytest.mark.parametrize("name", ["frames", "musique"])
def test_other_breakdowns_have_no_such_row(name):
    benchmark = tiny.benchmark(name)
    page = benchmark_page(benchmark, [], best_constant(benchmark), BY_KEY["match"])
    assert not [each for one in page.breakdowns for each in one.rows]
