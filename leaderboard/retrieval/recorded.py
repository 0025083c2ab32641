"""Searches of one run, recorded, so that a replay doesn't depend on the last bits of another CPU's scores."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from leaderboard.results.records import RetrievalCall
from leaderboard.retrieval.passages import Hit, Passage, Retriever


class _Key(NamedTuple):
    query: str
    k: int


class _Answer(NamedTuple):
    call: RetrievalCall
    hits: tuple[Hit, ...]


class RetrievalLog:
    """A retriever that keeps each distinct search (query, k) of one run once. Safe to use from several threads.

    ``recorded`` holds calls of an earlier run: one with the same index digest whose ids all exist answers the
    search in place of the index, with the scores and seconds it was recorded with. Any other is computed.
    """

    def __init__(self, retriever: Retriever, recorded: Iterable[RetrievalCall] = ()) -> None:
        """Wrap ``retriever``, answering from ``recorded`` where that is possible."""
        self._retriever = retriever
        self._recorded = {
            _Key(call.query, call.k): call for call in recorded if call.index_digest == retriever.digest
        }
        self._answers: dict[_Key, _Answer] = {}
        self._lock = threading.Lock()

    @property
    def digest(self) -> str:
        """The digest of the index that is searched."""
        return self._retriever.digest

    @property
    def passages(self) -> Mapping[str, Passage]:
        """Passage id → passage, for the whole corpus."""
        return self._retriever.passages

    def search(self, query: str, k: int) -> list[Hit]:
        """Return what the retriever returns, or what it returned when the search was recorded."""
        key = _Key(query, k)
        with self._lock:
            answer = self._answers.get(key)
        if answer is None:
            computed = self._replayed(key) or self._computed(key)
            with self._lock:
                answer = self._answers.setdefault(key, computed)
        return list(answer.hits)

    def rows(self) -> list[RetrievalCall]:
        """Return the searches made through this log, ordered by query and k."""
        with self._lock:
            return [self._answers[key].call for key in sorted(self._answers)]

    def _replayed(self, key: _Key) -> _Answer | None:
        call = self._recorded.get(key)
        if call is None or len(call.ids) != len(call.scores):
            return None
        hits: list[Hit] = []
        for passage_id, score in zip(call.ids, call.scores, strict=True):
            passage = self.passages.get(passage_id)
            if passage is None:
                return None
            hits.append(Hit(passage, score))
        return _Answer(call, tuple(hits))

    def _computed(self, key: _Key) -> _Answer:
        started = time.perf_counter()
        hits = tuple(self._retriever.search(key.query, key.k))
        seconds = time.perf_counter() - started
        ids = tuple(hit.passage.id for hit in hits)
        scores = tuple(hit.score for hit in hits)
        return _Answer(RetrievalCall(self.digest, key.query, key.k, ids, scores, seconds), hits)
