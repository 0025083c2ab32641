"""The table of Match with and without errata: on a page only where some apply, and never what ranks."""

import pytest

from leaderboard.models.providers import ProviderError
from leaderboard.statistics.intervals import wilson
from tests import tiny
from tests.board import boards
from tests.board.boards import numbers, page, row, table
from tests.overlay import erratum, use

MILL, LOCK, HARBOUR, KEYS = tiny.QUESTIONS
FULL = tiny.benchmark("frames", track="full", label="FRAMES")
OVERLAY = (
    erratum(LOCK, kind="answer_in_prompt"),
    erratum(KEYS, exclude=None, kind="debris", aliases=["Cleo Reed"]),
)
RIGHT_WITH_ERRATA = {tiny.KEYS: "Cleo Reed"}
SYSTEMS = {"ant": {tiny.LOCK: "No"}, "bee": RIGHT_WITH_ERRATA, "cat": {tiny.LOCK: "No", tiny.MILL: "Bo"}}


def test_a_row_has_both_scores_with_their_n_and_the_difference(tmp_path, monkeypatch):
    use(monkeypatch, tmp_path, *OVERLAY)
    found = table(page(tmp_path, SYSTEMS, on=FULL).scorecards, "frames-errata")
    # ant: of mill, lock, harbour, keys 1 0 1 1; bee: 1 1 1 0, and "Cleo Reed" is right with errata; cat: 0 0 1 1.
    assert {one.key: numbers(one) for one in found.rows} == {
        "ant": {"match": 0.75, "match_errata": 1, "difference": 0.25},
        "bee": {"match": 0.75, "match_errata": 1, "difference": 0.25},
        "cat": {"match": 0.5, "match_errata": pytest.approx(2 / 3), "difference": pytest.approx(1 / 6)},
    }
    values = row(found, "cat").values
    assert [values[key].n for key in ("match", "match_errata", "difference")] == [4, 3, 0]
    limits = wilson(2, 3)
    assert (values["match_errata"].interval.low, values["match_errata"].interval.high) == (
        limits.low,
        limits.high,
    )
    assert [column.label for column in found.columns] == [
        "Match as published",
        "Match with errata",
        "Difference",
    ]


def test_the_caption_counts_by_kind_and_says_what_ranks(tmp_path, monkeypatch):
    use(monkeypatch, tmp_path, *OVERLAY, erratum(MILL, kind="dated"))
    found = table(page(tmp_path, SYSTEMS, on=FULL).scorecards, "frames-errata")
    assert found.caption == (
        "Of 4 questions, 2 (1 answer in the prompt, 1 dated) are left out and 1 (1 debris in the gold) is scored "
        "against corrected golds. Ranks always use the published questions."
    )


def test_ranks_tables_and_the_floor_are_the_same_with_and_without(tmp_path, monkeypatch):
    without = boards.board(tmp_path, {"ant": {"frames": SYSTEMS["ant"]}}, benchmarks=(FULL,))
    use(monkeypatch, tmp_path, *OVERLAY)
    with_errata = boards.board(tmp_path, {"ant": {"frames": SYSTEMS["ant"]}}, benchmarks=(FULL,))
    assert with_errata.home == without.home
    [before], [after] = without.benchmarks, with_errata.benchmarks
    assert after.model_copy(update={"scorecards": after.scorecards[:-1]}) == before
    assert [note.key for note in with_errata.metrics[len(without.metrics) :]] == ["match_errata"]


def test_a_question_without_a_result_that_is_excluded_is_not_missing_with_errata(tmp_path, monkeypatch):
    use(monkeypatch, tmp_path, *OVERLAY)
    lost = {"lost": {tiny.LOCK: ProviderError("gone")}, "gone": {tiny.KEYS: ProviderError("gone")}}
    found = table(page(tmp_path, lost, on=FULL).scorecards, "frames-errata")
    assert numbers(row(found, "lost")) == {"match": None, "match_errata": 1, "difference": None}
    assert row(found, "gone").values["match_errata"].bounds == (pytest.approx(2 / 3), 1)
    assert row(found, "lost").kind == row(found, "gone").kind == "unranked"


def test_a_system_that_was_not_run_says_so_in_each_column(tmp_path, monkeypatch):
    use(monkeypatch, tmp_path, *OVERLAY)
    board = boards.board(tmp_path, {"ant": {"frames": {}}, "later": {}}, benchmarks=(FULL,))
    values = row(table(board.benchmarks[0].scorecards, "frames-errata"), "later").values
    assert {value.note for value in values.values()} == {"not run: leaderboard build --only later"}


def test_there_is_no_table_on_the_sample_or_without_errata_that_apply(tmp_path, monkeypatch):
    use(monkeypatch, tmp_path, *OVERLAY)
    sample = page(tmp_path / "sample", SYSTEMS)
    assert not any(one.key.endswith("errata") for one in sample.scorecards)
    use(monkeypatch, tmp_path, erratum(LOCK, digest="0" * 12))
    other = page(tmp_path / "other", SYSTEMS, on=FULL)
    assert not any(one.key.endswith("errata") for one in other.scorecards)
    assert other.defects == (
        "errata/frames.toml, row 1: the erratum of question q2 is of another wording or gold; not applied",
    )
