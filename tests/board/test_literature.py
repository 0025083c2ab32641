"""The systems of the literature on a board: a page a kind, with the submissions whose program is of that kind."""

import pytest

from leaderboard.catalog.programs import PROGRAMS
from leaderboard.published.literature import kinds, literature_system
from tests import tiny
from tests.board.boards import board, row

OURS = {"retrieval_only"}
"""Program kinds that follow no system of the literature."""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    home = tmp_path_factory.mktemp("runs")
    answers = {"frames": {}, "musique": {tiny.KEYS: "Cleo Reed"}}
    ablation = {**tiny.STEPS, "program": {**tiny.STEPS["program"], "rounds": 1}}
    tables = {"steps": tiny.STEPS, "steps-1": ablation, "bm": tiny.RETRIEVER, "gold": tiny.GOLD}
    return board(home, dict.fromkeys(("steps", "steps-1", "closed", "bm", "gold"), answers), tables)


def pages(made):
    return {page.key: page for page in made.literature}


def test_every_program_kind_but_our_own_has_a_file():
    assert set(PROGRAMS) - set(kinds()) == OURS


def test_every_file_is_of_a_kind_in_the_catalog():
    assert set(kinds()) <= set(PROGRAMS)


def test_every_parameter_that_a_file_names_is_one_of_its_program():
    for kind in set(kinds()) & set(PROGRAMS):
        named = {parameter.ours for parameter in literature_system(kind).parameters}
        assert named <= set(PROGRAMS[kind].parameters.model_fields) - {"kind"}, kind


def test_there_is_a_page_a_kind_in_the_catalogs_order(made):
    assert list(pages(made)) == [kind for kind in PROGRAMS if kind in kinds()]


def test_a_page_has_the_home_tables_rows_of_its_kind_with_their_scores_alone(made):
    table = pages(made)["multi_step"].systems
    assert {found.key for found in table.rows} == {"steps", "steps-1"}
    assert [column.key for column in table.columns] == ["overall", "frames", "musique"]
    for found in table.rows:
        at_home = row(made.home, found.key)
        assert found.values == {column.key: at_home.values[column.key] for column in table.columns}
        assert (found.page, found.kind, found.texts) == (at_home.page, at_home.kind, at_home.texts)
    assert [one.kind for one in pages(made)["gold_context"].systems.rows] == ["reference"]


def test_a_kind_that_nobody_submitted_has_a_page_without_rows(made):
    assert pages(made)["single_step"].systems is None


def test_a_system_names_its_kinds_page_and_a_retriever_alone_names_none(made):
    assert {page.key: page.literature for page in made.systems} == {
        "steps": "multi_step",
        "steps-1": "multi_step",
        "closed": "closed_book",
        "bm": "",
        "gold": "gold_context",
    }


def test_published_tables_have_keys_of_their_own_and_share_no_row_with_the_measured(made):
    found = [table for page in made.literature for table in page.published]
    found += [table for page in made.benchmarks for table in page.published]
    assert len({table.key for table in found}) == len(found)
    assert {each.kind for table in found for each in table.rows} == {"published"}
    for page in made.literature:
        measured = {each.kind for each in page.systems.rows} if page.systems else set()
        assert "published" not in measured


def test_a_table_that_stands_on_a_benchmarks_page_is_the_same_here(made):
    [frames, *_] = made.benchmarks
    there = {table.title: table for table in frames.published}
    here = pages(made)["multi_step"].published
    assert [table.key for table in here] == [
        *("literature-multi_step-frames-one-step", "literature-multi_step-frames-multi-step"),
    ]
    for table in here:
        assert table == there[table.title].model_copy(update={"key": table.key})
