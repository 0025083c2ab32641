"""Multi-step retrieval, vanilla and with search planning: Algorithm 1 of FRAMES (spec §§ 3.1, 4.3)."""

from __future__ import annotations

from typing import Any

import dspy

from leaderboard.catalog import programs as catalog
from leaderboard.metrics.queries import folded
from leaderboard.programs.answering import ask, told
from leaderboard.programs.lines import items
from leaderboard.programs.single_step import AnswerFromPassages
from leaderboard.programs.task import Task
from leaderboard.retrieval.passages import Passage

NOTHING_YET = "nothing yet"

_VANILLA = (
    "Write {count} to find the passages that are needed to answer the question, beside those found so far. "
    "A query is two to six key words, such as a name and what is asked about it, never the question itself. {layout}."
)
_PLANNING = """Plan the searches that lead to the answer of the question.
First think step by step: which facts does the question need, which of them do the passages found so far hold, and which one is missing next? Then write {count} for what is missing. A query is two to six key words, such as a name and what is asked about it, never the question itself. {layout}. Never repeat a query that was asked before. Use the names that the passages revealed.

Example: How old was the architect of the Marlow lighthouse when the lighthouse was lit first?
A good sequence of queries:
Marlow lighthouse architect
Marlow lighthouse first lit
Ada Fenn born
(The passages named Ada Fenn as the architect.)

Example: Which of the towns at the two ends of the Orrin canal has more inhabitants?
A good sequence of queries:
Orrin canal
Kestle population
Low Harrow population
(The passages named Kestle and Low Harrow as its ends.)"""


class WriteQueries(dspy.Signature):  # type: ignore[misc]
    """Replaced by the instructions of the variant."""

    question: str = dspy.InputField()
    found: str = dspy.InputField(desc="numbered passages found so far")
    queries: str = dspy.OutputField(desc="key words, one query a line")


class PlanQueries(dspy.Signature):  # type: ignore[misc]
    """Replaced by the instructions of the variant."""

    question: str = dspy.InputField()
    found: str = dspy.InputField(desc="numbered passages found so far")
    queries_so_far: str = dspy.InputField(desc="queries asked so far, one a line")
    reasoning: str = dspy.OutputField(desc="one short sentence")
    queries: str = dspy.OutputField(desc="key words, one query a line")


class MultiStep(dspy.Module):  # type: ignore[misc]
    """In each round one call writes the queries from all that was found before; the last call answers.

    What a call sees depends on earlier rounds alone, so systems that differ in ``rounds`` share their first calls.
    """

    def __init__(self, parameters: catalog.MultiStep) -> None:
        super().__init__()
        self.parameters = parameters
        signature, text = (PlanQueries, _PLANNING) if parameters.planning else (WriteQueries, _VANILLA)
        several = parameters.queries_per_round > 1
        instructions = text.format(
            count=f"{parameters.queries_per_round} search queries" if several else "one search query",
            layout="One query a line" if several else "A single line",
        )
        self.write_queries = dspy.Predict(signature.with_instructions(instructions))
        self.answer = dspy.Predict(AnswerFromPassages)

    def forward(self, task: Task) -> dspy.Prediction:
        """Return a prediction with the raw ``answer``; the submission's limit of calls ends the rounds early."""
        found: dict[str, Passage] = {}
        asked: list[str] = []
        for round in range(1, self.parameters.rounds + 1):
            if task.last_call:
                task.limited = True
                break
            for query in self._queries(task, round, list(found.values()), asked):
                asked.append(query)
                for passage in task.search(query, self.parameters.passages_per_query, round=round):
                    found.setdefault(passage.id, passage)
        context = task.show(list(found.values()), self.parameters.context_tokens)
        return dspy.Prediction(answer=ask(self.answer, task, context=context, question=task.question))

    def _queries(self, task: Task, round: int, found: list[Passage], asked: list[str]) -> list[str]:
        """Return the round's queries: as many as wanted, the question for each that the model left out.

        With planning, those that were asked before are dropped.
        """
        inputs: dict[str, Any] = {
            "question": task.question,
            "found": task.show(found, self.parameters.context_tokens) or NOTHING_YET,
        }
        if self.parameters.planning:
            inputs["queries_so_far"] = "\n".join(asked) or NOTHING_YET
        wanted = self.parameters.queries_per_round
        said = told(self.write_queries, task, "queries", **inputs)
        written = items(said.text)
        # In an output without the field the queries are the end: what the model thought stands before them.
        written = written[-wanted:] if self.parameters.planning and said.whole else written[:wanted]
        queries = written + [task.question] * (wanted - len(written))
        if self.parameters.planning:
            queries = _new(queries, asked)
        task.trace.append({"step": "queries", "round": round, "written": written, "asked": queries})
        return queries


def _new(queries: list[str], asked: list[str]) -> list[str]:
    """Return the queries that are neither asked nor before in the list, letter case aside."""
    seen = {folded(query) for query in asked}
    kept = []
    for query in queries:
        if folded(query) not in seen:
            seen.add(folded(query))
            kept.append(query)
    return kept
