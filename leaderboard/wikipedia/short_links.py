"""Short links (``w.wiki``): the page behind one, read from where it would lead, without following it."""

from __future__ import annotations

from urllib.parse import urljoin

from leaderboard.fetching.faults import BadResponse
from leaderboard.wikipedia.answers import Absent
from leaderboard.wikipedia.api import ActionApi, excerpt
from leaderboard.wikipedia.hosts import SHORT_HOST, PageName, page_of_address, short_path

MOST_STEPS = 5

_REDIRECTS = frozenset({301, 302, 303, 307, 308})


def page_behind(api: ActionApi, path: str) -> PageName | Absent:
    """Return the page that the short link at ``path`` leads to, ``Absent`` where it leads to none.

    Only a page of a Wikipedia is one; no address but the short links' own host is asked. Raises ``ProviderError``
    where that host gives no answer of use.
    """
    seen = [path]
    while True:
        answer = api.short_link(seen[-1])
        if answer.status not in _REDIRECTS:
            return Absent(f"the short link leads nowhere ({SHORT_HOST} answers {answer.status})")
        location = answer.headers.get("location", "")
        if not location:
            raise BadResponse(f"{SHORT_HOST} redirects to no address")
        address = urljoin(f"https://{SHORT_HOST}{seen[-1]}", location)
        if page := page_of_address(address):
            return page
        following = short_path(address)
        if following is None:
            return Absent(f"the short link leads to no page of a Wikipedia: {excerpt(address)}")
        if following in seen:
            return Absent("the short link leads in a circle")
        if len(seen) == MOST_STEPS:
            return Absent(f"the short link leads on more than {MOST_STEPS} times")
        seen.append(following)
