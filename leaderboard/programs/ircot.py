"""IRCoT: retrieval interleaved with chain-of-thought reasoning (Trivedi et al. 2023; spec § 4.7)."""

from __future__ import annotations

import dspy

from leaderboard.catalog import reasoning as catalog
from leaderboard.metrics.queries import folded
from leaderboard.programs.answering import ask, told
from leaderboard.programs.lines import one_line, says_something
from leaderboard.programs.single_step import AnswerFromPassages
from leaderboard.programs.task import Task
from leaderboard.retrieval.chunking import sentences
from leaderboard.retrieval.passages import Passage

NOTHING_YET = "nothing yet"
CONCLUSION = "answer is"
"""What a sentence contains, in any letter case, that ends the chain."""


class WriteSentence(dspy.Signature):  # type: ignore[misc]
    """Reason step by step towards the answer of the question. Write only the next sentence: one new fact from the passages that the question needs. Never repeat a sentence. When the sentences hold all that is needed, write: So the answer is ..."""

    question: str = dspy.InputField()
    passages: str = dspy.InputField(desc="numbered passages")
    reasoning: str = dspy.InputField(desc="sentences so far")
    sentence: str = dspy.OutputField(desc="the next sentence")


class IRCoT(dspy.Module):  # type: ignore[misc]
    """The question brings the first passages. Then each call writes one sentence, and the sentence brings more.

    The chain ends with a sentence that contains "answer is", which is not searched for, with an empty or a repeated
    sentence, or after ``max_steps``: then the answer is forced. However it ended, the answer is a reader's, a call of
    its own that sees the collected passages alone, as in the paper. Only the first sentence of an output is taken.
    The first ``most_passages`` found are what sentences and reader see; later searches still count as returned.
    """

    def __init__(self, parameters: catalog.IRCoT) -> None:
        super().__init__()
        self.parameters = parameters
        self.write_sentence = dspy.Predict(WriteSentence)
        self.answer = dspy.Predict(AnswerFromPassages)

    def forward(self, task: Task) -> dspy.Prediction:
        """Return a prediction with the raw ``answer``, ``forced`` when a budget ended the chain."""
        found: dict[str, Passage] = {}
        ended, sentence = self._reason(task, found)
        task.trace.append(
            {"step": "chain_ended", "because": ended, **({"sentence": sentence} if sentence else {})}
        )
        context = task.show(list(found.values()), self.parameters.context_tokens)
        answer = ask(self.answer, task, context=context, question=task.question)
        return dspy.Prediction(answer=answer, forced=ended in ("max_steps", "calls_per_question"))

    def _reason(self, task: Task, found: dict[str, Passage]) -> tuple[str, str]:
        """Collect passages until the chain ends; return why it did, and the sentence that concluded it, if one did."""
        chain: list[str] = []
        self._collect(task, found, task.question, 1)
        for round in range(2, self.parameters.max_steps + 2):
            if task.last_call:
                task.limited = True
                return "calls_per_question", ""
            said = told(
                self.write_sentence,
                task,
                "sentence",
                question=task.question,
                passages=task.show(list(found.values()), self.parameters.context_tokens) or NOTHING_YET,
                reasoning="\n".join(chain) or NOTHING_YET,
            )
            sentence = first_sentence(said.text)
            if not sentence:
                return "no sentence", ""
            if CONCLUSION in folded(sentence):
                return CONCLUSION, sentence
            task.trace.append({"step": "sentence", "round": round, "written": [sentence]})
            if folded(sentence) in map(folded, chain):
                return "repeated sentence", ""
            chain.append(sentence)
            self._collect(task, found, sentence, round)
        return "max_steps", ""

    def _collect(self, task: Task, found: dict[str, Passage], query: str, round: int) -> None:
        for passage in task.search(query, self.parameters.passages_per_query, round=round):
            if len(found) < self.parameters.most_passages:
                found.setdefault(passage.id, passage)


def first_sentence(text: str) -> str:
    """Return the first sentence of ``text`` that has a letter or a digit, as one line, "" without any."""
    for span in sentences(text):
        sentence = one_line(text[span.start : span.end])
        if says_something(sentence):
            return sentence
    return ""
