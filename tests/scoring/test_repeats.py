"""Runs of several repeats: a question's mean, and what one repeat without a result does to the whole (spec § 7.7)."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from leaderboard.models.providers import ProviderError
from leaderboard.plan import plan
from leaderboard.results.runs import RunError
from leaderboard.scoring import score
from leaderboard.scoring.declared import BY_KEY, metrics_of
from leaderboard.scoring.score import score_cell
from tests import tiny
from tests.scoring.test_score import with_records, with_run
from tests.scripted import answer, said

VARYING = {tiny.KEYS: ("Cleo Marsh", "Cleo Reed", "Cleo Marsh"), tiny.LOCK: ("Yes, it is.", "Yes", "No")}


def scored(home, answers=VARYING, repeats=3, **tables):
    cell = tiny.run(
        home, tiny.submit(home, "mill", **(tables or tiny.READER)), answers=answers, repeats=repeats
    )
    found = score_cell(cell, home / "scores")
    assert found is not None
    return found


def test_each_repeat_has_a_row_and_a_question_the_mean_over_them(tmp_path):
    scores = scored(tmp_path)
    assert scores.repeats["match"].tolist() == [[1, 1, 1, 1], [1, 1, 1, 0], [1, 0, 1, 1]]
    assert scores.repeats["f1"].tolist() == [[1, 0.5, 1, 1], [1, 1, 1, 0.5], [1, 0, 1, 1]]
    assert scores.of(BY_KEY["match"]).tolist() == pytest.approx([1, 2 / 3, 1, 2 / 3])
    assert scores.of(BY_KEY["f1"]).tolist() == pytest.approx([1, 0.5, 1, 2.5 / 3])
    assert scores.scored.tolist() == [True] * 4


def test_a_mean_is_over_the_repeats_in_which_the_metric_has_a_value(tmp_path):
    untold = said(answer("Cleo Marsh"), completion_tokens=None)
    scores = scored(
        tmp_path, {tiny.KEYS: (said(answer("Cleo Marsh"), prompt_tokens=25), untold, "Cleo Marsh")}
    )
    assert scores.of(BY_KEY["tokens"]).tolist() == [15, 15, 15, 22.5]  # 30 and 15; one is unknown
    assert np.isnan(scores.of(BY_KEY["contain"])[2])  # the null question, in each repeat


def test_a_question_without_a_result_in_one_repeat_is_not_scored(tmp_path):
    scores = scored(tmp_path, {tiny.KEYS: ("Cleo Marsh", ProviderError("gone"), "Cleo Reed")})
    assert scores.cell.state == "incomplete"
    assert scores.scored.tolist() == [True, True, True, False]
    assert [None if np.isnan(one) else one for one in scores.repeats["match"][:, 3]] == [1, None, 0]


def test_kept_scores_of_several_repeats_read_back_equal(tmp_path, monkeypatch):
    first = scored(tmp_path, {**VARYING, tiny.MILL: ("Ada", ProviderError("gone"), "")})
    monkeypatch.setattr(score, "read_records", None)
    again = score_cell(first.cell, tmp_path / "scores")
    assert again is not None
    assert list(again.repeats) == list(first.repeats)
    for key, values in first.repeats.items():
        assert values.shape == (3, 4)
        np.testing.assert_array_equal(again.repeats[key], values)
    np.testing.assert_array_equal(again.scored, first.scored)
    [file] = (tmp_path / "scores").rglob("*.parquet")
    assert pl.read_parquet(file)["repeat"].to_list() == [0] * 4 + [1] * 4 + [2] * 4


def test_scores_are_computed_again_when_the_list_of_metrics_changed(tmp_path, monkeypatch):
    first = scored(tmp_path)
    [file] = (tmp_path / "scores").rglob("*.parquet")
    fewer = tuple(metric for metric in metrics_of(first.cell) if metric.key != "f1")
    monkeypatch.setattr(score, "metrics_of", lambda *_: fewer)
    again = score_cell(first.cell, tmp_path / "scores")
    assert "f1" not in again.repeats and "em" in again.repeats
    [other] = (tmp_path / "scores").rglob("*.parquet")
    assert other != file
    monkeypatch.undo()
    assert score_cell(first.cell, tmp_path / "scores").repeats["f1"].tolist() == first.repeats["f1"].tolist()


def test_records_of_several_repeats_are_put_in_the_order_of_repeats_and_questions(tmp_path):
    scores = scored(tmp_path)
    cell = with_records(scores, lambda records: records[::-1], questions=4)
    again = score_cell(cell, tmp_path / "scores")
    assert again.repeats["match"].tolist() == scores.repeats["match"].tolist()


def test_a_repeat_that_lacks_a_question_is_refused(tmp_path):
    cell = with_records(scored(tmp_path), lambda records: records[:-1], questions=4)
    with pytest.raises(RunError, match="questions times repeats: 12 told, 11 in the records"):
        score_cell(cell, tmp_path / "scores")
    home = tmp_path / "twice"
    cell = with_records(scored(home), lambda records: [*records[:-1], records[0]], questions=4)
    with pytest.raises(RunError, match="has 2 records of question q1"):
        score_cell(cell, home / "scores")


def test_a_run_that_tells_another_number_of_repeats_is_refused(tmp_path):
    cell = with_run(scored(tmp_path), repeats=2, questions=6)
    with pytest.raises(RunError, match="repeat 2, expected this folder's run, repeats 0 to 1"):
        score_cell(cell, tmp_path / "scores")


def test_asking_more_often_takes_the_place_of_the_single_run(tmp_path):
    single = scored(tmp_path, {}, repeats=1)
    assert single.repeats["match"].shape == (1, 4)
    # The first repeat is replayed from the run before, so only two more calls a question are made.
    tiny.run(tmp_path, single.cell.submission, repeats=3)
    [cell] = plan([single.cell.submission], [tiny.benchmark()], tmp_path / "results")
    assert (cell.shown.run.repeats, cell.shown.run.calls_replayed, cell.shown.run.calls_made) == (3, 4, 8)
    assert score_cell(cell, tmp_path / "scores").repeats["match"].shape == (3, 4)
