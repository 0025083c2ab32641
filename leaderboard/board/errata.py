"""What a benchmark's errata change: each system's Match as published, and with errata."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from leaderboard.benchmarks.errata import KINDS, Errata
from leaderboard.benchmarks.questions import Benchmark
from leaderboard.board.aggregate import column, mean
from leaderboard.board.groups import Mask
from leaderboard.board.rows import System, order, system_row
from leaderboard.board.tables import Row, Table, Value
from leaderboard.scoring.answers import MATCH_ERRATA
from leaderboard.scoring.declared import BY_KEY

_PUBLISHED = BY_KEY["match"]


def errata_table(benchmark: Benchmark, errata: Errata, systems: Sequence[System]) -> Iterator[Table]:
    """Yield the table of a benchmark to which errata apply: a row a system, in the order of the published questions."""
    if not errata or not systems:
        return
    kept = np.array([question.id not in errata.excluded for question in benchmark.questions], dtype=np.bool_)
    difference = column(
        MATCH_ERRATA, key="difference", label="Difference", hint="Match with errata less Match as published."
    )
    yield Table(
        key=f"{benchmark.name}-errata",
        title=f"{benchmark.label}: with errata",
        caption=_caption(errata, len(benchmark.questions)),
        row_heading="System",
        columns=(
            column(_PUBLISHED, label="Match as published"),
            column(MATCH_ERRATA),
            difference.model_copy(update={"range": (-1.0, 1.0), "unit": "points"}),
        ),
        rows=order([_row(benchmark, system, kept) for system in systems], _PUBLISHED.key),
    )


def _caption(errata: Errata, questions: int) -> str:
    excluded, corrected = (_counted(errata, excluded=excluded) for excluded in (True, False))
    return (
        f"Of {questions} questions, {excluded} left out and {corrected} scored against corrected golds. "
        "Ranks always use the published questions."
    )


def _counted(errata: Errata, *, excluded: bool) -> str:
    """Return how many questions, and of which kinds: "3 (2 dated, 1 duplicate) are"."""
    kinds = errata.kinds(excluded=excluded)
    count = sum(kinds.values())
    told = ", ".join(f"{number} {KINDS[kind]}" for kind, number in kinds.items())
    return f"{count or 'none'}{f' ({told})' if told else ''} {'is' if count == 1 else 'are'}"


def _row(benchmark: Benchmark, system: System, kept: Mask) -> Row:
    published = system.value(benchmark.name, _PUBLISHED)
    found = system.at(benchmark.name)
    scores = found.scores if found else None
    # Without scores both say why there are none, in the same words.
    amended = mean(scores, MATCH_ERRATA, kept) if scores else published
    if published.value is None or amended.value is None:
        difference = Value(value=None, n=0, note=published.note or amended.note)
    else:
        # No n of its own: it is of two sets of questions.
        difference = Value(value=amended.value - published.value, n=0)
    values = {_PUBLISHED.key: published, MATCH_ERRATA.key: amended, "difference": difference}
    return system_row(system, benchmark, values, _PUBLISHED.key)
