"""Self-Ask: follow-up questions one at a time, each answered by a search (Press et al. 2022; spec § 4.7)."""

from __future__ import annotations

import re

import dspy

from leaderboard.catalog import reasoning as catalog
from leaderboard.metrics.final_answer import final_answer
from leaderboard.metrics.queries import folded
from leaderboard.programs.answering import ask, told
from leaderboard.programs.lines import items, one_line
from leaderboard.programs.single_step import AnswerFromPassages
from leaderboard.programs.task import Task

NOTHING_YET = "nothing yet"
UNKNOWN = "unknown"

_LABEL = re.compile(
    r"^\W*(?:are follow[- ]?up questions needed(?: here)?\W*(?:yes\b)?"
    r"|(?:next )?(?:follow[- ]?up(?: question)?|question)(?: \d+)?\s*:)\W*",
    re.IGNORECASE,
)
_NOT_NEEDED = re.compile(
    r"(?:no|none|n/a|nothing|not needed)\W*$"
    r"|(?:no|none|nothing)\b[^?]*\b(?:follow|further|more|else|needed|necessary)\b[^?]*$"
    r"|(?:so )?(?:the )?final answer\b",
    re.IGNORECASE,
)


class AskFollowUp(dspy.Signature):  # type: ignore[misc]
    """Write the next simpler question that has to be answered before the question can be answered. It begins with Who, What, When, Where or Which, asks for one fact, and names what it is about. Never ask again what is answered: use the names in the answers so far. If nothing more is needed, write: none"""

    question: str = dspy.InputField()
    answered: str = dspy.InputField(desc="follow-up questions answered so far")
    follow_up: str = dspy.OutputField(desc="one question, or: none")


class AnswerFromFollowUps(dspy.Signature):  # type: ignore[misc]
    """Answer the question with a name, a number, a date, yes or no, using the follow-up questions and their answers. Give the answer only, no explanation. If it cannot be known, answer: Insufficient information."""

    question: str = dspy.InputField()
    answered: str = dspy.InputField(desc="follow-up questions and their answers")
    answer: str = dspy.OutputField(desc="a few words at most")


class SelfAsk(dspy.Module):  # type: ignore[misc]
    """One call says whether a follow-up question is needed, and asks it; another answers it from passages found for it.

    The chain ends when the model needs no follow-up question, writes none, or repeats one; after ``max_follow_ups`` the
    answer is forced. The answer's call sees the follow-up questions with their answers and no passage: nothing but the
    chain carries evidence on, as in the paper. An answer that comes back empty is "unknown" in the chain.
    """

    def __init__(self, parameters: catalog.SelfAsk) -> None:
        super().__init__()
        self.parameters = parameters
        self.ask_follow_up = dspy.Predict(AskFollowUp)
        self.answer_follow_up = dspy.Predict(AnswerFromPassages)
        self.answer = dspy.Predict(AnswerFromFollowUps)

    def forward(self, task: Task) -> dspy.Prediction:
        """Return a prediction with the raw ``answer``, ``forced`` when a budget ended the chain."""
        answered: list[str] = []
        ended = self._chain(task, answered)
        task.trace.append({"step": "chain_ended", "because": ended})
        answer = ask(self.answer, task, question=task.question, answered=_text(answered))
        return dspy.Prediction(answer=answer, forced=ended in ("max_follow_ups", "calls_per_question"))

    def _chain(self, task: Task, answered: list[str]) -> str:
        """Fill ``answered``, a text for each follow-up question, and return why the chain ended."""
        asked: set[str] = set()
        for round in range(1, self.parameters.max_follow_ups + 1):
            if task.last_call:
                return _limited(task)
            said = told(
                self.ask_follow_up, task, "follow_up", question=task.question, answered=_text(answered)
            )
            question = follow_up(said.text)
            if not question:
                return "no follow-up question"
            task.trace.append({"step": "follow_up", "round": round, "written": [question]})
            if folded(question) in asked:
                return "repeated follow-up question"
            asked.add(folded(question))
            answer = self._answered(task, question, round)
            if answer is None:
                return _limited(task)
            answered.append(f"Follow up: {question}\nIntermediate answer: {answer or UNKNOWN}")
        return "max_follow_ups"

    def _answered(self, task: Task, question: str, round: int) -> str | None:
        """Return the answer to a follow-up question, None where the last call has to be kept: the search may cost one."""
        passages = (
            []
            if task.last_call
            else task.search(question, self.parameters.passages_per_question, round=round)
        )
        if task.last_call:
            return None
        context = task.show(passages, self.parameters.context_tokens)
        said = told(self.answer_follow_up, task, "answer", context=context, question=question)
        answer = one_line(final_answer(said.text).text)
        task.trace.append({"step": "intermediate_answer", "round": round, "answer": answer})
        return answer


def follow_up(text: str) -> str:
    """Return the follow-up question that an output asks, "" where it says that none is needed, or says nothing."""
    for line in text.splitlines():
        question = next(iter(items(_LABEL.sub("", line))), "")
        if _NOT_NEEDED.match(question):
            return ""
        if question:
            return question
    return ""


def _limited(task: Task) -> str:
    task.limited = True
    return "calls_per_question"


def _text(answered: list[str]) -> str:
    return "\n".join(answered) or NOTHING_YET
