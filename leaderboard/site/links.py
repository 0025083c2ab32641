"""Links of the finished site. The engine checks those that Markdown wrote; this checks those in raw HTML too."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_OUTWARD = frozenset({"http", "https", "mailto"})
_LINKING = {"href", "src"}


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in _LINKING and value is not None:
                self.addresses.append(value)
            elif name in ("id", "name") and value:
                self.anchors.add(value)


def broken_links(site: Path) -> list[str]:
    """Return a line for each link of the site that leads nowhere, to a place that isn't on its page, or astray.

    Astray is every scheme but http, https and mailto: ``javascript:`` and ``data:`` among them.
    """
    pages = {path: _read(path) for path in sorted(site.rglob("*.html"))}
    found: list[str] = []
    for path, page in pages.items():
        for address in page.addresses:
            fault = _fault(address, path, site, pages)
            if fault:
                found.append(f"{path.relative_to(site).as_posix()}: {address!r} {fault}")
    return list(dict.fromkeys(found))


def _read(path: Path) -> _Links:
    parser = _Links()
    parser.feed(path.read_text(encoding="utf-8"))
    parser.close()
    return parser


def _fault(address: str, path: Path, site: Path, pages: dict[Path, _Links]) -> str:
    try:
        parts = urlsplit(address)
    except ValueError:
        return "is no address"
    if parts.scheme or parts.netloc:
        return "" if parts.scheme in _OUTWARD else "has a scheme that a link may not have"
    target = path
    if parts.path.startswith("/"):
        target = site / unquote(parts.path).lstrip("/")
    elif parts.path:
        target = (path.parent / unquote(parts.path)).resolve()
    if target.is_dir():
        target = target / "index.html"
    if not target.is_file():
        return "leads to no file of the site"
    fragment = unquote(parts.fragment)
    if fragment and target in pages and fragment not in pages[target].anchors:
        return "leads to a place that the page doesn't have"
    return ""
