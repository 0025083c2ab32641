"""MultiHop-RAG's official rule for answers: one shared word is enough."""

from __future__ import annotations

import re

_QUOTED_ANSWER = re.compile(r'The answer to the question is "(.*?)"')


def word_overlap(prediction: str | None, gold: str) -> bool:
    """Return whether prediction and gold share a word, as MultiHop-RAG's script decides.

    Words are what white space separates, in lower case, with their punctuation: "yes," isn't "yes". Where the
    prediction has ``The answer to the question is "…"`` on one line, what stands in the first such quotes is
    compared and nothing else. ``None`` counts as the empty text; a side without words shares none.

    Known to be lenient, for comparison with published numbers only: "Sam Altman" is right where "Sam
    Bankman-Fried" is asked for, and so is any text with one of the gold's words in it, be it "of" or "the".

    The script's "accuracy" of 2025 is left out: it counts each wrong answer as a true negative too, so a
    system that is never right gets 0.333.

    Source: spec § 2.5; yixuantt/MultiHop-RAG, ``qa_evaluate.py``.
    """
    text = prediction or ""
    quoted = _QUOTED_ANSWER.search(text)
    said = quoted[1] if quoted else text
    return not set(said.lower().split()).isdisjoint(gold.lower().split())
