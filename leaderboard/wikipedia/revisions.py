"""Questions to the API about pages: which stand behind titles and ids, and how one stood at a date."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from leaderboard.fetching.faults import BadResponse
from leaderboard.wikipedia.answers import (
    Absent,
    Revision,
    Standing,
    first_timestamp,
    pages_of_ids,
    pages_of_titles,
    revision_of,
)
from leaderboard.wikipedia.api import ActionApi

MOST_TITLES = 50
"""What the API takes at once from whoever is not logged in; more is an error (``toomanyvalues``)."""

T = TypeVar("T")

_INFO = {"prop": "info", "inprop": "url"}
_CONTENT = {"rvprop": "ids|timestamp|content|contentmodel|sha1", "rvslots": "main", "rvlimit": "1"}


def find_titles(api: ActionApi, host: str, titles: Sequence[str]) -> dict[str, Standing | Absent]:
    """Return what stands behind each title today, redirects themselves and not where they lead.

    At most 50 titles, one question. A title that holds what can't be asked for is ``Absent`` without being asked.
    Raises ``ProviderError``.
    """
    spoilt = [title for title in titles if not _askable(title)]
    asked = list(dict.fromkeys(title for title in titles if _askable(title)))
    if len(asked) > MOST_TITLES:
        raise ValueError(f"at most {MOST_TITLES} titles at once, not {len(asked)}")
    found: dict[str, Standing | Absent] = {
        title: Absent("no title has a bar or control characters in it") for title in spoilt
    }
    if asked:
        parameters = {**_INFO, "titles": "|".join(asked)}
        found |= _again(lambda: pages_of_titles(host, list(api.query(host, parameters)), asked))
    return found


def find_ids(api: ActionApi, host: str, page_ids: Sequence[int]) -> dict[int, Standing | Absent]:
    """Return what stands behind each page id today; at most 50, one question. Raises ``ProviderError``."""
    parameters = {**_INFO, "pageids": "|".join(map(str, page_ids))}
    return _again(lambda: pages_of_ids(host, list(api.query(host, parameters)), page_ids))


def revision_at(api: ActionApi, host: str, page_id: int, before: str) -> Revision | Absent | None:
    """Return a page's newest revision of at most ``before``; ``None`` where it has none so old.

    One page a question: the API takes ``rvstart`` with a single page only and refuses it for several
    (``invalidparammix``), since a start and a limit hold for one history. What can be batched, the newest revision of
    50 pages, is not what was there at the date. Raises ``ProviderError``, ``BadResponse`` for a wrong checksum.
    """
    parameters = _revisions(page_id, {**_CONTENT, "rvdir": "older", "rvstart": before})
    return _again(lambda: revision_of(host, api.query(host, parameters), page_id, latest=before))


def newest_revision(api: ActionApi, host: str, page_id: int) -> Revision | Absent | None:
    """Return a page's newest revision. Raises ``ProviderError``."""
    parameters = _revisions(page_id, {**_CONTENT, "rvdir": "older"})
    return _again(lambda: revision_of(host, api.query(host, parameters), page_id, latest=None))


def first_revision(api: ActionApi, host: str, page_id: int) -> str | None:
    """Return the timestamp of a page's first revision. Raises ``ProviderError``."""
    parameters = _revisions(page_id, {"rvprop": "ids|timestamp", "rvlimit": "1", "rvdir": "newer"})
    return _again(lambda: first_timestamp(host, api.query(host, parameters), page_id))


def batches(titles: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield ``titles`` in portions that one question takes."""
    for start in range(0, len(titles), MOST_TITLES):
        yield titles[start : start + MOST_TITLES]


def _again(read: Callable[[], T]) -> T:
    """Return ``read()``; where the answer couldn't be read, ask once more, unless that was done on the way here."""
    try:
        return read()
    except BadResponse as error:
        if error.attempts > 1:
            raise
    try:
        return read()
    except BadResponse as error:
        error.attempts = max(error.attempts, 2)
        raise


def _revisions(page_id: int, parameters: dict[str, str]) -> dict[str, str]:
    return {"prop": "revisions", "pageids": str(page_id), **parameters}


def _askable(title: str) -> bool:
    """Whether a title can stand in a list of titles: a bar would part it, U+001F at the start change the bar."""
    try:
        title.encode()
    except UnicodeEncodeError:
        return False
    return "|" not in title and all(ord(character) >= 32 and character != "\x7f" for character in title)
