"""What others published stands on the benchmark's page in tables of its own, said to be neither measured nor the sample's."""

import csv
import io
import re
from pathlib import Path

import html5lib
import pytest

from leaderboard.site.escaping import one_line
from leaderboard.site.pages import write_pages
from tests.site.hostile import HOSTILE


def parse(path):
    return html5lib.parse(path.read_text(encoding="utf-8"), namespaceHTMLElements=False)


def said(element):
    return " ".join("".join(element.itertext()).split())


def as_text(name):
    return " ".join(one_line(HOSTILE[name]).split())


@pytest.fixture(scope="module")
def page(built):
    return parse(built / "site" / "benchmarks" / "frames.html")


@pytest.fixture(scope="module")
def blocks(page):
    """The page's tables by key, each with its block."""
    places = [div for div in page.iter("div") if div.attrib.get("class") == "board-table"]
    return {place.attrib["id"].removeprefix("table-"): place for place in places}


def test_they_come_after_the_measured_tables_under_a_heading_of_their_own(page, blocks):
    shown = list(blocks)
    assert shown[:3] == ["frames", "frames-hops", "frames-shapes"]
    assert shown[-2:] == ["frames-published-told", "frames-published-untold"]
    headings = [said(heading).removesuffix("¶") for heading in page.iter("h2")]
    assert headings.index("Published elsewhere") == len(shown) - 2
    under = [said(heading).removesuffix("¶") for heading in page.iter("h3")]
    assert under == [f"Published frames: {name} {as_text('link')}" for name in ("told", "untold")]


def test_the_sample_says_that_they_are_not_of_it_and_the_full_track_does_not(board, page, tmp_path):
    notes = [said(note) for note in page.iter("p") if note.attrib.get("class") == "board-note"]
    common = "Others reported these numbers. They were not recomputed here, and are never mixed with measured rows."
    assert f"{common} They are of the published FRAMES, not of this sample." in notes
    write_pages(board.model_copy(update={"track": "full"}), tmp_path)
    [line] = re.findall(
        "Others reported.*", (tmp_path / "benchmarks" / "frames.md").read_text(encoding="utf-8")
    )
    assert "mixed with measured rows" in line and "sample" not in line


def test_source_origin_setting_and_caveat_stand_as_text_above_each_table(page):
    lists = [dl for dl in page.iter("dl") if dl.attrib.get("class") == "board-about"]
    found = [
        {said(dt): said(dd) for dt, dd in zip(dl.iter("dt"), dl.iter("dd"), strict=True)} for dl in lists
    ]
    common = {"Read from": as_text("jinja"), "Setting": as_text("quotes"), "Caveat": as_text("lines")}
    assert found == [
        {"Source": f"A paper {as_text('script')}. {address}", **common}
        for address in ("https://arxiv.org/abs/2409.12941", "javascript:window.pwned=6")
    ]
    assert [a.attrib["href"] for dl in lists for a in dl.iter("a")] == ["https://arxiv.org/abs/2409.12941"]


def test_the_rows_are_no_ranking_and_no_reference(blocks):
    for name in ("told", "untold"):
        bodies = list(blocks[f"frames-published-{name}"].iter("tbody"))
        assert [body.attrib["class"] for body in bodies] == ["published"]
        assert [said(th.find("span")) for th in bodies[0].iter("th")] == [as_text(key) for key in HOSTILE]


def test_n_is_printed_where_it_is_known_and_nothing_where_not(blocks):
    told, untold = blocks["frames-published-told"], blocks["frames-published-untold"]
    assert {said(td) for td in told.iter("td") if td.attrib["data-column"] == "n"} == {"824"}
    assert {td.attrib["data-column"] for td in untold.iter("td")} == {"accuracy", "tokens"}
    assert not [td for td in untold.iter("td") if "data-n" in td.attrib]
    assert not re.search(r"\bn = |\b0\b", " ".join(said(part) for part in untold.iter("thead")))


def test_an_unreported_value_is_a_dash(blocks):
    cells = [td for td in blocks["frames-published-told"].iter("td") if td.attrib["data-column"] == "tokens"]
    assert {said(td) for td in cells} == {"–not reported"}
    assert not [td for td in cells if "data-value" in td.attrib]


def test_the_download_names_neither_the_sample_nor_a_number_of_questions_that_is_not_known(built):
    for name, n in (("told", "824"), ("untold", "")):
        path = built / "site" / "downloads" / f"frames-published-{name}.csv"
        rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
        assert len(rows) == len(HOSTILE)
        assert {(row["track"], row["kind"], row["accuracy_n"], row["tokens_n"]) for row in rows} == {
            ("published", "published", n, "")
        }
        assert not any("sample" in value for row in rows for value in row.values())
        assert [float(row["accuracy"]) for row in rows] == [0.408 + place / 100 for place in range(len(rows))]


def test_a_page_without_published_numbers_has_no_such_section(board, tmp_path):
    bare = tuple(page.model_copy(update={"published": ()}) for page in board.benchmarks)
    write_pages(board.model_copy(update={"benchmarks": bare}), tmp_path)
    assert "Published" not in Path(tmp_path, "benchmarks", "frames.md").read_text(encoding="utf-8")
