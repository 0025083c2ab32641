"""The Retrievers page: seed 3's scorecard of systems that only retrieve, which stand nowhere else."""

from __future__ import annotations

import pytest

from tests import tiny
from tests.board.boards import board, numbers, row, table

RAG, FRAMES = tiny.benchmark("multihop_rag"), tiny.benchmark("frames")
PARTS = {**tiny.RETRIEVER, "retriever": {"kind": "bm25", "chunk_tokens": 16}}
TABLES = {"parts": PARTS, "whole": tiny.RETRIEVER, "reader": tiny.READER}
NAMES = ("multihop_rag", "frames")


def made(home, benchmarks=(RAG, FRAMES), **more):
    systems = {key: {name: {} for name in NAMES} for key in TABLES}
    return board(home, systems, TABLES, benchmarks, **more)


def test_a_board_without_such_a_system_has_no_such_page(tmp_path):
    assert board(tmp_path, {"reader": {"frames": {}}}, TABLES, (FRAMES,)).retrievers is None


def test_a_table_a_benchmark_ordered_by_all_gold_with_maps_ceiling_apart(tmp_path):
    found = made(tmp_path).retrievers
    assert [one.key for one in found.tables] == ["retrievers-multihop_rag", "retrievers-frames"]
    for one in found.tables:
        assert [(each.key, each.kind) for each in one.rows] == [
            ("whole", "ranked"),
            ("parts", "ranked"),
            ("map-ceiling", "reference"),
        ]


def test_the_scorecard_by_hand(tmp_path):
    rows = made(tmp_path).retrievers.tables[0]
    # Each question's words find its documents. Of whole articles both of the first question's come back; cut into
    # parts, the second fact stands in a passage without a word of the question.
    assert numbers(row(rows, "whole")) == {
        "all_gold_10": 1,
        "hits_4": 1,
        "hits_10": 1,
        "fact_recall_10": 1,
        "mrr_10": 1,
        "map_10": pytest.approx((0.75 + 1 + 1) / 3),
        "ap_cumulative_10": 1,
        "fact_recall_10_verbatim": 1,
        "fact_recall_10_loose": 1,
        "index_ceiling": None,
    }
    assert numbers(row(rows, "parts")) == {
        "all_gold_10": pytest.approx(2 / 3),
        "hits_4": 1,
        "hits_10": 1,
        "fact_recall_10": pytest.approx(2.5 / 3),
        "mrr_10": 1,
        "map_10": pytest.approx((0.5 + 1 + 1) / 3),
        "ap_cumulative_10": pytest.approx((0.5 + 1 + 1) / 3),
        "fact_recall_10_verbatim": pytest.approx(2.5 / 3),
        "fact_recall_10_loose": pytest.approx(2.5 / 3),
        "index_ceiling": None,
    }
    assert {value.n for key, value in row(rows, "whole").values.items() if key != "index_ceiling"} == {3}


def test_other_ways_of_matching_are_columns_where_evidence_is_facts(tmp_path):
    of = {one.key: [column.key for column in one.columns] for one in made(tmp_path).retrievers.tables}
    assert "fact_recall_10_loose" in of["retrievers-multihop_rag"]
    assert "fact_recall_10_loose" not in of["retrievers-frames"]
    assert all(keys[0] == "all_gold_10" and keys[-1] == "index_ceiling" for keys in of.values())


def test_null_questions_are_left_out_and_counted_in_the_caption(tmp_path):
    rag, _ = made(tmp_path).retrievers.tables
    assert rag.caption.startswith("3 questions; 1 without gold evidence are left out.")
    answerable = tiny.benchmark(questions=(*tiny.QUESTIONS[:2], tiny.QUESTIONS[3]))
    [one] = made(tmp_path / "b", (answerable,)).retrievers.tables
    assert one.caption.startswith("3 questions. In brackets")


def test_maps_ceiling_is_the_mean_of_each_questions_best(tmp_path):
    ceiling = row(made(tmp_path).retrievers.tables[0], "map-ceiling")
    # (1 + 1/2) / 2 with two gold items, 1 with one; the null question has none.
    assert numbers(ceiling) == {"map_10": pytest.approx((0.75 + 1 + 1) / 3)}
    assert (ceiling.values["map_10"].n, ceiling.page) == (3, "")


def test_the_index_ceiling_is_of_distinct_gold_items_and_unknown_where_it_is(tmp_path):
    shares = {"parts": 0.75, "whole": None}
    found = made(tmp_path, ceilings=lambda cell: shares[cell.system]).retrievers.tables[0]
    parts, whole = (row(found, key).values["index_ceiling"] for key in ("parts", "whole"))
    assert (parts.value, parts.n, whole.value, whole.n) == (0.75, 4, None, 0)
    assert found.columns[-1].applies_to == "distinct gold items"


def test_a_row_says_what_it_is_configured_with(tmp_path):
    found = made(tmp_path).retrievers.tables[0]
    texts = {one.key: one.texts["retriever"] for one in found.rows}
    assert texts == {"whole": "bm25, articles", "parts": "bm25, passages of 16 tokens", "map-ceiling": ""}
    assert (found.row_heading, list(found.text_columns)) == ("Retriever", ["retriever", "date"])


def test_who_asks_no_model_stands_neither_at_home_nor_on_a_benchmarks_page(tmp_path):
    found = made(tmp_path)
    elsewhere = [found.home]
    for one in found.benchmarks:
        elsewhere += [one.main, *one.breakdowns, *one.scorecards, *one.distances]
    assert {each.key for one in elsewhere for each in one.rows} == {
        "reader",
        "best-constant-answer",
    }
    assert [each.key for each in found.systems] == ["parts", "reader", "whole"]


def test_its_system_page_has_the_scorecard_and_its_groups(tmp_path):
    [parts] = [one for one in made(tmp_path).systems if one.key == "parts"]
    assert [column.key for column in parts.main.columns][:2] == ["all_gold_10", "hits_4"]
    values = {one.key: one.values for one in parts.main.rows}
    assert values["multihop_rag"]["all_gold_10"].value == pytest.approx(2 / 3)
    assert values["frames"]["fact_recall_10_loose"].note == "does not apply"
    by_facts = table(parts.groups, "parts-multihop_rag-facts")
    assert [column.key for column in by_facts.columns] == [
        *("all_gold_10", "hits_10", "fact_recall_10", "map_10")
    ]
    assert numbers(row(by_facts, "2")) == {
        "all_gold_10": 0,
        "hits_10": 1,
        "fact_recall_10": 0.5,
        "map_10": 0.5,
    }
    assert numbers(row(by_facts, "1")) == dict.fromkeys(numbers(row(by_facts, "2")), 1)
    null = row(table(parts.groups, "parts-multihop_rag-kind"), "null").values["all_gold_10"]
    assert (null.value, null.note) == (None, "does not apply")


def test_a_retriever_is_deterministic_so_one_run_is_no_reason_for_a_mark(tmp_path):
    [found, _] = made(tmp_path).retrievers.tables
    assert {one.key: one.marks for one in found.rows} == {"whole": (), "parts": (), "map-ceiling": ()}


def test_a_retriever_without_a_run_says_what_to_do(tmp_path):
    found = board(tmp_path, {"whole": {}}, TABLES, (RAG,)).retrievers.tables[0]
    whole = row(found, "whole")
    assert (whole.kind, whole.marks) == ("unranked", ("not run",))
    assert whole.values["all_gold_10"].note == "not run: leaderboard build --only whole"
