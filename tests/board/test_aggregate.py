"""Means with their intervals, bounds of what is incomplete, and Overall."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from leaderboard.board.aggregate import combined, mean, overall, plain_mean, value_of
from leaderboard.board.tables import Value
from leaderboard.models.providers import ProviderError
from leaderboard.scoring.answers import BALANCED_ABSTENTION
from leaderboard.scoring.declared import BY_KEY
from leaderboard.scoring.score import score_cell
from tests import tiny
from tests.scripted import answer, said

WRONG = {tiny.KEYS: "Cleo Reed"}


def scores(home, answers=WRONG, on=None, repeats=1, **tables):
    cell = tiny.run(home, tiny.submit(home, "mill", **(tables or tiny.READER)), on, answers, repeats=repeats)
    found = score_cell(cell, home / "scores")
    assert found is not None
    return found


def test_a_share_of_questions_has_wilsons_interval(tmp_path):
    value = mean(scores(tmp_path), BY_KEY["match"])
    assert (value.value, value.n, value.bounds, value.note) == (0.75, 4, None, "")
    assert value.interval is not None
    assert value.interval.method == "Wilson"
    assert value.interval.low == pytest.approx(0.300642, abs=1e-6)
    assert value.interval.high == pytest.approx(0.954413, abs=1e-6)


def test_a_mean_of_few_other_values_has_no_interval(tmp_path):
    value = mean(scores(tmp_path), BY_KEY["f1"])
    assert (value.value, value.n, value.interval) == (0.875, 4, None)


def test_a_mean_of_many_other_values_has_the_bootstrap_interval(tmp_path):
    few = scores(tmp_path)
    questions = tuple(replace(tiny.QUESTIONS[n % 4], id=f"q{n}") for n in range(80))
    many = replace(
        few,
        cell=replace(few.cell, benchmark=tiny.benchmark(questions=questions)),
        scored=np.ones(80, dtype=np.bool_),
        repeats={"f1": (np.arange(80) % 16 / 15)[np.newaxis]},
    )
    value = mean(many, BY_KEY["f1"])
    assert value.value == pytest.approx(0.5)
    assert value.interval is not None
    assert value.interval.method == "bootstrap"
    assert 0.42 < value.interval.low < 0.5 < value.interval.high < 0.58


def test_a_mean_counts_only_the_questions_that_a_metric_applies_to(tmp_path):
    found = scores(tmp_path)
    assert (mean(found, BY_KEY["contain"]).value, mean(found, BY_KEY["contain"]).n) == (
        pytest.approx(2 / 3),
        3,
    )
    complete = mean(found, BY_KEY["evidence_complete"])
    assert (complete.value, complete.n) == (pytest.approx(2 / 3), 3)


def test_a_mask_chooses_the_questions_of_a_group(tmp_path):
    value = mean(scores(tmp_path), BY_KEY["match"], np.array([True, False, False, True]))
    assert (value.value, value.n) == (0.5, 2)


def test_an_incomplete_cell_has_bounds_and_no_value(tmp_path):
    found = scores(tmp_path, {**WRONG, tiny.LOCK: ProviderError("gone")})
    value = mean(found, BY_KEY["match"])
    assert (value.value, value.interval, value.n) == (None, None, 4)
    assert value.bounds == (0.5, 0.75)  # q1 and q3 right, q4 wrong, q2 unknown
    assert value.note == "incomplete: 1 of 4 questions without a result"


def test_what_has_no_best_and_worst_has_no_bounds(tmp_path):
    found = scores(tmp_path, {**WRONG, tiny.LOCK: ProviderError("gone")})
    value = mean(found, BY_KEY["tokens"])
    assert (value.value, value.bounds, value.n) == (None, None, 4)


def test_a_group_without_a_missing_result_has_its_value_in_an_incomplete_cell(tmp_path):
    found = scores(tmp_path, {**WRONG, tiny.LOCK: ProviderError("gone")})
    assert mean(found, BY_KEY["match"], np.array([True, False, True, False])).value == 1


def test_evidence_does_not_apply_to_who_never_retrieves_complete_or_not(tmp_path):
    for number, answers in enumerate(({}, {tiny.LOCK: ProviderError("gone")})):
        found = scores(tmp_path / str(number), answers, **tiny.CLOSED_BOOK)
        value = mean(found, BY_KEY["evidence_complete"])
        assert (value.value, value.n, value.bounds, value.note) == (None, 0, None, "does not apply")


def test_tokens_that_no_response_tells_are_unknown(tmp_path):
    silent = {question: said(answer("Ada"), prompt_tokens=None) for question in tiny.RIGHT}
    value = mean(scores(tmp_path, silent), BY_KEY["tokens"])
    assert (value.value, value.n, value.note) == (None, 0, "unknown")


def test_overall_is_the_mean_of_the_headlines_with_movers_interval():
    value = overall([Value(value=0.75, n=4), Value(value=0.5, n=4)], 2)
    assert (value.value, value.n) == (0.625, 8)
    assert value.interval is not None
    assert value.interval.method == "MOVER"
    # Wilson: 3 of 4 is 0.300642 to 0.954413, 2 of 4 is 0.150039 to 0.849961.
    # low = 0.625 - 0.5·√(0.449358² + 0.349961²), high = 0.625 + 0.5·√(0.204413² + 0.349961²)
    assert value.interval.low == pytest.approx(0.340221, abs=1e-6)
    assert value.interval.high == pytest.approx(0.827643, abs=1e-6)


def test_overall_weighs_benchmarks_alike_whatever_their_size():
    assert overall([Value(value=1.0, n=4), Value(value=0.0, n=400)], 2).value == 0.5


def test_overall_is_for_systems_that_are_complete_on_every_benchmark():
    value = overall([Value(value=0.75, n=4), Value(value=None, n=4, bounds=(0.5, 0.75))], 2)
    assert (value.value, value.interval, value.note) == (None, None, "complete on 1 of 2 benchmarks")
    assert overall([Value(value=0.75, n=4)], 2).value is None


def test_a_plain_mean_is_unknown_with_the_reason_of_the_part_that_is_unknown():
    known = Value(value=2.0, n=4)
    assert plain_mean([known, Value(value=4.0, n=6)]) == Value(value=3.0, n=10)
    assert plain_mean([known, Value(value=None, n=0, note="why")]) == Value(value=None, n=0, note="why")


# Runs of several repeats

VARYING = {tiny.KEYS: ("Cleo Marsh", "Cleo Reed", "Cleo Marsh"), tiny.LOCK: ("Yes, it is.", "Yes", "No")}


def test_a_mean_of_several_runs_is_that_of_the_questions_means_with_the_deviation_of_the_runs(tmp_path):
    value = mean(scores(tmp_path, VARYING, repeats=3), BY_KEY["match"])
    # The questions' means are 1, 2/3, 1, 2/3, the runs' 1, 3/4, 3/4: √((1/6² + 2 · 1/12²) / 2).
    assert (value.value, value.n, value.bounds) == (pytest.approx(10 / 12), 4, None)
    assert value.deviation == pytest.approx(0.144338, abs=1e-6)
    # Wilson's interval of 10/3 right of 4.
    assert value.interval is not None
    assert (value.interval.low, value.interval.high) == (
        pytest.approx(0.362292, abs=1e-5),
        pytest.approx(0.977780, abs=1e-5),
    )


def test_the_deviation_of_a_group_is_of_the_runs_means_over_the_group(tmp_path):
    value = mean(scores(tmp_path, VARYING, repeats=3), BY_KEY["match"], np.array([False, False, False, True]))
    assert (value.value, value.n, value.deviation) == (
        pytest.approx(2 / 3),
        1,
        pytest.approx(0.577350, abs=1e-6),  # of 1, 0, 1
    )


def test_the_deviation_leaves_out_a_run_in_which_the_metric_has_no_value(tmp_path):
    untold = said(answer("Ada"), prompt_tokens=None)
    silent = {question: (untold, "Ada", said(answer("Ada"), prompt_tokens=35)) for question in tiny.RIGHT}
    value = mean(scores(tmp_path, silent, repeats=3), BY_KEY["tokens"])
    assert (value.value, value.n) == (27.5, 4)  # 15 and 40
    assert value.deviation == pytest.approx(17.677670, abs=1e-6)  # √(2 · 12.5² / 1)


def test_a_single_run_has_no_deviation_and_runs_that_agree_have_none_to_speak_of(tmp_path):
    assert mean(scores(tmp_path), BY_KEY["match"]).deviation is None
    assert mean(scores(tmp_path / "b", {}, repeats=3), BY_KEY["match"]).deviation == 0


def test_one_repeat_without_a_result_makes_the_cell_incomplete_and_its_question_part_known(tmp_path):
    found = scores(tmp_path, {tiny.KEYS: ("Cleo Marsh", ProviderError("gone"), "Cleo Reed")}, repeats=3)
    value = mean(found, BY_KEY["match"])
    # Three right of four, and of the fourth one right, one wrong, one unknown.
    assert (value.value, value.n, value.deviation, value.interval) == (None, 4, None, None)
    assert value.bounds == (pytest.approx((3 + 1 / 3) / 4), pytest.approx((3 + 2 / 3) / 4))
    assert value.note == "incomplete: 1 of 4 questions without a result"
    assert mean(found, BY_KEY["match"], np.array([True, True, True, False])).value == 1


# What is combined of several means

NULLS, ANSWERABLE = 3, 5


def abstaining(home, null, answerable, nulls=NULLS, others=ANSWERABLE):
    """Scores of a system that declines on so many null questions and so many of the others."""
    few = scores(home, on=tiny.benchmark("multihop_rag"))
    questions = tuple(
        replace(tiny.QUESTIONS[2 if place < nulls else 0], id=f"q{place}") for place in range(nulls + others)
    )
    declined = np.array(
        [place < null for place in range(nulls)] + [place < answerable for place in range(others)]
    )
    is_null = np.arange(nulls + others) < nulls
    return replace(
        few,
        cell=replace(few.cell, benchmark=tiny.benchmark("multihop_rag", questions=questions)),
        scored=np.ones(nulls + others, dtype=np.bool_),
        repeats={
            "abstention_recall": np.where(is_null, declined, np.nan)[np.newaxis],
            "false_abstention": np.where(is_null, np.nan, declined)[np.newaxis],
        },
    )


def test_balanced_abstention_has_movers_limits_of_its_two_shares(tmp_path):
    value = combined(abstaining(tmp_path, null=2, answerable=1), BALANCED_ABSTENTION)
    # (2/3 + 1 - 1/5) / 2. Wilson: 2 of 3 is 0.207660 to 0.938508, 4 of 5 (not declined) 0.375534 to 0.963776.
    assert (value.value, value.n) == (pytest.approx(0.733333, abs=1e-6), 8)
    assert value.interval is not None
    assert value.interval.method == "MOVER"
    # low = 0.733333 - 0.5·√(0.459007² + 0.424466²), high = 0.733333 + 0.5·√(0.271841² + 0.163776²)
    assert value.interval.low == pytest.approx(0.420740, abs=1e-5)
    assert value.interval.high == pytest.approx(0.892016, abs=1e-5)


def test_balanced_abstention_lies_within_its_limits_whatever_was_declined(tmp_path):
    for nulls, others in ((1, 1), (2, 3), (4, 2)):
        for null, answerable in itertools.product(range(nulls + 1), range(others + 1)):
            found = abstaining(tmp_path, null, answerable, nulls, others)
            value = combined(found, BALANCED_ABSTENTION)
            assert value.value == pytest.approx((null / nulls + 1 - answerable / others) / 2)
            assert value.interval is not None
            assert 0 <= value.interval.low <= value.value + 1e-12
            assert value.value - 1e-12 <= value.interval.high <= 1
            assert (value.interval.low > 0) is (null > 0 or answerable < others)
            assert (value.interval.high < 1) is (null < nulls or answerable > 0)


def test_who_always_declines_and_who_never_does_are_balanced_at_one_half(tmp_path):
    assert value_of(abstaining(tmp_path, NULLS, ANSWERABLE), BALANCED_ABSTENTION).value == 0.5
    assert value_of(abstaining(tmp_path, 0, 0), BALANCED_ABSTENTION).value == 0.5


def test_what_is_combined_is_unknown_with_the_reason_when_a_part_of_it_is(tmp_path):
    on = tiny.benchmark("multihop_rag")
    found = scores(tmp_path, {tiny.LOCK: ProviderError("gone")}, on)
    value = combined(found, BALANCED_ABSTENTION)
    assert (value.value, value.interval) == (None, None)
    assert value.note == "incomplete: 1 of 3 questions without a result"  # of the answerable ones
    only_null = combined(found, BALANCED_ABSTENTION, np.array([False, False, True, False]))
    assert (only_null.value, only_null.note) == (None, "does not apply")


def test_balanced_abstention_of_a_real_run(tmp_path):
    value = combined(scores(tmp_path, {tiny.MILL: "I do not know."}), BALANCED_ABSTENTION)
    assert (value.value, value.n) == (pytest.approx((1 + 1 - 1 / 3) / 2), 4)
