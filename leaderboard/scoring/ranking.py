"""The retrieval scorecard: one ranked list a question, the configured retriever on the raw question (spec R10)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from leaderboard.benchmarks.questions import Evidence
from leaderboard.metrics.containment import ContainmentMode, fact_key
from leaderboard.metrics.ranking import (
    all_gold_at,
    ap_cumulative_at,
    distinct_facts,
    fact_recall_at,
    hits_at,
    items_found,
    map_at,
    mrr_at,
)
from leaderboard.scoring.metric import Case, Metric, has_evidence

K = 10
"""The scorecard's cut-off (seed 3): the passages that a generator would be given."""

Found = Sequence[frozenset[int]]


def item_key(item: Evidence) -> str:
    """Return what two gold items share that count as one: a fact's official key, else the item's own (spec § 2.3)."""
    return fact_key(item.text) if item.kind == "fact" else item.key


def ranked(case: Case) -> tuple[Found, int]:
    """Return for each rank which distinct gold items the passage there holds, and how many items there are."""
    places: dict[str, int] = {}
    number = [places.setdefault(item_key(item), len(places)) for item in case.question.evidence]
    best_first = sorted(case.record.returned, key=lambda returned: returned.rank)
    return [frozenset(number[index] for index in hit.evidence) for hit in best_first], len(places)


def _of(score: Callable[[Found, int], float]) -> Callable[[Case], float | None]:
    """Return the metric that gives a ranked list ``score``, and null questions nothing."""

    def compute(case: Case) -> float | None:
        found, gold = ranked(case)
        return float(score(found, gold)) if gold else None

    return compute


def _fact_recall(mode: ContainmentMode) -> Callable[[Case], float | None]:
    """Return FactRecall@10 with facts matched in another way than the official one."""

    def compute(case: Case) -> float | None:
        facts = distinct_facts(item.text for item in case.question.evidence if item.kind == "fact")
        if not facts:
            return None
        best_first = sorted(case.record.returned, key=lambda returned: returned.rank)
        texts = [case.text(returned.passage) for returned in best_first[:K]]
        return fact_recall_at(items_found(facts, texts, mode), len(facts), K)

    return compute


def _metric(
    key: str,
    label: str,
    hint: str,
    source: str,
    compute: Callable[[Case], float | None],
    *,
    binary: bool = False,
    benchmarks: tuple[str, ...] = (),
) -> Metric:
    return Metric(
        key,
        label,
        hint,
        source,
        compute,
        kind="ranking",
        applies=has_evidence,
        binary=binary,
        benchmarks=benchmarks,
    )


RANKING: tuple[Metric, ...] = (
    _metric(
        "all_gold_10",
        "AllGold@10",
        "Share of questions with every gold item in the first ten passages.",
        "seed 3; spec § 2.3",
        _of(lambda found, gold: all_gold_at(found, gold, K)),
        binary=True,
    ),
    _metric(
        "hits_4",
        "Hits@4",
        "Share of questions with a gold item in the first four passages.",
        "MultiHop-RAG's retrieval_evaluate.py; seed 3; spec § 2.2",
        _of(lambda found, gold: hits_at(found, 4)),
        binary=True,
    ),
    _metric(
        "hits_10",
        "Hits@10",
        "Share of questions with a gold item in the first ten passages.",
        "MultiHop-RAG's retrieval_evaluate.py; seed 3; spec § 2.2",
        _of(lambda found, gold: hits_at(found, K)),
        binary=True,
    ),
    _metric(
        "fact_recall_10",
        "FactRecall@10",
        "Mean share of a question's gold items in the first ten passages.",
        "seed 3; spec § 2.3",
        _of(lambda found, gold: fact_recall_at(found, gold, K)),
    ),
    _metric(
        "mrr_10",
        "MRR@10",
        "Mean of 1 / rank of the first of ten passages with a gold item, 0 without one.",
        "MultiHop-RAG's retrieval_evaluate.py; seed 3; spec § 2.2",
        _of(lambda found, gold: mrr_at(found, K)),
    ),
    _metric(
        "map_10",
        "MAP@10",
        "New gold items at a rank divided by that rank, summed over ten ranks, divided by the number of gold items; "
        "the mean over questions. Not the textbook's average precision: read it against its ceiling.",
        "MultiHop-RAG's retrieval_evaluate.py; seed 3; spec § 2.3",
        _of(lambda found, gold: map_at(found, gold, K)),
    ),
    _metric(
        "ap_cumulative_10",
        "AP@10",
        "Average precision as in textbooks, items found before counted: a diagnostic beside MAP@10.",
        "spec § 2.3",
        _of(lambda found, gold: ap_cumulative_at(found, gold, K)),
    ),
    _metric(
        "fact_recall_10_verbatim",
        "FactRecall@10, verbatim",
        "As FactRecall@10, with each fact compared character by character, blanks and line feeds included.",
        "spec § 2.3",
        _fact_recall("verbatim"),
        benchmarks=("multihop_rag",),
    ),
    _metric(
        "fact_recall_10_loose",
        "FactRecall@10, loose",
        "As FactRecall@10, with letter case, all white space, and the shapes of quotes and dashes made equal.",
        "spec § 2.3",
        _fact_recall("loose"),
        benchmarks=("multihop_rag",),
    ),
)
