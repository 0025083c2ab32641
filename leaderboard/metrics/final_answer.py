"""The part of a system's reply that is scored."""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_WORDS = 40

# Models write the marker in any case and put Markdown stars around it ("**Answer:** Paris", "**Answer**: Paris").
# The stars after it go with it: left behind, they would be the first line of "**Answer:**\nParis".
_MARKER = re.compile(r"\banswer\**:\**", re.IGNORECASE)
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class FinalAnswer:
    """A final answer: one line of at most :data:`MAX_WORDS` words, ``""`` where there is none.

    ``overlong`` tells that words were cut off.
    """

    text: str
    overlong: bool


def final_answer(raw: str | None) -> FinalAnswer:
    """Return the final answer within ``raw``, a program's whole answer field (``None``: no answer).

    It is the text after the last ``Answer:``, or all of it without one; of that, the first line that isn't blank,
    cut after 40 words (of white-space separated words; the spacing between them is kept).

    A reply that ends with ``Answer:`` has an empty final answer. Falling back to what stands before would score the
    first line of a reasoning that never reached its end, and the marker says that this line isn't the answer.

    Source: spec § 0, R1.
    """
    text = raw or ""
    start = max((marker.end() for marker in _MARKER.finditer(text)), default=0)
    text = text[start:]
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    words = list(_WORD.finditer(line))
    if len(words) <= MAX_WORDS:
        return FinalAnswer(line, overlong=False)
    return FinalAnswer(line[: words[MAX_WORDS - 1].end()], overlong=True)
