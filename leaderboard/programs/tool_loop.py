"""The loop of thinking, calling tools and seeing what they bring (Yao et al. 2023, ReAct), as A-RAG runs it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import dspy

from leaderboard.catalog.tool_programs import CALLS_PER_STEP, ToolLoop
from leaderboard.metrics.tokens import cut_tokens
from leaderboard.programs.answering import ask, told
from leaderboard.programs.task import Task
from leaderboard.programs.tool_calls import ToolCall, said
from leaderboard.programs.tools import Observation
from leaderboard.programs.transcript import Transcript
from leaderboard.retrieval.passages import Passage

THOUGHT_TOKENS = 40
"""So much of a thought is kept."""

NOTHING_CALLED = "No tool was called and no answer given. Call a tool, or give the answer."
REPEATED = "Nothing new."

FORCED = (
    "Answer the question from what the steps brought, with a name, a number, a date, yes or no. The limit of searches "
    "is reached, so no tool can be called any more. If the facts are there, give the answer only. If a part is missing, "
    "give the best answer that they allow. If nothing fits, answer: Insufficient information."
)


class AnswerFromSteps(dspy.Signature):  # type: ignore[misc]
    """Replaced by the instructions of the program."""

    steps: str = dspy.InputField(desc="what was done so far, and what it brought")
    question: str = dspy.InputField()
    answer: str = dspy.OutputField(desc="a few words at most")


class Tools(Protocol):
    """What a loop's model can call."""

    @property
    def names(self) -> Sequence[str]:
        """The tools' names."""
        ...

    def heading(self, call: ToolCall) -> str:
        """Return the line of the transcript that stands before what the call brought."""
        ...

    def run(self, call: ToolCall, round: int, room: int) -> Observation:
        """Carry out a call; at most ``room`` ``words-1`` tokens of passages come back, and one note."""
        ...


class Step(NamedTuple):
    """What a step came to: the answer, where it gave one, and the passages it opened in full for the first time."""

    answer: str | None = None
    read: tuple[Passage, ...] = ()


def work(
    act: dspy.Predict, field: str, answer: dspy.Predict, task: Task, tools: Tools, budgets: ToolLoop
) -> dspy.Prediction:
    """Take steps until one answers, or a budget ends and a last call without tools answers.

    Return a prediction with the raw ``answer``; ``forced`` where a budget ended the loop. ``field`` is the output of
    ``act`` that says what to do.
    """
    transcript = Transcript(budgets.token_budget)
    round = 1
    while not (budget := must_end(task, transcript, round, budgets.max_loops)):
        step = take_step(act, field, task, tools, transcript, round, question=task.question)
        if step.answer is not None:
            return dspy.Prediction(answer=step.answer)
        round += 1
    return forced(answer, task, transcript, budget, question=task.question)


def take_step(
    predictor: dspy.Predict,
    field: str,
    task: Task,
    tools: Tools,
    transcript: Transcript,
    round: int,
    **inputs: str,
) -> Step:
    """Ask the model what to do, do what its ``field`` says, and add what came to the transcript.

    ``inputs`` stand before the steps in the prompt. A text without a tool call is the answer. Neither a call nor an
    answer, a tool that doesn't exist and a call made before are told to the model, and cost it the step.
    """
    repairs = task.parse_repairs
    output = told(predictor, task, field, **inputs, steps=transcript.text)
    spoken = said(output.text, tools.names)
    calls = spoken.calls[:CALLS_PER_STEP]
    noted = {"calls": [str(call) for call in calls]} if calls else {"answer": spoken.answer}
    thought = cut_tokens(output.thought, THOUGHT_TOKENS)
    task.trace.append({"step": "act", "round": round, **({"thought": thought} if thought else {}), **noted})
    if spoken.answer:
        return Step(answer=spoken.answer)
    transcript.add(f"Thought: {thought}" if thought else "")
    if not calls:
        task.parse_repairs = repairs + 1
        transcript.add(_nothing(spoken.unknown, tools.names))
    read: list[Passage] = []
    for call in calls:
        transcript.add(tools.heading(call))
        if transcript.new(call):
            observation = tools.run(call, round, transcript.left)
            transcript.add(observation.text)
            read += observation.read
        else:
            transcript.add(REPEATED)
    if len(spoken.calls) > CALLS_PER_STEP:
        transcript.add(f"Only the first {CALLS_PER_STEP} calls of a step are carried out.")
    return Step(read=tuple(read))


def must_end(task: Task, transcript: Transcript, round: int, most: int) -> str:
    """Return the budget that allows no further step, "" where there is none: loops, tokens or calls (spec § 4.4)."""
    if round > most:
        return "loops"
    if transcript.full:
        return "tokens"
    return "calls" if task.last_call else ""


def forced(
    predictor: dspy.Predict, task: Task, transcript: Transcript, budget: str, **inputs: str
) -> dspy.Prediction:
    """Return the answer of a last call without tools, since the ``budget`` is used up."""
    task.trace.append({"step": "forced", "budget": budget})
    return dspy.Prediction(answer=ask(predictor, task, steps=transcript.text, **inputs), forced=True)


def _nothing(unknown: Sequence[str], names: Sequence[str]) -> str:
    if unknown:
        return f"There is no tool {cut_tokens(unknown[0], 4)}. The tools are: {', '.join(names)}."
    return NOTHING_CALLED
