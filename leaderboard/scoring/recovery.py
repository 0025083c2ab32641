"""What became of the answers for which a router picked a skill (spec § 4.6: recovery rate per skill)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from leaderboard.benchmarks.questions import Question
from leaderboard.metrics.match import match
from leaderboard.results.records import Record


@dataclass(frozen=True, slots=True)
class SkillCounts:
    """How often a router picked a skill, and what was right (rule R2) before and at the end.

    ``chosen`` counts choices, one a round; ``wrong_before`` those for which the round's answer was wrong, and
    ``recovered`` of these the ones whose question ended with a correct answer. ``right_after`` are all choices whose
    question did. Where a question takes several skills, each of them counts.
    """

    chosen: int = 0
    wrong_before: int = 0
    recovered: int = 0
    right_after: int = 0

    @property
    def recovery_rate(self) -> float | None:
        """Return ``recovered`` / ``wrong_before``, None where no answer was wrong."""
        return self.recovered / self.wrong_before if self.wrong_before else None


def skill_counts(records: Iterable[Record], questions: Mapping[str, Question]) -> dict[str, SkillCounts]:
    """Return the counts of each skill that the records' traces name, in order of the names.

    ``questions`` maps ids to questions. Records whose outcome is not the system's doing are left out (rule R4). The
    answer before a choice is that of the last gate above it in the trace: what the router was asked about.
    """
    counts: dict[str, SkillCounts] = {}
    for record in records:
        if not record.outcome.scored:
            continue
        question = questions[record.question]
        ended_right = _right(record.raw_answer, question)
        answer = ""
        for step in record.trace:
            if step.get("step") == "gate":
                answer = str(step.get("answer", ""))
            elif step.get("step") == "route":
                name = str(step.get("skill", ""))
                before = counts.get(name, SkillCounts())
                wrong = not _right(answer, question)
                counts[name] = SkillCounts(
                    chosen=before.chosen + 1,
                    wrong_before=before.wrong_before + wrong,
                    recovered=before.recovered + (wrong and ended_right),
                    right_after=before.right_after + ended_right,
                )
    return dict(sorted(counts.items()))


def _right(answer: str, question: Question) -> bool:
    return match(answer, question.golds, null_question=question.null)
