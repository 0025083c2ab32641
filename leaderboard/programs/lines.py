"""Reading a list out of a model's output: one item a line, whatever marks the model puts around it."""

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
        whole = line.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        item = " ".join(_unmarked(whole).split())[:MOST_CHARACTERS].rstrip()
        if any(character.isalnum() for character in item):
            found.append(item)
    return found


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
