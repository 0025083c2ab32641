"""Recognising an answer that declines to answer, and the figures over many of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.metrics.answers import exact_match

WHOLE_TEXTS = (
    "",
    "cannot be determined",
    "cannot determine",
    "i dont know",
    "idk",
    "information not available",
    "insufficient evidence",
    "insufficient information",
    "n a",
    "na",
    "nil",
    "no answer",
    "no information",
    "no information available",
    "noanswer",
    "none",
    "not enough information",
    "not found",
    "not mentioned",
    "null",
    "unanswerable",
    "unknown",
)
"""Answers that are an abstention as a whole, in the form that is compared (lower case, no punctuation)."""

PATTERNS = (
    r"\b(?:i|we)(?: am| are|m|re)? "
    r"(?:do not|dont|did not|cannot|cant|could not|couldnt|unable to|was unable to|were unable to|not able to) "
    r"(?:know|determine|find|answer|identify|confirm|provide|verify|locate)\b",
    r"\b(?:insufficient|not enough|lack of|no) (?:information|evidence|context|data)\b",
    r"\b(?:provided|given|available|retrieved)? ?"
    r"(?:documents?|passages?|context|information|evidence|sources?|text) "
    r"(?:do|does|did)(?: not|nt) (?:contain|provide|mention|include|specify|state|give|say)\b",
    r"\b(?:cannot|can not|cant|could not) be (?:determined|answered|found|established|verified|identified)\b",
    r"^(?:it is )?(?:unable|not possible) to (?:determine|find|answer|identify|tell|say)\b",
)
"""Phrases that make an answer an abstention wherever they stand in it (the last: at its start)."""

_WHOLE_TEXTS = frozenset(WHOLE_TEXTS)
_PATTERN = re.compile("|".join(f"(?:{pattern})" for pattern in PATTERNS))
_APOSTROPHES = str.maketrans("", "", "'\N{RIGHT SINGLE QUOTATION MARK}")


def is_abstention(text: str | None, golds: Sequence[str] = ()) -> bool:
    """Return whether a final answer declines to answer; an empty one (or ``None``) does.

    An answer that equals a gold (:func:`~leaderboard.metrics.answers.exact_match`) is never an abstention. For a null
    question, whose gold *is* an abstention, leave ``golds`` out.

    Known limit: "1839, although I could not verify the month" counts as one.

    Source: spec § 5.2 with ``vectors/abstention.json``.
    """
    said = _plain(text)
    if said not in _WHOLE_TEXTS and not _PATTERN.search(said):
        return False
    return not (golds and exact_match(text, golds))


def is_explicit_abstention(text: str | None) -> bool:
    """Return whether a final answer declines in words: what a null question gives credit for (spec § 0, R2a).

    An empty answer, or one of punctuation alone, says nothing and earns nothing.
    """
    return _plain(text) != "" and is_abstention(text)


def opens_with_abstention(text: str | None) -> bool:
    """Return whether a final answer is nothing but an abstention, or begins with one: "No information available."

    There the word "no" belongs to the abstention, and is no answer to a question of yes or no.
    """
    said = _plain(text)
    return said in _WHOLE_TEXTS or _PATTERN.match(said) is not None


def _plain(text: str | None) -> str:
    without_apostrophes = (text or "").lower().translate(_APOSTROPHES)
    return " ".join("".join(c if c.isalnum() else " " for c in without_apostrophes).split())


@dataclass(frozen=True, slots=True)
class AbstentionFigures:
    """Shares, 0 to 1; ``None`` where the share is of nothing (no null question, no abstention, …).

    ``recall`` is over null questions, ``false_abstention`` over answerable ones, ``precision`` over abstentions,
    ``accuracy`` over all questions. ``balanced`` is the mean of ``recall`` and 1 - ``false_abstention``: null
    questions are rare, so ``accuracy`` rewards never abstaining.
    """

    recall: float | None
    false_abstention: float | None
    precision: float | None
    accuracy: float | None
    balanced: float | None


def abstention_figures(
    *, null_abstained: int, null_total: int, answerable_abstained: int, answerable_total: int
) -> AbstentionFigures:
    """Return the five figures from counts of questions.

    Count a null question as abstained by :func:`is_explicit_abstention` (an empty answer earns no credit, spec § 0,
    R9), an answerable one by :func:`is_abstention`. Raises ``ValueError`` for counts that can't be.

    Source: spec § 2.6.
    """
    for name, part, whole in (
        ("null", null_abstained, null_total),
        ("answerable", answerable_abstained, answerable_total),
    ):
        if not 0 <= part <= whole:
            raise ValueError(f"expected 0 ≤ abstained ≤ total {name} questions, found {part} of {whole}")
    recall = _share(null_abstained, null_total)
    false_abstention = _share(answerable_abstained, answerable_total)
    right = null_abstained + answerable_total - answerable_abstained
    return AbstentionFigures(
        recall=recall,
        false_abstention=false_abstention,
        precision=_share(null_abstained, null_abstained + answerable_abstained),
        accuracy=_share(right, null_total + answerable_total),
        balanced=None if recall is None or false_abstention is None else (recall + 1 - false_abstention) / 2,
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
