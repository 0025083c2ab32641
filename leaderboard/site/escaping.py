"""Untrusted text, escaped for where it stands: HTML inside Markdown, attributes, links, code, front matter.

Names, answers and TOML come from strangers, and pass through Markdown before they are HTML. Escaping for HTML
alone isn't enough: ``[x](javascript:…)`` and ``{ onclick=… }`` hold no angle bracket. So every ASCII character
but letters, digits and the space is written as a numeric reference, which Markdown, attribute lists and Jinja
pass through untouched. What is left has no character that any of the three gives a meaning to.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from urllib.parse import urlsplit

from markupsafe import Markup

_SPACES = frozenset("\t\n\v\f\r\x85\u2028\u2029")
_BREAKS = {ord(character): " " for character in _SPACES if character != "\t"}
_DROPPED_CATEGORIES = frozenset({"Cc", "Cs"})
# Format characters that reorder, hide or join text. The zero-width joiner stays: some scripts and emoji need it.
_DROPPED_FORMATS = frozenset(
    "\u00ad\u061c\u180e\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\u206a\u206b\u206c\u206d\u206e\u206f"
    "\ufeff\ufff9\ufffa\ufffb"
)
_TAG_CHARACTERS = range(0xE0000, 0xE0080)
_NONCHARACTERS = range(0xFDD0, 0xFDF0)
_TITLE_TWINS = str.maketrans({"<": "‹", ">": "›", '"': "”", "'": "’", "`": "‘"})
_MAYBE_REFERENCE = re.compile(r"&(?=[#A-Za-z])")
_SCHEMES = frozenset({"http", "https"})


def _kept(character: str) -> bool:
    return (
        unicodedata.category(character) not in _DROPPED_CATEGORIES
        and character not in _DROPPED_FORMATS
        and ord(character) not in _TAG_CHARACTERS
        and ord(character) not in _NONCHARACTERS
        and ord(character) & 0xFFFE != 0xFFFE
    )


def _kept_in_code(character: str) -> bool:
    return character == "\t" or _kept(character)


def one_line(text: str) -> str:
    """Return ``text`` as one line: line breaks and tabs become a space, runs of spaces become one.

    Control characters, bidirectional overrides, invisible format characters, lone surrogates and
    noncharacters are dropped: they can make text read as something else, and HTML doesn't allow all of them.
    """
    spaced = "".join(" " if character in _SPACES else character for character in text)
    return " ".join("".join(filter(_kept, spaced)).split())


def _reference(character: str) -> str:
    if character == " " or not character.isascii() or character.isalnum():
        return character
    return f"&#{ord(character)};"


def text(value: object) -> Markup:
    """Return ``value`` as one line of HTML text, safe inside Markdown and inside a double-quoted attribute."""
    return Markup("".join(map(_reference, one_line(str(value)))))


def code(source: str) -> Markup:
    """Return ``source`` as a one-line raw-HTML code block: line ends are ``&#10;``, tabs ``&#9;``.

    Other characters that break a line (form feed, U+2028) become a space.
    """
    return Markup('<pre class="board-code" tabindex="0"><code>{}</code></pre>').format(_lines(source))


def prose(source: str) -> Markup:
    """Return ``source`` as raw HTML that keeps its lines and wraps the long ones."""
    return Markup('<pre class="board-prose"><code>{}</code></pre>').format(_lines(source))


def changes(lines: Iterable[tuple[str, str]]) -> Markup:
    """Return lines of text, each "same", "removed" or "added", as raw HTML; a sign before each says which."""
    marked = []
    for kind, line in lines:
        tag, sign = {"removed": ("del", "−"), "added": ("ins", "+")}.get(kind, ("span", " "))
        marked.append(Markup("<{0}>{1} {2}&#10;</{0}>").format(tag, sign, _line(line)))
    return Markup('<pre class="board-prose board-changes"><code>{}</code></pre>').format(
        Markup("").join(marked)
    )


def _lines(source: str) -> Markup:
    lines = source.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")
    return Markup("&#10;").join(map(_line, lines))


def _line(line: str) -> Markup:
    return Markup("".join(map(_reference, filter(_kept_in_code, line.translate(_BREAKS)))))


def safe_url(url: str) -> str | None:
    """Return ``url`` if it is a plain http or https address with a host, else None.

    An address with white space, control characters or a user name is refused, not mended.
    """
    if not url.isascii() or one_line(url) != url or " " in url:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if parts.scheme.lower() not in _SCHEMES or not parts.hostname or "@" in parts.netloc:
        return None
    return url


def link(url: str) -> Markup:
    """Return a link to ``url`` with the address as its text; only the text where the address isn't safe."""
    address = safe_url(url)
    if address is None:
        return text(url)
    return Markup('<a href="{0}" rel="noopener nofollow">{0}</a>').format(text(address))


def front_matter(value: str) -> Markup:
    """Return ``value`` as a JSON string, which YAML reads as the same text.

    The theme writes a page's title into HTML unescaped, another engine escapes it. So the characters that HTML
    reads are replaced by printed twins, which both show alike, and an ampersand that could begin a character
    reference gets a space. The page's own heading has the exact text.
    """
    plain = _MAYBE_REFERENCE.sub("& ", one_line(value).translate(_TITLE_TWINS))
    return Markup(json.dumps(plain, ensure_ascii=False))
