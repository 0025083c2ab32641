"""Whether a text holds a gold fact, and the share of gold evidence that was found."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

ContainmentMode = Literal["verbatim", "official", "loose"]

_SINGLE_QUOTES = "\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}\u201a\u201b\u2032`\u00b4"
_DOUBLE_QUOTES = "\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}\u201e\u201f\u2033\u00ab\u00bb"
_DASHES = "\u2010\u2011\u2012\N{EN DASH}\N{EM DASH}\u2015\u2212"
_ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
_FOLDED = str.maketrans(
    {
        **dict.fromkeys(_SINGLE_QUOTES, "'"),
        **dict.fromkeys(_DOUBLE_QUOTES, '"'),
        **dict.fromkeys(_DASHES, "-"),
        **dict.fromkeys(_ZERO_WIDTH, None),
    }
)
_WHITE_SPACE = re.compile(r"\s+")


def holds_fact(fact: str, text: str, mode: ContainmentMode = "official") -> bool:
    """Return whether ``fact`` is a substring of ``text``.

    ``verbatim`` compares as it stands. ``official`` first deletes U+0020 and U+000A from both and nothing else, as
    MultiHop-RAG's script does: chunkers alter them. ``loose`` brings both to NFKC, makes quotes and dashes alike,
    deletes zero-width characters and all white space, and folds case.

    Raises ``ValueError`` for a fact of which nothing is left to compare: every text would hold it.

    Source: spec §§ 2.2, 2.3; yixuantt/MultiHop-RAG, ``retrieval_evaluate.py``.
    """
    return fact_key(fact, mode) in containment_key(text, mode)


def fact_key(fact: str, mode: ContainmentMode = "official") -> str:
    """Return :func:`containment_key` of a fact, which must not be empty: every text would hold it.

    Raises ``ValueError`` for a fact of which nothing is left to compare.
    """
    key = containment_key(fact, mode)
    if not key:
        raise ValueError(f"expected a fact with text in it, found {fact!r}")
    return key


def containment_key(text: str, mode: ContainmentMode = "official") -> str:
    """Return the form of ``text`` in which :func:`holds_fact` looks for substrings.

    For callers that look for many facts in one text. Source: spec §§ 2.2, 2.3.
    """
    match mode:
        case "verbatim":
            return text
        case "official":
            return text.replace(" ", "").replace("\n", "")
        case "loose":
            # Folded before NFKC as well: it would take a lone acute accent apart into a space and a combining mark.
            folded = unicodedata.normalize("NFKC", text.translate(_FOLDED)).translate(_FOLDED)
            return _WHITE_SPACE.sub("", folded.casefold())


def evidence_recall(found: int, gold: int) -> float | None:
    """Return the share, 0 to 1, of a question's gold evidence that was found; ``None`` where it has none.

    A null question has no evidence, so it stays out of the mean. Raises ``ValueError`` unless 0 ≤ found ≤ gold.

    Source: spec § 0, R10.
    """
    if not 0 <= found <= gold:
        raise ValueError(f"expected 0 ≤ found ≤ gold, found {found} of {gold}")
    return found / gold if gold else None
