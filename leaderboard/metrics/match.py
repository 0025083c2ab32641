"""``match``: what *correct* means without a judge. In words: the first thing you say is your answer."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from leaderboard.metrics.abstention import is_abstention, is_explicit_abstention, opens_with_abstention
from leaderboard.metrics.answers import holds_run
from leaderboard.metrics.final_answer import final_answer
from leaderboard.metrics.normalise import normalise_match

MAX_EXTRA_TOKENS = 8
"""An answer may have this many tokens more than the gold; pasted passages and long lists don't count as answers."""

_MAX_SHORT_GOLD = 2
_OPPOSITE = {"yes": "no", "no": "yes"}
_NUMBER = re.compile(r"-?\d+(?:\.\d+)*%?")
_SEPARATOR = re.compile(
    r"[,;/](?=\s)"
    r"|(?<=\s)[-\N{EN DASH}\N{EM DASH}|\N{BULLET}\N{MIDDLE DOT}*](?=\s)"
    r"|\n"
    r"|\b(?:or|and)\b",
    re.IGNORECASE,
)


def match(prediction: str | None, golds: Sequence[str], *, null_question: bool) -> bool:
    """Return whether a program's answer is correct.

    ``prediction`` is the raw answer field (``None``: no answer); its final answer is taken here. ``golds`` are the
    answer and its aliases. ``null_question`` tells that the corpus holds no answer: then an explicit abstention is
    correct, and nothing else. An answer of which the normalisation leaves nothing is never correct.

    Raises ``ValueError`` for an answerable question without golds. Known limit: negation isn't read ("Not Paris").

    Source: spec § 0, R1 and R2; the letters below are its clauses.
    """
    if isinstance(golds, str) or not (golds or null_question):
        raise ValueError(f"expected a sequence of at least one gold answer, found {golds!r}")
    answer = final_answer(prediction).text
    if null_question:  # a
        return is_explicit_abstention(answer)
    tokens = normalise_match(answer).split()
    if not tokens:
        # Clause b would call it equal to a gold of punctuation alone (FRAMES asks for the Morse code "....-"), and
        # "The" with it.
        return False
    gold_tokens = {gold: normalise_match(gold).split() for gold in golds}
    if tokens in gold_tokens.values():  # b
        return True
    if opens_with_abstention(answer):
        # Clause c alone would take the first word of "No information available." for the answer "no": as a constant it
        # scored 0.336 on MultiHop-RAG's 500 queries, above every other constant.
        return False
    closed = [wanted[0] for wanted in gold_tokens.values() if len(wanted) == 1 and wanted[0] in _OPPOSITE]
    if any(tokens[:1] == [word] and _OPPOSITE[word] not in tokens for word in closed):  # c
        # Before d: "No, there is no evidence of a change" is an answer.
        return True
    if is_abstention(answer, golds):  # d
        return False
    return any(_says_first(answer, tokens, gold, wanted) for gold, wanted in gold_tokens.items())  # e


def _says_first(answer: str, tokens: Sequence[str], gold: str, wanted: Sequence[str]) -> bool:
    """Return whether the answer's first part states the gold (R2e); ``tokens`` and ``wanted`` are normalised."""
    if not wanted or len(tokens) > len(wanted) + MAX_EXTRA_TOKENS:
        return False
    if tokens[0] in _OPPOSITE and tokens[0] != wanted[0]:
        return False
    if len(wanted) == 1 and wanted[0] in _OPPOSITE:
        return False  # decided by clause c alone
    part = normalise_match(_first_parts(answer, 1 + _separators(gold))).split()
    if len(wanted) == 1 and _NUMBER.fullmatch(wanted[0]):
        return [token for token in part if _NUMBER.fullmatch(token)] == wanted
    if len(" ".join(wanted)) <= _MAX_SHORT_GOLD:
        return False
    return holds_run(part, wanted)


def _separators(gold: str) -> int:
    return sum(1 for _ in _SEPARATOR.finditer(unicodedata.normalize("NFC", gold).strip()))


def _first_parts(answer: str, count: int) -> str:
    """Return ``answer`` up to its ``count``-th separator, all of it where there are fewer."""
    text = unicodedata.normalize("NFC", answer)
    starts = [separator.start() for separator in _SEPARATOR.finditer(text)]
    return text[: starts[count - 1]] if len(starts) >= count else text
