"""The digest of an index: one hash over its parameters and the passages it was made from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from leaderboard.retrieval.passages import Passage


def index_digest(parameters: Iterable[str], passages: Iterable[Passage] = ()) -> str:
    """Return SHA-256, as 64 hex digits, over the parameters and each passage's id, title and text, in order.

    Each part is hashed with its length before it, so that no border between parts can move; that is quicker than
    canonical JSON for a large corpus.
    """
    digest = hashlib.sha256()
    for part in parameters:
        _feed(digest, part)
    for passage in passages:
        for part in (passage.id, passage.title, passage.text):
            _feed(digest, part)
    return digest.hexdigest()


def _feed(digest: hashlib._Hash, part: str) -> None:
    data = part.encode("utf-8", "surrogatepass")
    digest.update(len(data).to_bytes(8, "big"))
    digest.update(data)
