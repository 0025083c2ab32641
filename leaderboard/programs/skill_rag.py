"""Skill-RAG (surrogate prober): gates that judge an answer, and a router that picks what to try when one fails.

After Wei et al. 2026 (spec § 4.6), with a prober on what any model shows in the place of one on hidden states.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import partial

import dspy

from leaderboard.catalog import skill_rag as catalog
from leaderboard.metrics.final_answer import final_answer
from leaderboard.metrics.tokens import count_tokens
from leaderboard.programs import prober, skills
from leaderboard.programs.answering import Unparsed, ask, told
from leaderboard.programs.closed_book import AnswerFromMemory
from leaderboard.programs.lines import MOST_CHARACTERS, items
from leaderboard.programs.single_step import AnswerFromPassages
from leaderboard.programs.task import Task
from leaderboard.retrieval.passages import Passage

NO_ANSWER = "none"
NO_EVIDENCE = "none"

_PASSAGE_NUMBER = re.compile(r"^\[\d+\] ", re.MULTILINE)


@dataclass(slots=True)
class _State:
    """How far a question is: closed-book samples, passages (the latest round's first), the last answer given."""

    samples: list[str] = field(default_factory=list)
    found: list[Passage] = field(default_factory=list)
    searches: list[prober.SearchScores] = field(default_factory=list)
    answer: str = ""
    unparsed: Unparsed | None = None


class SkillRag(dspy.Module):  # type: ignore[misc]
    """Skill-RAG (surrogate prober).

    Gate 1 judges what the model says by heart, from samples; gate 2 the answer of each round. The first round searches
    with the question, each further one carries out the skill that the router picked. A round is begun only when the
    submission's limit of calls lets it end with an answer.
    """

    def __init__(self, parameters: catalog.SkillRag) -> None:
        super().__init__()
        self.parameters = parameters
        self.remember = dspy.Predict(AnswerFromMemory)
        self.answer = dspy.Predict(AnswerFromPassages)
        self.route = dspy.Predict(skills.RouteSkill)
        self.rewrite = dspy.Predict(skills.RewriteQuery)
        self.decompose = dspy.Predict(skills.decompose_question(parameters.sub_questions))
        self.focus = dspy.Predict(skills.FocusEvidence)

    def forward(self, task: Task) -> dspy.Prediction:
        """Return a prediction with the raw ``answer``: the accepted one, or at the router's exit the last one.

        ``forced`` where ``max_rounds`` or the submission's limit of calls ended it before that. Raises ``Unparsed``
        when no round said anything.
        """
        state = _State()
        if self._sample(task, state) and self._accepts_before(task, state):
            return dspy.Prediction(answer=state.answer)
        state.answer = ""
        for round in range(1, self.parameters.max_rounds + 1):
            skill = self._skill(task, state, round)
            if skill is None:
                break
            if skill == "exit":
                return self._ended(state, forced=False)
            context = self._carry_out(skill, task, state, round)
            said = self._answer(task, state, context)
            if self._accepts_after(task, state, round, said, context):
                return self._ended(state, forced=False)
        return self._ended(state, forced=True)

    def _sample(self, task: Task, state: _State) -> bool:
        """Draw the closed-book answers; return False where the limit of calls left one out: then gate 1 is too."""
        for number in range(1, self.parameters.samples + 1):
            if task.last_call:
                task.limited = True
                break
            # A rollout of its own makes each sample a draw, and a recorded call, of its own.
            config = {"temperature": self.parameters.sample_temperature, "rollout_id": number}
            try:
                said = ask(partial(self.remember, config=config), task, question=task.question)
            except Unparsed as error:
                said, state.unparsed = "", error
            state.samples.append(said)
        task.trace.append({"step": "samples", "answers": list(state.samples)})
        return len(state.samples) == self.parameters.samples

    def _accepts_before(self, task: Task, state: _State) -> bool:
        state.answer = prober.consensus(state.samples)
        features = prober.before_retrieval(state.answer, state.samples)
        chance = prober.probability(self.parameters.prober.before_retrieval, features)
        return self._gate(task, "before_retrieval", 0, state.answer, features, chance)

    def _accepts_after(self, task: Task, state: _State, round: int, said: str, context: str) -> bool:
        features = prober.after_retrieval(
            task.question,
            said,
            state.samples,
            _PASSAGE_NUMBER.sub("", context),
            state.searches,
            self.parameters.prober.score_scale,
        )
        chance = prober.probability(self.parameters.prober.after_retrieval, features)
        return self._gate(task, "after_retrieval", round, said, features, chance)

    def _gate(
        self,
        task: Task,
        gate: str,
        round: int,
        answer: str,
        features: prober.BeforeFeatures | prober.AfterFeatures,
        chance: float,
    ) -> bool:
        """Note what the prober saw and decided. An empty answer never stands."""
        accepted = bool(answer) and chance >= self.parameters.threshold
        task.trace.append(
            {
                "step": "gate",
                "round": round,
                "gate": gate,
                "answer": answer,
                "features": asdict(features),
                "probability": chance,
                "threshold": self.parameters.threshold,
                "accepted": accepted,
            }
        )
        return accepted

    def _answer(self, task: Task, state: _State, context: str) -> str:
        """Return this round's answer, "" for an output without one: then the one of an earlier round stays."""
        try:
            said = ask(self.answer, task, context=context, question=task.question)
        except Unparsed as error:
            state.unparsed = error
            return ""
        state.answer = said
        return said

    def _ended(self, state: _State, *, forced: bool) -> dspy.Prediction:
        if not state.answer:
            raise state.unparsed or Unparsed("")
        return dspy.Prediction(answer=state.answer, forced=forced)

    def _skill(self, task: Task, state: _State, round: int) -> str | None:
        """Return what the round does: "" for the search with the question, else what the router says.

        None where the calls left don't reach for router, skill and answer. An output that isn't just one skill's name
        is counted in ``task.parse_repairs``: the first that it names is taken, and ``query_rewriting`` where it names
        none.
        """
        if round == 1:
            return ""
        if task.calls_left is not None and task.calls_left < catalog.CALLS_A_ROUND:
            task.limited = True
            return None
        repairs = task.parse_repairs
        said = told(self.route, task, "skill", **self._failure(task, state)).text
        chosen = skills.chosen_skill(said)
        if not chosen.exact:
            task.parse_repairs = repairs + 1
        task.trace.append(
            {"step": "route", "round": round, "said": said[:MOST_CHARACTERS], "skill": chosen.skill}
        )
        return chosen.skill

    def _failure(self, task: Task, state: _State) -> dict[str, str]:
        return {
            "question": task.question,
            "evidence": task.show(state.found, self.parameters.context_tokens) or NO_EVIDENCE,
            "failed_answer": final_answer(state.answer).text or NO_ANSWER,
        }

    def _carry_out(self, skill: str, task: Task, state: _State, round: int) -> str:
        """Carry out the round's skill; return the context that the answer is written from."""
        if skill == "evidence_focusing":
            return self._focused(task, state, round)
        if skill == "query_rewriting":
            said = told(self.rewrite, task, "query", **self._failure(task, state))
            self._search(task, state, round, items(said.text)[:1])
        elif skill == "question_decomposition":
            said = told(self.decompose, task, "sub_questions", question=task.question)
            self._search(task, state, round, items(said.text)[: self.parameters.sub_questions])
        else:
            self._search(task, state, round, None)
        return task.show(state.found, self.parameters.context_tokens)

    def _search(self, task: Task, state: _State, round: int, written: Sequence[str] | None) -> None:
        """Search with what a skill wrote, and with the question where it wrote nothing, or ``written`` is None.

        What comes stands before what was found earlier, the best of each search first.
        """
        queries = written or [task.question]
        if written is not None:
            task.trace.append(
                {"step": "queries", "round": round, "written": list(written), "asked": list(queries)}
            )
        state.searches = []
        lists: list[list[Passage]] = []
        for query in queries:
            before = len(task.returned)
            lists.append(task.search(query, self.parameters.passages, round=round))
            state.searches.append(
                prober.SearchScores.of([returned.score for returned in task.returned[before:]])
            )
        by_rank = [
            passages[rank]
            for rank in range(self.parameters.passages)
            for passages in lists
            if rank < len(passages)
        ]
        state.found = list({passage.id: passage for passage in [*by_rank, *state.found]}.values())

    def _focused(self, task: Task, state: _State, round: int) -> str:
        """Return the sentences that the model chose, below their titles; all where it names none of the numbers.

        Numbers that no sentence has are passed over; an output that names none is counted in ``task.parse_repairs``.
        """
        sentences = self._sentences(task, state)
        repairs = task.parse_repairs
        text = skills.numbered(sentences) or NO_EVIDENCE
        said = told(self.focus, task, "numbers", question=task.question, sentences=text)
        kept = skills.chosen_sentences(said.text, sentences)
        if not kept:
            task.parse_repairs = repairs + 1
            kept = sentences
        task.trace.append({"step": "focus", "round": round, "kept": [sentence.text for sentence in kept]})
        return skills.context(kept)

    def _sentences(self, task: Task, state: _State) -> list[skills.Sentence]:
        """Return the sentences of what fits the budget, and make it ready to be shown."""
        left = self.parameters.context_tokens
        sentences: list[skills.Sentence] = []
        for place, passage in enumerate(state.found):
            block = task.show([passage], left)
            if not block:
                break
            text = block.removeprefix(f"[1] {passage.title}\n")
            left -= count_tokens(text)
            sentences += [skills.Sentence(place, passage.title, s) for s in prober.split_sentences(text)]
        return sentences
