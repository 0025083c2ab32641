"""Where a row stands."""

import pytest

from leaderboard.board.rows import order, retriever_words
from leaderboard.board.tables import Row, RowKind, Value
from tests import tiny
from tests.board.boards import FRAMES, board
from tests.board.boards import row as found_row


def row(label: str, score: float | None, kind: RowKind = "ranked") -> Row:
    return Row(key=label, label=label, kind=kind, values={"overall": Value(value=score, n=4)})


def names(*rows: Row) -> list[str]:
    return [row.label for row in order(rows, "overall")]


def test_rows_stand_by_score_then_name():
    assert names(row("c", 0.5), row("b", 0.75), row("a", 0.5), row("d", 1.0)) == ["d", "b", "a", "c"]


def test_a_score_of_zero_stands_above_none():
    assert names(row("a", None, "unranked"), row("b", 0.0, "unranked")) == ["b", "a"]


def test_unranked_rows_stand_below_ranked_ones_and_references_apart():
    assert names(
        row("ceiling", 1.0, "reference"),
        row("partial", None, "unranked"),
        row("last", 0.0),
        row("first", 0.5),
    ) == ["first", "last", "partial", "ceiling"]


def test_a_row_without_the_column_stands_with_those_without_a_value():
    assert names(Row(key="a", label="a"), row("b", 0.0)) == ["b", "a"]


def test_where_less_is_better_the_least_stands_first():
    rows = (row("b", 1.0), row("a", 0.25), row("c", None, "unranked"))
    assert [one.label for one in order(rows, "overall", False)] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("retriever", "words"),
    [
        ({"kind": "bm25", "unit": "article"}, "bm25, articles"),
        ({"kind": "bm25"}, "bm25, passages of 256 tokens"),
        (
            {"kind": "bm25", "chunk_tokens": 64, "overlap_tokens": 16},
            "bm25, passages of 64 tokens, overlap 16",
        ),
        ({"kind": "dense", "chunk_tokens": 64}, "dense, wordllama-l2-256, passages of 64 tokens"),
        ({"kind": "hybrid", "unit": "article"}, "hybrid, wordllama-l2-256, articles"),
    ],
)
def test_a_retriever_in_a_few_words(tmp_path, retriever, words):
    tables = {"retriever": retriever, "program": {"kind": "single_step"}}
    assert retriever_words(tiny.submit(tmp_path, "mill", **tables).document) == words
    ranked = {**tables, "reranker": {"kind": "lm_listwise"}}
    assert retriever_words(tiny.submit(tmp_path, "bee", **ranked).document) == f"{words}, lm_listwise"


def test_systems_that_do_not_search_say_how_they_come_by_their_passages(tmp_path):
    assert retriever_words(tiny.submit(tmp_path, "mill").document) == "none"
    assert retriever_words(tiny.submit(tmp_path, "bee", **tiny.GOLD).document) == "gold"


def test_a_row_is_marked_by_how_often_its_questions_were_asked(tmp_path):
    home = board(
        tmp_path, {"mill": {"frames": {}}, "bee": {"frames": {}}}, benchmarks=(FRAMES,), repeats={"bee": 3}
    ).home
    assert found_row(home, "mill").marks == ("single run",)
    assert found_row(home, "bee").marks == ("mean of 3 runs",)


def test_a_retriever_whose_name_has_two_words_can_be_broken_between_them(tmp_path):
    tables = {"retriever": {"kind": "keyword_sentence", "chunk_tokens": 64}, "program": {"kind": "a_rag"}}
    said = retriever_words(tiny.submit(tmp_path, "mill", **tables).document)
    assert said == "keyword sentence, wordllama-l2-256, passages of 64 tokens"
