"""Pages drawn at random, by a seed: distractors beside the pages that questions need."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from pathlib import Path

from leaderboard.fetching.pinned import FetchError
from leaderboard.fetching.progress import Report
from leaderboard.wikipedia.answers import Standing, moment
from leaderboard.wikipedia.api import ActionApi
from leaderboard.wikipedia.collecting import page_at
from leaderboard.wikipedia.hosts import page_key
from leaderboard.wikipedia.journal import FILE_NAME, Journal
from leaderboard.wikipedia.pages import PINNED_DATE, Page
from leaderboard.wikipedia.revisions import MOST_TITLES, find_ids

NEWEST_PAGE_ID = 78_000_000
"""About the newest page id of the English Wikipedia at the default date (an estimate, rounded up).

Ids are given in order of creation, so that a draw beyond the date's newest only costs a look: whether a page was
there at the date is told by its revisions, never by its id.
"""
MOST_DRAWS_A_PAGE = 200
"""About one id in eleven is an article of today's English Wikipedia; a wiki with fewer than one in 200 is too small."""
FEWEST_DRAWS = 1_000


class SampleError(FetchError):
    """The wiki has too few pages. The text says how many were found among how many ids."""


def sample_pages(
    api: ActionApi,
    host: str,
    count: int,
    seed: int,
    folder: Path,
    report: Report,
    *,
    before: str = PINNED_DATE,
    exclude: Collection[str] = (),
    newest_id: int = NEWEST_PAGE_ID,
) -> tuple[Page, ...]:
    """Return ``count`` articles of ``host`` as they stood at ``before``, drawn at random.

    Page ids from 1 to ``newest_id`` are drawn without replacement by ``random.Random(seed)`` and looked at 50 at a
    time. Kept, in the order drawn, are pages of the main namespace that were there at the date with readable
    wikitext, are no redirects then or now, and whose key isn't in ``exclude`` (the gold pages). For one seed the pages
    are the same as long as the wiki deletes or renames none of them. ``report`` is told how many were found.

    Texts are kept in, and taken from, the file that ``collecting.collect`` goes on from. Raises ``SampleError`` after
    ``max(1000, 200 · count)`` ids or all, ``ProviderError``, ``JournalError`` and ``OSError`` as there.
    """
    found: list[Page] = []
    most = min(newest_id, max(FEWEST_DRAWS, MOST_DRAWS_A_PAGE * count)) if count else 0
    with Journal(folder / FILE_NAME, moment(before)) as journal:
        for standing in _drawn(api, host, seed, most, newest_id):
            if standing.namespace or standing.is_redirect or page_key(host, standing.title) in exclude:
                continue
            page = journal.pages.get((host, standing.page_id)) or page_at(api, standing, before)
            if not isinstance(page, Page) or page.content_model != "wikitext":
                continue
            if (host, page.page_id) not in journal.pages:
                journal.add_page(page)
            found.append(page)
            report.at(len(found))
            if len(found) == count:
                break
    if len(found) < count:
        raise SampleError(
            f"{host}: expected {count} articles as of {before}, found {len(found)} among {most:,} page ids: "
            "ask for fewer"
        )
    return tuple(found)


def _drawn(api: ActionApi, host: str, seed: int, most: int, newest_id: int) -> Iterator[Standing]:
    """Yield the pages that exist among ``most`` ids drawn, in the order drawn."""
    # the seed's first numbers are the same whatever ``most`` is, so that a larger sample begins with the smaller
    numbers = random.Random(seed)
    seen: set[int] = set()
    while len(seen) < most:
        batch: list[int] = []
        while len(batch) < MOST_TITLES and len(seen) < most:
            number = numbers.randint(1, newest_id)
            if number not in seen:
                seen.add(number)
                batch.append(number)
        standings = find_ids(api, host, batch)
        yield from (found for number in batch if isinstance(found := standings[number], Standing))
