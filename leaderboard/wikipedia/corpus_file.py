"""The frozen corpus: articles with revision, text and digest in one parquet file, the same bytes for the same articles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leaderboard.files import digest_json, replacing

if TYPE_CHECKING:
    import polars as pl

LARGEST_BYTES = 2 * 1024**3
ABOUT_PREFIX = "leaderboard."
"""What stands before the names of ``about`` in the file's key-value metadata."""


class CorpusFileError(Exception):
    """A corpus file cannot be used. The text names file, row, what was expected, what was found, and what to do."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading: its level (2 for a section, 3 for one inside it), its words, and where it begins in the text."""

    level: int
    title: str
    start: int


@dataclass(frozen=True, slots=True)
class Article:
    """A page as it stood at the corpus's date, or one that could not be had (``vanished`` says why, the text is "").

    ``key`` is "host|Title"; ``links`` are the identities of the links that lead here, itself and redirects;
    ``timestamp`` is of the revision, ISO 8601 in UTC.
    """

    key: str
    title: str
    page_id: int | None
    revision: int | None
    timestamp: str
    url: str
    text: str
    sections: tuple[Section, ...]
    links: tuple[str, ...]
    vanished: str = ""

    @property
    def digest(self) -> str:
        """SHA-256 of title and text."""
        return digest_json([self.title, self.text])


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """What a file holds: the articles by key, and what was noted of them (the date, the licence, the extraction)."""

    articles: tuple[Article, ...]
    about: Mapping[str, str]

    @property
    def page_of(self) -> dict[str, str]:
        """Link identity → key of the article that it leads to."""
        return {
            link: article.key for article in self.articles if not article.vanished for link in article.links
        }

    @property
    def vanished(self) -> dict[str, str]:
        """Link identity → why its page could not be had."""
        return {
            link: article.vanished for article in self.articles if article.vanished for link in article.links
        }


def write_corpus(path: Path, articles: Iterable[Article], about: Mapping[str, str]) -> None:
    """Write the articles, sorted by key, atomically. Equal articles and ``about`` give equal bytes."""
    import polars as pl

    rows = sorted(articles, key=lambda article: article.key)
    columns: dict[str, list[Any]] = {
        "key": [row.key for row in rows],
        "title": [row.title for row in rows],
        "page_id": [row.page_id for row in rows],
        "revision": [row.revision for row in rows],
        "timestamp": [row.timestamp for row in rows],
        "url": [row.url for row in rows],
        "text": [row.text for row in rows],
        "sections": [
            [{"level": s.level, "title": s.title, "start": s.start} for s in row.sections] for row in rows
        ],
        "links": [list(row.links) for row in rows],
        "vanished": [row.vanished for row in rows],
        "digest": [row.digest for row in rows],
    }
    frame = pl.DataFrame(columns, schema=_schema())
    metadata = {f"{ABOUT_PREFIX}{name}": value for name, value in sorted(about.items())}
    with replacing(path) as temporary:
        frame.write_parquet(temporary, compression="zstd", metadata=metadata)


def read_corpus(path: Path) -> CorpusFile:
    """Return what a file holds. Every digest is checked. Raises ``CorpusFileError``."""
    import polars as pl

    about = read_about(path)
    with _reading(path):
        frame = pl.read_parquet(path)
    return CorpusFile(tuple(_articles(path, frame)), about)


def read_about(path: Path) -> dict[str, str]:
    """Return what was noted of a file's articles, and check its columns. Raises ``CorpusFileError``."""
    import polars as pl

    expected = _schema()
    with _reading(path):
        size = path.stat().st_size
        found = dict(pl.read_parquet_schema(path))
        metadata = pl.read_parquet_metadata(path)
    if size > LARGEST_BYTES:
        raise _error(path, f"at most {LARGEST_BYTES:,} bytes", f"{size:,}")
    if found != dict(expected):
        wrong = next(name for name in [*expected, *found] if found.get(name) != expected.get(name))
        said = f"{wrong} as {found[wrong]}" if wrong in found else f"no {wrong}"
        raise _error(path, f"the columns {', '.join(expected)} of their types", said)
    return {
        name.removeprefix(ABOUT_PREFIX): value
        for name, value in metadata.items()
        if name.startswith(ABOUT_PREFIX)
    }


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Raise ``CorpusFileError`` for whatever keeps a file from being read as parquet."""
    import polars as pl

    try:
        yield
    except OSError as error:
        raise _error(path, "a file that can be read", str(error.strerror or error)) from error
    except (pl.exceptions.PolarsError, UnicodeDecodeError) as error:
        raise _error(path, "a parquet file", (str(error).splitlines() or ["damage"])[0][:200]) from error


def _schema() -> pl.Schema:
    import polars as pl

    section = pl.Struct({"level": pl.Int64, "title": pl.String, "start": pl.Int64})
    columns: dict[str, pl.DataType | type[pl.DataType]] = {
        "key": pl.String,
        "title": pl.String,
        "page_id": pl.Int64,
        "revision": pl.Int64,
        "timestamp": pl.String,
        "url": pl.String,
        "text": pl.String,
        "sections": pl.List(section),
        "links": pl.List(pl.String),
        "vanished": pl.String,
        "digest": pl.String,
    }
    return pl.Schema(columns)


def _articles(path: Path, frame: pl.DataFrame) -> Iterator[Article]:
    """Yield the rows as articles; nulls, a digest that isn't the text's, and a key or link that stands twice are refused."""
    keys: set[str] = set()
    leading: dict[str, str] = {}
    for number, row in enumerate(frame.iter_rows(named=True), start=1):
        place = f"row {number}"
        for name in ("key", "title", "timestamp", "url", "text", "sections", "links", "vanished", "digest"):
            if row[name] is None:
                raise _error(path, f"a value as {name}", "null", place)
        if None in row["links"] or any(
            section is None or None in section.values() for section in row["sections"]
        ):
            raise _error(path, "links and sections without null", "null among them", place)
        article = Article(
            key=row["key"],
            title=row["title"],
            page_id=row["page_id"],
            revision=row["revision"],
            timestamp=row["timestamp"],
            url=row["url"],
            text=row["text"],
            sections=tuple(Section(s["level"], s["title"], s["start"]) for s in row["sections"]),
            links=tuple(row["links"]),
            vanished=row["vanished"],
        )
        if article.digest != row["digest"]:
            raise _error(
                path, f"the digest {article.digest} of title and text", ascii(row["digest"])[:80], place
            )
        if article.key in keys:
            raise _error(path, "each article once", f"a second {ascii(article.key)[:80]}", place)
        keys.add(article.key)
        for link in article.links:
            if (other := leading.setdefault(link, article.key)) != article.key:
                found = f"{ascii(link)[:80]}, which leads to {ascii(other)[:80]} too"
                raise _error(path, "each link once", found, place)
        yield article


def _error(path: Path, expected: str, found: str, place: str = "") -> CorpusFileError:
    where = f"{path}, {place}" if place else f"{path}"
    then = "Move it away, and make it again with leaderboard data fetch frames."
    return CorpusFileError(f"{where}: expected {expected}, found {found}. {then}")
