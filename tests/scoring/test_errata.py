"""Match with errata: computed beside Match in the same pass, from records that stay as they are."""

import math

import pytest

from leaderboard.plan import plan
from leaderboard.scoring.answers import MATCH_ERRATA
from leaderboard.scoring.declared import BY_KEY, METRICS, metrics_of
from leaderboard.scoring.score import score_cell
from tests import tiny
from tests.overlay import erratum, use

MILL, LOCK, HARBOUR, KEYS = tiny.QUESTIONS
FULL = tiny.benchmark("frames", track="full")
ANSWERS = {tiny.MILL: "Ada Fenn", tiny.KEYS: "Cleo Reed"}
OVERLAY = (
    erratum(LOCK, kind="answer_in_prompt"),
    erratum(MILL, exclude=None, kind="debris", answer="Bo Lind", aliases=["Bo"]),
    erratum(KEYS, exclude=None, kind="debris", aliases=["Cleo Reed"]),
)


@pytest.fixture
def cell(tmp_path):
    return tiny.run(tmp_path, tiny.submit(tmp_path, "mill"), FULL, ANSWERS)


def values(scores, metric):
    return [None if math.isnan(value) else value for value in scores.of(metric).tolist()]


def test_the_excluded_have_no_value_and_the_corrected_are_scored_against_their_golds(
    cell, tmp_path, monkeypatch
):
    use(monkeypatch, tmp_path, *OVERLAY)
    scores = score_cell(cell, tmp_path / "scores")
    assert values(scores, BY_KEY["match"]) == [1, 1, 1, 0]
    # Replaced golds: "Ada Fenn" is right no more. Added ones: "Cleo Reed" is right now. The null question is as it was.
    assert values(scores, MATCH_ERRATA) == [0, None, 1, 1]


def test_a_null_question_stays_one(tmp_path, monkeypatch):
    use(monkeypatch, tmp_path, erratum(LOCK))
    answers = {tiny.HARBOUR: "Ada", tiny.KEYS: "Marsh"}
    cell = tiny.run(tmp_path, tiny.submit(tmp_path, "mill"), FULL, answers)
    assert values(score_cell(cell, tmp_path / "scores"), MATCH_ERRATA) == [1, None, 0, 1]


def test_without_errata_nothing_more_is_computed(cell, tmp_path):
    assert not score_cell(cell, tmp_path / "scores").knows(MATCH_ERRATA)
    assert MATCH_ERRATA not in METRICS and MATCH_ERRATA not in metrics_of(cell)


def test_an_edit_of_an_erratum_scores_again_and_leaves_the_run_and_its_fingerprint(
    cell, tmp_path, monkeypatch
):
    before = {path: path.read_bytes() for path in (tmp_path / "results").rglob("*") if path.is_file()}
    kept = set()
    for entries, expected in (
        (OVERLAY, [0, None, 1, 1]),
        (OVERLAY[:1], [1, None, 1, 0]),
        (OVERLAY[2:], [1, 1, 1, 1]),
    ):
        use(monkeypatch, tmp_path, *entries)
        assert values(score_cell(cell, tmp_path / "scores"), MATCH_ERRATA) == expected
        [file] = (tmp_path / "scores").rglob("*.parquet")
        kept.add(file.name)
        assert values(score_cell(cell, tmp_path / "scores"), MATCH_ERRATA) == expected  # read back
        [again] = plan([cell.submission], [FULL], tmp_path / "results")
        assert (again.fingerprint, again.state, again.stale_parts) == (cell.fingerprint, "complete", ())
    assert len(kept) == 3
    assert before == {path: path.read_bytes() for path in before}


def test_the_mean_is_over_the_repeats_of_each_question(tmp_path, monkeypatch):
    use(monkeypatch, tmp_path, *OVERLAY)
    varying = {tiny.KEYS: ("Cleo Reed", "Nobody", "Cleo Marsh")}
    cell = tiny.run(tmp_path, tiny.submit(tmp_path, "mill"), FULL, varying, repeats=3)
    assert values(score_cell(cell, tmp_path / "scores"), MATCH_ERRATA) == pytest.approx([0, None, 1, 2 / 3])
