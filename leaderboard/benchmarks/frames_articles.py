"""The articles of FRAMES: the frozen corpus, or JSON lines of a smaller one, and which page each link leads to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from leaderboard.benchmarks.frames_links import article_keys, title_key
from leaderboard.benchmarks.native_files import Row, json_lines, read_native, shown
from leaderboard.benchmarks.questions import BenchmarkError, Breakdown, Defect, Document, Question
from leaderboard.files import sha256_file

FROZEN = "articles.parquet"
CORPUS_FILES = (FROZEN, "articles.jsonl", "articles_partial.jsonl")
ALL_THERE, SOME_LACKING = "all there", "some lacking"
IN_CORPUS = Breakdown(
    "gold_in_corpus",
    "Gold pages in the corpus",
    (ALL_THERE, SOME_LACKING),
    "Whether the corpus has every page that the question needs. Where one is lacking, no retriever can complete the "
    "evidence.",
)
"""The breakdown of a corpus that lacks gold pages."""

_ADVICE = 'Each line is {"title": …, "url": …, "text": …}; url may be left out for an English Wikipedia page.'


@dataclass(frozen=True, slots=True)
class Articles:
    """A corpus. ``page_of`` maps a link's identity to the id of its document; ``vanished`` one to why there is none."""

    name: str
    documents: tuple[Document, ...] = ()
    page_of: Mapping[str, str] = field(default_factory=dict)
    vanished: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)


def read_articles(folder: Path, corpus: Path | None, defects: list[Defect]) -> Articles:
    """Return the corpus: ``corpus``, else the first of ``CORPUS_FILES`` in ``folder``, else none, which is a defect.

    Raises BenchmarkError.
    """
    path = corpus or next((folder / name for name in CORPUS_FILES if (folder / name).exists()), None)
    if path is None:
        names = " or ".join(CORPUS_FILES[:2])
        defects.append(
            Defect(CORPUS_FILES[0], None, f"no corpus: neither {names} is there", "loaded without documents")
        )
        return Articles(CORPUS_FILES[0])
    if path.suffix == ".parquet":
        return _frozen(path, defects)
    file = read_native(path, _ADVICE)
    documents = _documents(json_lines(file, _ADVICE), defects)
    own = {document.id: document.id for document in documents}
    return Articles(path.name, documents, own, {}, {file.name: file.digest})


def mark_lacking(questions: tuple[Question, ...], articles: Articles) -> list[Defect]:
    """Report what of the gold the corpus lacks: in one defect how much, and one a question whose page has vanished."""
    lacking = {item.key for question in questions for item in question.evidence if not item.document}
    if not lacking or not articles.sources:
        return []
    gold = {item.key for question in questions for item in question.evidence}
    hit = sum(any(not item.document for item in question.evidence) for question in questions)
    problem = (
        f"lacks {len(lacking):,} of {len(gold):,} gold pages, of {hit:,} of {len(questions):,} questions"
    )
    found = [Defect(articles.name, None, problem, "these stay gold, without a document")]
    for question in questions:
        for item in question.evidence:
            if not item.document and (reason := articles.vanished.get(item.key)):
                problem = f"a gold page of question {question.id} has vanished: {item.key}: {reason}"[:300]
                found.append(Defect(articles.name, None, problem, "stays gold, without a document"))
    return found


def _frozen(path: Path, defects: list[Defect]) -> Articles:
    from leaderboard.wikipedia.corpus_file import CorpusFileError, read_corpus

    try:
        file = read_corpus(path)
    except CorpusFileError as error:
        raise BenchmarkError(str(error)) from error
    there = [article for article in file.articles if not article.vanished]
    for number, article in enumerate(there, start=1):
        if not article.text.strip():
            problem = f"an article without text: {article.key}"[:200]
            defects.append(Defect(path.name, number, problem, "kept as a document of its title"))
    documents = tuple(Document(article.key, article.title, article.text, article.url) for article in there)
    return Articles(path.name, documents, file.page_of, file.vanished, {path.name: sha256_file(path)})


def _documents(rows: Iterable[Row], defects: list[Defect]) -> tuple[Document, ...]:
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
            defects.append(row.defect("an article without text", "kept as a document of its title"))
        documents[identity] = Document(identity, title, text, url)
    return tuple(documents.values())
