"""From a submission's ``[retriever]`` table to a retriever over a benchmark's corpus."""

from __future__ import annotations

from leaderboard.benchmarks.questions import Benchmark
from leaderboard.catalog.encoders import Encoder
from leaderboard.catalog.retrievers import BM25
from leaderboard.catalog.retrievers import Retriever as Parameters
from leaderboard.retrieval.chunking import passages_of
from leaderboard.retrieval.passages import Retriever


def open_retriever(
    parameters: Parameters, benchmark: Benchmark, encoder: Encoder | None = None
) -> Retriever | None:
    """Return the retriever, its index loaded or built; None for ``none`` and ``gold``, which don't search.

    ``encoder`` is the one that ``parameters`` name. Raises ``EncoderError`` when it cannot be had.
    """
    if isinstance(parameters, BM25):
        from leaderboard.retrieval.bm25 import BM25Retriever

        passages = passages_of(
            benchmark.documents, parameters.unit, parameters.chunk_tokens, benchmark.chunked
        )
        return BM25Retriever(passages, k1=parameters.k1, b=parameters.b)
    return None
