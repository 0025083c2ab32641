"""FRAMES: the official ``test.tsv`` and a corpus of Wikipedia articles (spec § 3.3 and § 3.4)."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from leaderboard.benchmarks.frames_articles import (
    GOLD_IN_CORPUS,
    Articles,
    find_articles,
    grouped_by_gold,
    lacking,
)
from leaderboard.benchmarks.frames_links import (
    MOBILE,
    SECTION,
    SEVERAL,
    SPACE,
    ArticleKey,
    article_keys,
)
from leaderboard.benchmarks.native_files import Row, read_native, shown, tsv_rows
from leaderboard.benchmarks.questions import (
    Benchmark,
    Breakdown,
    Defect,
    Evidence,
    Question,
    Track,
    track_label,
)

QUESTIONS_FILE = "test.tsv"
LINK_COLUMNS = (*(f"wikipedia_link_{number}" for number in range(1, 11)), "wikipedia_link_11+")
HEADER = ("", "Prompt", "Answer", *LINK_COLUMNS, "reasoning_types", "wiki_links")
REASONING_TYPES = (
    "Multiple constraints",
    "Numerical reasoning",
    "Temporal reasoning",
    "Tabular reasoning",
    "Post processing",
)
ARTICLE_COUNTS = ("2", "3", "4", "5+")
BREAKDOWNS = (
    Breakdown(
        "reasoning_type",
        "Reasoning type",
        REASONING_TYPES,
        "A question counts in each of its types, so the groups overlap.",
        overlapping=True,
    ),
    Breakdown(
        "single_type",
        "Single reasoning type",
        REASONING_TYPES,
        "Only questions with exactly one reasoning type count, so that each type is seen by itself; the others are in "
        "no group.",
    ),
    Breakdown(
        "gold_articles",
        "Gold articles",
        ARTICLE_COUNTS,
        "Distinct articles that the question links to.",
    ),
)
_ADVICE = "Fetch test.tsv of the data set google/frames-benchmark again and leave it unchanged."
_ACTIONS = {SPACE: "trimmed", SEVERAL: "split into its links"}
_LITERAL_LIMIT = 100_000


@dataclass
class _Reading:
    """The corpus, and what is collected while the rows are read."""

    articles: Articles
    defects: list[Defect] = field(default_factory=list)
    quiet: Counter[str] = field(default_factory=Counter)
    ids: dict[str, int] = field(default_factory=dict)
    held: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self.held = {document.id for document in self.articles.documents}


def load(folder: Path, track: Track, corpus: Path | None = None) -> Benchmark:
    """Load FRAMES from ``folder/test.tsv`` and its articles.

    The corpus is ``corpus``, else the first in ``folder`` of: the frozen corpus
    ``articles.parquet``, ``articles.jsonl``, ``articles_partial.jsonl``. Without any, ``documents`` is empty and a
    defect says so. A document's id is its page's canonical key.

    The key of the evidence is that of the *link*, with every kind of corpus: it is what the data set says, it
    is known without a corpus, and what a run was scored on keeps its name when a page is moved. ``document`` is
    the id of the page that the link leads to, through redirects and short links where the corpus knows them, or "" for
    a page that the corpus lacks. Two links of a question that lead to one page are one item, under the first link's
    key: a page that is read once counts once.

    ``breakdowns`` are ``BREAKDOWNS``, and ``GOLD_IN_CORPUS`` where a corpus lacks a gold page. Raises BenchmarkError.
    """
    file = read_native(folder / QUESTIONS_FILE, _ADVICE)
    articles = find_articles(folder, corpus)
    reading = _Reading(articles, defects=list(articles.defects))
    questions = tuple(_question(row, reading) for row in tsv_rows(file, HEADER, _ADVICE))
    if not questions:
        Row(file.name, 1, "line", {}).refuse("questions below the header", "none", _ADVICE)
    for problem, count in sorted(reading.quiet.items()):
        reading.defects.append(
            Defect(file.name, None, f"{problem}: {count} link items", "the page's key is used")
        )
    breakdowns: tuple[Breakdown, ...] = BREAKDOWNS
    if articles.file and (absent := lacking(articles.file, questions)):
        reading.defects.extend(absent)
        questions, breakdowns = grouped_by_gold(questions), (*BREAKDOWNS, GOLD_IN_CORPUS)
    return Benchmark(
        name="frames",
        label=track_label("FRAMES", track),
        track=track,
        questions=questions,
        documents=articles.documents,
        breakdowns=breakdowns,
        chunked=True,
        defects=tuple(reading.defects),
        sources={file.name: file.digest, **({articles.file: articles.digest} if articles.file else {})},
    )


def gold_links(folder: Path) -> dict[str, str]:
    """Return the distinct links of ``folder/test.tsv`` in order: identity → the link as it stood. Raises BenchmarkError."""
    reading = _Reading(Articles())
    rows = tsv_rows(read_native(folder / QUESTIONS_FILE, _ADVICE), HEADER, _ADVICE)
    return {identity: link.url for row in rows for identity, link in _gold(row, reading).items()}


def parse_reasoning_types(text: str) -> tuple[str, ...]:
    """Return the labels of a ``reasoning_types`` cell, which stand between `` | ``."""
    return tuple(text.split(" | "))


def _question(row: Row, reading: _Reading) -> Question:
    identity = row.text("")
    if not (identity.isascii() and identity.isdecimal()):
        row.refuse("a row index as first column", shown(identity))
    if (first := reading.ids.setdefault(identity, row.number)) != row.number:
        row.refuse("an index that stands once", f"{identity}, which is on line {first} too")
    texts = {}
    for column in ("Prompt", "Answer"):
        texts[column] = row.text(column).strip()
        if texts[column] != row.text(column):
            reading.defects.append(row.defect(f"white space around the {column.lower()}", "trimmed"))
    evidence = tuple(
        Evidence(link.identity, "article", link.title, "", page if page in reading.held else "")
        for page, link in _gold(row, reading).items()
    )
    count = "5+" if len(evidence) >= 5 else str(len(evidence))
    known = count in ARTICLE_COUNTS
    if not known:
        reading.defects.append(row.defect("a single gold article", "loaded; in no group of gold articles"))
    types = _types(row, reading)
    groups = {
        "reasoning_type": types,
        "single_type": types if len(types) == 1 else (),
        "gold_articles": (count,) if known else (),
    }
    return Question(identity, texts["Prompt"], texts["Answer"], (), evidence, groups)


def _types(row: Row, reading: _Reading) -> tuple[str, ...]:
    labels = parse_reasoning_types(row.text("reasoning_types"))
    for label in labels:
        if label not in REASONING_TYPES:
            row.refuse(f"reasoning types of {', '.join(REASONING_TYPES)} with ' | ' between", shown(label))
    distinct = tuple(dict.fromkeys(labels))
    if distinct != labels:
        reading.defects.append(row.defect("a reasoning type twice", "counted once"))
    return distinct


def _gold(row: Row, reading: _Reading) -> dict[str, ArticleKey]:
    """Return the distinct pages of a row in order, by key; the first link to a page stands for it."""
    items = _link_items(row)
    if items != [row.text(column, empty=True) for column in LINK_COLUMNS if row.values[column]]:
        reading.defects.append(row.defect("wiki_links differs from the link columns", "wiki_links is used"))
    gold: dict[str, ArticleKey] = {}
    for item in items:
        links = article_keys(item)
        if not links:
            reading.defects.append(
                row.defect(f"a link item without link: {shown(item)}", "left out of the gold")
            )
        reading.quiet.update({problem for link in links for problem in link.problems} & {MOBILE, SECTION})
        for link in links:
            page = reading.articles.page(link.identity)
            action = (
                "its page's key is used"
                if link.key
                else f"the page it leads to is used: {page}"[:200]
                if page != link.identity
                else "kept as a gold page that no document can match"
            )
            loud = (problem for problem in link.problems if problem not in (MOBILE, SECTION))
            reading.defects.extend(row.defect(problem, action) for problem in loud)
            if page in gold:
                problem = f"two links to one page: {page}"[:200]
                reading.defects.append(row.defect(problem, "counted once"))
            elif page in reading.articles.vanished:
                problem = f"a gold page that has vanished: {page}: {reading.articles.vanished[page]}"[:300]
                reading.defects.append(row.defect(problem, "kept as gold, without a document"))
            gold.setdefault(page, link)
    if not gold:
        row.refuse("at least one link in wiki_links", "none")
    return gold


def _link_items(row: Row) -> list[str]:
    """Return the strings of the ``wiki_links`` cell: a Python list, read as a literal and never run."""
    literal = row.text("wiki_links")
    if len(literal) > _LITERAL_LIMIT:
        row.refuse(f"at most {_LITERAL_LIMIT:,} characters of wiki_links", f"{len(literal):,}")
    try:
        value = ast.literal_eval(literal)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        row.refuse("a list of quoted links in wiki_links", shown(literal))
    if not isinstance(value, list):
        row.refuse("a list of quoted links in wiki_links", shown(value))
    return [row.checked_text(f"wiki_links[{index}]", item, empty=True) for index, item in enumerate(value)]
