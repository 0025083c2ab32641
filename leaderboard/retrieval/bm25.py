"""Okapi BM25 over title and text, in memory, with its index kept on disk by the digest of what it was made from."""

from __future__ import annotations

import hashlib
import logging
import unicodedata
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from itertools import pairwise

import bm25s
import numpy as np
import Stemmer
from bm25s.tokenization import Tokenized

from leaderboard.files import cache_dir
from leaderboard.retrieval.index_store import IndexStore
from leaderboard.retrieval.passages import Hit, Passage, RetrievalError

METHOD = "lucene"
STOPWORDS = "english"
STEMMER = "english"
_FORMAT = "bm25-1"
"""Raised when what this file does to a text or a score changes."""

# On import the library sets its logger to DEBUG, which reaches every handler of the root logger.
logging.getLogger("bm25s").setLevel(logging.WARNING)


class BM25Retriever:
    """BM25 with the idf and term weight of Lucene (Kamphuis et al. 2020), English stop words, Snowball stemmer.

    score(q, d) = Σ over the words of q of ln(1 + (N − n + 0.5)/(n + 0.5)) · f/(f + k1·(1 − b + b·|d|/avgdl)),
    where n is the number of passages with the word and f how often it stands in d. A word is a run of two or
    more letters, digits or underscores after NFKC and lower-casing. Scores have single precision.
    """

    def __init__(self, passages: Iterable[Passage], *, k1: float = 0.9, b: float = 0.4) -> None:
        """Load the index of exactly these passages and parameters from the cache folder, or build and save it.

        Raises ``RetrievalError`` if two passages have the same id.
        """
        # In the order of ids, so that a stable sort by score leaves ties in the order (−score, id).
        self._ordered = sorted(passages, key=lambda passage: passage.id)
        self._passages = {passage.id: passage for passage in self._ordered}
        if len(self._passages) < len(self._ordered):
            raise RetrievalError(f"passage ids must differ, but {_repeated(self._ordered)!r} stands twice")
        self.digest = _digest(self._ordered, k1, b)
        store = IndexStore(cache_dir() / "indexes" / self.digest, len(self._ordered))
        self._index = store.load()
        if self._index is None:
            self._index = _build(self._ordered, k1, b)
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
        known = self._index.get_tokens_ids(_words(query))
        if not known:
            return []
        scores = self._index.get_scores_from_ids(known)
        places = np.flatnonzero(scores > 0)
        if len(places) > k:
            cut = len(places) - k
            places = places[scores[places] >= np.partition(scores[places], cut)[cut]]
        ranked = places[np.argsort(-scores[places], kind="stable")][:k]
        return [Hit(self._ordered[place], float(scores[place])) for place in ranked]


def _build(passages: list[Passage], k1: float, b: float) -> bm25s.BM25 | None:
    """Return the index, or None when no passage has a word (the library raises on an empty vocabulary)."""
    words = _tokenized([passage.indexed for passage in passages])
    if not words.vocab:
        return None
    index = bm25s.BM25(k1=k1, b=b, method=METHOD, backend="numpy", csc_backend="numpy")
    index.index(words, create_empty_token=False, show_progress=False)
    return index


def _words(query: str) -> list[str]:
    """Return the query's stems in order; scores are added up in this order."""
    found = _tokenized([query])
    stems = {number: stem for stem, number in found.vocab.items()}
    return [stems[number] for number in found.ids[0]]


def _tokenized(texts: list[str]) -> Tokenized:
    """Return stems as numbers, a list a text (``ids``), and the number of each stem (``vocab``)."""
    # A stemmer isn't re-entrant: one a call, since searches come from several threads.
    return bm25s.tokenize(
        [unicodedata.normalize("NFKC", text) for text in texts],
        stopwords=STOPWORDS,
        stemmer=Stemmer.Stemmer(STEMMER),
        show_progress=False,
    )


def _digest(passages: list[Passage], k1: float, b: float) -> str:
    """Hash each part with its length before it, which is quicker than canonical JSON for a large corpus."""
    digest = hashlib.sha256()
    parameters = (_FORMAT, METHOD, STOPWORDS, STEMMER, float(k1).hex(), float(b).hex())
    versions = (version("bm25s"), version("PyStemmer"))
    for part in (*parameters, *versions):
        _feed(digest, part)
    for passage in passages:
        for part in (passage.id, passage.title, passage.text):
            _feed(digest, part)
    return digest.hexdigest()


def _feed(digest: hashlib._Hash, part: str) -> None:
    data = part.encode("utf-8", "surrogatepass")
    digest.update(len(data).to_bytes(8, "big"))
    digest.update(data)


def _repeated(passages: list[Passage]) -> str:
    return next(a.id for a, b in pairwise(passages) if a.id == b.id)
