"""The parquet files of a run: read back as written, equal bytes for equal rows, no trust in what is altered."""

import pickle
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.files import sha256_file
from leaderboard.results.records import Outcome
from leaderboard.results.runs import RunError
from leaderboard.results.tables import (
    read_calls,
    read_records,
    read_retrievals,
    write_calls,
    write_records,
    write_retrievals,
)
from tests.results.examples import EMPTY, RECORD, RETRIEVAL, call

READERS = [read_records, read_calls, read_retrievals]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.parquet"


def altered(path, **columns):
    """Write the table again with other columns, as someone could who edits a recording."""
    pl.read_parquet(path).with_columns(**columns).write_parquet(path)


def test_records_come_back_as_they_were_in_their_order(path):
    write_records(path, [RECORD, EMPTY])
    assert read_records(path) == (RECORD, EMPTY)


@pytest.mark.parametrize("outcome", list(Outcome))
def test_every_outcome_comes_back(path, outcome):
    write_records(path, [replace(RECORD, outcome=outcome)])
    assert read_records(path)[0].outcome is outcome


@given(text=st.text(), score=st.floats(allow_nan=False), tokens=st.integers(0, 2**53))
def test_any_text_and_any_number_comes_back_to_the_last_bit(tmp_path_factory, text, score, tokens):
    path = tmp_path_factory.mktemp("records") / "records.parquet"
    returned = (replace(RECORD.returned[0], query=text, score=score),)
    record = replace(
        RECORD, raw_answer=text, error=text, trace=({"said": text},), returned=returned, prompt_tokens=tokens
    )
    write_records(path, [record])
    assert read_records(path) == (record,)


def test_calls_and_retrievals_come_back(path, tmp_path):
    write_calls(path, [call(paid_usd=0.25)])
    assert read_calls(path) == (call(paid_usd=0.25),)
    write_retrievals(tmp_path / "retrievals.parquet", [RETRIEVAL])
    assert read_retrievals(tmp_path / "retrievals.parquet") == (RETRIEVAL,)


def test_a_table_without_rows_comes_back_empty(path):
    for write, read in ((write_records, read_records), (write_calls, read_calls)):
        assert write(path, []).rows == 0
        assert read(path) == ()


def test_the_same_rows_give_the_same_bytes(tmp_path):
    written = [write_records(tmp_path / f"{n}.parquet", [RECORD, EMPTY]) for n in (1, 2)]
    assert written[0].sha256 == written[1].sha256


def test_calls_and_retrievals_give_the_same_bytes_in_whatever_order_they_came(tmp_path):
    calls, searches = [call("a"), call("b")], [RETRIEVAL, replace(RETRIEVAL, query="Another?")]
    digests = {
        (write_calls(tmp_path / "c", rows).sha256, write_retrievals(tmp_path / "r", found).sha256)
        for rows, found in ((calls, searches), (calls[::-1], searches[::-1]))
    }
    assert len(digests) == 1


def test_a_table_names_its_file_its_digest_and_its_rows(path):
    table = write_records(path, [RECORD, EMPTY])
    assert (table.place, table.sha256, table.rows) == ("table.parquet", sha256_file(path), 2)


@pytest.mark.parametrize("read", READERS)
def test_a_missing_file_is_named_with_what_to_do(path, read):
    with pytest.raises(
        RunError, match=r"table\.parquet: not a readable parquet file .*restore it, or remove"
    ):
        read(path)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("content", [b"", b"PAR1 no parquet", pickle.dumps({"question": "q1"})])
def test_what_is_no_parquet_is_refused_and_never_unpickled(path, read, content):
    path.write_bytes(content)
    with pytest.raises(RunError, match=r"table\.parquet: not a readable parquet file"):
        read(path)


def test_a_pickled_column_is_refused(path):
    write_records(path, [RECORD])
    altered(path, raw_answer=pl.Series([pickle.dumps("Ada")], dtype=pl.Binary))
    with pytest.raises(RunError, match=r"table\.parquet: unexpected columns .*raw_answer"):
        read_records(path)


def test_a_column_too_many_or_too_few_is_refused(path):
    write_records(path, [RECORD])
    altered(path, score=pl.lit(1.0))
    with pytest.raises(RunError, match=r"unexpected columns .*score.*altered"):
        read_records(path)
    write_records(path, [RECORD])
    pl.read_parquet(path).drop("error").write_parquet(path)
    with pytest.raises(RunError, match=r"unexpected columns .*error"):
        read_records(path)


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("outcome", "won", "'won' is not a valid Outcome"),
        ("schema", "record/0", "schema 'record/0', expected 'record/1'"),
        ("trace", "{not json", "Expecting property name"),
        ("trace", None, "must be str"),
    ],
)
def test_a_value_out_of_its_range_is_named_with_its_row(path, column, value, said):
    write_records(path, [RECORD, RECORD])
    altered(path, **{column: pl.Series([pl.read_parquet(path)[column][0], value], dtype=pl.String)})
    with pytest.raises(RunError, match=rf"table\.parquet: row 2: .*{said}.*altered"):
        read_records(path)


def test_a_record_without_its_passages_is_refused(path):
    write_records(path, [RECORD])
    altered(path, returned=pl.Series([None], dtype=pl.read_parquet(path).schema["returned"]))
    with pytest.raises(RunError, match=r"table\.parquet: row 1: .*altered"):
        read_records(path)


def test_an_altered_request_no_longer_fits_its_key(path):
    write_calls(path, [call("a"), call("b")])
    altered(path, request=pl.col("request").str.replace("a", "c"))
    with pytest.raises(RunError, match=r"table\.parquet: row \d: .*the key does not belong to its request"):
        read_calls(path)


def test_a_response_that_is_no_json_is_named_with_its_row(path):
    write_calls(path, [call()])
    altered(path, response=pl.lit("{"))
    with pytest.raises(RunError, match=r"table\.parquet: row 1: .*altered"):
        read_calls(path)


def test_a_retrieval_without_its_passages_is_refused(path):
    write_retrievals(path, [RETRIEVAL])
    altered(path, ids=pl.Series([None], dtype=pl.List(pl.String)))
    with pytest.raises(RunError, match=r"table\.parquet: row 1: .*altered"):
        read_retrievals(path)


def test_a_failed_write_leaves_the_old_file(path):
    write_records(path, [RECORD])
    before = path.read_bytes()
    with pytest.raises(TypeError):
        write_records(path, [replace(RECORD, trace=({"said": object()},))])
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["table.parquet"]
