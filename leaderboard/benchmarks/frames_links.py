"""The link items of FRAMES: splitting them, and the canonical key of an article (spec § 3.3)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qs, unquote, urlsplit

MOBILE = "a link to the mobile host"
SECTION = "a link with a # part"
SPACE = "white space around a link item"
SEVERAL = "several links in one item"

_SPLIT = re.compile(r",\s+(?=https?://|en\.)")
_NAMESPACE = re.compile(
    r"(Special|Category|Module|Template|File|User|Talk|Wikipedia|Portal|Help|Draft|MediaWiki)( talk)?:"
)
_HOST = re.compile(r"[\w.-]+")
_MAX_DECODINGS = 3


@dataclass(frozen=True, slots=True)
class ArticleKey:
    """One link of an item. ``key`` is "host|Title", or ``None`` where the link names no page (a short link).

    ``url`` is the link as it stood, without what surrounded it. ``problems`` are the Defect texts for it.
    """

    key: str | None
    title: str
    url: str
    problems: tuple[str, ...] = ()

    @property
    def identity(self) -> str:
        """The key, or the link itself where there is none, so that an unknown page still counts as gold."""
        return self.key if self.key is not None else self.url


def article_keys(element: str) -> list[ArticleKey]:
    """Return the links of one item of ``wiki_links``, in order; none for an item of white space alone.

    Spec § 3.3: split at a comma before a new link, cut each at its first white space, strip final commas. An
    item's own problems (several links, white space) stand on its first link.
    """
    stripped = element.strip()
    own = (SPACE,) if element != stripped else ()
    links = []
    for piece in _SPLIT.split(stripped):
        words = piece.split(maxsplit=1)
        if not words or not (url := words[0].rstrip(",")):
            continue
        prose = (f"prose after a link: {words[1][:80]}",) if len(words) > 1 else ()
        links.append((url, prose))
    if len(links) > 1:
        own = (*own, SEVERAL)
    return [
        _article(url, (*(own if number == 0 else ()), *prose)) for number, (url, prose) in enumerate(links)
    ]


def title_key(title: str, host: str = "en.wikipedia.org") -> str:
    """Return the key of an article known by its title: ``_`` → space, strip, first letter upper-case."""
    plain = title.replace("_", " ").strip()
    first = plain[:1].upper()
    return f"{host}|{first + plain[1:] if len(first) == 1 else plain}"


def _article(url: str, problems: tuple[str, ...]) -> ArticleKey:
    found = list(problems)
    if "://" not in url:
        found.append("a link without scheme")
    try:
        parts = urlsplit(url if "://" in url else f"https://{url}")
        host = (parts.hostname or "").replace(".m.", ".")
        fields = parse_qs(parts.query, max_num_fields=50) if parts.query else {}
    except ValueError:
        return ArticleKey(None, url, url, (*found, "not a link that can be read"))
    if parts.scheme not in ("http", "https"):
        return ArticleKey(None, url, url, (*found, "not a web link"))
    if host == "w.wiki":
        return ArticleKey(None, url, url, (*found, "a short link: its page isn't known"))
    if host != parts.hostname:
        found.append(MOBILE)
    if "#" in url:
        found.append(SECTION)
    raw = _page_name(parts.path, fields, found)
    title, decodings = _decoded(raw)
    if decodings > 1:
        found.append("percent-encoding more than once")
    if "�" in title and "�" not in raw:
        found.append("percent-encoding that isn't UTF-8")
    key = title_key(title, host)
    name = key.partition("|")[2]
    if not _HOST.fullmatch(host) or not name or any(ord(character) < 32 for character in name):
        return ArticleKey(None, url, url, (*found, "not a link to a page"))
    if match := _NAMESPACE.match(name):
        found.append(f"not an article: a {match.group()[:-1]} page")
    return ArticleKey(key, name, url, tuple(found))


def _page_name(path: str, fields: dict[str, list[str]], found: list[str]) -> str:
    """Return the still encoded page name: the search's words, else after ``/wiki/``, else the ``title`` parameter."""
    marker, page = path.partition("/wiki/")[1:]
    if "search" in fields and (not page or page.startswith("Special:Search")):
        found.append("not an article: a search")
        return fields["search"][0]
    if marker:
        return page
    if "title" in fields:
        found.append("a script address (index.php) in place of a page")
        return fields["title"][0]
    return ""


def _decoded(name: str) -> tuple[str, int]:
    """Percent-decode until nothing changes, at most three times; return the name and how often it changed."""
    for count in range(_MAX_DECODINGS):
        following = unquote(name)
        if following == name:
            return name, count
        name = following
    return name, _MAX_DECODINGS
