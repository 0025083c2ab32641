"""The content-security policy, put into each page after the build with the hashes of its own inline scripts.

Nothing of another origin is loaded, no inline script runs that the engine didn't write, and no style attribute
or event handler works: what slipped through the escaping would still do nothing.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Collection
from html.parser import HTMLParser
from pathlib import Path

from leaderboard.files import write_text
from leaderboard.site.errors import SiteError

_CHARSET = re.compile(r"<meta charset=\"?utf-8\"?\s*/?>", re.IGNORECASE)
_OURS = re.compile(r'<meta http-equiv="Content-Security-Policy" content="[^"]*" data-leaderboard>')
_NOINDEX = '<meta name="robots" content="noindex">'
_SCRIPT_TYPES = frozenset({"", "text/javascript", "application/javascript", "module"})


class _InlineScripts(HTMLParser):
    """Collects the text of a page's inline scripts, exactly as it stands between the tags."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.scripts: list[str] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        runs = (values.get("type") or "").lower() in _SCRIPT_TYPES and "src" not in values
        self._inside = tag == "script" and runs
        if self._inside:
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.scripts[-1] += data


def script_hashes(page: str) -> list[str]:
    """Return the policy's sources for the inline scripts of ``page``: ``'sha256-…'``, sorted, each once."""
    parser = _InlineScripts()
    parser.feed(page)
    parser.close()
    digests = {hashlib.sha256(script.encode()).digest() for script in parser.scripts}
    return sorted(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)


def policy(page: str) -> str:
    """Return the content-security policy of ``page``, an HTML document."""
    return "; ".join(
        [
            "default-src 'self'",
            " ".join(["script-src 'self'", *script_hashes(page)]),
            "style-src 'self'",
            "img-src 'self' data:",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'none'",
        ]
    )


def with_policy(page: str, *, noindex: bool = False) -> str:
    """Return ``page`` with its policy right after ``<meta charset>``, before anything that could be loaded.

    A policy put there before is replaced. ``noindex`` keeps search engines away: for pages with gold answers.
    Raises SiteError where the page has no ``<meta charset="utf-8">``.
    """
    bare = _OURS.sub("", page).replace(_NOINDEX, "")
    place = _CHARSET.search(bare)
    if place is None:
        raise SiteError('no <meta charset="utf-8">, after which the content-security policy belongs')
    tag = f'<meta http-equiv="Content-Security-Policy" content="{policy(bare)}" data-leaderboard>'
    return bare[: place.end()] + tag + (_NOINDEX if noindex else "") + bare[place.end() :]


def add_policy(site: Path, noindex: Collection[str] = ()) -> int:
    """Put the policy into every page below ``site`` and return their number.

    ``noindex`` names the pages (relative paths with ``/``) that search engines shall leave out.
    """
    pages = sorted(site.rglob("*.html"))
    for path in pages:
        name = path.relative_to(site).as_posix()
        try:
            page = with_policy(path.read_text(encoding="utf-8"), noindex=name in noindex)
        except SiteError as error:
            raise SiteError(f"{path}: {error}") from error
        write_text(path, page)
    return len(pages)
