"""What each round of searching brought, and how answers change with the number of rounds."""

from __future__ import annotations

import pytest

from leaderboard.models.providers import ProviderError
from tests import tiny
from tests.board.boards import numbers, page, row, table

WRONG = {tiny.KEYS: "Cleo Reed"}


def steps(rounds, **more):
    return {**tiny.STEPS, "program": {**tiny.STEPS["program"], "rounds": rounds, **more}}


def tables_of(home, systems, tables):
    return page(home, systems, tables).scorecards


def test_a_benchmark_without_such_systems_has_no_such_table(tmp_path):
    keys = [one.key for one in tables_of(tmp_path, {"reader": {}}, {"reader": tiny.READER})]
    assert not [key for key in keys if "round" in key]


def test_each_round_has_its_recall_and_its_new_documents(tmp_path):
    systems = {"two": {}, "one": WRONG, "reader": {}}
    found = tables_of(tmp_path, systems, {"two": steps(2), "one": steps(1), "reader": tiny.READER})
    by_round = table(found, "frames-by-round")
    assert [column.key for column in by_round.columns] == [
        "match",
        "recall_after_1",
        "recall_after_2",
        "new_documents_1",
        "new_documents_2",
        "queries",
        "repeated_query_share",
    ]
    assert [one.key for one in by_round.rows] == ["two", "one"]
    # First round: half of the first question's evidence, all of the others'; the third question has none.
    assert numbers(row(by_round, "two")) == {
        "match": 1,
        "recall_after_1": pytest.approx(2.5 / 3),
        "recall_after_2": 1,
        "new_documents_1": 0.75,
        "new_documents_2": 0.25,
        "queries": 2,
        "repeated_query_share": 0.25,
    }
    one = row(by_round, "one").values
    assert (one["match"].value, one["recall_after_1"].value) == (0.75, pytest.approx(2.5 / 3))
    for key in ("recall_after_2", "new_documents_2"):
        assert (one[key].value, one[key].n, one[key].note) == (None, 0, "has 1 round")


def test_systems_that_differ_in_nothing_but_rounds_are_one_row(tmp_path):
    tables = {
        "vanilla": steps(2),
        "vanilla-1": {**steps(1), "system": {"name": "Vanilla, 1 round"}},
        "planned": steps(2, planning=True),
        "planned-3": {**steps(3, planning=True), "system": {"name": "Planned, 3 rounds"}},
        "alone": steps(2, passages_per_query=2),
    }
    systems = {key: WRONG if key.endswith("1") else {} for key in tables}
    by_rounds = table(tables_of(tmp_path, systems, tables), "frames-by-rounds")
    assert [column.label for column in by_rounds.columns] == [
        "Match, 1 round",
        "Match, 2 rounds",
        "Match, 3 rounds",
        "Evidence recall, 1 round",
        "Evidence recall, 2 rounds",
        "Evidence recall, 3 rounds",
    ]
    # A family has the page of the system with the shortest name; one that has no sister has no row.
    assert [(one.key, one.label, one.page) for one in by_rounds.rows] == [
        ("planned", "Planned", "planned"),
        ("vanilla", "Vanilla", "vanilla"),
    ]
    vanilla, planned = (row(by_rounds, key) for key in ("vanilla", "planned"))
    assert numbers(vanilla) == {
        "match-1": 0.75,
        "match-2": 1,
        "match-3": None,
        "evidence_recall-1": pytest.approx(2.5 / 3),
        "evidence_recall-2": 1,
        "evidence_recall-3": None,
    }
    assert vanilla.values["match-3"].note == "no such system"
    assert (planned.values["match-1"].value, planned.values["match-3"].value) == (None, 1)


def test_a_family_needs_two_members(tmp_path):
    found = tables_of(
        tmp_path, {"two": {}, "planned": {}}, {"two": steps(2), "planned": steps(2, planning=True)}
    )
    assert "frames-by-rounds" not in [one.key for one in found]
    assert "frames-by-round" in [one.key for one in found]


def test_an_incomplete_system_stands_below_with_bounds(tmp_path):
    gone = {tiny.LOCK: ProviderError("gone")}
    found = tables_of(tmp_path, {"two": gone, "one": {}}, {"two": steps(2), "one": steps(1)})
    by_round = table(found, "frames-by-round")
    assert [(one.key, one.kind) for one in by_round.rows] == [("one", "ranked"), ("two", "unranked")]
    assert row(by_round, "two").values["match"].bounds == (0.75, 1)
    assert row(by_round, "two").values["recall_after_2"].bounds == (pytest.approx(2 / 3), 1)
    assert row(table(found, "frames-by-rounds"), "one").values["match-2"].bounds == (0.75, 1)
