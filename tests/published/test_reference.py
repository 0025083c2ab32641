"""A file of published numbers is read as it stands, or refused with the file and each wrong field."""

import tomllib
from pathlib import Path

import pytest

from leaderboard.published.reference import PublishedError, references

ROOT = Path(__file__).parents[2]
FILE = """
[[table]]
key = "paper"
title = "A paper"
read_from = "The paper."
setting = "A model."
caveat = "Another corpus."
source = { work = "A, On B", where = "Table 3" }
columns = [
  { key = "accuracy", label = "Accuracy", hint = "Right." },
  { key = "tokens", label = "Tokens", hint = "Read.", percent = false, decimals = 0 },
]
rows = [
  { system = "One", values = { accuracy = 0.408, tokens = 5015 } },
  { system = "Two", values = { accuracy = 0.5 } },
]
"""


def read(folder, text):
    (folder / "frames.toml").write_text(text, encoding="utf-8")
    return references("frames", folder)


def test_reads_values_and_leaves_what_is_not_told_open(tmp_path):
    [table] = read(tmp_path, FILE)
    assert [row.values for row in table.rows] == [{"accuracy": 0.408, "tokens": 5015}, {"accuracy": 0.5}]
    assert (table.source.year, table.source.address, table.row_heading) == (None, None, "System")
    assert {table.questions(row, column) for row in table.rows for column in table.columns} == {None}


def test_the_rows_number_of_questions_goes_before_the_columns(tmp_path):
    text = FILE.replace('hint = "Right."', 'hint = "Right.", questions = 824')
    [table] = read(tmp_path, text.replace("{ accuracy = 0.5 }", "{ accuracy = 0.5 }, questions = 518"))
    assert [table.questions(row, table.columns[0]) for row in table.rows] == [824, 518]


def test_no_file_is_nothing_published(tmp_path):
    assert references("hotpotqa", tmp_path) == ()


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("accuracy = 0.408", "accuracy = 40.8", "table[0].rows[0].values.accuracy: expected a share from 0 to 1, found 40.8"),
        ("accuracy = 0.408", "accuracy = nan", "table[0].rows[0].values.accuracy: expected a share from 0 to 1, found nan"),
        ("accuracy = 0.408", "accuracy = -0.1", "table[0].rows[0].values.accuracy: expected a share"),
        ("accuracy = 0.408", "accuracy = 0.4085", "table[0].rows[0].values.accuracy: expected at most 1 printed decimals, as the column says, found 0.4085 with 2"),
        ("accuracy = 0.408", 'accuracy = "0.408"', "table[0].rows[0].values.accuracy: "),
        ("accuracy = 0.408", "accuracy = true", "table[0].rows[0].values.accuracy: "),
        ("tokens = 5015", "tokens = 5015.5", "table[0].rows[0].values.tokens: expected at most 0 printed decimals"),
        ("tokens = 5015", "tokens = -1", "table[0].rows[0].values.tokens: expected a number that isn't negative, found -1"),
        (", tokens = 5015", "", "table[0].columns[1].key: expected a value in some row, found none under 'tokens'"),
        ("tokens = 5015", "tokns = 5015", "table[0].rows[0].values.tokns: expected a column of accuracy, tokens, found 'tokns'"),
        ("values = { accuracy = 0.5 }", "values = {}", "table[0].rows[1].values: "),
        ('system = "Two"', 'system = "One"', "table[0].rows[1].system: expected each once, found 'One' again"),
        ('key = "tokens"', 'key = "accuracy"', "table[0].columns[1].key: expected each once"),
        ('key = "tokens"', 'key = "n"', "table[0].columns[1].key: "),
        ('caveat = "Another corpus."', "", "table[0].caveat: Field required"),
        ('caveat = "Another corpus."', 'caveat = ""', "table[0].caveat: "),
        ('where = "Table 3"', 'where = "Table 3", address = "javascript:x()"', "table[0].source.address: "),
        ('where = "Table 3"', 'where = "Table 3", year = "2024"', "table[0].source.year: "),
        ('caveat = "Another corpus."', 'caveat = "Another corpus."\nrank = 1', "table[0].rank: Extra inputs are not permitted, found 1"),
        ("percent = false, decimals = 0", "percent = false, decimals = 9", "table[0].columns[1].decimals: "),
        ("rows = [", "rows = [[", "expected TOML in UTF-8"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_refused_with_file_and_field(tmp_path, old, new, told):
    assert FILE.count(old) == 1
    with pytest.raises(PublishedError) as caught:
        read(tmp_path, FILE.replace(old, new))
    assert any(
        line.startswith(f"{tmp_path / 'frames.toml'}: {told}") for line in str(caught.value).splitlines()
    ), caught.value


def test_all_faults_of_a_file_come_at_once(tmp_path):
    text = FILE.replace("0.408", "40.8").replace("tokens = 5015", "tokens = 0.5")
    with pytest.raises(PublishedError) as caught:
        read(tmp_path, text)
    assert len(str(caught.value).splitlines()) == 2


def test_two_tables_of_one_key_are_refused(tmp_path):
    with pytest.raises(PublishedError, match=r"table\[1\]\.key: expected each once, found 'paper' again"):
        read(tmp_path, FILE + FILE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('key = "paper"', 'key = "HOSTILE"'),
        ('key = "paper"', 'key = "paper"\n"HOSTILE" = 1'),
        ("accuracy = 0.408", '"HOSTILE" = 0.408'),
        ("accuracy = 0.408", '"HOSTILE" = "x"'),
    ],
)
def test_what_is_found_is_shown_short_and_without_control_characters(tmp_path, old, new):
    with pytest.raises(PublishedError) as caught:
        read(tmp_path, FILE.replace(old, new.replace("HOSTILE", "\\u001b[31m" * 100)))
    assert str(caught.value).isprintable() and len(str(caught.value)) < 400


def test_bytes_that_are_no_text_and_nesting_without_end_are_refused(tmp_path):
    path = tmp_path / "frames.toml"
    for content in (b"\xff\xfe", b"a = " + b"[" * 100_000):
        path.write_bytes(content)
        with pytest.raises(PublishedError, match="expected TOML in UTF-8"):
            references("frames", tmp_path)
    path.unlink()
    path.mkdir()
    with pytest.raises(PublishedError, match="cannot be read"):
        references("frames", tmp_path)


def test_the_package_takes_its_files_along():
    data = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert data["tool"]["setuptools"]["package-data"]["leaderboard.published"] == ["*.toml", "systems/*.toml"]


def test_a_share_of_one_and_of_nothing_are_shares(tmp_path):
    [table] = read(tmp_path, FILE.replace("0.408", "1.0").replace("0.5 }", "0.0 }"))
    assert [row.values["accuracy"] for row in table.rows] == [1, 0]
