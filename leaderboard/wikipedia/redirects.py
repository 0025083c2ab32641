"""Whether a page's source is a redirect, and where it leads."""

from __future__ import annotations

import html
import re
import unicodedata
from urllib.parse import unquote

# possessive, so that a page of white space or brackets takes no quadratic time
_REDIRECT = re.compile(r"\s*+#redirect\s*+:?+\s*+\[\[([^\[\]|\n]++)(?:\|[^\n]*?)?\]\]", re.IGNORECASE)


def redirect_target(wikitext: str) -> str | None:
    """Return the title that a redirect leads to, without its section; ``None`` where the source is no redirect.

    ``#REDIRECT [[Title#section|words]]`` at the beginning, in any case, with or without a colon after the word, as
    MediaWiki reads it in English. A link to a section of nothing (``[[#section]]``) leads nowhere and is none.
    """
    match = _REDIRECT.match(wikitext)
    if match is None:
        return None
    name = match.group(1).strip().removeprefix(":")
    if "%" in name:
        name = unquote(name)
    title = html.unescape(name).partition("#")[0].replace("_", " ").strip()
    return unicodedata.normalize("NFC", title) or None
