"""What the pages of a parquet file claim is checked before polars believes it."""

import polars as pl
import pytest

from leaderboard.wikipedia.parquet_pages import PageError, check_pages

FRAME = pl.DataFrame(
    {"word": ["mill", "lamp", "mill"], "links": [["a"], [], ["b", "c"]], "number": [1, None, 3]}
)


def written(tmp_path, frame=FRAME):
    frame.write_parquet(tmp_path / "a.parquet", compression="zstd", statistics=False)
    return (tmp_path / "a.parquet").read_bytes()


def test_what_polars_writes_passes(tmp_path):
    check_pages(written(tmp_path), 4, 10_000)
    check_pages(written(tmp_path, FRAME.head(0)), 0, 10_000)
    frame = pl.DataFrame({"text": [str(number) * 50 for number in range(50_000)]})
    frame.write_parquet(tmp_path / "b.parquet", row_group_size=10_000)
    check_pages((tmp_path / "b.parquet").read_bytes(), 10_000, 50_000_000)


def test_more_values_or_bytes_than_allowed_are_refused(tmp_path):
    data = written(tmp_path)
    with pytest.raises(PageError, match=r"a page at byte [\d,]+ that claims 4 values"):
        check_pages(data, 3, 10_000)
    with pytest.raises(PageError, match="pages that unfold into more than 20 bytes"):
        check_pages(data, 4, 20)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            b"\x05",
            "a page at byte 4 with a negative number or without a size",
        ),  # −3: polars asks for 2^61 bytes
        (b"\xfe\xff\xff\xff\x0f", "a page at byte 4 that claims 2,147,483,647 values"),
        (b"\xff" * 12, "a number without end at byte 1"),
    ],
)
def test_a_page_that_claims_what_cannot_be_is_refused(values, message):
    # type 0, 1 byte unfolded, 1 byte compressed, then the data page's header: its number of values
    page = b"\x15\x00\x15\x02\x15\x02\x2c\x15" + values + b"\x15\x00\x15\x06\x15\x06\x00\x00" + b"\x00"
    with pytest.raises(PageError, match=message):
        check_pages(b"PAR1" + page + b"\x00" * 4 + b"\x04\0\0\0" + b"PAR1", 1000, 1000)


def test_a_file_cut_short_or_shifted_is_refused(tmp_path):
    data = written(tmp_path)
    for broken in (b"", data[:11], data[:-1], data[1:], data[:30] + data[31:], data[:4] + b"\0" + data[4:]):
        with pytest.raises(PageError):
            check_pages(broken, 1000, 100_000)


def test_lists_that_claim_to_be_long_and_deep_structs_end_with_the_file():
    footer = b"\0\0\0\0" + b"\x04\0\0\0" + b"PAR1"
    with pytest.raises(PageError, match="runs into the footer"):
        check_pages(b"PAR1" + b"\x29\xf5\xff\xff\xff\xff\x0f" + footer, 1000, 1000)
    with pytest.raises(PageError, match="nested too deep"):
        check_pages(b"PAR1" + b"\x1c" * 1000 + footer, 1000, 1000)
    with pytest.raises(PageError, match="nested too deep"):
        check_pages(b"PAR1" + b"\x19" * 1000 + footer, 1000, 1000)
