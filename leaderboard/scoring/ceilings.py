"""What an index can reach at most, kept beside the scores: cutting and searching a whole corpus is not done twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from leaderboard.catalog.retrievers import Indexed
from leaderboard.files import digest_json, write_json
from leaderboard.plan import Cell
from leaderboard.retrieval.ceiling import fact_ceiling

_FORMAT = "ceiling-1"
"""Raised when what the chunker or the ceiling makes of the same corpus changes."""


def open_ceilings(folder: Path) -> Callable[[Cell], float | None]:
    """Return what gives the share of a benchmark's distinct gold items that an index holds whole (spec § 2.7).

    None for a system without an index, and where the benchmark has no gold items.
    """

    def ceiling(cell: Cell) -> float | None:
        retriever, benchmark = cell.submission.document.retriever, cell.benchmark
        if not isinstance(retriever, Indexed):
            return None
        made_of = [retriever.unit, retriever.chunk_tokens, retriever.overlap_tokens]
        key = digest_json([_FORMAT, benchmark.questions_digest, benchmark.corpus_digest, made_of])
        path = folder / benchmark.track / benchmark.name / f"ceiling-{key[:16]}.json"
        kept = _read(path, key)
        if kept is None:
            found = fact_ceiling(benchmark, retriever.unit, retriever.chunk_tokens, retriever.overlap_tokens)
            kept = {"key": key, "share": found.share if found else None}
            write_json(path, kept)
        share = kept["share"]
        return None if share is None else float(share)

    return ceiling


def _read(path: Path, key: str) -> dict[str, Any] | None:
    try:
        kept = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(kept, dict) or kept.get("key") != key or "share" not in kept:
        return None
    share = kept["share"]
    return kept if share is None or (isinstance(share, int | float) and 0 <= share <= 1) else None
