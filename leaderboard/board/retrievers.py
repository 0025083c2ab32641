"""The Retrievers page: seed 3's scorecard, a table a benchmark, ranked by AllGold@10; no model is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean

from leaderboard.benchmarks.questions import Benchmark
from leaderboard.board.aggregate import column
from leaderboard.board.rows import System, order, retriever_words, system_row
from leaderboard.board.tables import Column, RetrieversPage, Row, Table, Value
from leaderboard.metrics.ranking import map_ceiling
from leaderboard.plan import Cell
from leaderboard.scoring.declared import BY_KEY
from leaderboard.scoring.ranking import RANKING, K, item_key

HEADLINE = BY_KEY["all_gold_10"]

LOW_CEILING = 0.95
"""An index that holds a smaller share of the gold items whole is marked (spec § 2.7)."""

LOW_CEILING_MARK = "index below 95 %"

Ceilings = Callable[[Cell], float | None]
"""What share of the gold items stands whole in a passage of a cell's index; None where it isn't known."""

INDEX_CEILING = Column(
    key="index_ceiling",
    label="Index ceiling",
    hint="Share of the benchmark's distinct gold items that stand whole in at least one passage of the index: a fact "
    "that a passage's border cuts is lost to every retriever.",
    source="spec § 2.7",
    applies_to="distinct gold items",
)


def retrievers_page(
    benchmarks: Sequence[Benchmark], systems: Sequence[System], ceilings: Ceilings
) -> RetrieversPage | None:
    """Return the page, None for a board without a system that only retrieves."""
    alone = [system for system in systems if not system.asks_model]
    if not alone:
        return None
    return RetrieversPage(
        summary="What each retriever finds with the question as its only query, before any model reads it. Ranked by "
        f"{HEADLINE.label}: a question counts when all of its evidence is among the first {K} passages.",
        tables=tuple(
            _table(benchmark, here, ceilings)
            for benchmark in benchmarks
            if (here := [system for system in alone if system.at(benchmark.name)])
        ),
    )


def _table(benchmark: Benchmark, systems: Sequence[System], ceilings: Ceilings) -> Table:
    metrics = [metric for metric in RANKING if metric.on(benchmark.name)]
    rows = []
    for system in systems:
        values = {metric.key: system.value(benchmark.name, metric) for metric in metrics}
        found = system.at(benchmark.name)
        share = ceilings(found.cell) if found else None
        values[INDEX_CEILING.key] = Value(value=share, n=0 if share is None else _items(benchmark))
        row = system_row(system, benchmark, values, HEADLINE.key)
        words = retriever_words(system.cells[0].cell.submission.document)
        texts = {"retriever": words, "date": row.texts["date"]}
        low = (LOW_CEILING_MARK,) if share is not None and share < LOW_CEILING else ()
        rows.append(row.model_copy(update={"texts": texts, "marks": (*row.marks, *low)}))
    nulls = sum(not question.evidence for question in benchmark.questions)
    left_out = f"; {nulls} without gold evidence are left out" if nulls else ""
    return Table(
        key=f"retrievers-{benchmark.name}",
        title=f"{benchmark.label}: retrievers",
        caption=f"{len(benchmark.questions) - nulls} questions{left_out}. In brackets, the 95 % interval.",
        row_heading="Retriever",
        columns=(*(column(metric) for metric in metrics), INDEX_CEILING),
        rows=order([*rows, _ceiling_row(benchmark)], HEADLINE.key),
        text_columns={"retriever": "Configuration", "date": "Run"},
    )


def _ceiling_row(benchmark: Benchmark) -> Row:
    """Return MAP's ceiling: the best value where each gold item needs a passage of its own (spec § 2.3)."""
    sizes = [len({item_key(item) for item in question.evidence}) for question in benchmark.questions]
    best = [map_ceiling(size, K) for size in sizes if size]
    note = "the best there is when each gold item needs a passage of its own"
    return Row(
        key="map-ceiling",
        label="MAP@10's ceiling",
        kind="reference",
        texts={"retriever": "", "date": ""},
        values={"map_10": Value(value=fmean(best), n=len(best), note=note)} if best else {},
    )


def _items(benchmark: Benchmark) -> int:
    return len({item_key(item) for question in benchmark.questions for item in question.evidence})
