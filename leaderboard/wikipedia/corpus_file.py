"""The frozen corpus: one parquet file of articles at pinned revisions, with what it was made from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leaderboard.files import canonical_json, replacing, sha256_bytes
from leaderboard.wikipedia.parquet_probe import ProbeError, probe
from leaderboard.wikipedia.sections import Section

SCHEMA = "leaderboard-corpus/1"
MAX_FILE_BYTES = 1024**3
MAX_ROWS = 100_000
MAX_TEXT_BYTES = 1024**3
"""Bytes of all texts together. FRAMES' 2,600 articles have about 50 MB."""

_METADATA = "leaderboard.corpus"
_TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z", re.ASCII)
_ADVICE = "Fetch the file again, or freeze the corpus again."
_TEXT_COLUMNS = ("key", "title", "timestamp", "url", "text", "digest", "vanished")


class CorpusError(Exception):
    """A corpus file cannot be used. The text names file, row, what was expected and found, and what to do."""


@dataclass(frozen=True, slots=True)
class Article:
    """One page of the corpus.

    ``key`` is the page's own canonical key, "en.wikipedia.org|Title" (spec § 3.3); ``links`` are the identities of
    the links that lead to it: canonical keys, redirects among them, or a short link's address. ``timestamp`` is the
    revision's, in UTC as "2024-08-01T00:00:00Z". ``digest`` is ``article_digest`` of title and text. ``vanished``
    is "", or in words why the page cannot be had: then ``text`` is "", and ``page_id``, ``revision`` may be ``None``
    and ``timestamp`` "".
    """

    key: str
    title: str
    page_id: int | None
    revision: int | None
    timestamp: str
    url: str
    text: str
    sections: tuple[Section, ...]
    digest: str
    links: tuple[str, ...]
    vanished: str = ""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The articles of a corpus file by key, and what is said of the whole: date, source, licence, extraction."""

    articles: tuple[Article, ...]
    about: Mapping[str, str]


def article_digest(title: str, text: str) -> str:
    """Return the SHA-256 of the canonical JSON of ``[title, text]``, 64 hex digits.

    For two texts without half surrogates that JSON is RFC 8785's; the general writer takes twice as long.
    """
    line = json.dumps([title, text], ensure_ascii=False, separators=(",", ":"))
    return sha256_bytes(line.encode("utf-8"))


def write_corpus(path: Path, articles: Iterable[Article], about: Mapping[str, str]) -> None:
    """Write a corpus file: a row an article, sorted by key, links sorted; equal articles give equal bytes.

    ``about`` stands in the file's key-value metadata. The file takes its place in one step. Raises CorpusError
    for articles that ``read_corpus`` would refuse.
    """
    import polars as pl

    ordered = sorted(articles, key=lambda article: article.key)
    _check(path, ordered, "Correct the article before it is written.")
    _check_about(path, dict(about), "Correct what is said of the corpus before it is written.")
    columns: dict[str, list[Any]] = {
        name: [getattr(article, name) for article in ordered]
        for name in _schema()
        if name not in ("sections", "links")
    }
    columns["links"] = [sorted(article.links) for article in ordered]
    columns["sections"] = [
        [{"level": part.level, "title": part.title, "start": part.start} for part in article.sections]
        for article in ordered
    ]
    frame = pl.DataFrame({name: columns[name] for name in _schema()}, schema=_schema(), strict=True)
    said = canonical_json({"schema": SCHEMA, "about": dict(about)}).decode("utf-8")
    with replacing(path) as temporary:
        frame.write_parquet(temporary, compression="zstd", statistics=False, metadata={_METADATA: said})


def read_corpus(path: Path) -> Corpus:
    """Read a corpus file, whatever is in it; every article is checked, its digest against its text.

    Raises CorpusError for a file that isn't parquet, other columns or types, more rows or text than a corpus has, a
    missing value, a wrong digest, a key that stands twice or out of order, and a link that leads to two articles.
    """
    about, frame = _read(path)
    names = tuple(_schema())
    rows = zip(*(frame[name].to_list() for name in names), strict=True)
    articles = []
    for number, values in enumerate(rows, start=1):
        row = dict(zip(names, values, strict=True))
        for name in (*_TEXT_COLUMNS, "sections", "links"):
            if row[name] is None:
                _refuse(path, number, f'a value as "{name}"', "none")
        if None in row["links"]:
            _refuse(path, number, "links", "a missing one")
        if any(part is None or None in part.values() for part in row["sections"]):
            _refuse(path, number, "sections of level, title and start", "a missing value")
        sections = tuple(Section(**part) for part in row["sections"])
        articles.append(Article(**{**row, "sections": sections, "links": tuple(row["links"])}))
    _check(path, articles, _ADVICE)
    return Corpus(tuple(articles), about)


def _read(path: Path) -> tuple[dict[str, str], Any]:
    """Return what is said of the corpus, and the data frame, checked for columns and sizes but not for values."""
    import polars as pl

    if not path.is_file():
        found = "something that is no regular file" if path.exists() else "no file"
        raise CorpusError(f"{path}: expected a corpus file, found {found}. {_ADVICE}")
    if (size := path.stat().st_size) > MAX_FILE_BYTES:
        raise CorpusError(f"{path}: expected at most {MAX_FILE_BYTES:,} bytes, found {size:,}. {_ADVICE}")
    try:
        probe(path)
        metadata = pl.read_parquet_metadata(path)
        schema = dict(pl.read_parquet_schema(path))
        rows = pl.scan_parquet(path).select(pl.len()).collect().item()
    except (
        OSError,
        ValueError,
        ProbeError,
        pl.exceptions.PolarsError,
        pl.exceptions.PanicException,
    ) as error:
        raise _unreadable(path, error) from error
    if schema != _schema():
        wrong = [f"{name}: {kind}" for name, kind in schema.items() if _schema().get(name) != kind]
        lacking = [name for name in _schema() if name not in schema]
        found = "; ".join([*wrong[:4], *(f"no {name}" for name in lacking[:4])])
        wanted = ", ".join(f"{name}: {kind}" for name, kind in _schema().items())
        raise CorpusError(f"{path}: expected the columns {wanted}; found {found[:300]}. {_ADVICE}")
    if rows > MAX_ROWS:
        raise CorpusError(f"{path}: expected at most {MAX_ROWS:,} rows, found {rows:,}. {_ADVICE}")
    about = _about(path, metadata.get(_METADATA))
    try:
        frame = pl.read_parquet(path, use_pyarrow=False)
        bytes_of_text = sum(int(frame[name].str.len_bytes().sum() or 0) for name in _TEXT_COLUMNS)
    except (OSError, ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise _unreadable(path, error) from error
    if bytes_of_text > MAX_TEXT_BYTES:
        raise CorpusError(
            f"{path}: expected at most {MAX_TEXT_BYTES:,} bytes of text, found {bytes_of_text:,}. {_ADVICE}"
        )
    return about, frame


def _schema() -> dict[str, Any]:
    import polars as pl

    return {
        "key": pl.String(),
        "title": pl.String(),
        "page_id": pl.Int64(),
        "revision": pl.Int64(),
        "timestamp": pl.String(),
        "url": pl.String(),
        "text": pl.String(),
        "sections": pl.List(pl.Struct({"level": pl.Int32(), "title": pl.String(), "start": pl.Int64()})),
        "digest": pl.String(),
        "links": pl.List(pl.String()),
        "vanished": pl.String(),
    }


def _unreadable(path: Path, error: BaseException) -> CorpusError:
    reason = " ".join(str(error).split())[:200]
    return CorpusError(
        f"{path}: expected a whole parquet file, found one that cannot be read ({reason}). {_ADVICE}"
    )


def _about(path: Path, said: str | None) -> dict[str, str]:
    try:
        value = json.loads(said) if said is not None else None
    except (ValueError, RecursionError):
        value = None
    if (
        not isinstance(value, dict)
        or value.get("schema") != SCHEMA
        or not isinstance(value.get("about"), dict)
    ):
        raise CorpusError(
            f'{path}: expected metadata "{_METADATA}" with the schema {SCHEMA} and what the corpus is about, found'
            f" {ascii(said)[:120]}. {_ADVICE}"
        )
    _check_about(path, value["about"], _ADVICE)
    return dict(value["about"])


def _check_about(path: Path, about: Mapping[str, Any], advice: str) -> None:
    for name, text in about.items():
        for value in (name, text):
            if fault := _text_fault(value):
                raise CorpusError(
                    f"{path}: expected text as {ascii(name)[:80]} of the corpus, found {fault}. {advice}"
                )


def _check(path: Path, articles: list[Article], advice: str) -> None:
    """Check articles, each by itself and against those before it."""
    leads: dict[str, int] = {}
    previous = ""
    for number, article in enumerate(articles, start=1):
        if fault := _fault(article):
            _refuse(path, number, *fault, advice)
        if number > 1 and article.key == previous:
            _refuse(path, number, "each key once", f"{ascii(article.key)[:120]} a second time", advice)
        if number > 1 and article.key < previous:
            _refuse(path, number, "rows sorted by key", f"{ascii(article.key)[:120]} too late", advice)
        previous = article.key
        for link in article.links:
            if (first := leads.setdefault(link, number)) != number:
                where = f"{ascii(link)[:120]}, which leads to row {first} too"
                _refuse(path, number, "links that lead to this page alone", where, advice)


def _refuse(path: Path, number: int, expected: str, found: str, advice: str = _ADVICE) -> None:
    raise CorpusError(f"{path}, row {number}: expected {expected}, found {found}. {advice}")


def _fault(article: Article) -> tuple[str, str] | None:
    """Return what was expected and found where an article cannot be, ``None`` where all is well."""
    for name in _TEXT_COLUMNS:
        value = getattr(article, name)
        if fault := _text_fault(value):
            return f'text as "{name}"', fault
        if not value.strip() and name in ("key", "title", "digest"):
            return f'text as "{name}"', "nothing but white space"
    for link in article.links:
        if fault := _text_fault(link) or ("" if link.strip() else "nothing but white space"):
            return "text as each link", fault
    if len(set(article.links)) != len(article.links):
        return "each link once", "one twice"
    for name in ("page_id", "revision"):
        number = getattr(article, name)
        if number is None and not article.vanished:
            return f'a number as "{name}"', "none, and the page hasn't vanished"
        if number is not None and (
            isinstance(number, bool) or not isinstance(number, int) or not 0 < number < 2**63
        ):
            return f'a positive number as "{name}"', ascii(number)[:80]
    if not _TIMESTAMP.fullmatch(article.timestamp) and not (article.vanished and article.timestamp == ""):
        return 'a time such as 2024-08-01T00:00:00Z as "timestamp"', ascii(article.timestamp)[:80]
    if article.vanished and article.text:
        return "no text of a page that has vanished", f"{len(article.text):,} characters"
    start = -1
    for section in article.sections:
        if not (1 <= section.level <= 6 and start < section.start):
            return "sections in order, of levels 1 to 6", f"level {section.level} at {section.start}"
        if _text_fault(section.title) or not article.text.startswith(section.title, section.start):
            return f"the heading {ascii(section.title)[:80]} at character {section.start}", "another text"
        start = section.start
    if (digest := article_digest(article.title, article.text)) != article.digest:
        return f"the digest {digest} of title and text", ascii(article.digest)[:80]
    return None


def _text_fault(value: Any) -> str:
    if not isinstance(value, str):
        return f"{type(value).__name__}"
    if "\0" in value:
        return "a NUL"
    try:
        if not value.isascii():
            value.encode("utf-8")
    except UnicodeEncodeError:
        return "half of a surrogate pair"
    return ""
