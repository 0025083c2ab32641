"""The gold evidence of a question as if a perfect search had found it: the ceiling of a reference row."""

from __future__ import annotations

from collections.abc import Iterable

from leaderboard.benchmarks.questions import Document, Evidence, Question
from leaderboard.retrieval.passages import Hit, Passage

GOLD_SCORE = 1.0


class GoldPassages:
    """Turns gold evidence into hits. Evidence whose document the corpus lacks is left out, so it stays missing."""

    def __init__(self, documents: Iterable[Document]) -> None:
        """Take the benchmark's documents."""
        self._documents = {document.id: document for document in documents}

    def hits(self, question: Question) -> list[Hit]:
        """Return the question's gold in its own order, each passage once, all with the same score.

        An article or a paragraph is its whole document. A fact is the fact's own text: a slice of its document
        where it stands there verbatim, else a passage ``document#fact-n`` (n counts the question's evidence
        from 1).
        """
        passages: dict[str, Passage] = {}
        for number, evidence in enumerate(question.evidence, start=1):
            document = self._documents.get(evidence.document)
            if document is not None:
                passage = _passage(document, evidence, number)
                passages.setdefault(passage.id, passage)
        return [Hit(passage, GOLD_SCORE) for passage in passages.values()]


def _passage(document: Document, evidence: Evidence, number: int) -> Passage:
    if evidence.kind != "fact":
        return Passage.whole(document)
    start = document.text.find(evidence.text)
    if start < 0:
        return Passage(f"{document.id}#fact-{number}", document.id, document.title, evidence.text)
    return Passage.slice(document, start, start + len(evidence.text))
