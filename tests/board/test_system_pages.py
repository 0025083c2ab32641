"""A system's page: scores by benchmark and group, outcomes, provenance."""

import pytest

from leaderboard.models.providers import ProviderError
from tests import tiny
from tests.board.boards import board, row
from tests.scripted import said

WRONG = {tiny.KEYS: "Cleo Reed"}


def page(home, frames=WRONG, musique=None, **tables):
    answers = {"frames": frames} | ({} if musique is None else {"musique": musique})
    [found] = board(home, {"mill": answers}, {"mill": tables}).systems
    return found


def test_the_main_table_has_a_row_a_benchmark(tmp_path):
    main = page(tmp_path, musique={}).main
    assert [found.key for found in main.rows] == ["frames", "musique"]
    assert [found.values["match"].value for found in main.rows] == [0.75, 1]


def test_a_groups_table_has_a_row_a_group_with_its_n(tmp_path):
    by_kind, by_facts = page(tmp_path, **tiny.READER).groups
    assert [
        (found.label, found.values["match"].value, found.values["match"].n) for found in by_kind.rows
    ] == [
        ("person", pytest.approx(2 / 3), 3),
        ("yes or no", 1, 1),
        ("null", 1, 1),
    ]
    assert [found.values["evidence_shown"].value for found in by_facts.rows] == [1, 0.5]
    assert row(by_kind, "null").values["evidence_complete"].note == "does not apply"


def test_outcomes_sum_to_the_questions(tmp_path):
    troubled = {tiny.LOCK: ProviderError("gone"), tiny.KEYS: said("", "length")}
    outcomes = page(tmp_path, troubled, {}).outcomes
    counts = {
        found.key: {key: value.value for key, value in found.values.items() if value.value}
        for found in outcomes.rows
    }
    assert counts == {
        "frames": {"answered": 2, "failed": 1, "truncated": 1},
        "musique": {"answered": 4},
    }
    for found in outcomes.rows:
        assert sum(value.value or 0 for value in found.values.values()) == 4
        assert {value.n for value in found.values.values()} == {4}


def test_provenance_names_the_run_and_what_a_cell_without_one_needs(tmp_path):
    lines = dict(page(tmp_path).provenance)
    assert lines["frames label: run"].startswith("results/sample/frames/mill/")
    assert lines["frames label: calls"].startswith("4 made, 0 replayed in ")
    assert lines["musique label"] == "not run: leaderboard build --only mill"
    assert len(lines["frames label: fingerprint"]) == 64
    assert lines["frames label: records"].startswith("sha256 ")
    assert "frames label: recorded with other" not in lines


def test_a_page_has_the_submission_as_it_was_written(tmp_path):
    found = page(tmp_path)
    assert found.toml == (tmp_path / "mill.toml").read_text(encoding="utf-8")
    assert (found.name, found.authors, found.description, found.paper) == ("Mill", ("A",), "Tiny.", "")
    assert found.commands == (
        "leaderboard check submissions/mill.toml",
        "leaderboard build --only mill",
        "leaderboard build --only mill --refresh",
        "leaderboard build --no-run",
    )


def test_a_page_says_before_the_numbers_what_a_reader_has_to_know(tmp_path):
    assert page(tmp_path / "a").notes == ()
    withdrawn = page(tmp_path / "b", system={"withdrawn": "The index held the questions."})
    assert withdrawn.notes == ("Withdrawn: The index held the questions.",)
