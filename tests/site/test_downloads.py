"""The CSV of a table gives every value back, and starts no formula."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.site.downloads import csv_text, guarded, unguarded
from leaderboard.site.escaping import one_line
from leaderboard.site.layout import tables_of


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r\n+1", "＝1", "'quoted"])
def test_a_text_that_begins_a_formula_is_guarded(text):
    assert guarded(text).startswith("'")


@given(st.text())
def test_a_guarded_text_reads_back(text):
    assert unguarded(guarded(text)) == one_line(text)


def test_every_table_reads_back_exactly(either):
    board, _ = either
    for table in tables_of(board):
        rows = list(csv.DictReader(io.StringIO(csv_text(table, board.track))))
        assert len(rows) == len(table.rows)
        for read, row in zip(rows, table.rows, strict=True):
            assert (read["track"], unguarded(read["row"]), read["kind"]) == ("sample", row.key, row.kind)
            assert unguarded(read[table.row_heading]) == one_line(row.label)
            for column in table.columns:
                key, value = guarded(column.key), row.values.get(column.key)
                if value is None or value.value is None:
                    assert read[key] == ""
                else:
                    assert float(read[key]) == value.value and read[f"{key}_n"] == str(value.n or "")
                if value is not None and value.interval is not None:
                    limits = (float(read[f"{key}_low"]), float(read[f"{key}_high"]))
                    assert limits == (value.interval.low, value.interval.high)
                if value is not None and value.bounds is not None:
                    assert (float(read[f"{key}_low"]), float(read[f"{key}_high"])) == value.bounds
                    assert read[f"{key}_range"] == "bounds"
                deviation = value.deviation if value is not None else None
                assert read[f"{key}_sd"] == ("" if deviation is None else repr(deviation))


def test_no_text_cell_of_the_hostile_board_begins_a_formula(board):
    for line in csv.reader(io.StringIO(csv_text(board.home, board.track))):
        assert not any(cell.startswith(("=", "+", "@")) for cell in line)
