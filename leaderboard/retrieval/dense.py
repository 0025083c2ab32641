"""Exact search by the cosine of text vectors, which are kept on disk by the digest of what they were made from."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version

import numpy as np
from numpy.typing import NDArray

from leaderboard.files import cache_dir
from leaderboard.retrieval.digests import index_digest
from leaderboard.retrieval.encoders import EncoderError, TextEncoder, encodable
from leaderboard.retrieval.passages import Hit, Passage, in_order
from leaderboard.retrieval.ranking import best_places
from leaderboard.retrieval.vector_store import VectorStore

_FORMAT = "dense-1"
"""Raised when what this file does to a text or a score changes."""
_BATCH_TEXTS = 256
_BATCHES_AT_ONCE = 2
"""While the vectors of one are added up, the other's texts are tokenised by code that leaves the interpreter free."""
_DECIMALS = 6

# One build at a time: two retrievers over the same corpus would otherwise both encode it.
_building = threading.Lock()


class DenseRetriever:
    """Cosine of the query's vector and each passage's, over the whole corpus: no approximate index.

    A passage's vector is that of title, newline and text. Scores are rounded to 6 decimals, so that the last bits of
    a CPU's sums don't decide the order; ties go by id. Cosines may be negative. A text whose vector is zero, in which
    the encoder knows nothing, is never found and finds nothing.
    """

    def __init__(self, passages: Iterable[Passage], encoder: TextEncoder) -> None:
        """Load the vectors of exactly these passages and this encoder from the cache folder, or make and save them.

        Raises ``RetrievalError`` if two passages have the same id, ``EncoderError`` if the encoder gives something
        else than a row of finite numbers a text.
        """
        self._encoder = encoder
        self._passages = in_order(passages)
        ordered = list(self._passages.values())
        parameters = (_FORMAT, encoder.sha256, str(encoder.dimension), version("tokenizers"))
        self.digest = index_digest(parameters, ordered)
        vectors = self._vectors_of(ordered)
        known = np.flatnonzero(vectors.any(axis=1))
        self._vectors = vectors if len(known) == len(ordered) else vectors[known]
        self._known = [ordered[place] for place in known]

    @property
    def passages(self) -> Mapping[str, Passage]:
        """Passage id → passage, for the whole corpus."""
        return self._passages

    def search(self, query: str, k: int) -> list[Hit]:
        """Return at most ``k`` hits in the order (−score, id); nothing for a query in which nothing is known."""
        if k < 1 or not self._known:
            return []
        vector = _encoded(self._encoder, [query])[0]
        if not vector.any():
            return []
        cosines = (self._vectors @ vector).astype(np.float64)
        scores = np.round(cosines, _DECIMALS) + 0.0  # −0.0 becomes 0.0
        return [Hit(self._known[place], float(scores[place])) for place in best_places(scores, k)]

    def _vectors_of(self, passages: list[Passage]) -> NDArray[np.float32]:
        file = cache_dir() / "vectors" / f"{self.digest}.npy"
        store = VectorStore(file, len(passages), self._encoder.dimension)
        with _building:
            vectors = store.load()
            if vectors is None:
                vectors = self._made(passages)
                if passages:
                    store.save(vectors)
        return vectors

    def _made(self, passages: list[Passage]) -> NDArray[np.float32]:
        vectors = np.zeros((len(passages), self._encoder.dimension), np.float32)

        def fill(start: int) -> None:
            batch = passages[start : start + _BATCH_TEXTS]
            vectors[start : start + len(batch)] = _encoded(
                self._encoder, [passage.indexed for passage in batch]
            )

        with ThreadPoolExecutor(_BATCHES_AT_ONCE) as threads:
            # drained, so that what a batch raises is raised here and the batches after it are left out
            deque(threads.map(fill, range(0, len(passages), _BATCH_TEXTS)), maxlen=0)
        return vectors


def _encoded(encoder: TextEncoder, texts: list[str]) -> NDArray[np.float32]:
    vectors = encoder.encode([encodable(text) for text in texts])
    if vectors.shape != (len(texts), encoder.dimension) or not np.isfinite(vectors).all():
        raise EncoderError(
            f"the encoder with SHA-256 {encoder.sha256} is expected to give {len(texts)} × {encoder.dimension} "
            f"finite numbers, found {' × '.join(map(str, vectors.shape))}, not all of them finite or as many"
        )
    return vectors
