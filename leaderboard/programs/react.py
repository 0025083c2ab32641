"""ReAct with one search tool: think, search, see what came (Yao et al. 2023; spec § 4.7)."""

from __future__ import annotations

import dspy

from leaderboard.catalog import tool_programs as catalog
from leaderboard.metrics.tokens import count_tokens, cut_tokens
from leaderboard.programs.task import Task
from leaderboard.programs.tool_calls import ToolCall
from leaderboard.programs.tool_loop import FORCED, AnswerFromSteps, work
from leaderboard.programs.tools import NO_ROOM, Observation


class ThinkAndSearch(dspy.Signature):  # type: ignore[misc]
    """You search a collection of documents for the answer of a question. In each step think in one short sentence, then act, in one line:
    search("name") finds the passages that fit best.
    answer("...") ends the work with a name, a number, a date, yes or no.

    First search for a name in the question. Then search for a new name that was found; a question of several parts needs several searches. Never guess: call answer only when the passages hold the fact."""

    question: str = dspy.InputField()
    steps: str = dspy.InputField(desc="thoughts and searches so far, and what they brought")
    thought: str = dspy.OutputField(desc="what was found, and what has to be found next")
    action: str = dspy.OutputField(desc='one line, such as search("Marlow lighthouse")')


class SearchTool:
    """The configured retriever as a tool that brings whole passages, each once."""

    names = ("search",)

    def __init__(self, task: Task, passages: int) -> None:
        self._task = task
        self._passages = passages
        self._seen: set[str] = set()

    def heading(self, call: ToolCall) -> str:
        """Return what stands above the search's result."""
        return "Passages for " + ", ".join(f'"{text}"' for text in call.arguments) + ":"

    def run(self, call: ToolCall, round: int, room: int) -> Observation:
        """Search with the call's texts as one query; at most ``room`` ``words-1`` tokens of passages come back, and one note."""
        if not call.arguments:
            return Observation("search needs something in its brackets.")
        lines, read = [], []
        for passage in self._task.search(" ".join(call.arguments), self._passages, round=round):
            room -= count_tokens(passage.title)
            if room <= 0:
                lines.append(NO_ROOM)
                break
            if passage.id in self._seen:
                lines.append(f"{passage.title}: you have seen this passage before.")
                continue
            text = cut_tokens(passage.text, room)
            self._seen.add(passage.id)
            self._task.observe(passage, text, truncated=count_tokens(passage.text) > room)
            room -= count_tokens(text)
            lines.append(f"{passage.title}\n{text}")
            read.append(passage)
        return Observation("\n".join(lines) or "Nothing was found.", tuple(read))


class ReAct(dspy.Module):  # type: ignore[misc]
    """Steps of searches until the model answers, or a budget ends and a last call without tools answers."""

    def __init__(self, parameters: catalog.ReAct) -> None:
        super().__init__()
        self.parameters = parameters
        self.act = dspy.Predict(ThinkAndSearch)
        self.answer = dspy.Predict(AnswerFromSteps.with_instructions(FORCED))

    def forward(self, task: Task) -> dspy.Prediction:
        """Return a prediction with the raw ``answer``; ``forced`` where a budget ended the loop."""
        tools = SearchTool(task, self.parameters.passages_per_search)
        return work(self.act, "action", self.answer, task, tools, self.parameters)
