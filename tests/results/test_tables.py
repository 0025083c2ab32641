"""The parquet files of a run: read back as written, equal bytes for equal rows, no trust in what is altered."""

import pickle
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.files import sha256_file
from leaderboard.metrics.final_answer import final_answer
from leaderboard.results.records import Outcome
from leaderboard.results.runs import RunError
from leaderboard.results.tables import (
    CALLS,
    RECORDS,
    RETRIEVALS,
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


@given(text=st.text(), score=st.floats(allow_nan=False, allow_infinity=False), tokens=st.integers(0, 2**53))
def test_any_text_and_any_number_comes_back_to_the_last_bit(tmp_path_factory, text, score, tokens):
    path = tmp_path_factory.mktemp("records") / "records.parquet"
    returned = (replace(RECORD.returned[0], query=text, score=score),)
    final = final_answer(text)
    record = replace(
        RECORD,
        raw_answer=text,
        final_answer=final.text,
        overlong=final.overlong,
        error=text,
        trace=({"said": text},),
        returned=returned,
        prompt_tokens=tokens,
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
        ("trace", "[NaN]", "NaN is not JSON"),
        ("trace", "{}", "trace: expected a list of steps"),
        ("trace", '["step"]', "trace: expected a list of steps"),
        ("trace", "[" * 100_000, "recursion"),
        ("trace", None, "trace: expected a value, found none"),
        ("raw_answer", None, "raw_answer: expected a value, found none"),
        ("raw_answer", "Bo", "final_answer 'Ada Å, “the first”' is not that of the raw answer, 'Bo'"),
        ("final_answer", "Bo", "final_answer 'Bo' is not that of the raw answer, 'Ada Å, “the first”'"),
    ],
)
def test_a_value_out_of_its_range_is_named_with_its_row(path, column, value, said):
    write_records(path, [RECORD, RECORD])
    altered(path, **{column: pl.Series([pl.read_parquet(path)[column][0], value], dtype=pl.String)})
    with pytest.raises(RunError, match=rf"table\.parquet: row 2: .*{said}.*altered"):
        read_records(path)


NULLABLE = {"prompt_tokens", "completion_tokens", "cached_tokens", "paid_usd"}


@pytest.mark.parametrize("column", RECORDS)
def test_only_usage_and_what_was_paid_may_be_unknown_in_a_record(path, column):
    write_records(path, [RECORD])
    altered(path, **{column: pl.Series([None], dtype=RECORDS[column])})
    if column in NULLABLE:
        assert read_records(path) == (replace(RECORD, **{column: None}),)
    else:
        with pytest.raises(RunError, match=rf"row 1: {column}: expected a value, found none; .*altered"):
            read_records(path)


@pytest.mark.parametrize(
    ("write", "read", "row", "columns"),
    [(write_calls, read_calls, call(), CALLS), (write_retrievals, read_retrievals, RETRIEVAL, RETRIEVALS)],
)
def test_only_what_was_paid_may_be_unknown_in_a_call_and_nothing_in_a_retrieval(
    path, write, read, row, columns
):
    for column in set(columns) - NULLABLE:
        write(path, [row])
        altered(path, **{column: pl.Series([None], dtype=columns[column])})
        with pytest.raises(RunError, match=rf"row 1: {column}: expected a value, found none"):
            read(path)


@pytest.mark.parametrize("part", ["returned", "shown"])
def test_no_field_of_a_passage_may_be_null(path, part):
    [passage, *_] = getattr(RECORD, part)
    for field in passage.__slots__:
        write_records(path, [RECORD, replace(RECORD, **{part: (replace(passage, **{field: None}),)})])
        with pytest.raises(RunError, match=rf"row 2: {field}: expected a value, found none"):
            read_records(path)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"latency_s": float("nan")}, "latency_s: expected a finite number, found nan"),
        ({"latency_s": float("inf")}, "latency_s: expected a finite number, found inf"),
        ({"latency_s": -1.0}, "latency_s: expected at least 0, found -1.0"),
        ({"paid_usd": float("nan")}, "paid_usd: expected a finite number"),
        ({"paid_usd": -0.5}, "paid_usd: expected at least 0"),
        ({"prompt_tokens": -1}, "prompt_tokens: expected at least 0"),
        ({"retrieved_tokens": -1}, "retrieved_tokens: expected at least 0"),
        ({"repeat": -1}, "repeat: expected at least 0"),
        ({"returned": (replace(RECORD.returned[0], score=float("inf")),)}, "score: expected a finite number"),
        ({"returned": (replace(RECORD.returned[0], evidence=(0, -1)),)}, "evidence: expected at least 0"),
        ({"returned": (replace(RECORD.returned[0], rank=0),)}, "rank: expected at least 1"),
        ({"shown": (replace(RECORD.shown[0], evidence=(-1,)),)}, "evidence: expected at least 0"),
        ({"shown": (replace(RECORD.shown[0], tokens=-3),)}, "tokens: expected at least 0"),
        ({"overlong": True}, "final_answer"),
    ],
)
def test_a_number_that_cannot_be_is_named_with_its_row(path, changes, said):
    write_records(path, [RECORD, replace(RECORD, **changes)])
    with pytest.raises(RunError, match=rf"table\.parquet: row 2: {said}.*altered"):
        read_records(path)


def test_a_score_may_be_negative(path):
    record = replace(RECORD, returned=(replace(RECORD.returned[0], score=-2.5),))
    write_records(path, [record])
    assert read_records(path) == (record,)


def test_records_are_written_with_their_runs_name_and_keep_it(path):
    write_records(path, [RECORD, EMPTY], run="20260101T000000Z-00000000")
    write_records(path, read_records(path))
    assert [record.run for record in read_records(path)] == ["20260101T000000Z-00000000"] * 2


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


@pytest.mark.parametrize("response", ["{", "[1]", "null", "{}", '{"text": NaN}', "[" * 100_000])
def test_a_response_that_is_none_is_named_with_its_row(path, response):
    write_calls(path, [call()])
    altered(path, response=pl.lit(response))
    with pytest.raises(RunError, match=r"table\.parquet: row 1: .*altered"):
        read_calls(path)


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), -1.0])
def test_a_call_that_took_no_real_time_is_named_with_its_row(path, seconds):
    write_calls(path, [call()])
    altered(path, latency_s=pl.lit(seconds))
    with pytest.raises(RunError, match=r"table\.parquet: row 1: latency_s: expected .*altered"):
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


def test_a_retrieval_with_more_passages_than_scores_is_refused(path):
    write_retrievals(path, [replace(RETRIEVAL, scores=(1.0,))])
    with pytest.raises(RunError, match=r"table\.parquet: row 1: 2 ids and 1 scores; the file was altered"):
        read_retrievals(path)
