"""A lexical and a dense ranking joined by reciprocal-rank fusion."""

from __future__ import annotations

from collections.abc import Mapping

from leaderboard.retrieval.digests import index_digest
from leaderboard.retrieval.passages import Hit, Passage, RetrievalError, Retriever

_FORMAT = "hybrid-1"
"""Raised when what this file does to a ranking changes."""


class HybridRetriever:
    """Reciprocal-rank fusion (Cormack, Clarke and Buettcher 2009) of two retrievers over the same passages.

    score(d) = Σ over the rankings that hold d of 1/(rrf_k + rank of d), ranks from 1, each ranking read to ``depth``
    whatever k is asked for, so that a longer list begins with the shorter one.
    """

    def __init__(self, lexical: Retriever, dense: Retriever, *, rrf_k: int = 60, depth: int = 100) -> None:
        """Join the two. Raises ``RetrievalError`` if they don't hold the same passages."""
        if lexical.passages != dense.passages:
            raise RetrievalError("both halves of a hybrid must search the same passages, but theirs differ")
        self._rankings = (lexical, dense)
        self._rrf_k = rrf_k
        self._depth = depth
        self.digest = index_digest((_FORMAT, lexical.digest, dense.digest, str(rrf_k), str(depth)))

    @property
    def passages(self) -> Mapping[str, Passage]:
        """Passage id → passage, for the whole corpus."""
        return self._rankings[0].passages

    def search(self, query: str, k: int) -> list[Hit]:
        """Return at most ``k`` hits in the order (−score, id); at most twice ``depth`` passages can come."""
        if k < 1:
            return []
        scores: dict[str, float] = {}
        for retriever in self._rankings:
            for rank, hit in enumerate(retriever.search(query, self._depth), start=1):
                scores[hit.passage.id] = scores.get(hit.passage.id, 0.0) + 1 / (self._rrf_k + rank)
        ranked = sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))
        return [Hit(self.passages[passage_id], score) for passage_id, score in ranked[:k]]
