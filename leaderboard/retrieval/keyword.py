"""Search by literal keywords: how often each stands in a passage, times its length (A-RAG, spec § 4.4)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from leaderboard.retrieval.digests import index_digest
from leaderboard.retrieval.passages import Hit, Passage, in_order
from leaderboard.retrieval.ranking import best_places

_FORMAT = "keyword-1"
"""Raised when what this file does to a text or a score changes."""


def folded(text: str) -> str:
    """Return ``text`` as keywords are compared: NFC, lower case."""
    return unicodedata.normalize("NFC", text).lower()


def keyword_query(keywords: Iterable[str]) -> str:
    """Return keywords as one query: each once, lower-cased and stripped, one a line, in their order."""
    return "\n".join(
        dict.fromkeys(word for keyword in keywords if (word := " ".join(folded(keyword).split())))
    )


class KeywordIndex:
    """score(passage) = Σ over the keywords of count(keyword in the lower-cased passage) × length of the keyword.

    A passage's text is its title, a line feed, its text. Keywords are character substrings, counted independently
    and without overlap, so that "art" is found in "start". A passage that holds none is no hit.
    """

    def __init__(self, passages: Iterable[Passage]) -> None:
        """Take the passages. Raises ``RetrievalError`` if two have the same id."""
        self._passages = in_order(passages)
        self._ordered = list(self._passages.values())
        self._texts = [folded(passage.indexed) for passage in self._ordered]
        self.digest = index_digest((_FORMAT,), self._ordered)

    @property
    def passages(self) -> Mapping[str, Passage]:
        """Passage id → passage, for the whole corpus."""
        return self._passages

    def search(self, query: str, k: int) -> list[Hit]:
        """Return at most ``k`` hits in the order (−score, id); ``query`` holds one keyword a line."""
        keywords = query.split("\n") if query else []
        if k < 1 or not keywords or not self._texts:
            return []
        scores = np.array([score(text, keywords) for text in self._texts], np.float64)
        return [
            Hit(self._ordered[place], float(scores[place]))
            for place in best_places(scores, k)
            if scores[place] > 0
        ]


def score(text: str, keywords: Sequence[str]) -> int:
    """Return the score of a folded text for folded keywords."""
    return sum(text.count(keyword) * len(keyword) for keyword in keywords)
