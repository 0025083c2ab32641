"""The two text normalisations: MuSiQue's own, and the one ``match`` compares by."""

from __future__ import annotations

import re
import string
import unicodedata

_DELETED = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
# The group holds what carries a number's value: a decimal point, a minus, a percent sign. ``(?<![^\s(])`` reads
# "at the start, or after white space or an opening bracket": the hyphen of "covid-19" is no minus.
_KEPT_OR_PUNCTUATION = re.compile(
    rf"((?<=\d)\.(?=\d)|(?<![^\s(])-(?=\d)|(?<=\d)%)|[{re.escape(string.punctuation)}]"
)


def normalise(text: str | None) -> str:
    """Return ``text`` as the official MuSiQue script compares it.

    Lower case, ASCII punctuation deleted (not replaced by a space), the words *a*, *an*, *the* dropped, runs of
    white space made one space. ``None`` gives ``""``. Its known faults ("3.14" equals "314") are reproduced.

    Source: spec § 1.1; StonyBrookNLP/musique, ``metrics/answer.py``.
    """
    if text is None:
        return ""
    return _without_articles(text.lower().translate(_DELETED))


def normalise_match(text: str | None) -> str:
    """Return ``text`` as ``match`` compares it: as :func:`normalise`, but numbers keep their value.

    The text is brought to Unicode NFC first. A decimal point between digits, a minus before a digit (at the start,
    after white space or after ``(``) and a percent sign after a digit stay; a thousands comma goes with the other
    punctuation. ``None`` gives ``""``.

    Source: spec § 0, R2f.
    """
    if text is None:
        return ""
    lowered = unicodedata.normalize("NFC", text).lower()
    return _without_articles(_KEPT_OR_PUNCTUATION.sub(lambda found: found[1] or "", lowered))


def _without_articles(text: str) -> str:
    # An article becomes a space, so that its neighbours don't join.
    return " ".join(_ARTICLE.sub(" ", text).split())
