"""Okapi BM25 over title and text, in memory, with its index kept on disk by the digest of what it was made from."""

from __future__ import annotations

import logging
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version

import bm25s
import numpy as np
import Stemmer
from bm25s.tokenization import Tokenized

from leaderboard.catalog.retrievers import Stemmer as StemmerName
from leaderboard.catalog.retrievers import StopWords
from leaderboard.files import cache_dir
from leaderboard.retrieval.digests import index_digest
from leaderboard.retrieval.index_store import IndexStore
from leaderboard.retrieval.passages import Hit, Passage, in_order
from leaderboard.retrieval.ranking import best_places

METHOD = "lucene"
_FORMAT = "bm25-1"
"""Raised when what this file does to a text or a score changes."""

# On import the library sets its logger to DEBUG, which reaches every handler of the root logger.
logging.getLogger("bm25s").setLevel(logging.WARNING)


class BM25Retriever:
    """BM25 with the idf and term weight of Lucene (Kamphuis et al. 2020), Snowball stemmer, stop words left out.

    score(q, d) = Σ over the words of q of ln(1 + (N − n + 0.5)/(n + 0.5)) · f/(f + k1·(1 − b + b·|d|/avgdl)),
    where n is the number of passages with the word and f how often it stands in d. A word is a run of two or
    more letters, digits or underscores after NFKC and lower-casing, less the stop words, then stemmed ("none"
    leaves either step out). Scores have single precision.
    """

    def __init__(
        self,
        passages: Iterable[Passage],
        *,
        k1: float = 0.9,
        b: float = 0.4,
        stemmer: StemmerName = "english",
        stop_words: StopWords = "english",
    ) -> None:
        """Load the index of exactly these passages and parameters from the cache folder, or build and save it.

        Raises ``RetrievalError`` if two passages have the same id.
        """
        self._passages = in_order(passages)
        self._ordered = list(self._passages.values())
        self._words = _Words(stemmer, stop_words)
        parameters = (_FORMAT, METHOD, stop_words, stemmer, float(k1).hex(), float(b).hex())
        versions = (version("bm25s"), version("PyStemmer"))
        self.digest = index_digest((*parameters, *versions), self._ordered)
        store = IndexStore(cache_dir() / "indexes" / self.digest, len(self._ordered))
        self._index = store.load()
        if self._index is None:
            self._index = self._built(k1, b)
            if self._index is not None:
                store.save(self._index)

    @property
    def passages(self) -> Mapping[str, Passage]:
        """Passage id → passage, for the whole corpus."""
        return self._passages

    def search(self, query: str, k: int) -> list[Hit]:
        """Return at most ``k`` hits in the order (−score, id); nothing for a query without a known word."""
        if self._index is None or k < 1:
            return []
        known = self._index.get_tokens_ids(self._words.of(query))
        if not known:
            return []
        scores = self._index.get_scores_from_ids(known)
        places = np.flatnonzero(scores > 0)
        ranked = places[best_places(scores[places], k)]
        return [Hit(self._ordered[place], float(scores[place])) for place in ranked]

    def _built(self, k1: float, b: float) -> bm25s.BM25 | None:
        """Return the index, or None when no passage has a word (the library raises on an empty vocabulary)."""
        words = self._words.tokenized([passage.indexed for passage in self._ordered])
        if not words.vocab:
            return None
        index = bm25s.BM25(k1=k1, b=b, method=METHOD, backend="numpy", csc_backend="numpy")
        index.index(words, create_empty_token=False, show_progress=False)
        return index


@dataclass(frozen=True, slots=True)
class _Words:
    """What a word is: how texts become the stems that BM25 compares."""

    stemmer: StemmerName
    stop_words: StopWords

    def of(self, query: str) -> list[str]:
        """Return the query's stems in order; scores are added up in this order."""
        found = self.tokenized([query])
        stems = {number: stem for stem, number in found.vocab.items()}
        return [stems[number] for number in found.ids[0]]

    def tokenized(self, texts: list[str]) -> Tokenized:
        """Return stems as numbers, a list a text (``ids``), and the number of each stem (``vocab``)."""
        # A stemmer isn't re-entrant: one a call, since searches come from several threads.
        return bm25s.tokenize(
            [unicodedata.normalize("NFKC", text) for text in texts],
            stopwords=None if self.stop_words == "none" else self.stop_words,
            stemmer=None if self.stemmer == "none" else Stemmer.Stemmer(self.stemmer),
            show_progress=False,
        )
