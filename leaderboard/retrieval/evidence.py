"""Which gold items a text holds: the one rule behind evidence recall, completeness and failure classes."""

from __future__ import annotations

from leaderboard.benchmarks.questions import Evidence, Question
from leaderboard.metrics.containment import containment_key, holds_fact


def covered(question: Question, passage_document: str, text: str) -> tuple[int, ...]:
    """Return the indexes into ``question.evidence`` that ``text``, a part of ``passage_document``, holds.

    Article: any text of that document (spec R9). Paragraph: its whole text, as a part of that document, under
    the official key (blanks and line feeds deleted, case-sensitive), so a snippet of it is not enough.
    Fact: the official matching of § 2.2, in any document. Raises ``ValueError`` for a gold fact without text.
    """
    return tuple(
        index for index, evidence in enumerate(question.evidence) if _holds(evidence, passage_document, text)
    )


def _holds(evidence: Evidence, document: str, text: str) -> bool:
    if evidence.kind == "fact":
        return holds_fact(evidence.text, text, mode="official")
    if not document or document != evidence.document:
        return False
    if evidence.kind == "article":
        return bool(text.strip())
    return containment_key(evidence.text) in containment_key(text)
