"""Means with their intervals, bounds of what is incomplete, and Overall."""

from dataclasses import replace

import numpy as np
import pytest

from leaderboard.board.aggregate import mean, overall, plain_mean
from leaderboard.board.tables import Value
from leaderboard.models.providers import ProviderError
from leaderboard.scoring.declared import BY_KEY
from leaderboard.scoring.score import score_cell
from tests import tiny
from tests.scripted import answer, said

WRONG = {tiny.KEYS: "Cleo Reed"}


def scores(home, answers=WRONG, on=None, **tables):
    cell = tiny.run(home, tiny.submit(home, "mill", **(tables or tiny.READER)), on, answers)
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
        values={"f1": np.arange(80) % 16 / 15},
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
