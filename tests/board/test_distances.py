"""Points above closed book and below gold context: differences of the same model's systems, group by group."""

from __future__ import annotations

import pytest

from leaderboard.models.providers import ProviderError
from tests import tiny
from tests.board.boards import FRAMES, board, numbers, page, row, table

WRONG = {tiny.KEYS: "Cleo Reed"}
WORSE = {**WRONG, tiny.MILL: "Bo"}
OTHER = {"lm": {"model": "embedded/other"}}
TABLES = {"reader": tiny.READER, "gold": tiny.GOLD}


def distances(home, systems=None, tables=None):
    return page(home, systems or {"reader": WRONG, "closed": WORSE, "gold": {}}, tables or TABLES).distances


def test_the_tables_come_breakdown_by_breakdown_first_above_then_below(tmp_path):
    found = distances(tmp_path)
    assert [(one.key, one.title) for one in found] == [
        ("frames-kind-closed-book", "frames label: points above closed book, by Kind"),
        ("frames-kind-gold-context", "frames label: points below gold context, by Kind"),
        ("frames-facts-closed-book", "frames label: points above closed book, by Facts"),
        ("frames-facts-gold-context", "frames label: points below gold context, by Facts"),
    ]


def test_points_above_closed_book_by_hand(tmp_path):
    above = row(table(distances(tmp_path), "frames-kind-closed-book"), "reader")
    assert numbers(above) == {
        "all": pytest.approx(3 / 4 - 2 / 4),
        "person": pytest.approx(2 / 3 - 1 / 3),
        "yes or no": 0,
        "null": 0,
    }
    assert {key: value.n for key, value in above.values.items()} == {
        "all": 4,
        "person": 3,
        "yes or no": 1,
        "null": 1,
    }
    assert {value.interval for value in above.values.values()} == {None}


def test_points_below_gold_context_by_hand(tmp_path):
    below = row(table(distances(tmp_path), "frames-facts-gold-context"), "reader")
    assert numbers(below) == {"all": pytest.approx(1 - 3 / 4), "1": pytest.approx(1 - 1 / 2), "2": 0}


def test_a_system_below_closed_book_or_above_gold_context_has_a_minus(tmp_path):
    found = distances(tmp_path, {"reader": WRONG, "closed": {}, "gold": WORSE})
    assert row(table(found, "frames-kind-closed-book"), "reader").values["all"].value == -0.25
    assert row(table(found, "frames-kind-gold-context"), "reader").values["all"].value == -0.25


def test_only_systems_that_retrieve_are_compared_and_only_with_their_own_model(tmp_path):
    found = distances(
        tmp_path,
        {"reader": {}, "closed": WRONG, "gold": {}, "reader-b": {}, "closed-b": WORSE},
        {**TABLES, "reader-b": {**tiny.READER, **OTHER}, "closed-b": OTHER},
    )
    above = table(found, "frames-kind-closed-book")
    assert {one.key: one.values["all"].value for one in above.rows} == {"reader": 0.25, "reader-b": 0.5}
    # The other model has no gold context: its system has no row there.
    assert [one.key for one in table(found, "frames-kind-gold-context").rows] == ["reader"]


def test_without_such_an_end_there_is_no_table(tmp_path):
    assert distances(tmp_path, {"reader": {}}) == ()
    assert distances(tmp_path / "b", {"closed": {}, "gold": {}}) == ()


def test_the_largest_gain_and_the_smallest_gap_stand_first(tmp_path):
    found = distances(
        tmp_path, {"ant": WRONG, "bee": {}, "closed": WORSE, "gold": {}}, {**TABLES, "ant": tiny.READER, "bee": tiny.READER}
    )  # fmt: skip
    for key in ("frames-kind-closed-book", "frames-kind-gold-context"):
        assert [one.key for one in table(found, key).rows] == ["bee", "ant"]


def test_a_difference_is_unknown_where_either_of_its_ends_is(tmp_path):
    gone = {tiny.LOCK: ProviderError("gone")}
    found = distances(tmp_path, {"reader": WRONG, "closed": gone, "gold": {}})
    above = row(table(found, "frames-kind-closed-book"), "reader")
    assert (above.kind, above.values["all"].value) == ("unranked", None)
    assert above.values["all"].note == "incomplete: 1 of 4 questions without a result"
    assert above.values["person"].value == pytest.approx(2 / 3 - 1)  # the group has all its results
    assert above.values["yes or no"].value is None

    mine = distances(tmp_path / "b", {"reader": gone, "closed": {}, "gold": {}})
    assert row(table(mine, "frames-kind-closed-book"), "reader").values["yes or no"].value is None


def test_an_end_without_a_run_says_so(tmp_path):
    [one] = board(tmp_path, {"reader": {"frames": {}}, "closed": {}}, TABLES, (FRAMES,)).benchmarks
    value = row(table(one.distances, "frames-kind-closed-book"), "reader").values["all"]
    assert (value.value, value.note) == (None, "not run: leaderboard build --only closed")


def test_columns_are_points_between_minus_one_hundred_and_one_hundred(tmp_path):
    found = table(distances(tmp_path), "frames-kind-closed-book")
    assert [(one.key, one.label) for one in found.columns] == [
        ("all", "All"),
        ("person", "person"),
        ("yes or no", "yes or no"),
        ("null", "null"),
    ]
    assert {(one.range, one.unit, one.percent) for one in found.columns} == {((-1.0, 1.0), "points", True)}
