"""Answer metrics of the benchmarks' own scripts: exact match, F1, containment.

They compare a final answer (see :mod:`leaderboard.metrics.final_answer`) with the golds of a question, the answer
first and its aliases after it. A prediction of ``None`` counts as the empty string. Each raises ``ValueError``
without a gold, for a maximum over nothing isn't 0. Columns beside the headline: *correct* is decided by
:mod:`leaderboard.metrics.match`. MultiHop-RAG's own rule is in :mod:`leaderboard.metrics.word_overlap`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from leaderboard.metrics.normalise import normalise

_CLOSED_ANSWERS = frozenset({"yes", "no", "noanswer"})


def exact_match(prediction: str | None, golds: Sequence[str]) -> bool:
    """Return whether the normalised prediction equals a normalised gold (spec § 1.2)."""
    return _any(_equal, prediction, golds)


def f1(prediction: str | None, golds: Sequence[str]) -> float:
    """Return the largest token F1, 0 to 1, over the golds (spec § 1.2).

    The maximum is taken apart from that of :func:`exact_match`: another alias may decide. Two sides that both
    normalise to nothing give 1, as in MuSiQue's script.
    """
    return max(_token_f1(normalise(prediction), normalise(gold)) for gold in _required(golds))


def f1_hotpot(prediction: str | None, golds: Sequence[str]) -> float:
    """Return HotpotQA's F1, 0 to 1: as :func:`f1`, but 0 where one side is yes, no or noanswer and the other differs.

    Not for MuSiQue. Source: spec § 1.1.
    """
    return max(_token_f1_hotpot(normalise(prediction), normalise(gold)) for gold in _required(golds))


def contain(prediction: str | None, golds: Sequence[str]) -> bool:
    """Return whether a gold or alias stands within the prediction, character by character (spec § 1.6).

    Both are normalised; a gold that normalises to nothing is contained nowhere. A comparison column, never a
    headline: "cannot" contains the gold "no".
    """
    return _any(_contains_characters, prediction, golds)


def contain_primary(prediction: str | None, golds: Sequence[str]) -> bool:
    """Return :func:`contain` for the first gold alone, as A-RAG's script scores (spec § 1.6)."""
    return contain(prediction, _required(golds)[:1])


def contain_token(prediction: str | None, golds: Sequence[str]) -> bool:
    """Return whether the tokens of a gold or alias stand consecutively in the prediction (spec § 1.6).

    Unlike :func:`contain`, "us" isn't found in "russia".
    """
    return _any(_contains_tokens, prediction, golds)


def holds_run(tokens: Sequence[str], run: Sequence[str]) -> bool:
    """Return whether ``run`` stands consecutively in ``tokens``; an empty run stands nowhere."""
    size = len(run)
    return size > 0 and any(tokens[i : i + size] == run for i in range(len(tokens) - size + 1))


def _any(test: Callable[[str, str], bool], prediction: str | None, golds: Sequence[str]) -> bool:
    said = normalise(prediction)
    return any(test(said, normalise(gold)) for gold in _required(golds))


def _required(golds: Sequence[str]) -> Sequence[str]:
    if isinstance(golds, str) or not golds:
        raise ValueError(f"expected a sequence of at least one gold answer, found {golds!r}")
    return golds


def _equal(said: str, gold: str) -> bool:
    return said == gold


def _contains_characters(said: str, gold: str) -> bool:
    return gold != "" and gold in said


def _contains_tokens(said: str, gold: str) -> bool:
    return holds_run(said.split(), gold.split())


def _token_f1(said: str, gold: str) -> float:
    said_tokens, gold_tokens = said.split(), gold.split()
    if not said_tokens or not gold_tokens:
        return float(said_tokens == gold_tokens)
    shared = (Counter(said_tokens) & Counter(gold_tokens)).total()
    return 2 * shared / (len(said_tokens) + len(gold_tokens))


def _token_f1_hotpot(said: str, gold: str) -> float:
    if said != gold and not _CLOSED_ANSWERS.isdisjoint((said, gold)):
        return 0.0
    return _token_f1(said, gold)
