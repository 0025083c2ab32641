"""All pages behind a set of links, each as it stood at one date."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from leaderboard.fetching.progress import Report
from leaderboard.wikipedia.answers import Absent, ChecksumError, Revision, Standing, moment
from leaderboard.wikipedia.api import ActionApi, excerpt
from leaderboard.wikipedia.hosts import PageName, is_wiki, page_key, page_name, short_path
from leaderboard.wikipedia.journal import FILE_NAME, Journal
from leaderboard.wikipedia.pages import PINNED_DATE, Collected, Link, Page, Vanished
from leaderboard.wikipedia.redirects import redirect_target
from leaderboard.wikipedia.revisions import (
    batches,
    find_titles,
    first_revision,
    newest_revision,
    revision_at,
)
from leaderboard.wikipedia.short_links import page_behind

MOST_REDIRECTS = 5


def collect(
    api: ActionApi, links: Iterable[Link], folder: Path, report: Report, *, before: str = PINNED_DATE
) -> Collected:
    """Return the pages behind ``links`` as they stood at ``before``, and the links that lead to none.

    Each page is the newest revision of at most ``before`` (ISO 8601, UTC). A redirect as of then is followed, at most
    five times; so is a redirect of today that is younger than the date, since a page that was moved took its history
    with it. Which page bears a title is today's answer: where another page has taken a title over since, it is that
    page as of the date, since the API doesn't tell who bore a title when. Two links of one identity are one. ``report`` is told how many links of all are settled.

    What came is kept in ``articles.fetching.jsonl`` in ``folder``; after any error another call goes on from there.
    Raises ``ProviderError`` where a wiki gives no answer of use, ``JournalError`` where the file is of another date or
    damaged, ``OSError`` where it can't be written, ``ValueError`` for a ``before`` that is no moment.
    """
    first: dict[str, Link] = {}
    for link in links:
        first.setdefault(link.identity, link)
    ordered = list(first.values())
    with Journal(folder / FILE_NAME, moment(before)) as journal:
        _Collection(api, journal, report, before, len(ordered)).run(ordered)
        return _collected(journal, ordered)


def _collected(journal: Journal, links: Sequence[Link]) -> Collected:
    leading: dict[tuple[str, int], list[str]] = {}
    vanished = []
    for link in links:
        if place := journal.reached.get(link.identity):
            leading.setdefault(place, []).append(link.identity)
        else:
            vanished.append(Vanished(link.identity, journal.vanished[link.identity]))
    pages = (replace(journal.pages[place], links=tuple(names)) for place, names in leading.items())
    return Collected(tuple(pages), tuple(vanished))


@dataclass(frozen=True, slots=True)
class _Trail:
    """A link on its way: the title it leads to next, and the pages it has passed, by id and title."""

    identity: str
    host: str
    title: str
    passed: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Onward:
    """A page that is a redirect, to ``title``."""

    title: str


class _Collection:
    """One run. Links go in waves: those that lead to a redirect are asked for again, 50 titles at a time, by its target."""

    def __init__(self, api: ActionApi, journal: Journal, report: Report, before: str, total: int) -> None:
        self._api = api
        self._journal = journal
        self._report = report
        self._before = before
        self._total = total
        self._settled = 0
        self._known: dict[tuple[str, int], _Onward | Absent] = {}

    def run(self, links: Sequence[Link]) -> None:
        """Settle every link."""
        unsettled = [link for link in links if not self._journal.settled(link.identity)]
        self._settled = self._total - len(unsettled)
        if self._settled and unsettled:
            self._report.say(f"{self._settled} of {self._total} links were settled before")
        self._report.at(self._settled)
        wave = []
        for link in unsettled:
            begun = self._begun(link)
            if isinstance(begun, Absent):
                self._lost(link.identity, begun.reason)
            else:
                wave.append(_Trail(link.identity, begun.host, begun.title))
        while wave:
            wave = list(self._wave(wave))

    def _begun(self, link: Link) -> PageName | Absent:
        name: PageName | Absent | None = page_name(link.identity)
        if name is None:
            path = short_path(link.url)
            name = page_behind(self._api, path) if path else Absent("the link isn't one to a page of a wiki")
        if isinstance(name, PageName) and not is_wiki(name.host):
            return Absent(f"{excerpt(name.host)} isn't a Wikipedia")
        return name

    def _wave(self, trails: Sequence[_Trail]) -> Iterator[_Trail]:
        """Settle ``trails``, and yield those that go on."""
        for host in dict.fromkeys(trail.host for trail in trails):
            own = [trail for trail in trails if trail.host == host]
            titles = list(dict.fromkeys(trail.title for trail in own))
            for batch in batches(titles):
                found = find_titles(self._api, host, batch)
                for trail in own:
                    if trail.title in found:
                        yield from self._settle(trail, found[trail.title])

    def _settle(self, trail: _Trail, found: Standing | Absent) -> Iterator[_Trail]:
        outcome = found if isinstance(found, Absent) else self._step(trail, found)
        if isinstance(outcome, _Trail):
            yield outcome
        elif isinstance(outcome, Absent):
            self._lost(trail.identity, _via(trail) + outcome.reason)
        else:
            self._journal.add_reached(trail.identity, outcome.host, outcome.page_id)
            self._told()

    def _step(self, trail: _Trail, found: Standing) -> Page | _Trail | Absent:
        if found.page_id in (number for number, _ in trail.passed):
            return Absent(f"back to “{excerpt(found.title)}”, a circle")
        outcome = self._taken(found)
        if not isinstance(outcome, _Onward):
            return outcome
        if len(trail.passed) == MOST_REDIRECTS:
            return Absent(f"a redirect too, and more than {MOST_REDIRECTS} aren't followed")
        return replace(trail, title=outcome.title, passed=(*trail.passed, (found.page_id, found.title)))

    def _taken(self, found: Standing) -> Page | _Onward | Absent:
        """Return what a page was at the date; asked for once, however many links lead to it."""
        place = (found.host, found.page_id)
        if place in self._journal.pages:
            return self._journal.pages[place]
        if place not in self._known:
            outcome = page_at(self._api, found, self._before)
            if isinstance(outcome, Page):
                self._journal.add_page(outcome)
                return outcome
            self._known[place] = _Onward(outcome) if isinstance(outcome, str) else outcome
        return self._known[place]

    def _lost(self, identity: str, reason: str) -> None:
        self._journal.add_vanished(identity, reason)
        self._told()

    def _told(self) -> None:
        self._settled += 1
        self._report.at(self._settled)


def page_at(api: ActionApi, found: Standing, before: str) -> Page | str | Absent:
    """Return the page as it stood at ``before``; a title where it was a redirect to that; ``Absent`` where it wasn't.

    A text that twice comes without its checksum is ``Absent`` too: it would stop every run at this page otherwise.
    Raises ``ProviderError``.
    """
    try:
        revision = revision_at(api, found.host, found.page_id, before)
    except ChecksumError as error:
        return Absent(error.message.partition(": ")[2])
    if revision is None:
        return _younger(api, found, before)
    if isinstance(revision, Absent):
        return revision
    if target := _target(revision):
        return target
    return Page(
        key=page_key(found.host, found.title),
        title=found.title,
        page_id=found.page_id,
        revision=revision.revision,
        timestamp=revision.timestamp,
        url=found.url,
        content_model=revision.content_model,
        wikitext=revision.wikitext,
    )


def _younger(api: ActionApi, found: Standing, before: str) -> str | Absent:
    """Return where a page from after the date leads today, if it is what a later move left behind."""
    if found.is_redirect:
        today = newest_revision(api, found.host, found.page_id)
        if isinstance(today, Revision) and (target := _target(today)):
            return target
    first = first_revision(api, found.host, found.page_id)
    return Absent(f"no revision before {before}; the first is of {first or 'no known date'}")


def _target(revision: Revision) -> str | None:
    return redirect_target(revision.wikitext) if revision.content_model == "wikitext" else None


def _via(trail: _Trail) -> str:
    """Return the words that say by which redirects a link came here."""
    return "".join(f"“{excerpt(title)}” redirects: " for _, title in trail.passed)
