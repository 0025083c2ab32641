"""The board that this repository publishes: every figure comes from a committed run, and every run replays."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import html5lib
import pytest

from leaderboard.board.assemble import assemble
from leaderboard.build import Choice, Places, build, read_cells
from leaderboard.calls.spending import Ledger, Spent
from leaderboard.calls.store import CallStore
from leaderboard.metrics.match import match
from leaderboard.results.tables import read_calls, read_records, read_retrievals
from leaderboard.running.cell import Bench, run_cell
from leaderboard.scoring.score import score_cell
from tests.scripted import ScriptedProvider

ROOT = Path(__file__).parents[1]
SYSTEMS = {path.stem for path in (ROOT / "submissions").glob("*.toml")}
BENCHMARKS = ("frames", "musique", "multihop_rag")


def places(out: Path) -> Places:
    return Places(
        config=ROOT / "leaderboard.toml",
        submissions=ROOT / "submissions",
        results=ROOT / "results",
        out=out,
        root=ROOT,
    )


@pytest.fixture(scope="module")
def cells():
    return {(cell.system, cell.benchmark.name): cell for cell in read_cells(places(ROOT / "build"))[2]}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    out = tmp_path_factory.mktemp("build")
    return build(places(out), Choice(run=False)).site


def test_every_submission_has_a_complete_and_current_run_on_every_benchmark(cells):
    assert set(cells) == {(system, benchmark) for system in SYSTEMS for benchmark in BENCHMARKS}
    assert {cell.state for cell in cells.values()} == {"complete"}
    assert {cell.stale_parts for cell in cells.values()} == {()}


def test_no_cell_took_more_than_a_quarter_of_an_hour_and_all_took_no_more_than_an_hour(cells):
    seconds = [cell.shown.run.wall_s for cell in cells.values()]
    assert max(seconds) <= 15 * 60
    assert sum(seconds) <= 60 * 60


@pytest.mark.parametrize("benchmark", BENCHMARKS)
@pytest.mark.parametrize("system", sorted(SYSTEMS))
def test_a_run_replays_from_its_recorded_calls_to_the_same_records(
    cells, system, benchmark, tmp_path, monkeypatch
):
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path / "cache"))
    cell = cells[system, benchmark]
    provider = ScriptedProvider()
    # The model's identity is part of every key: it is the weights' digest that was recorded.
    provider.identity = dict(read_calls(cell.shown.table("calls"))[0].request["asked"])
    bench = Bench(provider, CallStore(tmp_path / "calls"), Ledger(None, Spent()), mode="replay")
    again = run_cell(cell, bench, tmp_path / "results")
    assert read_records(again.table("records")) == read_records(cell.shown.table("records"))
    assert read_retrievals(again.table("retrievals")) == read_retrievals(cell.shown.table("retrievals"))
    assert (again.run.calls_made, provider.requests) == (0, [])


def cells_of(page: Path) -> dict[tuple[str, str, str], dict[str, str]]:
    """Read the printed numbers of a page back: (table, row, column) → data attributes."""
    tree = html5lib.parse(page.read_text(encoding="utf-8"), namespaceHTMLElements=False)
    found = {}
    for element in tree.iter("td"):
        data = {name.removeprefix("data-"): value for name, value in element.attrib.items()}
        if "table" in data:
            found[data["table"], data["row"], data["column"]] = data
    return found


def test_each_headline_on_the_home_page_is_the_mean_of_match_over_the_committed_records(cells, built):
    printed = cells_of(built / "index.html")
    for (system, benchmark), cell in cells.items():
        records = {record.question: record for record in read_records(cell.shown.table("records"))}
        questions = cell.benchmark.questions
        right = sum(match(records[q.id].raw_answer, q.golds, null_question=q.null) for q in questions)
        found = printed["home", system, benchmark]
        assert (float(found["value"]), int(found["n"])) == (right / 24, 24), (system, benchmark)
    for system in SYSTEMS:
        values = [float(printed["home", system, benchmark]["value"]) for benchmark in BENCHMARKS]
        assert float(printed["home", system, "overall"]["value"]) == pytest.approx(sum(values) / 3, abs=1e-15)


def test_every_printed_number_of_every_page_is_the_boards_value_to_the_last_bit(cells, built, tmp_path):
    config, benchmarks, _ = read_cells(places(tmp_path))
    scores = {key: score_cell(cell, tmp_path / "scores") for key, cell in cells.items()}
    board = assemble(config.board.title, benchmarks, list(cells.values()), scores)
    expected = {
        (table.key, row.key, column.key): row.values[column.key].value
        for table in [
            board.home,
            *(table for page in board.benchmarks for table in (page.main, *page.breakdowns, *page.published)),
            *(table for page in board.systems for table in (page.main, page.outcomes, *page.groups)),
        ]
        for row in table.rows
        for column in table.columns
        if column.key in row.values and row.values[column.key].value is not None
    }
    printed = {}
    for page in built.rglob("*.html"):
        for key, data in cells_of(page).items():
            if "value" in data and key[2] != "n":
                printed[key] = float(data["value"])
    assert len(expected) > 500
    assert {key: printed.get(key) for key in expected} == expected


def test_the_csv_of_the_home_table_holds_the_same_values(built):
    printed = {key: data for key, data in cells_of(built / "index.html").items() if key[0] == "home"}
    [path] = (built / "downloads").glob("home*.csv")
    rows = {row["row"]: row for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines())}
    assert set(rows) == {*SYSTEMS, "best-constant-answer"}
    for (_, row, column), data in printed.items():
        if "value" in data:
            assert float(rows[row][column]) == float(data["value"]), (row, column)


def test_reference_rows_stand_apart_and_the_floor_is_a_constant_answer(built):
    tree = html5lib.parse((built / "index.html").read_text(encoding="utf-8"), namespaceHTMLElements=False)
    bodies = {body.attrib["class"]: "".join(body.itertext()) for body in tree.iter("tbody")}
    assert "Gold context" in bodies["reference"] and "Best constant answer" in bodies["reference"]
    assert "Gold context" not in bodies["ranked"]


def headings(page: Path, *names: str) -> list[str]:
    tree = html5lib.parse(page.read_text(encoding="utf-8"), namespaceHTMLElements=False)
    return ["".join(element.itertext()) for name in names for element in tree.iter(name)]


def test_every_title_says_that_this_is_the_sample(built):
    pages = [page for page in built.rglob("*.html") if page.name != "404.html"]  # its heading is the theme's
    assert len(pages) == 2 + len(BENCHMARKS) + len(SYSTEMS)
    for page in pages:
        for name in ("title", "h1"):
            [title] = headings(page, name)
            assert "(sample)" in title, page
    [title] = headings(built / "404.html", "title")
    assert "(sample)" in title


def test_no_heading_calls_an_invented_set_by_the_name_of_a_published_benchmark(built):
    told = 0
    for page in built.rglob("*.html"):
        for heading in headings(page, "title", "h1", "h2", "h3", "th", "caption"):
            found = re.search(r"(?<!Published )(FRAMES|MuSiQue|MultiHop-RAG)(?!-like)", heading)
            assert not found, (page, heading)
            told += "-like" in heading
    assert told > 50
