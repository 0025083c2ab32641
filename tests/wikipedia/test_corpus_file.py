"""The corpus file: what is written is read back, and a file that cannot be used is refused by row."""

import json
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.files import digest_json
from leaderboard.wikipedia.corpus_file import (
    MAX_ROWS,
    Article,
    Corpus,
    CorpusError,
    article_digest,
    read_corpus,
    write_corpus,
)
from leaderboard.wikipedia.sections import Section

ABOUT = {"before": "2024-08-01T00:00:00Z", "source": "an invented encyclopedia", "licence": "CC BY-SA 4.0"}


def article(title, text="A town.", links=None, **changes):
    made = Article(
        key=f"en.wikipedia.org|{title}",
        title=title,
        page_id=7,
        revision=70,
        timestamp="2024-07-31T23:59:59Z",
        url=f"https://en.wikipedia.org/wiki/{title}",
        text=text,
        sections=(),
        digest=article_digest(title, text),
        links=(f"en.wikipedia.org|{title}",) if links is None else links,
    )
    return replace(made, **changes)


MILL = article("Mill", "A mill.\n\nHistory\nOld.", sections=(Section(2, "History", 9),))
ORRIN = article("Orrin", links=("en.wikipedia.org|Orrin", "en.wikipedia.org|River Orrin", "https://w.wiki/x"))
GONE = article("Gone", "", page_id=None, revision=None, timestamp="", vanished="deleted before the date")


def test_articles_come_back_by_key_with_what_is_said_of_them(tmp_path):
    path = tmp_path / "articles.parquet"
    write_corpus(path, [ORRIN, MILL, GONE], ABOUT)
    assert read_corpus(path) == Corpus((GONE, MILL, ORRIN), ABOUT)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["articles.parquet", "articles.parquet.json"]


def test_the_same_articles_give_the_same_bytes(tmp_path):
    write_corpus(tmp_path / "a", [ORRIN, MILL], ABOUT)
    swapped = replace(ORRIN, links=ORRIN.links[::-1])
    write_corpus(tmp_path / "b", iter([MILL, swapped]), dict(reversed(ABOUT.items())))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_corpus_of_no_articles_is_one(tmp_path):
    write_corpus(tmp_path / "a", [], {})
    assert read_corpus(tmp_path / "a") == Corpus((), {})


@given(st.text(max_size=40), st.text(max_size=200))
def test_a_digest_is_that_of_the_canonical_json(title, text):
    assert article_digest(title, text) == digest_json([title, text])


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (replace(MILL, digest="0" * 64), "row 1: expected the digest [0-9a-f]{64} of title and text, found '0000"),
        (replace(MILL, text="Another."), "row 1: expected the heading 'History' at character 9, found another text"),
        (replace(MILL, page_id=None), 'row 1: expected a number as "page_id", found none'),
        (replace(MILL, revision=0), 'row 1: expected a positive number as "revision", found 0'),
        (replace(MILL, revision=True), 'row 1: expected a positive number as "revision", found True'),
        (replace(MILL, timestamp="yesterday"), "row 1: expected a time such as .*, found 'yesterday'"),
        (replace(MILL, key=" "), 'row 1: expected text as "key", found nothing but white space'),
        (replace(MILL, vanished="deleted"), "row 1: expected no text of a page that has vanished, found 21 characters"),
        (replace(MILL, links=("a", "a")), "row 1: expected each link once, found one twice"),
        (replace(MILL, links=("",)), "row 1: expected text as each link, found nothing but white space"),
        (replace(MILL, sections=(Section(7, "History", 9),)), "expected sections in order, of levels 1 to 6, found level 7"),
        (replace(MILL, url="a\0b"), 'row 1: expected text as "url", found a NUL'),
        (replace(MILL, url="\ud800"), 'row 1: expected text as "url", found half of a surrogate pair'),
        (replace(ORRIN, key=MILL.key), r"row 2: expected each key once, found 'en\.wikipedia\.org\|Mill' a second time"),
        (replace(ORRIN, links=MILL.links), r"row 2: expected links .*alone, found .*Mill', which leads to row 1 too"),
    ],
)  # fmt: skip
def test_an_article_that_cannot_be_is_never_written(tmp_path, bad, message):
    others = [MILL] if bad.title == "Orrin" else []
    with pytest.raises(CorpusError, match=message):
        write_corpus(tmp_path / "a", [*others, bad], ABOUT)
    assert list(tmp_path.iterdir()) == []


def altered(tmp_path, change=lambda frame: frame, metadata=None):
    """A corpus file as another program may have left it."""
    path = tmp_path / "articles.parquet"
    write_corpus(path, [MILL, ORRIN], ABOUT)
    said = {"leaderboard.corpus": pl.read_parquet_metadata(path)["leaderboard.corpus"]}
    change(pl.read_parquet(path)).write_parquet(path, metadata=said if metadata is None else metadata)
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda frame: frame.drop("links"), "expected the columns key: String, .*; found no links"),
        (lambda frame: frame.with_columns(pl.lit("x").alias("more")), "found more: String"),
        (lambda frame: frame.with_columns(pl.col("page_id").cast(pl.String)), "found page_id: String"),
        (lambda frame: frame.reverse(), r"row 2: expected rows sorted by key, found 'en\.wikipedia\.org\|Mill' too late"),
        (lambda frame: pl.concat([frame, frame.tail(1)]), "row 3: expected each key once"),
        (lambda frame: frame.with_columns(pl.lit("0" * 64).alias("digest")), "row 1: expected the digest"),
        (lambda frame: frame.with_columns(pl.lit(None, pl.String).alias("url")), 'row 1: expected a value as "url", found none'),
        (lambda frame: frame.with_columns(pl.lit(None).cast(frame.schema["links"]).alias("links")), 'expected a value as "links"'),
        (lambda frame: frame.with_columns(pl.lit([None], pl.List(pl.String)).alias("links")), "row 1: expected links, found a missing"),
        (lambda frame: frame.with_columns(pl.lit(["k"], pl.List(pl.String)).alias("links")), "row 2: expected links that lead to this"),
        (lambda frame: frame.with_columns(pl.lit([{"level": None, "title": "x", "start": 0}], frame.schema["sections"]).alias("sections")),
         "row 1: expected sections of level, title and start, found a missing value"),
        (lambda frame: frame.with_columns(pl.lit(-1, pl.Int64).alias("revision")), 'expected a positive number as "revision", found -1'),
    ],
)  # fmt: skip
def test_a_file_with_other_contents_is_refused_by_name_and_row(tmp_path, change, message):
    path = altered(tmp_path, change)
    with pytest.raises(CorpusError, match=message) as caught:
        read_corpus(path)
    assert str(caught.value).startswith(str(path))
    assert str(caught.value).endswith("Fetch the file again, or freeze the corpus again.")


@pytest.mark.parametrize(
    "metadata",
    [{}, {"leaderboard.corpus": "{"}, {"leaderboard.corpus": "[" * 100_000}, {"leaderboard.corpus": '{"schema": "x", "about": {}}'},
     {"leaderboard.corpus": '{"schema": "leaderboard-corpus/1", "about": []}'}],
)  # fmt: skip
def test_a_file_that_does_not_say_what_it_is_is_refused(tmp_path, metadata):
    with pytest.raises(
        CorpusError, match=r'expected metadata "leaderboard\.corpus" with the schema leaderboard-corpus/1'
    ):
        read_corpus(altered(tmp_path, metadata=metadata))


def test_what_is_said_of_a_corpus_is_text(tmp_path):
    said = {"leaderboard.corpus": json.dumps({"schema": "leaderboard-corpus/1", "about": {"before": 3}})}
    with pytest.raises(CorpusError, match="expected text as 'before' of the corpus, found int"):
        read_corpus(altered(tmp_path, metadata=said))
    with pytest.raises(CorpusError, match="expected text as 'before' of the corpus, found int"):
        write_corpus(tmp_path / "b", [], {"before": 3})


def test_a_file_that_claims_more_rows_than_a_corpus_has_is_refused_before_it_is_read(tmp_path):
    path = altered(tmp_path, lambda frame: pl.concat([frame] * (MAX_ROWS // 2 + 1)))
    with pytest.raises(CorpusError, match=f"expected at most 100,000 rows, found {MAX_ROWS + 2:,}"):
        read_corpus(path)


def test_a_small_file_that_unfolds_into_too_much_text_is_refused(tmp_path):
    path = altered(
        tmp_path,
        lambda frame: pl.concat([frame.head(1).with_columns(pl.lit("x" * 100_000).alias("text"))] * 11_000),
    )
    assert path.stat().st_size < 5_000_000
    with pytest.raises(
        CorpusError, match=r"expected at most 1,073,741,824 bytes of text, found 1,1\d\d,\d\d\d,\d\d\d"
    ):
        read_corpus(path)


def test_what_is_no_parquet_file_is_refused(tmp_path):
    path = altered(tmp_path)
    whole = path.read_bytes()
    for data in (
        b"",
        b"PAR1",
        b"{}\n",
        b"PAR1" + b"\xff" * 100 + b"PAR1",
        whole[:-20],
        whole[:40] + whole[60:],
    ):
        path.write_bytes(data)
        with pytest.raises(
            CorpusError, match=r"expected a whole parquet file, found one that cannot be read"
        ):
            read_corpus(path)
    path.unlink()
    with pytest.raises(CorpusError, match="expected a corpus file, found no file"):
        read_corpus(path)
    path.mkdir()
    with pytest.raises(CorpusError, match="found something that is no regular file"):
        read_corpus(path)


@settings(derandomize=True, max_examples=12, deadline=None)  # each is read in a process of its own
@given(place=st.integers(min_value=0, max_value=3000), byte=st.integers(min_value=0, max_value=255))
def test_a_damaged_byte_gives_the_same_corpus_or_an_error(tmp_path_factory, place, byte):
    path = tmp_path_factory.mktemp("damaged") / "articles.parquet"
    write_corpus(path, [MILL, ORRIN], ABOUT)
    data = bytearray(path.read_bytes())
    data[place % len(data)] = byte
    path.write_bytes(data)
    try:
        found = read_corpus(path)
    except CorpusError:
        return
    assert [(each.title, each.text, each.digest) for each in found.articles] == [
        (each.title, each.text, each.digest) for each in (MILL, ORRIN)
    ]
