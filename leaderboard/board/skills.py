"""A system that routes between skills: how often each was picked, and what became of the answers it was picked for."""

from __future__ import annotations

from collections.abc import Iterator

from leaderboard.board.rows import CellScores, System
from leaderboard.board.tables import Column, Row, Table, Value
from leaderboard.catalog.skill_rag import SKILLS, SkillRag
from leaderboard.results.tables import read_records
from leaderboard.scoring.recovery import SkillCounts, skill_counts

_SOURCE = "spec § 4.6"
_COUNTS = {
    "chosen": ("Chosen", "How often the router picked the skill, once a round."),
    "wrong_before": ("Wrong before", "How often the answer it was picked for was wrong, by Match."),
    "recovered": ("Recovered", "How many of these wrong answers' questions ended with a correct answer."),
    "right_after": ("Right after", "How many of all choices' questions ended with a correct answer."),
}
_COLUMNS = (
    *(
        Column(
            key=key,
            label=label,
            hint=hint,
            decimals=0,
            percent=False,
            higher_is_better=None,
            source=_SOURCE,
            unit="choices",
            range=(0.0, None),
        )
        for key, (label, hint) in _COUNTS.items()
    ),
    Column(
        key="recovery_rate",
        label="Recovery rate",
        hint="Recovered / wrong before.",
        source=_SOURCE,
        applies_to="choices whose answer before was wrong",
    ),
)


def skill_tables(system: System, cell: CellScores) -> Iterator[Table]:
    """Yield a cell's table of skills, none for a program without a router or a cell without a run."""
    if cell.scores is None or not isinstance(cell.cell.submission.document.program, SkillRag):
        return
    benchmark = cell.cell.benchmark
    counts = skill_counts(read_records(cell.scores.run.table("records")), benchmark.by_id)
    yield Table(
        key=f"{system.key}-{benchmark.name}-skills",
        title=f"{benchmark.label}: by skill",
        caption="A row a skill of the router. A question that took several counts in the row of each.",
        row_heading="Skill",
        columns=_COLUMNS,
        rows=tuple(
            Row(key=skill, label=skill.replace("_", " "), values=_values(counts.get(skill, SkillCounts())))
            for skill in SKILLS
        ),
    )


def _values(counts: SkillCounts) -> dict[str, Value]:
    rate = counts.recovery_rate
    return {
        **{key: Value(value=float(getattr(counts, key)), n=counts.chosen) for key in _COUNTS},
        "recovery_rate": Value(
            value=rate, n=counts.wrong_before, note="" if rate is not None else "no wrong answer before"
        ),
    }
