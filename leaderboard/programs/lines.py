"""Reading lines out of a model's output: a list, one item a line, whatever marks the model puts around it."""

from __future__ import annotations

import json
import re

MOST_CHARACTERS = 300
"""Longest item, in characters: a model that runs on doesn't make a query of a page."""

_MARK = re.compile(r"^\s*(?:[-*•–]|\(?\d{1,2}[.):](?!\d)|(?:query|search|q)\s*\d{0,2}\s*:)\s*", re.IGNORECASE)
_QUOTES = "\"'`“”‘’«»"


def items(text: str) -> list[str]:
    """Return the items of a list in order, without bullets, numbers and quotes; empty ones are left out.

    Accepted are one item a line, a JSON list of texts (as asked for by some protocols), and both with marks around.
    Half of a surrogate pair, which JSON can spell and UTF-8 cannot, becomes U+FFFD.
    """
    parsed = _json_list(text)
    lines = text.splitlines() if parsed is None else parsed
    found = []
    for line in lines:
        item = one_line(_unmarked(_whole(line)))
        if says_something(item):
            found.append(item)
    return found


def one_line(text: str) -> str:
    """Return a text as one line, each run of white space one space, cut at ``MOST_CHARACTERS``.

    Half of a surrogate pair becomes U+FFFD.
    """
    return " ".join(_whole(text).split())[:MOST_CHARACTERS].rstrip()


def says_something(text: str) -> bool:
    """Return whether there is a letter or a digit in it."""
    return any(character.isalnum() for character in text)


def _whole(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _json_list(text: str) -> list[str] | None:
    start, end = text.find("["), text.rfind("]")
    if start < 0 or end < start or text[:start].strip(" \n`json") or text[end + 1 :].strip(" \n`"):
        return None
    try:
        value = json.loads(text[start : end + 1])
    except (ValueError, RecursionError):
        return None
    return [item for item in value if isinstance(item, str)]


def _unmarked(line: str) -> str:
    previous = None
    while line != previous:
        previous = line
        line = _MARK.sub("", line).strip().strip(_QUOTES).rstrip(",").strip().strip(_QUOTES).strip()
    return line
