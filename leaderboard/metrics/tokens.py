"""The board's one tokenizer, ``words-1``: it counts chunks, retrieved tokens and the context budget."""

from __future__ import annotations

import re
import unicodedata
from itertools import islice

NAME = "words-1"
_TOKEN = re.compile(r"\w+|[^\w\s]")


def count_tokens(text: str) -> int:
    """Return the number of ``words-1`` tokens: matches of ``\\w+|[^\\w\\s]`` after NFC (design § 4)."""
    return len(_TOKEN.findall(unicodedata.normalize("NFC", text)))


def has_more_tokens(text: str, limit: int) -> bool:
    """Return whether ``text`` has more than ``limit`` tokens; a long one is read no further than needed."""
    found = _TOKEN.finditer(unicodedata.normalize("NFC", text))
    return next(islice(found, limit, None), None) is not None


def cut_tokens(text: str, limit: int) -> str:
    """Return the longest prefix of NFC(``text``) with at most ``limit`` tokens, without trailing white space."""
    text = unicodedata.normalize("NFC", text)
    for index, match in enumerate(_TOKEN.finditer(text)):
        if index == limit:
            return text[: match.start()].rstrip()
    return text
