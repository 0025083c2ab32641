"""What no retriever can exceed: the gold evidence that stands whole in at least one passage of an index."""

from __future__ import annotations

from collections.abc import Iterable

from leaderboard.benchmarks.questions import Benchmark, Evidence
from leaderboard.catalog.retrievers import Unit
from leaderboard.metrics import ranking
from leaderboard.metrics.containment import containment_key
from leaderboard.metrics.ranking import Ceiling
from leaderboard.retrieval.opening import index_passages
from leaderboard.retrieval.passages import Passage


def fact_ceiling(benchmark: Benchmark, unit: Unit, chunk_tokens: int, overlap_tokens: int) -> Ceiling | None:
    """Return how many of the benchmark's distinct gold items an index of these passages holds, and of how many.

    A fact is held where a passage contains it under the official matching (a border that cuts it loses it), a
    paragraph where a passage of its own document contains the whole of it, an article where the corpus has it with
    any text: one passage of it is enough to count (spec § 0, R9). None without a corpus or without gold evidence.

    Source: spec § 2.7.
    """
    gold = [evidence for question in benchmark.questions for evidence in question.evidence]
    if not gold or not benchmark.documents:
        return None
    passages = index_passages(benchmark, unit, chunk_tokens, overlap_tokens)
    facts = ranking.fact_ceiling(
        (evidence.text for evidence in gold if evidence.kind == "fact"),
        (passage.text for passage in passages),
    )
    others = {(one.kind, one.key): one for one in gold if one.kind != "fact"}
    return Ceiling(facts.held + _held(others.values(), passages), facts.facts + len(others))


def _held(gold: Iterable[Evidence], passages: Iterable[Passage]) -> int:
    """Return how many of these articles and paragraphs a passage of their own document holds."""
    texts: dict[str, list[str]] = {}
    for passage in passages:
        if passage.text.strip():
            texts.setdefault(passage.document, []).append(passage.text)
    held = 0
    for evidence in gold:
        own = texts.get(evidence.document, [])
        if evidence.kind == "article":
            held += bool(own)
        else:
            key = containment_key(evidence.text)
            held += any(key in containment_key(text) for text in own)
    return held
