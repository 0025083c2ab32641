"""What a program is given: the question, the search it may use, and the notebook that ends up in its record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from leaderboard.benchmarks.questions import Question
from leaderboard.metrics.tokens import count_tokens, cut_tokens
from leaderboard.models import meter
from leaderboard.results.records import Returned, Shown
from leaderboard.retrieval.evidence import covered
from leaderboard.retrieval.keyword_sentence import KeywordSentenceLog
from leaderboard.retrieval.passages import Hit, Passage


class Rerank(Protocol):
    """What orders the hits of a search anew: a reranker's program."""

    def candidates(self, k: int) -> int:
        """Return how many passages it has to be given so that ``k`` come out."""
        ...

    def __call__(self, task: Task, query: str, hits: Sequence[Hit]) -> list[Hit]:
        """Return the same hits in a new order."""
        ...


class Search(Protocol):
    """A recorded retriever: query and k to hits, best first."""

    def search(self, query: str, k: int) -> Sequence[Hit]:
        """Return at most ``k`` hits."""
        ...


@dataclass(slots=True)
class Task:
    """One question in work. A program sees ``question`` and what it searches for; the gold only through ``gold``.

    ``returned`` and ``shown`` fill as the program searches and the model is asked; ``ready`` holds what is shown with the
    next call, which may never be made; ``read`` the documents opened in full; ``trace`` is the program's own notes.
    ``calls_per_question`` is the submission's limit; ``limited`` tells that a step was left out to keep to it.
    ``retriever`` or ``tools`` is what the system searches with.
    """

    asked: Question
    retriever: Search | None = None
    tools: KeywordSentenceLog | None = None
    gold_hits: Callable[[Question], Sequence[Hit]] | None = None
    rerank: Rerank | None = None
    calls_per_question: int | None = None
    returned: list[Returned] = field(default_factory=list)
    shown: list[Shown] = field(default_factory=list)
    ready: list[Shown] = field(default_factory=list)
    read: list[str] = field(default_factory=list)
    trace: list[dict[str, Any]] = field(default_factory=list)
    parse_repairs: int = 0
    limited: bool = False
    observed_tokens: int = 0

    @property
    def question(self) -> str:
        """The question's text."""
        return self.asked.text

    @property
    def calls_left(self) -> int | None:
        """How many calls the submission's limit leaves this question, None without a limit."""
        counted = meter.current()
        if self.calls_per_question is None:
            return None
        return max(0, self.calls_per_question - (len(counted.calls) if counted else 0))

    @property
    def last_call(self) -> bool:
        """Whether the next call is the last one the limit allows: it has to be the answer's (design § 2)."""
        return self.calls_left is not None and self.calls_left <= 1

    def search(self, query: str, k: int, *, round: int = 1) -> list[Passage]:
        """Return the k best passages for ``query`` and note what came, with rank, score and gold evidence in it."""
        hits = self._ranked(query, k)
        self.found(hits, query, round=round)
        return [hit.passage for hit in hits]

    def found(self, hits: Sequence[Hit], query: str, *, round: int, step: str = "search") -> None:
        """Note what a search, or another ``step`` of the program, brought."""
        self.returned += [
            Returned(
                passage=hit.passage.id,
                title=hit.passage.title,
                query=query,
                round=round,
                rank=rank,
                score=hit.score,
                evidence=covered(self.asked, hit.passage.document, hit.passage.text),
            )
            for rank, hit in enumerate(hits, start=1)
        ]
        passages = [hit.passage.id for hit in hits]
        self.trace.append({"step": step, "round": round, "query": query, "passages": passages})

    def _ranked(self, query: str, k: int) -> Sequence[Hit]:
        if self.retriever is None:
            raise ValueError("this system has no retriever: its program must not search")
        if self.rerank is not None and self.last_call:
            self.limited = True
        if self.rerank is None or self.limited:
            return self.retriever.search(query, k)
        found = self.retriever.search(query, self.rerank.candidates(k))
        return self.rerank(self, query, found)[:k] if len(found) > 1 else found

    def gold(self) -> list[Passage]:
        """Return the gold evidence in the benchmark's order, noted as returned: for reference programs only."""
        passages = [hit.passage for hit in self.gold_hits(self.asked)] if self.gold_hits else []
        self.returned += [
            Returned(p.id, p.title, "", 1, rank, 0.0, covered(self.asked, p.document, p.text))
            for rank, p in enumerate(passages, start=1)
        ]
        self.trace.append({"step": "gold", "round": 1, "passages": [passage.id for passage in passages]})
        return passages

    def show(self, passages: Sequence[Passage], budget: int) -> str:
        """Return the passages as one numbered text of at most ``budget`` ``words-1`` tokens of passage text.

        Filled in the given order, without repeats; the passage that does not fit is cut, and nothing follows it.
        A passage that several calls show is noted once, with the longest part shown.
        """
        blocks: list[str] = []
        left = budget
        seen: set[str] = set()
        for passage in passages:
            if passage.id in seen:
                continue
            seen.add(passage.id)
            size = count_tokens(passage.text)
            truncated = size > left
            text = cut_tokens(passage.text, left) if truncated else passage.text
            if not text:
                self.trace.append({"step": "context_truncated", "passage": passage.id, "tokens": 0})
                break
            tokens = count_tokens(text)
            evidence = covered(self.asked, passage.document, text)
            self.ready.append(Shown(passage.id, passage.title, tokens, truncated, evidence))
            blocks.append(f"[{len(blocks) + 1}] {passage.title}\n{text}")
            left -= tokens
            if truncated:
                self.trace.append({"step": "context_truncated", "passage": passage.id, "tokens": tokens})
                break
        return "\n\n".join(blocks)

    def observe(self, passage: Passage, text: str, *, truncated: bool = False) -> None:
        """Note that a tool brought ``text``, all of a passage or sentences of it, to the next call's prompt."""
        tokens = count_tokens(text)
        self.observed_tokens += tokens
        evidence = covered(self.asked, passage.document, text)
        self.ready.append(Shown(passage.id, passage.title, tokens, truncated, evidence))

    @property
    def retrieved_tokens(self) -> int:
        """``words-1`` tokens of what was shown: each passage once; of tools what each call brought (spec § 4.1)."""
        return self.observed_tokens or sum(shown.tokens for shown in self.shown)

    def saw(self) -> None:
        """Note that the model was asked: what was made ready for it stood before it."""
        for shown in self.ready:
            place = next(
                (i for i, earlier in enumerate(self.shown) if earlier.passage == shown.passage), None
            )
            if place is None:
                self.shown.append(shown)
            else:
                longer = max(self.shown[place], shown, key=lambda one: one.tokens)
                evidence = tuple(sorted({*self.shown[place].evidence, *shown.evidence}))
                self.shown[place] = replace(longer, evidence=evidence)
        self.ready.clear()
