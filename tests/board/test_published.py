"""What others published, as tables of the board."""

import pytest

from leaderboard.board.published import published_tables
from leaderboard.published.reference import PublishedError
from leaderboard.site.numbers import printed
from tests import tiny
from tests.board.boards import FRAMES, board, row

FILE = """
[[table]]
key = "paper"
title = "Published FRAMES: a paper"
read_from = "The paper."
setting = "A model, a corpus, a judge."
caveat = "Another corpus."
source = { work = "A, On B", where = "Table 3", year = 2024, address = "https://example.org/b" }
columns = [
  { key = "accuracy", label = "Accuracy", hint = "Right.", decimals = 2, questions = 824 },
  { key = "tokens", label = "Tokens", hint = "Read.", percent = false, decimals = 0, unit = "a question", higher_is_better = false },
]
rows = [
  { system = "One", values = { accuracy = 0.4203, tokens = 5015 } },
  { system = "Two", values = { accuracy = 0.5 }, note = "approximate", questions = 100 },
]

[[table]]
key = "list"
title = "Published FRAMES: a list"
read_from = "A list."
setting = "Not stated."
caveat = "Second-hand."
source = { work = "C", where = "README" }
columns = [{ key = "accuracy", label = "Accuracy", hint = "Right." }]
rows = [{ system = "One", values = { accuracy = 0.3 } }]
"""


@pytest.fixture
def tables(tmp_path):
    (tmp_path / "frames.toml").write_text(FILE, encoding="utf-8")
    return published_tables("frames", tmp_path)


def test_a_table_says_where_its_numbers_come_from_and_why_they_do_not_compare(tables):
    paper, other = tables
    assert (paper.source, paper.address) == ("A, On B, 2024: Table 3", "https://example.org/b")
    assert (other.source, other.address) == ("C: README", "")
    assert (paper.read_from, paper.setting, paper.caveat) == (
        *("The paper.", "A model, a corpus, a judge.", "Another corpus."),
    )


def test_keys_are_unique_over_the_board(tables):
    assert [table.key for table in tables] == ["frames-published-paper", "frames-published-list"]


def test_columns_print_the_decimals_of_the_source(tables):
    accuracy, tokens = tables[0].columns
    values = row(tables[0], "One").values
    assert printed(values["accuracy"].value, accuracy) == "42.03"
    assert printed(values["tokens"].value, tokens) == "5,015"
    assert (tokens.unit, tokens.higher_is_better) == ("a question", False)


def test_rows_keep_the_order_of_the_source_and_are_neither_ranked_nor_reference(tables):
    assert [(found.key, found.kind, found.marks) for found in tables[0].rows] == [
        ("One", "published", ()),
        ("Two", "published", ("approximate",)),
    ]


def test_n_is_the_rows_then_the_columns_and_else_unknown(tables):
    n = {found.key: {key: value.n for key, value in found.values.items()} for found in tables[0].rows}
    assert n == {"One": {"accuracy": 824, "tokens": 0}, "Two": {"accuracy": 100, "tokens": 0}}


def test_a_value_that_the_source_leaves_out_is_unknown(tables):
    tokens = row(tables[0], "Two").values["tokens"]
    assert (tokens.value, tokens.note) == (None, "not reported")


def test_a_benchmarks_page_has_them_beside_its_own_tables_on_either_track(tmp_path):
    for track in ("sample", "full"):
        on = tiny.benchmark("frames", track=track)
        [page] = board(tmp_path / track, {"mill": {"frames": {}}}, None, (on,)).benchmarks
        assert page.published == published_tables("frames") and len(page.published) == 7
        assert page.published_name == "FRAMES"
        ours = {found.label for table in (page.main, *page.breakdowns) for found in table.rows}
        theirs = {found.label for table in page.published for found in table.rows}
        assert not ours & theirs


def test_a_board_is_not_built_from_a_wrong_file(tmp_path):
    (tmp_path / "frames.toml").write_text(FILE.replace("0.4203", "42.03"), encoding="utf-8")
    with pytest.raises(
        PublishedError, match=r"frames\.toml: table\[0\]\.rows\[0\]\.values\.accuracy: .*share"
    ):
        published_tables("frames", tmp_path)


def test_a_benchmark_without_a_file_has_nothing_published(tmp_path):
    assert published_tables(FRAMES.name, tmp_path) == ()
