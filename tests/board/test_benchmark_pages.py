"""A benchmark's page: main table, breakdowns with the questions of each group, defects."""

import pytest

from leaderboard.benchmarks.questions import Defect
from leaderboard.models.providers import ProviderError
from tests import tiny
from tests.board.boards import page, row

WRONG = {tiny.KEYS: "Cleo Reed"}


def test_the_main_table_has_its_metrics_with_their_right_values(tmp_path):
    main = page(tmp_path, {"mill": WRONG}, {"mill": tiny.READER}).main
    found = {key: value.value for key, value in row(main, "mill").values.items()}
    assert found == {
        "match": 0.75,
        "em": 0.75,
        "f1": 0.875,
        "contain": pytest.approx(2 / 3),
        "answer_tokens": 1.75,
        "evidence_shown": pytest.approx(2.5 / 3),
        "evidence_complete": pytest.approx(2 / 3),
        "tokens": 15,
        "seconds": 0.5,
    }
    assert [column.key for column in main.columns] == list(found)


def test_the_main_table_ranks_by_the_headline_and_keeps_references_apart(tmp_path):
    main = page(
        tmp_path,
        {"bee": WRONG, "ant": WRONG, "cat": {}, "gone": {tiny.LOCK: ProviderError("x")}, "gold": {}},
        {"gold": tiny.GOLD},
    ).main
    assert [(found.key, found.kind, found.marks) for found in main.rows] == [
        ("cat", "ranked", ()),
        ("ant", "ranked", ()),
        ("bee", "ranked", ()),
        ("gone", "unranked", ("incomplete",)),
        ("gold", "reference", ()),
        ("best-constant-answer", "reference", ()),
    ]
    assert row(main, "best-constant-answer").values["match"].value == 0.25


def test_a_breakdown_has_the_groups_that_have_questions_with_their_n(tmp_path):
    by_kind, by_facts = page(tmp_path, {"mill": WRONG}).breakdowns
    assert [(column.key, column.label) for column in by_kind.columns] == [
        ("all", "All"),
        ("person", "person"),
        ("yes or no", "yes or no"),
        ("null", "null"),
    ]
    values = row(by_kind, "mill").values
    assert {key: (value.value, value.n) for key, value in values.items()} == {
        "all": (0.75, 4),
        "person": (pytest.approx(2 / 3), 3),
        "yes or no": (1, 1),
        "null": (1, 1),
    }
    assert {key: (value.value, value.n) for key, value in row(by_facts, "mill").values.items()} == {
        "all": (0.75, 4),
        "1": (0.5, 2),
        "2": (1, 1),
    }


def test_a_groups_interval_is_wilsons(tmp_path):
    interval = row(page(tmp_path, {"mill": WRONG}).breakdowns[0], "mill").values["person"].interval
    assert interval is not None
    assert (interval.low, interval.high) == (
        pytest.approx(0.207660, abs=1e-6),
        pytest.approx(0.938508, abs=1e-6),
    )


def test_overlapping_groups_are_said_to_overlap(tmp_path):
    by_kind, by_facts = page(tmp_path, {"mill": {}}).breakdowns
    assert by_kind.caption == "What is asked for. A question counts in each of its groups."
    assert by_facts.caption == "Facts needed."


def test_an_incomplete_cell_has_bounds_in_the_groups_of_the_missing_results_alone(tmp_path):
    values = row(page(tmp_path, {"mill": {tiny.LOCK: ProviderError("x")}}).breakdowns[0], "mill").values
    assert values["yes or no"].bounds == (0, 1)
    assert values["person"].value == 1


def test_a_sample_is_never_called_by_the_benchmarks_name_alone(tmp_path):
    found = page(tmp_path, {"mill": {}})
    assert (found.label, found.questions, found.documents) == ("frames label", 4, 4)
    assert "never a score on FRAMES" in found.summary
    assert page(tmp_path / "b", {}, on=tiny.benchmark("frames", track="full")).summary.startswith(
        "824 questions"
    )


def test_defects_come_one_line_a_kind_with_how_often_and_where_first(tmp_path):
    defects = (
        Defect("test.tsv", 3, "a blank", "trimmed"),
        Defect("test.tsv", 9, "a blank", "trimmed"),
        Defect("corpus.json", None, "no corpus", "loaded without"),
    )
    assert page(tmp_path, {}, on=tiny.benchmark("frames", defects=defects)).defects == (
        "test.tsv, row 3: a blank; trimmed (2 times)",
        "corpus.json: no corpus; loaded without",
    )
