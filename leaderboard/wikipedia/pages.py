"""The values of a collection of pages: the links that go in, the pages and losses that come out."""

from __future__ import annotations

from dataclasses import dataclass

PINNED_DATE = "2024-09-01T00:00:00Z"
"""FRAMES appeared in September 2024 and many of its questions say "as of August 1, 2024" (spec § 3.3)."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a page. ``identity`` is its canonical key "host|Title", or the link itself where that is short."""

    identity: str
    url: str


@dataclass(frozen=True, slots=True)
class Page:
    """One page at one revision.

    ``key`` is "host|Title" with the title the page has today: the API tells no former one. ``links`` are the
    identities that lead to it, in the order asked for. ``timestamp`` is the revision's, ISO 8601 in UTC; ``url`` the
    page's address today; ``content_model`` "wikitext" for everything but modules, style sheets and the like.
    """

    key: str
    title: str
    page_id: int
    revision: int
    timestamp: str
    url: str
    content_model: str
    wikitext: str
    links: tuple[str, ...] = ()

    @property
    def host(self) -> str:
        """The wiki the page is of."""
        return self.key.partition("|")[0]


@dataclass(frozen=True, slots=True)
class Vanished:
    """A link whose page can't be had as of the date. ``reason`` says in words why."""

    identity: str
    reason: str


@dataclass(frozen=True, slots=True)
class Collected:
    """Every link is in the ``links`` of one page or is vanished. Both stand in the order of the links asked for."""

    pages: tuple[Page, ...]
    vanished: tuple[Vanished, ...]
