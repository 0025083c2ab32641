"""From a submission's ``[retriever]`` table to a retriever over a benchmark's corpus."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

from leaderboard.benchmarks.questions import Benchmark
from leaderboard.catalog.encoders import Encoder
from leaderboard.catalog.retrievers import Dense, Hybrid, Indexed, KeywordSentence, Lexical, Unit
from leaderboard.catalog.retrievers import Retriever as Parameters
from leaderboard.retrieval.chunking import passages_of
from leaderboard.retrieval.encoder_opening import open_encoder
from leaderboard.retrieval.passages import Passage, Retriever

if TYPE_CHECKING:
    from leaderboard.retrieval.bm25 import BM25Retriever
    from leaderboard.retrieval.dense import DenseRetriever
    from leaderboard.retrieval.keyword_sentence import KeywordSentenceIndex


def open_retriever(
    parameters: Parameters, benchmark: Benchmark, encoder: Encoder | None = None
) -> Retriever | KeywordSentenceIndex | None:
    """Return the retriever, its index loaded or built; None for ``none`` and ``gold``, which don't search.

    ``encoder`` is the one that ``parameters`` name. Raises ``EncoderError`` when it cannot be had, ``ValueError``
    when a dense retriever or a hybrid is to be opened without one.
    """
    if not isinstance(parameters, Indexed):
        return None
    passages = index_passages(benchmark, parameters.unit, parameters.chunk_tokens, parameters.overlap_tokens)
    if isinstance(parameters, Hybrid):
        from leaderboard.retrieval.hybrid import HybridRetriever

        # Side by side: an encoder mostly waits for code that leaves the interpreter to others.
        with ThreadPoolExecutor(1) as beside:
            lexical = beside.submit(_lexical, parameters, passages)
            dense = _dense(parameters, passages, encoder)
            return HybridRetriever(lexical.result(), dense, rrf_k=parameters.rrf_k, depth=parameters.depth)
    if isinstance(parameters, KeywordSentence):
        from leaderboard.retrieval.keyword_sentence import open_keyword_sentence

        return open_keyword_sentence(passages, lambda sentences: _dense(parameters, sentences, encoder))
    if isinstance(parameters, Dense):
        return _dense(parameters, passages, encoder)
    return _lexical(parameters, passages)


class _Chunking(NamedTuple):
    corpus_digest: str
    chunked: bool
    unit: Unit
    chunk_tokens: int
    overlap_tokens: int


_KEPT = 8
_passages: dict[_Chunking, tuple[Passage, ...]] = {}
_chunking = threading.Lock()


def index_passages(
    benchmark: Benchmark, unit: Unit, chunk_tokens: int, overlap_tokens: int
) -> tuple[Passage, ...]:
    """Return the passages of an index, in the documents' order.

    The last eight chunkings of the process are kept: many systems, and the retrievers' scorecard, share one.
    """
    if unit == "article" or not benchmark.chunked:
        chunk_tokens = overlap_tokens = 0
    key = _Chunking(benchmark.corpus_digest, benchmark.chunked, unit, chunk_tokens, overlap_tokens)
    with _chunking:
        made = _passages.pop(key, None)
        if made is None:
            made = tuple(
                passages_of(benchmark.documents, unit, chunk_tokens, benchmark.chunked, overlap_tokens)
            )
        _passages[key] = made  # the latest stands last
        while len(_passages) > _KEPT:
            del _passages[next(iter(_passages))]
        return made


def _lexical(parameters: Lexical, passages: tuple[Passage, ...]) -> BM25Retriever:
    from leaderboard.retrieval.bm25 import BM25Retriever

    return BM25Retriever(
        passages,
        k1=parameters.k1,
        b=parameters.b,
        stemmer=parameters.stemmer,
        stop_words=parameters.stop_words,
    )


def _dense(
    parameters: Dense | Hybrid | KeywordSentence, passages: Iterable[Passage], encoder: Encoder | None
) -> DenseRetriever:
    from leaderboard.retrieval.dense import DenseRetriever

    if encoder is None:
        raise ValueError(f"expected the encoder {parameters.encoder!r} to open a {parameters.kind} retriever")
    return DenseRetriever(passages, open_encoder(encoder))
