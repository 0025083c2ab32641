"""Where a row stands."""

from leaderboard.board.rows import order
from leaderboard.board.tables import Row, RowKind, Value


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
