"""The site of a board of real runs: what stands on which page, in which order, and what is printed of it."""

from __future__ import annotations

import csv

import pytest

from leaderboard.board.tables import Board
from leaderboard.site.escaping import one_line
from leaderboard.site.layout import tables_of
from tests.board.boards import row, table
from tests.site.test_site import numbers_of, pages_of, parse, said


def page(built, name):
    return parse(built / "site" / f"{name}.html")


def article(tree):
    [found] = [one for one in tree.iter("article") if "md-content__inner" in one.attrib["class"]]
    return found


def of_class(tree, name):
    return [one for one in tree.iter() if isinstance(one.tag, str) and one.attrib.get("class") == name]


def links(tree):
    return {a.attrib["href"]: said(a) for a in tree.iter("a") if "href" in a.attrib}


def rows_of(built, key):
    with (built / "site" / "downloads" / f"{key}.csv").open(encoding="utf-8", newline="") as stream:
        return {line["row"]: line for line in csv.DictReader(stream)}


def measured(board):
    """The tables of what was measured here, in the order of the pages."""
    return [one for one in tables_of(board) if {each.kind for each in one.rows} != {"published"}]


# Rounds, repeats, distances: the tables of a benchmark


def test_a_benchmarks_page_lists_its_tables_and_shows_them_in_that_order(tiny_board: Board, tiny_built):
    for benchmark in tiny_board.benchmarks:
        tree = article(page(tiny_built, f"benchmarks/{benchmark.key}"))
        [contents] = of_class(tree, "board-contents")
        tables = [benchmark.main, *benchmark.breakdowns, *benchmark.scorecards, *benchmark.distances]
        short = [one.title.removeprefix(f"{benchmark.label}: ") for one in tables]
        listed = [(a.attrib["href"], said(a)) for a in contents.iter("a")]
        expected = [(f"#table-{one.key}", name) for one, name in zip(tables, short, strict=True)]
        assert listed[: len(tables)] == expected
        headings = [said(h2).removesuffix("¶") for h2 in tree.iter("h2")]
        assert headings[: len(tables)] == [f"{one.title} (sample)" for one in tables]
        anchors = [div.attrib["id"] for div in of_class(tree, "board-table")]
        measured, published = anchors[: len(tables)], anchors[len(tables) :]
        assert [f"#{anchor}" for anchor in measured] == [href for href, _ in listed[: len(tables)]]
        assert published == [f"table-{one.key}" for one in benchmark.published]
        assert (("#published-elsewhere", "published elsewhere") in listed) == bool(published)


def test_multihop_rags_page_has_every_kind_of_table(tiny_board: Board):
    [_, rag] = tiny_board.benchmarks
    names = [
        one.key.removeprefix("multihop_rag-") for one in (*rag.breakdowns, *rag.scorecards, *rag.distances)
    ]
    assert names == [
        *("kind", "facts"),
        *("answers", "abstention", "evidence", "cost", "by-round", "by-rounds"),
        *("kind-closed-book", "kind-gold-context", "facts-closed-book", "facts-gold-context"),
    ]


def test_titles_from_strangers_stand_in_the_list_as_text(board: Board, built):
    for benchmark in board.benchmarks:
        [contents] = of_class(article(page(built, f"benchmarks/{benchmark.key}")), "board-contents")
        told = [said(a) for a in contents.iter("a")]
        tables = [benchmark.main, *benchmark.breakdowns, *benchmark.scorecards, *benchmark.distances]
        short = [" ".join(one_line(one.title.removeprefix(f"{benchmark.label}: ")).split()) for one in tables]
        assert [name for name in told if name in short] == short
        assert told[-1] == "what was wrong with the files"
        assert not list(contents.iter("script"))


def test_the_mean_of_several_runs_is_printed_with_its_deviation(tiny_board: Board, tiny_built):
    found = numbers_of(tiny_built / "site")
    for key in ("frames", "multihop_rag"):
        [cell] = found[key, "often", "match"]
        # 11 of 12 right; the runs' means are 1, 3/4, 1.
        assert said(cell).startswith("91.7 ± 14.4 (")
        assert float(cell.attrib["data-deviation"]) == pytest.approx(0.1443376, abs=1e-7)
        [single] = found[key, "reader", "match"]
        assert "±" not in said(single) and "data-deviation" not in single.attrib
    assert float(rows_of(tiny_built, "frames")["often"]["match_sd"]) == pytest.approx(0.1443376, abs=1e-7)
    assert rows_of(tiny_built, "frames")["reader"]["match_sd"] == ""
    [marked] = [th for th in page(tiny_built, "index").iter("th") if said(th).startswith("Often")]
    assert "mean of 3 runs" in said(marked)


def test_a_distance_is_printed_in_points_with_its_sign(tiny_board: Board, tiny_built):
    found = numbers_of(tiny_built / "site")
    assert said(found["frames-kind-closed-book", "steps", "all"][0]) == "25.0"
    assert said(found["frames-kind-gold-context", "reader", "all"][0]) == "25.0"
    assert said(found["frames-kind-closed-book", "reader", "person"][0]) == "0.0"


def test_rounds_are_printed_and_what_a_system_lacks_is_a_dash_with_the_reason(tiny_built):
    found = numbers_of(tiny_built / "site")
    cells = [found["frames-by-round", "steps", f"recall_after_{number}"][0] for number in (1, 2)]
    assert [said(cell).split()[0] for cell in cells] == ["83.3", "100.0"]
    [lacking] = found["frames-by-round", "steps-1", "recall_after_2"]
    assert said(lacking) == "–has 1 round"


# Compiled prompts, and what a system is against the one it is based on


def test_a_compiled_system_is_marked_and_shown_against_its_uncompiled_parent(tiny_board: Board, tiny_built):
    [marked] = [th for th in page(tiny_built, "index").iter("th") if said(th).startswith("Taught")]
    assert "compiled" in [said(mark) for mark in of_class(marked, "mark")]
    tree = article(page(tiny_built, "systems/taught"))
    headings = [said(h).removesuffix("¶") for h in tree.iter() if h.tag in ("h2", "h3")]
    assert headings[1] == "Against its uncompiled parent: Reader (sample)"
    assert headings.index("Compiled prompts") == headings.index("Predictor answer") - 1
    found = numbers_of(tiny_built / "site")
    # On each of two benchmarks the keys alone, the same question in both: with one sign, every pattern reaches it.
    assert said(found["taught-parent", "overall", "difference"][0]) == "25.0 n = 8"
    assert said(found["taught-parent", "overall", "p"][0]) == "1.0000 n = 8"
    assert said(found["taught-parent", "frames", "difference"][0]).startswith("25.0 (−17.4 to 67.4)")
    assert said(found["taught-parent", "frames", "usd_difference"][0]).startswith(
        "–unknown: embedded/tiny has no price"
    )


def test_a_compiled_prompt_is_shown_with_what_it_was_before_and_its_demonstrations(tiny_built):
    tree = article(page(tiny_built, "systems/taught"))
    [changes] = of_class(tree, "board-prose board-changes")
    lines = [(line.tag, said(line)) for line in changes.find("code")]
    assert [tag for tag, _ in lines] == ["del", "ins", "ins"]
    assert lines[0][1].startswith("− Answer the question from the passages with a name")
    assert [text for _, text in lines[1:]] == ["+ Answer in one word.", "+ Read <b>all</b> passages."]
    [demo] = of_class(tree, "board-demo")
    assert [said(dt) for dt in demo.iter("dt")] == ["context", "question", "answer"]
    context, question, answer = (said(dd) for dd in demo.iter("dd"))
    assert (question, answer) == ("Who built the weir?", "Bo")
    assert context == "[1] The weir " + ("water " * 34)[:199] + "…"


def test_every_system_based_on_another_has_that_table(tiny_board: Board):
    assert {one.key: one.against.title for one in tiny_board.systems if one.against} == {
        "steps-1": "Against the system it is based on: Steps",
        "taught": "Against its uncompiled parent: Reader",
    }


# Retrievers


def test_the_retrievers_page_is_in_the_navigation_and_linked_from_home(tiny_board: Board, tiny_built):
    home = page(tiny_built, "index")
    tabs = [one for one in home.iter("a") if one.attrib.get("class") == "md-tabs__link"]
    assert "retrievers.html" in [tab.attrib["href"] for tab in tabs]
    linked = links(article(home))
    assert linked["retrievers.html"] == "Retrievers (sample)"
    for one in tiny_board.retrievers.tables:
        assert linked[f"retrievers.html#table-{one.key}"] == one.title


def test_the_retrievers_page_has_a_table_a_benchmark_with_the_ceilings(tiny_board: Board, tiny_built):
    tree = article(page(tiny_built, "retrievers"))
    assert [said(h2).removesuffix("¶") for h2 in tree.iter("h2")] == [
        "frames label: retrievers (sample)",
        "multihop_rag label: retrievers (sample)",
    ]
    found = numbers_of(tiny_built / "site")
    for key in ("retrievers-frames", "retrievers-multihop_rag"):
        assert said(found[key, "retriever", "all_gold_10"][0]).startswith("100.0 (")
        assert said(found[key, "retriever", "index_ceiling"][0]) == "87.5"
        assert said(found[key, "map-ceiling", "map_10"][0]) == "91.7"
        download = rows_of(tiny_built, key)
        expected = row(table(tiny_board.retrievers.tables, key), "retriever").values
        for column, value in expected.items():
            assert float(download["retriever"][column]) == value.value, column
        assert float(download["map-ceiling"]["map_10"]) == pytest.approx((0.75 + 1 + 1) / 3)


def test_a_retriever_alone_has_its_own_page_and_stands_in_no_table_of_answers(tiny_board: Board, tiny_built):
    places = {key[0] for key in numbers_of(tiny_built / "site") if key[1] == "retriever"}
    assert places == {"retrievers-frames", "retrievers-multihop_rag"}
    tree = article(page(tiny_built, "systems/retriever"))
    assert said(next(tree.iter("h1"))).removesuffix("¶") == "Retriever (sample)"
    [main] = [one for one in tiny_board.systems if one.key == "retriever"]
    printed = {key for key in numbers_of(tiny_built / "site") if key[0] == main.main.key}
    assert (main.main.key, "frames", "all_gold_10") in printed
    assert (main.main.key, "frames", "match") not in printed


# Method, downloads


def test_the_method_page_lists_every_metric_with_its_range_and_what_it_applies_to(
    tiny_board: Board, tiny_built
):
    tree = article(page(tiny_built, "method"))
    [metrics, *_] = of_class(tree, "board-metrics")
    names = [(dt.attrib["id"], said(dt)) for dt in metrics.iter("dt")]
    assert names == [(f"metric-{note.key}", note.label) for note in tiny_board.metrics]
    for dd, note in zip(metrics.iter("dd"), tiny_board.metrics, strict=True):
        assert said(dd) == " ".join(
            f"{note.definition} {note.range} · {note.applies_to} {note.source}".split()
        )
    text = said(metrics)
    for label in ("Recall after round 2", "New documents in round 2", "AllGold@10", "Balanced abstention"):
        assert label in text


def test_every_column_that_is_a_metrics_says_the_same_as_the_method_page(tiny_board: Board):
    notes = {note.key: note for note in tiny_board.metrics}
    told = set()
    for one in measured(tiny_board):
        for column in one.columns:
            if column.key in notes and one.key != "home":
                note = notes[column.key]
                assert (column.hint, column.source) == (note.definition, note.source), (one.key, column.key)
                told.add(column.key)
    assert set(notes) == told, "a metric that no benchmark of the board has isn't explained"


def test_there_is_a_download_a_table_whose_title_says_sample_on_its_page(tiny_board: Board, tiny_built):
    for one in tables_of(tiny_board):
        assert set(rows_of(tiny_built, one.key)) == {each.key for each in one.rows}
    shown = {
        table.attrib["aria-label"]
        for path in pages_of(tiny_built / "site")
        for table in parse(path).iter("table")
        if table.find("tbody").attrib["class"] != "published"
    }
    assert shown == {f"{one.title} (sample)" for one in measured(tiny_board)}
