"""The board that this repository publishes: every figure comes from a committed run, and every run replays."""

from __future__ import annotations

import csv
import functools
import re
import shutil
from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import Element

import html5lib
import pytest

from leaderboard.board.assemble import assemble
from leaderboard.build import Choice, Places, build, read_cells
from leaderboard.calls.prices import prices_of
from leaderboard.calls.spending import Ledger, Spent
from leaderboard.calls.store import CallStore
from leaderboard.compiling.compilation import compile_with
from leaderboard.compiling.program import Answering
from leaderboard.compiling.training import training
from leaderboard.metrics.match import match
from leaderboard.metrics.ranking import all_gold_at, distinct_facts, items_found
from leaderboard.results.tables import read_calls, read_records, read_retrievals
from leaderboard.retrieval.passages import text_of
from leaderboard.running.cell import run_cell
from leaderboard.running.session import Bench
from leaderboard.scoring.ceilings import open_ceilings
from leaderboard.scoring.score import score_cell
from leaderboard.site.layout import tables_of
from leaderboard.submissions.config import load_config
from leaderboard.submissions.load import load_folder, load_submission
from tests.scripted import ScriptedProvider

ROOT = Path(__file__).parents[1]
BENCHMARKS = ("frames", "musique", "multihop_rag")
BESIDE = ("hotpotqa", "two_wiki")
"""Benchmarks with pages of their own, which Overall leaves out."""

SUBMISSIONS = {one.key: one.document for one in load_folder(ROOT / "submissions").submissions}
CELLS = sorted((key, name) for key, document in SUBMISSIONS.items() for name in document.system.benchmarks)
ANSWERING = {key for key, document in SUBMISSIONS.items() if document.lm}
COMPILED = sorted(key for key, document in SUBMISSIONS.items() if document.compile)
RETRIEVERS = {key for key in SUBMISSIONS if key not in ANSWERING}
EVERYWHERE = {key for key in ANSWERING if {*BENCHMARKS} <= {*SUBMISSIONS[key].system.benchmarks}}


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


@pytest.fixture(scope="module")
def indexes(tmp_path_factory):
    """A cache that is empty at first: what embeds the same documents for several cells does it once."""
    return tmp_path_factory.mktemp("cache")


def test_every_submission_has_a_complete_and_current_run_on_every_benchmark_it_names(cells):
    assert {path.stem for path in (ROOT / "submissions").glob("*.toml")} == set(SUBMISSIONS)
    assert set(cells) == set(CELLS)
    assert {cell.state for cell in cells.values()} == {"complete"}
    assert {cell.stale_parts for cell in cells.values()} == {()}


def test_no_cell_took_more_than_a_quarter_of_an_hour_and_all_can_be_recorded_in_a_night(cells):
    seconds = [cell.shown.run.wall_s for cell in cells.values()]
    assert max(seconds) <= 15 * 60
    assert sum(seconds) <= 240 * 60


@pytest.mark.parametrize(("system", "benchmark"), CELLS)
def test_a_run_replays_from_its_recorded_calls_to_the_same_records(
    cells, system, benchmark, indexes, tmp_path, monkeypatch
):
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(indexes))
    cell = cells[system, benchmark]
    provider = ScriptedProvider() if cell.program.asks_model else None
    if provider:
        # The model's identity is part of every key: it is the weights' digest that was recorded.
        provider.identity = dict(read_calls(cell.shown.table("calls"))[0].request["asked"])
    bench = Bench(provider, CallStore(tmp_path / "calls"), Ledger(None, Spent()), mode="replay")
    again = run_cell(cell, bench, tmp_path / "results", repeats=cell.shown.run.repeats)
    assert read_records(again.table("records")) == read_records(cell.shown.table("records"))
    assert read_retrievals(again.table("retrievals")) == read_retrievals(cell.shown.table("retrievals"))
    assert (again.run.calls_made, provider.requests if provider else []) == (0, [])


@pytest.mark.parametrize("benchmark", SUBMISSIONS["retriever-bm25"].system.benchmarks)
def test_bm25_finds_again_what_is_recorded_of_it(cells, benchmark, tmp_path):
    """A replay takes recorded searches as they are. BM25's scores are the same on every machine: here it searches anew."""
    cell = cells["retriever-bm25", benchmark]
    bench = Bench(None, CallStore(tmp_path / "calls"), Ledger(None, Spent()))
    again = run_cell(replace(cell, runs=()), bench, tmp_path / "results")
    found, recorded = (
        [
            (call.index_digest, call.query, call.k, call.ids)
            for call in read_retrievals(run.table("retrievals"))
        ]
        for run in (again, cell.shown)
    )
    assert found == recorded
    assert len(found) >= 12


def test_what_the_page_of_execution_rag_says_of_its_runs_is_so(cells):
    """When this fails after a new run, the last sentences of what ExecutionRAG leaves out have to change with it."""
    full, ablated = (
        read_records(cells[system, "musique"].shown.table("records"))
        for system in ("execution-rag", "execution-rag-no-progress")
    )
    steps = [step["step"] for record in full for step in record.trace]
    assert {"read_chunk", "update", "closure"}.isdisjoint(steps)
    assert [record.trace[-1] for record in full] == [{"step": "forced", "budget": "loops"}] * 24
    assert [(one.trace, one.calls, one.raw_answer) for one in full] == [
        (one.trace, one.calls, one.raw_answer) for one in ablated
    ]


@pytest.mark.parametrize("system", COMPILED)
def test_a_compile_replays_from_its_recorded_calls_to_the_same_state(system, tmp_path):
    shutil.copytree(ROOT / "submissions", tmp_path / "submissions")
    shutil.copytree(ROOT / "results/compile" / system, tmp_path / "results/compile" / system)
    [recorded] = (tmp_path / "results/compile" / system).iterdir()
    submission = load_submission(tmp_path / "submissions" / f"{system}.toml")
    submission.state_path.unlink()
    provider = ScriptedProvider()
    provider.identity = dict(read_calls(recorded / "calls.parquet")[0].request["asked"])
    config = load_config(ROOT / "leaderboard.toml")
    answering = Answering(provider, CallStore(tmp_path / "calls"), Ledger(None, Spent()), "replay")
    train = training(submission.document.compile, config, None)
    finished = compile_with(answering, submission, config, train, tmp_path / "results")
    committed = ROOT / "submissions" / submission.state_path.name
    assert submission.state_path.read_bytes() == committed.read_bytes()
    assert (provider.requests, finished.folder, finished.learnt.calls.made) == ([], recorded, 0)


@functools.cache
def tree_of(page: Path) -> Element:
    """Parse a built page as a browser does; each once, since that takes most of the time here."""
    return html5lib.parse(page.read_text(encoding="utf-8"), namespaceHTMLElements=False)


def cells_of(page: Path) -> dict[tuple[str, str, str], dict[str, str]]:
    """Read the printed numbers of a page back: (table, row, column) → data attributes."""
    tree = tree_of(page)
    found = {}
    for element in tree.iter("td"):
        data = {name.removeprefix("data-"): value for name, value in element.attrib.items()}
        if "table" in data:
            found[data["table"], data["row"], data["column"]] = data
    return found


def test_each_headline_is_the_mean_of_match_over_the_committed_records(cells, built):
    printed = cells_of(built / "index.html")
    assert not any(column in BESIDE for _, _, column in printed)
    for name in BESIDE:
        printed |= cells_of(built / "benchmarks" / f"{name}.html")
    for (system, benchmark), cell in cells.items():
        if system in RETRIEVERS:
            continue
        records, questions = read_records(cell.shown.table("records")), cell.benchmark.by_id
        right = sum(
            match(one.raw_answer, questions[one.question].golds, null_question=questions[one.question].null)
            for one in records
        )
        place = ("home", benchmark) if benchmark in BENCHMARKS else (benchmark, "match")
        found = printed[place[0], system, place[1]]
        expected = (pytest.approx(right / len(records), abs=1e-15), 24 if benchmark in BENCHMARKS else 12)
        assert (float(found["value"]), int(found["n"])) == expected, (system, benchmark)
    for system in EVERYWHERE:
        values = [float(printed["home", system, benchmark]["value"]) for benchmark in BENCHMARKS]
        assert float(printed["home", system, "overall"]["value"]) == pytest.approx(sum(values) / 3, abs=1e-15)
    for system in ANSWERING - EVERYWHERE:
        assert "value" not in printed["home", system, "overall"]


def test_each_retriever_finds_what_its_recorded_passages_hold(cells, built):
    printed = cells_of(built / "retrievers.html")
    assert RETRIEVERS
    for system in RETRIEVERS:
        benchmark = cells[system, "multihop_rag"].benchmark
        documents = {document.id: document for document in benchmark.documents}
        scores = []
        for record in read_records(cells[system, "multihop_rag"].shown.table("records")):
            facts = distinct_facts(item.text for item in benchmark.by_id[record.question].evidence)
            texts = [text_of(hit.passage, documents) for hit in record.returned]
            assert [hit.rank for hit in record.returned] == list(range(1, len(texts) + 1))
            if facts:
                scores.append(all_gold_at(items_found(facts, texts), len(facts), 10))
        found = printed["retrievers-multihop_rag", system, "all_gold_10"]
        assert int(found["n"]) == len(scores)
        assert float(found["value"]) == pytest.approx(sum(scores) / len(scores), abs=1e-15)


def test_every_printed_number_of_every_page_is_the_boards_value_to_the_last_bit(cells, built, tmp_path):
    config, benchmarks, _ = read_cells(places(tmp_path))
    scores = {key: score_cell(cell, tmp_path / "scores") for key, cell in cells.items()}
    board = assemble(
        config.board.title,
        benchmarks,
        list(cells.values()),
        {key: found for key, found in scores.items() if found},
        open_ceilings(tmp_path / "scores"),
        config.board.also,
        prices_of(config),
    )
    expected = {
        (table.key, row.key, column.key): row.values[column.key].value
        for table in tables_of(board)
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
    assert set(rows) == {*ANSWERING, "best-constant-answer"}
    for (_, row, column), data in printed.items():
        if "value" in data:
            assert float(rows[row][column]) == float(data["value"]), (row, column)


def test_reference_rows_stand_apart_and_the_floor_is_a_constant_answer(built):
    tree = tree_of(built / "index.html")
    bodies = {body.attrib["class"]: "".join(body.itertext()) for body in tree.iter("tbody")}
    assert "Gold context" in bodies["reference"] and "Best constant answer" in bodies["reference"]
    assert "Gold context" not in bodies["ranked"]


def headings(page: Path, *names: str) -> list[str]:
    tree = tree_of(page)
    return ["".join(element.itertext()) for name in names for element in tree.iter(name)]


def test_every_title_says_that_this_is_the_sample(built):
    pages = [page for page in built.rglob("*.html") if page.name != "404.html"]  # its heading is the theme's
    literature = len(list((ROOT / "leaderboard" / "published" / "systems").glob("*.toml")))
    # home, retrievers, data, method, and the list of the systems of the literature
    assert len(pages) == 5 + literature + len(BENCHMARKS + BESIDE) + len(SUBMISSIONS)
    for page in pages:
        for name in ("title", "h1"):
            [title] = headings(page, name)
            assert "(sample)" in title, page
    [title] = headings(built / "404.html", "title")
    assert "(sample)" in title


def test_no_heading_calls_an_invented_set_by_the_name_of_a_published_benchmark(built):
    told = 0
    for page in built.rglob("*.html"):
        # What stands in the tables of such a page are figures of others, on what they measured.
        tables = () if page.parent.name == "literature" else ("th", "caption")
        for heading in headings(page, "title", "h1", "h2", "h3", *tables):
            ours = re.sub(r"^Published [^:]*", "", heading)  # figures of others, on what they measured
            found = re.search(r"(FRAMES|MuSiQue|MultiHop-RAG|HotpotQA|2WikiMultiHopQA)(?!-like)", ours)
            assert not found, (page, heading)
            told += "-like" in heading
    assert told > 50
