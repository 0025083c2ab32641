"""A-RAG: a model that searches by keywords and by meaning and reads chunks, as it decides (spec § 4.4)."""

from __future__ import annotations

from collections.abc import Collection

import dspy

from leaderboard.catalog import tool_programs as catalog
from leaderboard.programs.task import Task
from leaderboard.programs.tool_loop import FORCED, AnswerFromSteps, work
from leaderboard.programs.tools import DESCRIPTIONS, READ, CorpusTools

_HOW = """You search a collection of documents for the answer of a question. Write the next tool call, one line and nothing else. The tools:
{tools}
answer("...") ends the work with a name, a number, a date, yes or no.

First search for a name in the question. Then {reading}search for a new name that was found; a question of several parts needs several searches. Never guess: call answer only when the steps hold the fact."""


class UseTools(dspy.Signature):  # type: ignore[misc]
    """Replaced by the instructions for the tools there are."""

    question: str = dspy.InputField()
    steps: str = dspy.InputField(desc="what the calls brought so far")
    tool_call: str = dspy.OutputField(desc='the next tool call, such as keyword_search("Marlow lighthouse")')


def instructions(tools: Collection[str]) -> str:
    """Return what the model is told about its work with these tools."""
    listed = "\n".join(text for name, text in DESCRIPTIONS.items() if name in tools)
    return _HOW.format(tools=listed, reading="read a chunk that looks right, or " if READ in tools else "")


class ARAG(dspy.Module):  # type: ignore[misc]
    """Steps of tool calls until the model answers, or a budget ends and a last call without tools answers."""

    def __init__(self, parameters: catalog.ARAG) -> None:
        super().__init__()
        self.parameters = parameters
        self.act = dspy.Predict(UseTools.with_instructions(instructions(parameters.tools)))
        self.answer = dspy.Predict(AnswerFromSteps.with_instructions(FORCED))

    def forward(self, task: Task) -> dspy.Prediction:
        """Return a prediction with the raw ``answer``; ``forced`` where a budget ended the loop."""
        tools = CorpusTools(task, self.parameters.tools, self.parameters.top_k)
        return work(self.act, "tool_call", self.answer, task, tools, self.parameters)
