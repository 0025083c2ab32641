"""The pages of the systems of the literature: where they are linked from, and what stands on them."""

import json
from pathlib import Path

import pytest

from leaderboard.site.errors import SiteError
from leaderboard.site.escaping import one_line
from leaderboard.site.mkdocs import write_settings
from leaderboard.site.pages import write_pages
from tests.site.hostile import HOSTILE
from tests.site.test_site import parse, said
from tests.site.test_tiny_site import article, links, of_class, page

ROOT = Path(__file__).parents[2]
COMMON = (
    "Others reported these numbers. They were not recomputed here, and are never mixed with measured rows."
)


def plain(text):
    return " ".join(one_line(text).split())


def headings(tree, level):
    return [said(heading).removesuffix("¶") for heading in tree.iter(level)]


def test_each_is_linked_from_the_index_the_method_page_and_the_systems_that_use_it(tiny_board, tiny_built):
    titles = {f"literature/{one.key}.html": one.title for one in tiny_board.literature}
    cards = links(article(page(tiny_built, "literature")))
    method = links(article(page(tiny_built, "method")))
    assert titles.items() <= cards.items() and titles.items() <= method.items()
    for system in tiny_board.systems:
        found = links(article(page(tiny_built, f"systems/{system.key}")))
        to_literature = [href for href in found if "literature/" in href]
        expected = [f"../literature/{system.literature}.html"] if system.literature else []
        assert to_literature == expected, system.key


def test_the_navigation_has_one_entry_for_them_all(tiny_built):
    tabs = [one for one in page(tiny_built, "index").iter("a") if one.attrib.get("class") == "md-tabs__link"]
    entries = {tab.attrib["href"]: said(tab) for tab in tabs if "literature" in tab.attrib["href"]}
    assert entries == {"literature.html": "Systems of the literature (sample)"}


def test_the_submissions_of_its_kind_stand_on_it_with_the_scores_of_the_home_table(tiny_board, tiny_built):
    home = {row.key: row for row in tiny_board.home.rows}
    [found] = [one for one in tiny_board.literature if one.key == "multi_step"]
    assert {row.key for row in found.systems.rows} == {"steps", "steps-1"}
    tree = article(page(tiny_built, "literature/multi_step"))
    cells = {
        (td.attrib["data-row"], td.attrib["data-column"]): td.attrib.get("data-value")
        for td in tree.iter("td")
        if td.attrib.get("data-table") == found.systems.key and td.attrib["data-column"] != "n"
    }
    assert cells == {
        (row, column): repr(home[row].values[column].value)
        for row in ("steps", "steps-1")
        for column in ("overall", "frames", "multihop_rag")
    }
    assert links(tree)["../systems/steps-1.html"] == home["steps-1"].label


def test_measured_and_published_tables_stand_apart_and_only_the_measured_says_sample(tiny_built):
    tree = article(page(tiny_built, "literature/single_step"))
    assert headings(tree, "h2") == [
        *("What is reproduced", "What is left out or done otherwise", "Our parameters and theirs"),
        *("Measured here", "Published elsewhere"),
    ]
    bodies = {
        table.attrib["aria-label"]: {body.attrib["class"] for body in table.iter("tbody")}
        for table in tree.iter("table")
    }
    [measured, *published] = bodies
    assert measured == "Single step (BM25-R, vanilla RAG): measured here (sample)"
    assert bodies[measured] == {"ranked"}
    assert (
        published == headings(tree, "h3") and "Published FRAMES: one step (Krishna et al. 2024)" in published
    )
    assert {body for label in published for body in bodies[label]} == {"published"}
    notes = [said(note) for note in of_class(tree, "board-note")]
    assert f"{COMMON} They are of the published data sets, not of this board's samples." in notes


def test_a_hostile_page_is_text_from_end_to_end(built):
    tree = article(page(built, "literature/steps"))
    reproduced, left_out = (
        [said(item) for item in one.iter("li")] for one in of_class(tree, "board-defects")
    )
    assert reproduced == left_out == [plain(text) for text in HOSTILE.values()]
    about, parameters, *_ = (
        {said(dt): said(dd) for dt, dd in zip(dl.iter("dt"), dl.iter("dd"), strict=True)}
        for dl in of_class(tree, "board-about")
    )
    assert about["Papers"].startswith(f"{plain(HOSTILE['attributes'])}, 2024. https://arxiv.org/")
    assert about["Papers"].endswith("2024. No address is known.")
    assert "javascript:window.pwned=7" in about["Papers"]
    assert about["Read second-hand"] == plain(HOSTILE["quotes"])
    assert parameters == {
        "rounds": plain(HOSTILE["lines"]),
        plain(HOSTILE["image"]): plain(HOSTILE["long"]),
    }


def test_without_figures_or_submissions_the_page_says_so(board, tmp_path):
    told = "No table of the paper could be read."
    empty = board.literature[0].model_copy(update={"systems": None, "published": (), "no_figures": told})
    systems = tuple(system.model_copy(update={"literature": ""}) for system in board.systems)
    write_pages(board.model_copy(update={"literature": (empty,), "systems": systems}), tmp_path)
    text = Path(tmp_path, "literature", "steps.md").read_text(encoding="utf-8")
    assert "No submission of this board has a program of this kind." in text
    assert told.replace(".", "&#46;") in text and "<table" not in text and COMMON not in text


def test_the_full_track_names_no_sample(board, tmp_path):
    write_pages(board.model_copy(update={"track": "full"}), tmp_path)
    text = Path(tmp_path, "literature", "steps.md").read_text(encoding="utf-8")
    assert COMMON in text and "sample" not in text


def test_a_board_without_them_has_no_page_no_entry_and_no_section(board, tmp_path):
    systems = tuple(system.model_copy(update={"literature": ""}) for system in board.systems)
    bare = board.model_copy(update={"literature": (), "systems": systems})
    paths = [path.relative_to(tmp_path / "docs").as_posix() for path in write_pages(bare, tmp_path / "docs")]
    assert not [path for path in paths if path.startswith("literature")]
    assert "literature" not in (tmp_path / "docs" / "method.md").read_text(encoding="utf-8")
    settings = write_settings(ROOT, tmp_path / "docs", tmp_path / "site", bare)
    assert "literature" not in json.dumps(json.loads(settings.read_text(encoding="utf-8")))


def test_a_system_whose_page_is_not_there_is_an_error(board, tmp_path):
    with pytest.raises(SiteError, match=r"system 'script': the board has no page of the literature 'steps'"):
        write_pages(board.model_copy(update={"literature": ()}), tmp_path)


def test_the_titles_of_the_index_are_the_pages_headings(tiny_board, tiny_built):
    for one in tiny_board.literature:
        [heading] = headings(parse(tiny_built / "site" / "literature" / f"{one.key}.html"), "h1")
        assert heading == f"{one.title} (sample)"
