"""ExecutionRAG: A-RAG's loop under a register of what is still to be found (Wei et al. 2026; spec § 4.5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import dspy

from leaderboard.catalog import tool_programs as catalog
from leaderboard.programs.a_rag import UseTools, instructions
from leaderboard.programs.answering import ask, told
from leaderboard.programs.register import Register, progress
from leaderboard.programs.register_text import read_register
from leaderboard.programs.requirement_prompts import (
    ACTING,
    AGAIN,
    CLOSING,
    initialiser,
    injected,
    reminder,
    updater,
)
from leaderboard.programs.requirements import Violation
from leaderboard.programs.task import Task
from leaderboard.programs.tool_loop import AnswerFromSteps, forced, must_end, take_step
from leaderboard.programs.tools import CorpusTools
from leaderboard.programs.transcript import Transcript
from leaderboard.retrieval.passages import Passage


class ExecutionRAG(dspy.Module):  # type: ignore[misc]
    """A first search, the register, then steps of tool calls, each followed by an update where it read a chunk.

    The register stands in the prompt once, before the first step; what becomes of it is appended to the steps, so
    that the prompt of a step is the beginning of the next one's.
    """

    def __init__(self, parameters: catalog.ExecutionRAG) -> None:
        super().__init__()
        self.parameters = parameters
        if parameters.initialise:
            self.initialise = initialiser(parameters.most_requirements)
        self.act = dspy.Predict(UseTools.with_instructions(f"{instructions(parameters.tools)}\n\n{ACTING}"))
        if parameters.progress:
            self.update = updater()
        self.answer = dspy.Predict(AnswerFromSteps.with_instructions(CLOSING))

    def forward(self, task: Task) -> dspy.Prediction:
        """Return a prediction with the raw ``answer``; ``forced`` where a budget ended the loop.

        It ends when nothing is open (closure), when the model answers although it was reminded of what is open
        (premature stop; without updates its first answer counts), or when a budget is used up (forced).
        """
        tools = CorpusTools(task, self.parameters.tools, self.parameters.top_k)
        transcript = Transcript(self.parameters.token_budget)
        register = self._set_up(task, tools, transcript)
        reminded = False
        round = 1
        while not (budget := must_end(task, transcript, round, self.parameters.max_loops)):
            step = take_step(self.act, "tool_call", task, tools, transcript, round, question=task.question)
            if step.answer is not None:
                if reminded or not self.parameters.progress:
                    return _stopped(task, register, round, step.answer, reminded=reminded)
                reminded = True
                _note(task, "reminder", round=round, open=_ids(register), answer=step.answer)
                transcript.add(reminder(register.open))
            elif step.read and self.parameters.progress and not (transcript.full or task.last_call):
                register = self._updated(task, tools, transcript, register, step.read, round)
                if not register.open:
                    _note(task, "closure", round=round)
                    answer = ask(self.answer, task, question=task.question, steps=transcript.text)
                    return dspy.Prediction(answer=answer)
            round += 1
        _note(task, "still_open", open=_ids(register))
        return forced(self.answer, task, transcript, budget, question=task.question)

    def _set_up(self, task: Task, tools: CorpusTools, transcript: Transcript) -> Register:
        """Return the first register, which now stands in the transcript after the evidence it was made from.

        That is what a search with the question brings, its best chunk in full.
        """
        register, summary, made_by = None, "", "question"
        if self.parameters.initialise:
            seed = tools.seed(task.question, self.parameters.seed_passages, transcript.left)
            transcript.add(f"Search with the question:\n{seed.text}")
            first = transcript.text
            made_by = "fallback"
            # The same request would be the same call: the second one says that the first was of no use.
            for attempt, evidence in (("model", first), ("second attempt", f"{first}\n\n{AGAIN}")):
                if register is None and not task.last_call:
                    register, summary = self._initialised(task, evidence)
                    made_by = attempt if register else made_by
        register = register or Register.fallback(task.question, self.parameters.most_requirements)
        told_so = {"summary": summary} if summary else {}
        _note(task, "register", made_by=made_by, **told_so, requirements=register.as_json())
        transcript.add(injected(register, summary))
        return register

    def _initialised(self, task: Task, evidence: str) -> tuple[Register | None, str]:
        """Ask for the register and return it with the summary of the evidence; None where the output holds none."""
        repairs = task.parse_repairs
        output = told(self.initialise, task, "requirements", question=task.question, evidence=evidence)
        reading = read_register(output.text)
        if reading is None:
            task.parse_repairs = repairs + 1
            _note(task, "register_unreadable")
            return None, ""
        register, violations = Register.initial(reading.entries, self.parameters.most_requirements)
        _note_violations(task, violations)
        return register, reading.summary

    def _updated(
        self,
        task: Task,
        tools: CorpusTools,
        transcript: Transcript,
        register: Register,
        read: Sequence[Passage],
        round: int,
    ) -> Register:
        """Return the register after a call that sees what was just read; the transcript tells what changed."""
        repairs = task.parse_repairs
        output = told(
            self.update,
            task,
            "changes",
            question=task.question,
            requirements=register.render(),
            new_evidence="\n".join(f"[{tools.number(one.id)}] {one.title}\n{one.text}" for one in read),
        )
        reading = read_register(output.text)
        if reading is None:
            task.parse_repairs = repairs + 1
            _note(task, "update_unreadable", round=round)
            return register
        retrieved = {str(tools.number(one.passage)): one.passage for one in task.returned}
        after, changes, violations = register.apply(reading.entries, retrieved)
        _note_violations(task, violations, round=round)
        _note(
            task,
            "update",
            round=round,
            read=[one.id for one in read],
            changes=[change.as_json() for change in changes],
            requirements=after.as_json(),
        )
        transcript.add(progress(after, changes))
        return after


def _stopped(task: Task, register: Register, round: int, answer: str, *, reminded: bool) -> dspy.Prediction:
    """Return the answer that the model gave while something is open; premature where it was told so before."""
    _note(task, "premature_stop" if reminded else "stop", round=round, open=_ids(register))
    return dspy.Prediction(answer=answer)


def _note_violations(task: Task, violations: Iterable[Violation], **values: Any) -> None:
    for violation in violations:
        _note(task, "register_violation", **values, **violation.as_json())


def _note(task: Task, step: str, **values: Any) -> None:
    task.trace.append({"step": step, **values})


def _ids(register: Register) -> list[str]:
    return [item.id for item in register.open]
