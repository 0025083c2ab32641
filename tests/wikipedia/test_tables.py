"""A table of a page becomes lines that can each be read alone."""

import pytest

from leaderboard.wikipedia.tables import MAX_CELLS, Cell, expanded
from leaderboard.wikipedia.wikitext import readable


def lines(wikitext):
    return readable("Vashel", wikitext).text.split("\n")


def test_a_table_is_its_caption_its_header_and_a_line_a_row():
    table = """{| class="wikitable sortable"
|+ Winners of the '''Mill Cup'''
|-
! scope="col" | Year !! Winner<ref>a</ref> !! Score
|-
| 1901 || [[Ann Lamp|Ann]] || {{nowrap|3–1}}
|- style="background:#fff"
! scope="row" | 1902
| Bo
| align=right | 2–2 {{small|(drawn)}}
|}"""
    assert lines(table) == ["Winners of the Mill Cup", "Year | Winner | Score", "1901 | Ann | 3–1", "1902 | Bo | 2–2 (drawn)"]  # fmt: skip


def test_spans_stand_in_each_cell_that_they_cover():
    table = """{|
! rowspan="2" | Year !! colspan=2 | Result
|-
! Home !! Away
|-
| rowspan=2 | 1901 || 3 || 1
|-
| colspan='2' | none
|-
| colspan=3 | After the flood
|-
| 1902 || rowspan=9 | 4 || 2
|-
| 1903 || 5
|}"""
    assert lines(table) == [
        "Year | Result | Result",
        "Year | Home | Away",
        "1901 | 3 | 1",
        "1901 | none | none",
        "After the flood",
        "1902 | 4 | 2",
        "1903 | 4 | 5",
    ]


def test_lists_and_breaks_in_a_cell_are_one_line():
    assert lines("{|\n| Ann<br>Bo ||\n* c\n* d\n|}") == ["Ann; Bo | c; d"]


def test_a_column_that_is_empty_in_each_row_is_left_out_and_an_empty_cell_stays():
    table = "{|\n! A !! !! B !! C\n|-\n| 1 || {{clear}} || || 3\n|-\n| || || 5 || 6\n|}"
    assert lines(table) == ["A | B | C", "1 | | 3", "| 5 | 6"]


def test_attributes_before_a_caption_a_template_and_a_written_out_bar():
    table = """{|
|+class="nowrap"| Races
! A !! B !! C
|-
| colspan="2" style="x" {{n/a|Did not row}} || 3
|-
! scope="row" {{!}} 1
| rowspan=2 {{yes}} || 4
|}"""
    assert lines(table) == ["Races", "A | B | C", "Did not row | Did not row | 3", "1 | Yes | 4"]
    assert lines("[[Mill{{!}}mills]] {{nowrap|a{{!}}b}}") == ["mills a|b"]


def test_a_template_between_rows_is_a_line():
    table = "{|\n! A !! B\n|-\n{{Crew row|name=Ann|score=3}}\n|-\n| 1 || 2\n|}"
    assert lines(table) == ["A | B", "name: Ann | score: 3", "1 | 2"]


def test_a_table_in_a_cell_follows_the_outer_one():
    table = "{|\n| a ||\n{|\n! B !! C\n|-\n| 1 || 2\n|}\n| d\n|}"
    assert lines(table) == ["a | d", "B | C", "1 | 2"]


def test_a_table_left_open_ends_at_the_next_heading():
    found = readable("Vashel", "{|\n! A !! B\n|-\n| 1 || 2\n== Later ==\nText.")
    assert found.text == "A | B\n1 | 2\n\nLater\nText."
    assert found.problems == ("1 marks without their other half, left out",)


def test_a_table_in_html_is_a_table():
    table = '<table class="x"><caption>Cup</caption><tr><th>A</th><th>B</th></tr><tr><td rowspan="2">1</td><td>2</td></tr><tr><td>3</td></tr></table>'
    assert lines(table) == ["Cup", "A | B", "1 | 2", "1 | 3"]


def test_a_navigation_box_made_of_a_table_is_left_out():
    assert lines('a\n{| class="navbox"\n| Towns || Rivers\n|}\nb') == ["a", "", "b"]


def test_a_span_ends_with_the_table_and_absurd_ones_are_bounded():
    assert expanded([[Cell("a", rows=99999), Cell("b")], [Cell("c")]]) == [["a", "b"], ["a", "c"]]
    wide = expanded([[Cell("a", columns=999)] for _ in range(MAX_CELLS // 999 + 1)])
    assert wide == [["a"]] * (MAX_CELLS // 999 + 1)


@pytest.mark.parametrize("attribute", ["rowspan=-1", "rowspan=0", "rowspan=x", "colspan=", 'colspan="0"'])
def test_a_span_that_cannot_be_is_one(attribute):
    assert lines(f"{{|\n| {attribute} | a || b\n|-\n| c || d\n|}}") == ["a | b", "c | d"]
