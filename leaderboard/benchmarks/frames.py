"""FRAMES: the official ``test.tsv`` and a corpus of Wikipedia articles (spec § 3.3 and § 3.4)."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from leaderboard.benchmarks.frames_links import (
    MOBILE,
    SECTION,
    SEVERAL,
    SPACE,
    ArticleKey,
    article_keys,
    title_key,
)
from leaderboard.benchmarks.native_files import Row, json_lines, read_native, shown, tsv_rows
from leaderboard.benchmarks.questions import (
    Benchmark,
    Breakdown,
    Defect,
    Document,
    Evidence,
    Question,
    Track,
    track_label,
)

QUESTIONS_FILE = "test.tsv"
CORPUS_FILES = ("articles.jsonl", "articles_partial.jsonl")
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
_CORPUS_ADVICE = (
    'Each line is {"title": …, "url": …, "text": …}; url may be left out for an English Wikipedia page.'
)
_ACTIONS = {SPACE: "trimmed", SEVERAL: "split into its links"}
_LITERAL_LIMIT = 100_000


@dataclass
class _Reading:
    """What is collected while the rows are read."""

    defects: list[Defect] = field(default_factory=list)
    quiet: Counter[str] = field(default_factory=Counter)
    ids: dict[str, int] = field(default_factory=dict)


def load(folder: Path, track: Track, corpus: Path | None = None) -> Benchmark:
    """Load FRAMES from ``folder/test.tsv`` and its articles.

    The corpus is ``corpus``, else ``articles.jsonl``, else ``articles_partial.jsonl`` in ``folder``. Without
    any, ``documents`` is empty and a defect says so. A document's id is the article's canonical key; evidence of
    a page that the corpus lacks has the document "". Raises BenchmarkError.
    """
    file = read_native(folder / QUESTIONS_FILE, _ADVICE)
    sources = {file.name: file.digest}
    reading = _Reading()
    documents: tuple[Document, ...] = ()
    path = corpus or next((folder / name for name in CORPUS_FILES if (folder / name).exists()), None)
    if path is None:
        names = " or ".join(CORPUS_FILES)
        reading.defects.append(
            Defect(CORPUS_FILES[0], None, f"no corpus: neither {names} is there", "loaded without documents")
        )
    else:
        articles = read_native(path, _CORPUS_ADVICE)
        sources[articles.name] = articles.digest
        documents = _documents(json_lines(articles, _CORPUS_ADVICE), reading)
    held = {document.id for document in documents}
    questions = tuple(_question(row, held, reading) for row in tsv_rows(file, HEADER, _ADVICE))
    if not questions:
        Row(file.name, 1, "line", {}).refuse("questions below the header", "none", _ADVICE)
    for problem, count in sorted(reading.quiet.items()):
        reading.defects.append(
            Defect(file.name, None, f"{problem}: {count} link items", "the page's key is used")
        )
    if path is not None:
        reading.defects.extend(_lacking(path.name, questions))
    return Benchmark(
        name="frames",
        label=track_label("FRAMES", track),
        track=track,
        questions=questions,
        documents=documents,
        breakdowns=BREAKDOWNS,
        chunked=True,
        defects=tuple(reading.defects),
        sources=sources,
    )


def parse_reasoning_types(text: str) -> tuple[str, ...]:
    """Return the labels of a ``reasoning_types`` cell, which stand between `` | ``."""
    return tuple(text.split(" | "))


def _question(row: Row, held: set[str], reading: _Reading) -> Question:
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
        Evidence(link.identity, "article", link.title, "", link.identity if link.identity in held else "")
        for link in _gold(row, reading)
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


def _gold(row: Row, reading: _Reading) -> list[ArticleKey]:
    """Return the distinct pages of a row in order; the first link to a page stands for it."""
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
            action = (
                "its page's key is used" if link.key else "kept as a gold page that no document can match"
            )
            loud = (problem for problem in link.problems if problem not in (MOBILE, SECTION))
            reading.defects.extend(row.defect(problem, action) for problem in loud)
            if link.identity in gold:
                problem = f"two links to one page: {link.identity}"[:200]
                reading.defects.append(row.defect(problem, "counted once"))
            gold.setdefault(link.identity, link)
    if not gold:
        row.refuse("at least one link in wiki_links", "none")
    return list(gold.values())


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


def _documents(rows: Iterable[Row], reading: _Reading) -> tuple[Document, ...]:
    documents: dict[str, Document] = {}
    for row in rows:
        title, text, url = row.text("title"), row.text("text", empty=True), row.optional_text("url")
        links = article_keys(url)
        if len(links) > 1:
            row.refuse('one link as "url"', shown(url))
        identity = links[0].identity if links else title_key(title)
        if identity in documents:
            row.refuse("each article once", f"a second article {identity}"[:200])
        if not text.strip():
            reading.defects.append(row.defect("an article without text", "kept as a document of its title"))
        documents[identity] = Document(identity, title, text, url)
    return tuple(documents.values())


def _lacking(corpus: str, questions: tuple[Question, ...]) -> list[Defect]:
    """Report, in one defect, how much of the gold the corpus lacks."""
    gold = {item.key for question in questions for item in question.evidence}
    lacking = {item.key for question in questions for item in question.evidence if not item.document}
    if not lacking:
        return []
    hit = sum(any(not item.document for item in question.evidence) for question in questions)
    problem = (
        f"lacks {len(lacking):,} of {len(gold):,} gold pages, of {hit:,} of {len(questions):,} questions"
    )
    return [Defect(corpus, None, problem, "these stay gold, without a document")]
