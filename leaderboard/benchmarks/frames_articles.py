"""The articles that FRAMES is searched in: which page each gold link leads to, and what the corpus lacks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from leaderboard.benchmarks.frames_links import article_keys, title_key
from leaderboard.benchmarks.native_files import json_lines, read_native, shown
from leaderboard.benchmarks.questions import BenchmarkError, Breakdown, Defect, Document, Question
from leaderboard.files import sha256_file
from leaderboard.wikipedia.corpus_file import CorpusError, read_corpus

CORPUS_FILES = ("articles.parquet", "articles.jsonl", "articles_partial.jsonl")
GOLD_IN_CORPUS = Breakdown(
    "gold_in_corpus",
    "Gold pages in the corpus",
    ("all there", "some lacking"),
    "A question whose gold pages the corpus has, all of them or not: no retriever can find one that is lacking.",
)
_ADVICE = 'Each line is {"title": …, "url": …, "text": …}; url may be left out for an English Wikipedia page.'


@dataclass(frozen=True)
class Articles:
    """The corpus of a FRAMES folder.

    ``pages`` maps the identity of a link to the key of the page that it leads to; a link that isn't there stands
    for itself. ``vanished`` maps the key of a page without text to the reason. ``file`` is "" without a corpus.
    """

    file: str = ""
    digest: str = ""
    documents: tuple[Document, ...] = ()
    defects: tuple[Defect, ...] = ()
    pages: Mapping[str, str] = field(default_factory=dict)
    vanished: Mapping[str, str] = field(default_factory=dict)

    def page(self, identity: str) -> str:
        """Return the key of the page that a link leads to: the link's own where the corpus doesn't know it."""
        return self.pages.get(identity, identity)


def find_articles(folder: Path, corpus: Path | None) -> Articles:
    """Read ``corpus``, else the first of ``CORPUS_FILES`` that is in ``folder``; a defect says where none is.

    A file whose name ends in .parquet is a frozen corpus, any other has a JSON object a line. Raises BenchmarkError.
    """
    path = corpus or next((folder / name for name in CORPUS_FILES if (folder / name).exists()), None)
    if path is None:
        problem = f"no corpus: none of {', '.join(CORPUS_FILES)} is there"
        return Articles(defects=(Defect(CORPUS_FILES[0], None, problem, "loaded without documents"),))
    return _frozen(path) if path.suffix == ".parquet" else _lines(path)


def _frozen(path: Path) -> Articles:
    try:
        corpus = read_corpus(path)
        digest = sha256_file(path)
    except CorpusError as error:
        raise BenchmarkError(str(error)) from error
    except OSError as error:
        raise BenchmarkError(
            f"{path}: expected a file that can be read, found: {error.strerror or error}."
        ) from error
    documents, defects = [], []
    pages = {article.key: article.key for article in corpus.articles}
    for number, article in enumerate(corpus.articles, start=1):
        pages.update(dict.fromkeys(article.links, article.key))
        if article.vanished:
            continue
        if not article.text.strip():
            problem = "an article without text"
            defects.append(Defect(path.name, number, problem, "kept as a document of its title"))
        documents.append(Document(article.key, article.title, article.text, article.url))
    vanished = {article.key: article.vanished for article in corpus.articles if article.vanished}
    return Articles(path.name, digest, tuple(documents), tuple(defects), pages, vanished)


def _lines(path: Path) -> Articles:
    file = read_native(path, _ADVICE)
    documents: dict[str, Document] = {}
    defects = []
    for row in json_lines(file, _ADVICE):
        title, text, url = row.text("title"), row.text("text", empty=True), row.optional_text("url")
        links = article_keys(url)
        if len(links) > 1:
            row.refuse('one link as "url"', shown(url))
        identity = links[0].identity if links else title_key(title)
        if identity in documents:
            row.refuse("each article once", f"a second article {identity}"[:200])
        if not text.strip():
            defects.append(row.defect("an article without text", "kept as a document of its title"))
        documents[identity] = Document(identity, title, text, url)
    return Articles(file.name, file.digest, tuple(documents.values()), tuple(defects))


def lacking(corpus: str, questions: tuple[Question, ...]) -> list[Defect]:
    """Report, in one defect, how much of the gold the corpus lacks."""
    gold = {item.key for question in questions for item in question.evidence}
    absent = {item.key for question in questions for item in question.evidence if not item.document}
    if not absent:
        return []
    hit = sum(not complete(question) for question in questions)
    problem = f"lacks {len(absent):,} of {len(gold):,} gold pages, of {hit:,} of {len(questions):,} questions"
    return [Defect(corpus, None, problem, "these stay gold, without a document")]


def complete(question: Question) -> bool:
    """Tell whether the corpus has each gold page of a question."""
    return all(item.document for item in question.evidence)


def grouped_by_gold(questions: tuple[Question, ...]) -> tuple[Question, ...]:
    """Return the questions, each in its group of ``GOLD_IN_CORPUS``."""
    return tuple(
        replace(
            question,
            groups={**question.groups, GOLD_IN_CORPUS.name: (GOLD_IN_CORPUS.labels[not complete(question)],)},
        )
        for question in questions
    )
