"""FRAMES' articles: every page behind the questions' links as it stood at one date, frozen into one file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from leaderboard.benchmarks.frames import gold_links
from leaderboard.benchmarks.questions import BenchmarkError
from leaderboard.data.files import Wanted
from leaderboard.fetching.faults import ProviderError
from leaderboard.fetching.lockfile import Lockfile
from leaderboard.fetching.pinned import ChangedUpstream, FetchError
from leaderboard.fetching.progress import Report, counting
from leaderboard.files import sha256_file
from leaderboard.wikipedia.api import action_api
from leaderboard.wikipedia.collecting import collect
from leaderboard.wikipedia.corpus_file import Article, CorpusError, article_digest, read_corpus, write_corpus
from leaderboard.wikipedia.journal import FILE_NAME
from leaderboard.wikipedia.pages import PINNED_DATE, Link, Page, Vanished
from leaderboard.wikipedia.sampling import NEWEST_PAGE_ID, sample_pages
from leaderboard.wikipedia.wikitext import REVISION, readable

BEFORE = PINNED_DATE
DISTRACTOR_HOST = "en.wikipedia.org"
_CHOSEN: tuple[str, ...] = ("before", "distractors", "seed")
LICENCE = "CC BY-SA 4.0; the authors of each page are in its history"


@dataclass(frozen=True, slots=True)
class Pages:
    """Which pages: the newest revisions of at most ``before`` (ISO 8601, UTC), and ``distractors`` further articles."""

    before: str = BEFORE
    distractors: int = 0
    seed: int = 0

    @property
    def about(self) -> dict[str, str]:
        """What is noted in the file of how it was made."""
        drawn = {"distractors": str(self.distractors), "seed": str(self.seed)} if self.distractors else {}
        return {"before": self.before, "extraction": REVISION, "licence": LICENCE, **drawn}


def make_articles(
    file: Wanted, lockfile: Lockfile, pages: Pages, *, offline: bool = False, progress: bool = True
) -> Path:
    """Return the path of the corpus, made from the wikis' pages where it isn't there yet.

    Its digest is noted in ``lockfile``, and held to once it stands there. What came of an interrupted run is kept, and
    the next one goes on from there. Raises ``FetchError``: ``ChangedUpstream`` where the lock file has another digest.
    """
    if file.path.is_file():
        _check_present(file, lockfile, pages)
        return file.path
    if offline:
        raise FetchError(
            f"{file.name}: not here, and offline: nothing was fetched. Run again with a network."
        )
    try:
        links = gold_links(file.folder)
    except BenchmarkError as error:
        raise FetchError(f"{file.name}: its links are needed first: {error}") from error
    try:
        with _alone(file):
            if not file.path.is_file():
                _make(file, lockfile, pages, links, progress=progress)
    except ProviderError as error:
        raise FetchError(
            f"{file.name}: {error} What has come is kept; the same command goes on from there."
        ) from error
    except OSError as error:
        raise FetchError(
            f"{file.name} can't be kept in {file.folder}: {error.strerror or error}. Make room, or the folder writable; "
            "what has come is kept, and the same command goes on from there."
        ) from error
    return file.path


def _make(
    file: Wanted, lockfile: Lockfile, pages: Pages, links: Mapping[str, str], *, progress: bool
) -> None:
    wanted = [Link(identity, url) for identity, url in links.items()]
    total = len(wanted)
    with counting("FRAMES' articles", total, "links", wanted=progress) as report, action_api(report) as api:
        collected = collect(api, wanted, file.folder, report, before=pages.before)
    articles = [*map(_article, collected.pages), *map(_lacking, collected.vanished)]
    if pages.distractors:
        gold = {page.key for page in collected.pages}
        with (
            counting("distractors", pages.distractors, "articles", wanted=progress) as report,
            action_api(report) as api,
        ):
            drawn = sample_pages(
                api,
                DISTRACTOR_HOST,
                pages.distractors,
                pages.seed,
                file.folder,
                report,
                before=pages.before,
                exclude=gold,
                newest_id=NEWEST_PAGE_ID,
            )
        articles += map(_article, drawn)
    made = file.path.with_name(f"{file.path.name}.made")
    try:
        write_corpus(made, articles, pages.about)
    except CorpusError as error:
        raise FetchError(f"{file.name}: {error}") from error
    _note(file, lockfile, made)
    made.replace(file.path)
    (file.folder / FILE_NAME).unlink(missing_ok=True)
    _tell(collected.vanished, report)


def _article(page: Page) -> Article:
    if page.content_model == "wikitext":
        text = readable(page.title, page.wikitext)
        plain, sections = text.text, text.sections
    else:  # a module's source, a style sheet: nothing to render
        plain, sections = page.wikitext, ()
    return Article(
        key=page.key,
        title=page.title,
        page_id=page.page_id,
        revision=page.revision,
        timestamp=page.timestamp,
        url=page.url,
        text=plain,
        sections=sections,
        digest=article_digest(page.title, plain),
        links=page.links,
    )


def _lacking(vanished: Vanished) -> Article:
    title = vanished.identity.partition("|")[2] or vanished.identity
    return Article(
        key=vanished.identity,
        title=title,
        page_id=None,
        revision=None,
        timestamp="",
        url="",
        text="",
        sections=(),
        digest=article_digest(title, ""),
        links=(vanished.identity,),
        vanished=vanished.reason,
    )


def _tell(vanished: tuple[Vanished, ...], report: Report) -> None:
    for one in vanished:
        report.say(f"vanished: {one.identity}: {one.reason}")


def _note(file: Wanted, lockfile: Lockfile, made: Path) -> None:
    """Note a corpus made here; one that the lock file knows by another digest is kept aside, and refused."""
    digest = sha256_file(made)
    try:
        lockfile.note(
            file.name, sha256=digest, size_bytes=made.stat().st_size, source="the MediaWiki Action API"
        )
    except ChangedUpstream as error:
        aside = file.path.with_name(f"{file.path.stem}-{digest[:8]}{file.path.suffix}")
        made.replace(aside)
        raise ChangedUpstream(
            f"{error} The corpus made today is kept as {aside}. Get the other one from whoever committed the lock file, or "
            "take its entry out and move this one to its name: scores on the two can't be compared."
        ) from error


def _check_present(file: Wanted, lockfile: Lockfile, pages: Pages) -> None:
    """Hold a corpus that is there to the lock file, and to what was asked for."""
    noted = lockfile.entry(file.name)
    found = sha256_file(file.path)
    if noted and noted.sha256 != found:
        raise ChangedUpstream(
            f"{file.path}: expected sha256 {noted.sha256} as {lockfile.path} has it, found {found}. Move the file away, "
            "and fetch it from whoever committed the lock file, or make it again."
        )
    try:
        about = read_corpus(file.path).about
    except CorpusError as error:
        raise FetchError(str(error)) from error
    asked = {name: pages.about[name] for name in _CHOSEN if name in pages.about}
    made = {name: about[name] for name in _CHOSEN if name in about}
    if asked != made:
        raise FetchError(
            f"{file.path}: expected a corpus with {_words(asked)}, found one with {_words(made)}. Move it away to make "
            "another, or ask for this one."
        )
    if noted is None:
        lockfile.note(file.name, sha256=found, size_bytes=file.path.stat().st_size, source="found here")


def _words(about: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in about.items()) or "no notes of how it was made"


@contextmanager
def _alone(file: Wanted) -> Iterator[None]:
    """Keep other processes from collecting into the same folder."""
    from filelock import FileLock, Timeout

    lock = FileLock(file.path.with_name(f"{file.path.name}.lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise FetchError(
            f"{file.name}: another process is fetching it; wait for it, and run again"
        ) from error
    try:
        yield
    finally:
        lock.release()
