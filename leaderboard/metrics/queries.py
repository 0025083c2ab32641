"""How far the queries of a system that searches more than once go: repeats, and documents that are new."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence


def folded(query: str) -> str:
    """Return a query as it is compared with others: after Unicode NFC and case folding, with white space at the ends
    dropped and each run of it made one space."""
    return " ".join(unicodedata.normalize("NFC", query).casefold().split())


def repeated_query_share(queries: Sequence[str]) -> float | None:
    """Return the share, 0 to 1, of one question's queries that equal an earlier one; ``None`` without any.

    Queries are compared ``folded``. The first of equal queries is no repeat.

    Source: spec § 4.3, whose planning drops such repeats.
    """
    if not queries:
        return None
    distinct = {folded(query) for query in queries}
    return (len(queries) - len(distinct)) / len(queries)


def new_documents(rounds: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """Return for each round how many distinct document ids it brought that no earlier round had.

    ``rounds`` holds, in order, the document ids that each round's queries returned. The numbers add up to the
    distinct documents of all rounds.

    Source: spec § 4.3, which logs new articles a round.
    """
    seen: set[str] = set()
    new = []
    for documents in rounds:
        before = len(seen)
        seen.update(documents)
        new.append(len(seen) - before)
    return tuple(new)
