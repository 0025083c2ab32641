"""The built site: nothing untrusted became markup, each number reads back, links hold, builds are equal."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import html5lib
import pytest

from leaderboard.board.tables import Value
from leaderboard.site.errors import SiteError
from leaderboard.site.escaping import one_line
from leaderboard.site.layout import tables_of
from leaderboard.site.links import broken_links
from leaderboard.site.mkdocs import build_site, epoch
from leaderboard.site.pages import write_pages
from tests.site.hostile import COMPILED

ROOT = Path(__file__).parents[2]
ARTICLE = re.compile(r'<article class="md-content__inner[^"]*">(.*?)</article>', re.DOTALL)


def pages_of(site):
    return [path for path in sorted(site.rglob("*.html")) if path.name != "404.html"]


def parse(path):
    return html5lib.parse(path.read_text(encoding="utf-8"), namespaceHTMLElements=False)


def said(element):
    return " ".join("".join(element.itertext()).split())


def numbers_of(site):
    """Every printed number of the site: (table, row, column) → the attributes of each place where it stands."""
    found = {}
    for path in pages_of(site):
        for element in parse(path).iter():
            if isinstance(element.tag, str) and "data-table" in element.attrib:
                key = tuple(element.attrib[f"data-{part}"] for part in ("table", "row", "column"))
                found.setdefault(key, []).append(element)
    return found


def test_our_own_markup_parses_without_an_error(either):
    _, built = either
    for path in pages_of(built / "site"):
        article = ARTICLE.search(path.read_text(encoding="utf-8"))[1]
        parser = html5lib.HTMLParser(namespaceHTMLElements=False)
        parser.parseFragment(article)
        assert parser.errors == [], path


def test_no_element_attribute_or_address_comes_from_untrusted_text(built):
    for path in pages_of(built / "site"):
        for element in parse(path).iter():
            if not isinstance(element.tag, str):
                continue
            assert not [
                name for name in element.attrib if name.startswith("on") or name in ("style", "cls")
            ], path
            assert element.tag not in ("img", "b", "i"), path
            assert element.attrib.get("id") != "taken"
            for name in ("href", "src"):
                assert not element.attrib.get(name, "").lower().startswith(("javascript", "data:text")), path
            if element.tag == "script":
                assert "pwned" not in (element.text or ""), path


def test_hostile_names_stand_as_text_in_table_and_heading(board, built):
    names = {row.page: row.label for row in board.home.rows if row.page}
    home = parse(built / "site" / "index.html")
    links = {a.attrib["href"]: said(a) for a in home.iter("a") if a.attrib["href"].startswith("systems/")}
    table = {f"systems/{key}.html": " ".join(one_line(name).split()) for key, name in names.items()}
    shown = {
        said(th.find("a")): th.find("a").attrib["href"] for th in home.iter("th") if th.find("a") is not None
    }
    assert shown == {name: href for href, name in table.items()}
    assert set(table) <= set(links)
    for key, name in names.items():
        heading = next(parse(built / "site" / "systems" / f"{key}.html").iter("h1"))
        assert said(heading).removesuffix("¶") == f"{' '.join(one_line(name).split())} (sample)"


def test_every_title_says_sample(either):
    _, built = either
    for path in pages_of(built / "site"):
        page = parse(path)
        assert "(sample)" in said(next(page.iter("title"))), path
        assert "(sample)" in said(next(page.iter("h1"))), path
        for table in page.iter("table"):
            published = table.find("tbody").attrib["class"] == "published"
            assert ("(sample)" in table.attrib["aria-label"]) is not published


def test_every_number_of_the_board_reads_back_exactly(either):
    board, built = either
    found = numbers_of(built / "site")
    for table in tables_of(board):
        for row in table.rows:
            for column in table.columns:
                value = row.values.get(column.key, Value(value=None, n=0))
                (element,) = found.pop((table.key, row.key, column.key))
                read = element.attrib
                assert element.tag == "td" and read.get("data-n") == (str(value.n) if value.n else None)
                assert (float(read["data-value"]) if "data-value" in read else None) == value.value
                if value.interval is not None:
                    limits = (float(read["data-low"]), float(read["data-high"]))
                    assert limits == (value.interval.low, value.interval.high)
                if value.bounds is not None:
                    bounds = (float(read["data-bound-low"]), float(read["data-bound-high"]))
                    assert bounds == value.bounds
                deviation = float(read["data-deviation"]) if "data-deviation" in read else None
                assert deviation == value.deviation
    assert {part for key in found for part in key[1:] if part == "n"} == {"n"}
    assert {key for key in found if "n" not in key[1:]} == {
        ("benchmarks", page.key, part) for page in board.benchmarks for part in ("questions", "documents")
    }


def test_n_stands_beside_each_group(board, built):
    found = numbers_of(built / "site")
    for page in board.benchmarks:
        for column in page.breakdowns[0].columns:
            (place,) = found[page.breakdowns[0].key, "n", column.key]
            n = next(iter(page.breakdowns[0].rows)).values[column.key].n
            assert (place.attrib["data-value"], said(place)) == (str(n), str(n))
        for row in page.breakdowns[1].rows:
            (place,) = found[page.breakdowns[1].key, row.key, "n"]
            assert place.attrib["data-value"] == str(row.values["a-b"].n)


def test_the_submission_and_commands_are_shown_as_they_are(board, built):
    for system in board.systems:
        blocks = [
            block.find("code")
            for block in parse(built / "site" / "systems" / f"{system.key}.html").iter("pre")
        ]
        commands, toml = ("".join(block.itertext()) for block in blocks[-2:])
        assert commands == "\n".join(system.commands)
        lines = [one_line(line) for line in system.toml.rstrip("\n").replace("\r\n", "\n").split("\n")]
        assert [one_line(line) for line in toml.split("\n")] == lines


def test_compiled_prompts_stand_as_text_line_by_line(board, built):
    for key in COMPILED:
        [system] = [page for page in board.systems if page.key == key]
        tree = parse(built / "site" / "systems" / f"{key}.html")
        first, *others = system.compiled.predictors
        changed, *plain = (block for block in tree.iter("pre") if "board-prose" in block.attrib["class"])
        marks = [(line.tag, "".join(line.itertext())) for line in changed.find("code")]
        signs = {"same": ("span", " "), "removed": ("del", "−"), "added": ("ins", "+")}
        for (tag, text), line in zip(marks, first.lines, strict=True):
            assert (tag, text[0], text[-1]) == (*signs[line.kind], "\n")
            assert one_line(text[2:]) == one_line(line.text)
        shown = [one_line("".join(block.itertext())) for block in plain]
        told = [one_line(text) for demo in first.demonstrations for _, text in demo.fields]
        assert shown == [*told, *(one_line(predictor.instructions) for predictor in others)]


def test_long_fields_of_demonstrations_are_folded(built):
    folded = [
        details for details in parse(built / "site" / "systems" / "script.html").iter("details")
        if details.find("pre") is not None
    ]  # fmt: skip
    assert len(folded) == 11  # the ten answers of 1,227 characters, and the long name
    assert all(len(said(details.find("summary"))) <= 81 for details in folded)


def test_pages_with_demonstrations_are_kept_out_of_search_engines_and_of_the_sites_own_search(built):
    found = {
        path.stem
        for path in pages_of(built / "site")
        if '<meta name="robots" content="noindex">' in path.read_text("utf-8")
    }
    assert found == set(COMPILED)
    index = (built / "site" / "search" / "search_index.json").read_text(encoding="utf-8")
    assert "a run on a train question" not in index


def test_an_unsafe_paper_is_no_link(built):
    page = parse(built / "site" / "systems" / "link.html")
    assert 'javascript:alert("paper")' in said(page)
    page = parse(built / "site" / "systems" / "script.html")
    assert "https://arxiv.org/abs/2409.12941" in [a.attrib["href"] for a in page.iter("a")]


def test_every_table_links_its_download(either):
    board, built = either
    assert broken_links(built / "site") == []
    hrefs = {
        a.attrib["href"].split("downloads/")[-1]
        for path in pages_of(built / "site")
        for a in parse(path).iter("a")
    }
    assert {f"{table.key}.csv" for table in tables_of(board)} <= hrefs


def test_two_builds_are_byte_identical(board, built, tmp_path):
    write_pages(board, tmp_path / "build" / "docs")
    build_site(ROOT, tmp_path / "build" / "docs", tmp_path / "build" / "site")
    first, second = (
        {path.relative_to(site): path.read_bytes() for path in site.rglob("*") if path.is_file()}
        for site in (built / "site", tmp_path / "build" / "site")
    )
    assert first.keys() == second.keys()
    assert [path for path in first if first[path] != second[path]] == []


def test_search_finds_systems_by_name_and_leaves_tables_out(built):
    index = json.loads((built / "site" / "search" / "search_index.json").read_text(encoding="utf-8"))
    titles = [entry["title"] for entry in index["docs"]]
    assert any("Half done" in title for title in titles)
    assert not any("31.4" in entry["text"] for entry in index["docs"])


def test_a_warning_is_an_error(board, tmp_path):
    docs = tmp_path / "docs"
    write_pages(board, docs)
    (docs / "method.md").write_text("# Method\n\n[nowhere](missing.md)\n")
    with pytest.raises(SiteError, match=r"(?s)status 1.*missing\.md"):
        build_site(ROOT, docs, tmp_path / "site")


def test_a_raw_link_that_leads_nowhere_is_an_error(board, tmp_path):
    docs = tmp_path / "docs"
    write_pages(board, docs)
    (docs / "method.md").write_text(
        '# Method\n\n<p><a href="gone.html">x</a> <a href="javascript:x()">y</a></p>\n'
    )
    with pytest.raises(SiteError, match=r"(?s)gone\.html.*no file.*javascript.*scheme"):
        build_site(ROOT, docs, tmp_path / "site")


def test_pages_come_first(tmp_path):
    with pytest.raises(SiteError, match="pages come first"):
        build_site(ROOT, tmp_path / "docs", tmp_path / "site")


def test_the_boards_date_is_the_builds_date():
    assert epoch("2026-11-20") == epoch("2026-11-20T00:00:00Z") == 1795132800


def test_beyond_a_hundred_systems_the_navigation_leaves_them_out(board, tmp_path):
    systems = tuple(
        board.systems[0].model_copy(
            update={"key": f"s{i}", "literature": ""}
            | {name: getattr(board.systems[0], name).model_copy(update={"key": f"s{i}-{name}"}) for name in ("main", "outcomes")}
            | {"groups": (), "against": None}
        )
        for i in range(101)
    )  # fmt: skip
    home = board.home.model_copy(update={"rows": ()})
    bare = board.model_copy(
        update={"systems": systems, "home": home, "benchmarks": (), "retrievers": None, "literature": ()}
    )
    write_pages(bare, tmp_path / "docs")
    build_site(ROOT, tmp_path / "docs", tmp_path / "site")
    assert "systems/" not in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert (tmp_path / "site" / "systems" / "s100.html").is_file()


def test_the_plain_settings_build_too(board, tmp_path):
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    write_pages(board, tmp_path / "build" / "docs")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict"], env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0 and "WARNING" not in done.stderr, done.stderr
    assert (tmp_path / "build" / "site" / "benchmarks" / "frames.html").is_file()


def test_a_second_engine_builds_the_same_pages(board, tmp_path):
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    write_pages(board, tmp_path / "build" / "docs")
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict", "-f", "mkdocs.yml"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    found = numbers_of(tmp_path / "build" / "site")
    assert ("home", "script", "overall") in found and ("frames", "link", "match") in found
