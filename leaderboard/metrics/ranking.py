"""The scorecard of one ranked list: how much of a question's gold evidence it holds, and how early.

``found`` tells, for each rank from the best on, the indexes (from 0) of the gold items which the passage at
that rank holds; ``gold`` is the number of distinct gold items (:func:`distinct_facts`); ``k`` is the cut-off,
at least 1. Ranks count from 1. A list shorter than k has nothing at its missing ranks.

A null question has no gold evidence, so it has no score: what takes ``gold`` raises ``ValueError`` for 0, and
the caller leaves such questions out of the mean and counts them. An index that is no gold item raises
``ValueError`` as well; :func:`hits_at` and :func:`mrr_at` don't get ``gold`` and find only negative ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import fsum

from leaderboard.metrics.containment import ContainmentMode, containment_key, fact_key


def hits_at(found: Sequence[Collection[int]], k: int) -> bool:
    """Return whether one of the first k passages holds a gold item (spec § 2.2; seed 3, Hits@k)."""
    return _first_hit(found, k) is not None


def mrr_at(found: Sequence[Collection[int]], k: int) -> float:
    """Return 1 / rank of the first passage that holds a gold item, 0 without one in the first k.

    Source: spec § 2.2; seed 3, MRR@k.
    """
    rank = _first_hit(found, k)
    return 0.0 if rank is None else 1 / rank


def fact_recall_at(found: Sequence[Collection[int]], gold: int, k: int) -> float:
    """Return the share, 0 to 1, of the gold items which the first k passages hold.

    Source: spec § 2.3; seed 3, FactRecall@k.
    """
    return len(_ranks_within(found, gold, k)) / gold


def all_gold_at(found: Sequence[Collection[int]], gold: int, k: int) -> bool:
    """Return whether the first k passages hold every gold item (spec § 2.3; seed 3, AllGold@k)."""
    return len(_ranks_within(found, gold, k)) == gold


def map_at(found: Sequence[Collection[int]], gold: int, k: int) -> float:
    """Return MAP as MultiHop-RAG's script has it: (1 / min(gold, k)) · Σ over ranks ≤ k of new items / rank.

    Not the textbook's average precision: items found earlier earn nothing at a later rank, so even a perfect
    list reaches only :func:`map_ceiling` where no passage holds two items. With gold > k it can exceed 1.

    Source: spec § 2.2; yixuantt/MultiHop-RAG, ``retrieval_evaluate.py``; seed 3, MAP@k.
    """
    return fsum(1 / rank for rank in _ranks_within(found, gold, k)) / min(gold, k)


def ap_cumulative_at(found: Sequence[Collection[int]], gold: int, k: int) -> float:
    """Return average precision over gold items, a diagnostic beside :func:`map_at`.

    (1 / min(gold, k)) · Σ_j min(1, j / rank of the j-th item found), over items with rank ≤ k. Items of one
    passage count one after the other. A perfect list reaches 1, whether or not items share passages. Where
    each item has one passage of its own, it is the textbook's average precision. It can exceed 1 if gold > k.

    Source: spec § 2.3, which names it. The formula is what gives ``ap_cumulative@10`` of
    ``vectors/retrieval.json``; whether each term or the mean stops at 1 they leave open: here each term.
    """
    ranks = _ranks_within(found, gold, k)
    return fsum(min(1.0, count / rank) for count, rank in enumerate(ranks, 1)) / min(gold, k)


def map_ceiling(gold: int, k: int) -> float:
    """Return the best :func:`map_at` when each item needs its own passage: H_n / n with n = min(gold, k).

    Source: spec § 2.3.
    """
    _require(gold, k)
    size = min(gold, k)
    return fsum(1 / rank for rank in range(1, size + 1)) / size


def first_ranks(found: Sequence[Collection[int]], gold: int) -> tuple[int | None, ...]:
    """Return, for each gold item, the rank of the first passage that holds it; ``None`` where none does."""
    _require(gold)
    ranks: dict[int, int] = {}
    for rank, items in enumerate(found, 1):
        for item in items:
            if not 0 <= item < gold:
                raise ValueError(
                    f"expected indexes of {gold} gold items, from 0, found {item} at rank {rank}"
                )
            ranks.setdefault(item, rank)
    return tuple(ranks.get(item) for item in range(gold))


def distinct_facts(facts: Iterable[str]) -> tuple[str, ...]:
    """Return the facts in order, without those that equal an earlier one under the official key.

    The released script keeps a fact that is listed twice in MAP's denominator; here it counts once.
    Raises ``ValueError`` for a fact without text. Source: spec § 2.3.
    """
    first: dict[str, str] = {}
    for fact in facts:
        first.setdefault(fact_key(fact), fact)
    return tuple(first.values())


def items_found(
    facts: Sequence[str], passages: Sequence[str], mode: ContainmentMode = "official"
) -> list[frozenset[int]]:
    """Return for each passage the indexes of the facts it holds: the ``found`` of this module.

    ``facts`` are :func:`distinct_facts`, ``passages`` the texts of a ranked list, best first. Each pair is
    decided as by :func:`~leaderboard.metrics.containment.holds_fact`, whose ``ValueError`` it raises.
    """
    keys = [fact_key(fact, mode) for fact in facts]
    texts = (containment_key(passage, mode) for passage in passages)
    return [frozenset(index for index, key in enumerate(keys) if key in text) for text in texts]


@dataclass(frozen=True, slots=True)
class Ceiling:
    """How many distinct gold facts stand whole in at least one passage of an index, and of how many."""

    held: int
    facts: int

    @property
    def share(self) -> float | None:
        """The share, 0 to 1, which no retriever's FactRecall can exceed; ``None`` without facts."""
        return self.held / self.facts if self.facts else None


def fact_ceiling(
    facts: Iterable[str], passages: Iterable[str], mode: ContainmentMode = "official"
) -> Ceiling:
    """Return how many of the distinct facts at least one passage holds; a fact cut by a border is lost.

    ``facts`` may repeat, as those of many questions do; they are counted by :func:`distinct_facts`.
    ``passages`` are the texts of a whole index. Raises ``ValueError`` for a fact without text.

    Source: spec § 2.7.
    """
    keys = [fact_key(fact, mode) for fact in distinct_facts(facts)]
    # A search an index, not a passage. No fact has the separator in it, so none is found across a border.
    used = set[str]().union(*keys)
    separator = next(character for character in map(chr, range(len(used) + 1)) if character not in used)
    index = separator.join(containment_key(passage, mode) for passage in passages)
    return Ceiling(held=sum(key in index for key in keys), facts=len(keys))


def _first_hit(found: Sequence[Collection[int]], k: int) -> int | None:
    _require_cutoff(k)
    if negative := [item for items in found for item in items if item < 0]:
        raise ValueError(f"expected indexes of gold items, from 0, found {negative[0]}")
    return next((rank for rank, items in enumerate(found[:k], 1) if items), None)


def _ranks_within(found: Sequence[Collection[int]], gold: int, k: int) -> list[int]:
    """Return the first ranks, up to k, of the gold items found there, in ascending order."""
    _require(gold, k)
    return sorted(rank for rank in first_ranks(found, gold) if rank is not None and rank <= k)


def _require(gold: int, k: int = 1) -> None:
    if gold < 1:
        raise ValueError(f"expected at least one gold item (a null question has no score), found {gold}")
    _require_cutoff(k)


def _require_cutoff(k: int) -> None:
    if k < 1:
        raise ValueError(f"expected a cut-off k of at least 1, found {k}")
