"""MultiHop-RAG: the official queries with their facts, and the news articles (spec § 2.1 and § 2.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from leaderboard.benchmarks.native_files import NativeFile, Row, json_items, only_file, read_native, shown
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
from leaderboard.metrics.containment import containment_key

QUESTION_TYPES = {
    "inference_query": "inference",
    "comparison_query": "comparison",
    "temporal_query": "temporal",
    "null_query": "null",
}
BREAKDOWNS = (
    Breakdown(
        "question_type",
        "Question type",
        tuple(QUESTION_TYPES.values()),
        "A null question has no answer in the corpus.",
    ),
    Breakdown("facts", "Facts", ("0", "2", "3", "4"), "Distinct facts that the question is composed of."),
)
_ADVICE = "Fetch it again from the data set yixuantt/MultiHopRAG and leave it unchanged."

_Articles = Mapping[tuple[str, str], Document]
"""(title, url) → article."""


def load(folder: Path, track: Track, corpus: Path | None = None) -> Benchmark:
    """Load ``MultiHopRAG.json`` (else the one ``MultiHopRAG_*.json``) and its articles.

    The corpus is ``corpus``, else ``corpus.json``, else the one ``corpus_*.json``. A question's id is its index
    in the file, from 0; a fact is found in its article by the official matching, which deletes spaces and
    newlines of both. Raises BenchmarkError.
    """
    file = read_native(only_file(folder, "MultiHopRAG.json", "MultiHopRAG_*.json", _ADVICE), _ADVICE)
    path = corpus or only_file(folder, "corpus.json", "corpus_*.json", _ADVICE)
    articles = read_native(path, _ADVICE)
    defects: list[Defect] = []
    documents = _documents(articles, defects)
    plain = {document.id: containment_key(document.text) for document in documents.values()}
    questions = []
    wordings: dict[str, int] = {}
    for index, row in enumerate(json_items(file, _ADVICE)):
        question = _question(str(index), row, documents, plain, defects)
        if (first := wordings.setdefault(question.text, index)) != index:
            defects.append(row.defect(f"the same query as question {first}", "loaded as both"))
        questions.append(question)
    if not questions:
        Row(file.name, 1, "item", {}).refuse("queries", "an empty array", _ADVICE)
    return Benchmark(
        name="multihop_rag",
        label=track_label("MultiHop-RAG", track),
        track=track,
        questions=tuple(questions),
        documents=tuple(documents.values()),
        breakdowns=BREAKDOWNS,
        chunked=True,
        defects=tuple(defects),
        sources={file.name: file.digest, articles.name: articles.digest},
    )


def _question(
    identity: str, row: Row, documents: _Articles, plain: Mapping[str, str], defects: list[Defect]
) -> Question:
    kind = row.text("question_type")
    if kind not in QUESTION_TYPES:
        row.refuse(f"a question_type of {', '.join(QUESTION_TYPES)}", shown(kind))
    texts = {}
    for name in ("query", "answer"):
        texts[name] = row.text(name).strip()
        if texts[name] != row.text(name):
            defects.append(row.defect(f"white space around the {name}", "trimmed"))
    evidence: dict[str, Evidence] = {}
    for number, item in enumerate(row.objects("evidence_list"), start=1):
        fact, title, url = item.text("fact"), item.text("title"), item.optional_text("url")
        if fact in evidence:
            defects.append(row.defect(f"fact {number} stands twice in its question", "counted once"))
            continue
        document = _article_of(title, url, documents)
        if document is None:
            defects.append(row.defect(f"fact {number} is of an article that the corpus lacks", "stays gold"))
        elif containment_key(fact) not in plain[document.id]:
            defects.append(row.defect(f"fact {number} doesn't stand in its article", "stays gold"))
        evidence[fact] = Evidence(fact, "fact", title, fact, document.id if document else "")
    null = kind == "null_query"
    if null and evidence:
        row.refuse("no facts for a null_query", f"{len(evidence)}")
    if not null and not evidence:
        row.refuse(f"facts for a {kind}", "an empty evidence_list")
    count = str(len(evidence))
    if count not in BREAKDOWNS[1].labels:
        defects.append(
            row.defect(f"{count} facts, where 0, 2, 3 or 4 are known", "loaded; in no group of facts")
        )
    groups = {
        "question_type": (QUESTION_TYPES[kind],),
        "facts": (count,) if count in BREAKDOWNS[1].labels else (),
    }
    return Question(identity, texts["query"], texts["answer"], (), tuple(evidence.values()), groups, null)


def _article_of(title: str, url: str, documents: _Articles) -> Document | None:
    """Return a fact's article: by title and url, else the only one of that url, else the only one of that title."""
    if (exact := documents.get((title, url))) is not None:
        return exact
    for same in (
        [document for document in documents.values() if url and document.url == url],
        [document for document in documents.values() if document.title == title],
    ):
        if len(same) == 1:
            return same[0]
    return None


def _documents(file: NativeFile, defects: list[Defect]) -> _Articles:
    """Return the articles. An id is the url where one article has it, else title and url, else the title."""
    rows = list(json_items(file, _ADVICE))
    if not rows:
        Row(file.name, 1, "item", {}).refuse("articles", "an empty array", _ADVICE)
    urls = Counter(row.optional_text("url") for row in rows)
    documents: dict[tuple[str, str], Document] = {}
    ids: dict[str, int] = {}
    for row in rows:
        title, url, body = row.text("title"), row.optional_text("url"), row.text("body", empty=True)
        if not url:
            defects.append(row.defect("an article without url", "its title identifies it"))
        if not body.strip():
            defects.append(row.defect("an article without body", "kept as a document of its title"))
        if (twin := documents.get((title, url))) is not None and twin.text == body:
            defects.append(row.defect("an article that stands twice", "kept once"))
            continue
        identity = url if url and urls[url] == 1 else f"{title} | {url}" if url else title
        if (first := ids.setdefault(identity, row.number)) != row.number:
            row.refuse(
                "one article a title and url", f"another one than item {first} with the id {shown(identity)}"
            )
        documents[title, url] = Document(identity, title, body, url)
    return documents
