"""Which wikis may be asked, at which address each answers, and how their pages are named."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from leaderboard.fetching.pinned import FetchError

SHORT_HOST = "w.wiki"
ENDPOINT_VARIABLE = "LEADERBOARD_WIKI_ENDPOINT"

_WIKI = re.compile(r"[a-z][a-z0-9-]{0,62}\.wikipedia\.org")
_SHORT_PATH = re.compile(r"/[A-Za-z0-9_-]{1,40}")
_HOST_MARK = "{host}"


class EndpointError(FetchError):
    """The address set for a wiki can't be used. The text says which setting, and what was expected."""


@dataclass(frozen=True, slots=True)
class PageName:
    """A page as a link names it: a wiki's host and a title, which need not exist."""

    host: str
    title: str


def is_wiki(host: str) -> bool:
    """Whether ``host`` is a Wikipedia in some language (not a mobile host): nothing else is asked for pages."""
    return _WIKI.fullmatch(host) is not None


def page_key(host: str, title: str) -> str:
    """Return the canonical key of a page whose title is the wiki's own spelling."""
    return f"{host}|{title}"


def page_name(identity: str) -> PageName | None:
    """Return the page that an identity "host|Title" names; ``None`` where it is something else, such as a short link."""
    host, bar, title = identity.partition("|")
    return PageName(host, unicodedata.normalize("NFC", title)) if bar and title and "/" not in host else None


def short_path(url: str) -> str | None:
    """Return the path of a short link such as ``https://w.wiki/3ab``; ``None`` where ``url`` is none."""
    try:
        parts = urlsplit(url if "://" in url else f"https://{url}")
        sound = parts.scheme in ("http", "https") and parts.netloc.lower() == SHORT_HOST
    except ValueError:
        return None
    return parts.path if sound and _SHORT_PATH.fullmatch(parts.path) else None


def page_of_address(address: str) -> PageName | None:
    """Return the page behind ``https://HOST/wiki/TITLE``, mobile hosts included; ``None`` for any other address."""
    try:
        parts = urlsplit(address)
        host = (parts.hostname or "").replace(".m.", ".")
        sound = parts.scheme in ("http", "https") and is_wiki(host) and parts.port in (None, 80, 443)
    except ValueError:
        return None
    prefix, marker, encoded = parts.path.partition("/wiki/")
    title = unicodedata.normalize("NFC", unquote(encoded)).replace("_", " ").strip()
    if not sound or parts.username is not None or prefix or not marker or not title:
        return None
    return PageName(host, title)


class Endpoints:
    """Where each host answers: at its own name, unless told otherwise.

    ``endpoints`` gives addresses a host, such as ``{"en.wikipedia.org": "http://127.0.0.1:8080/en"}``; for the others
    ``LEADERBOARD_WIKI_ENDPOINT`` may hold a template such as ``http://127.0.0.1:8080/{host}``. Raises
    ``EndpointError`` for what is no address.
    """

    def __init__(self, endpoints: Mapping[str, str] | None = None) -> None:
        self._template = os.environ.get(ENDPOINT_VARIABLE, "").strip()
        if self._template:
            if self._template.count(_HOST_MARK) != 1:
                raise EndpointError(
                    f"{ENDPOINT_VARIABLE}: expected an address with {_HOST_MARK} in it once, "
                    f"such as http://127.0.0.1:8080/{_HOST_MARK}"
                )
            _check(self._template.replace(_HOST_MARK, "en.wikipedia.org"), ENDPOINT_VARIABLE)
        self._chosen = dict(endpoints or {})
        for host, address in self._chosen.items():
            if not is_wiki(host) and host != SHORT_HOST:
                raise EndpointError(
                    f"endpoints: expected hosts of wikipedia.org and {SHORT_HOST}, found {host!r}"
                )
            _check(address, f"endpoints: {host}")

    def base(self, host: str) -> str:
        """Return the address that stands for ``https://HOST``, without a final slash."""
        address = self._chosen.get(host) or self._template.replace(_HOST_MARK, host) or f"https://{host}"
        return address.rstrip("/")


def _check(address: str, setting: str) -> None:
    try:
        parts = urlsplit(address)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # its text may repeat the address, and with it a password
        sound = False
    spoilt = any(mark in address for mark in "{}?#") or not (address.isascii() and address.isprintable())
    if not sound or parts.username is not None or spoilt or " " in address:
        raise EndpointError(
            f"{setting}: expected http(s)://host without user name, password or query, found something else"
        ) from None
