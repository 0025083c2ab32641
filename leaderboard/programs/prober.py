"""The surrogate prober of Skill-RAG (surrogate prober): features of an answer, and the probability that it is right.

The paper's prober reads the model's hidden states, which no endpoint hands out. This one is logistic regression on what
any model shows (spec § 4.6); every feature lies in 0 to 1. It asks no model and imports no dspy.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from leaderboard.catalog.skill_rag import AfterRetrieval, BeforeRetrieval
from leaderboard.metrics.abstention import is_abstention
from leaderboard.metrics.answers import holds_run
from leaderboard.metrics.final_answer import final_answer
from leaderboard.metrics.normalise import normalise_match

SHORTEST_CONTENT_WORD = 4
"""Letters of a question's word that counts for support: shorter ones are mostly "of", "did" and "who"."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True, slots=True)
class BeforeFeatures:
    """Gate 1: what the closed-book samples show of the answer that most of them give."""

    self_consistency: float
    abstained: float


@dataclass(frozen=True, slots=True)
class AfterFeatures:
    """Gate 2: the same, now for the answer from the evidence, with what evidence and retriever show of it."""

    self_consistency: float
    abstained: float
    answer_in_evidence: float
    supported: float
    top_score: float
    margin: float


@dataclass(frozen=True, slots=True)
class SearchScores:
    """A search's scores by the retriever, best first: with a reranker their order is another than the passages'."""

    scores: tuple[float, ...]

    @classmethod
    def of(cls, scores: Sequence[float]) -> SearchScores:
        """Return the scores in descending order."""
        return cls(tuple(sorted(scores, reverse=True)))

    def top(self, scale: float) -> float:
        """Return the best score s as s / (s + ``scale``), 0 without a score above 0.

        So a BM25 score, a cosine and a fused score all become a share, ½ where the best score is the scale.
        """
        best = self.scores[0] if self.scores else 0.0
        return best / (best + scale) if best > 0 else 0.0

    @property
    def margin(self) -> float:
        """How far the second score lies below the best one, as a share of it, at most 1: 1 for a single hit."""
        best, second = (*self.scores, 0.0, 0.0)[:2]
        return min(1.0, (best - second) / best) if best > 0 else 0.0


def before_retrieval(answer: str, samples: Sequence[str]) -> BeforeFeatures:
    """Return the features of gate 1, for the answer that ``consensus`` chose among the closed-book ``samples``."""
    return BeforeFeatures(agreement(answer, samples), _abstained(answer))


def after_retrieval(
    question: str,
    answer: str,
    samples: Sequence[str],
    evidence: str,
    searches: Sequence[SearchScores],
    score_scale: float,
) -> AfterFeatures:
    """Return the features of gate 2.

    ``evidence`` is the text that the answer was written from, ``searches`` are those of the latest round that searched;
    over several, the means of their scores and margins count.
    """
    return AfterFeatures(
        self_consistency=agreement(answer, samples),
        abstained=_abstained(answer),
        answer_in_evidence=answer_in_evidence(answer, evidence),
        supported=support(question, answer, evidence),
        top_score=_mean([search.top(score_scale) for search in searches]),
        margin=_mean([search.margin for search in searches]),
    )


def probability(weights: BeforeRetrieval | AfterRetrieval, features: BeforeFeatures | AfterFeatures) -> float:
    """Return 1 / (1 + exp(−z)), z the intercept and each feature times the weight of its name."""
    z = weights.intercept + sum(getattr(weights, name) * value for name, value in asdict(features).items())
    return 1 / (1 + math.exp(-z)) if z >= 0 else math.exp(z) / (1 + math.exp(z))


def consensus(samples: Sequence[str]) -> str:
    """Return the sample that most samples agree with, of equals the first; "" where all are empty."""
    return max(samples, key=lambda sample: agreement(sample, samples), default="")


def agreement(answer: str, samples: Sequence[str]) -> float:
    """Return the share of ``samples`` whose final answer equals that of ``answer``; an empty one agrees with none."""
    said = _words(answer)
    if not said or not samples:
        return 0.0
    return sum(_words(sample) == said for sample in samples) / len(samples)


def answer_in_evidence(answer: str, evidence: str) -> float:
    """Return the share of the final answer's words that stand anywhere in the evidence, 0 for an empty answer."""
    said = _words(answer)
    there = set(normalise_match(evidence).split())
    return sum(word in there for word in said) / len(said) if said else 0.0


def support(question: str, answer: str, evidence: str) -> float:
    """Return how much of the question the best sentence of the evidence that holds the whole answer takes up.

    It is the share of the question's words of four letters or more, those of the answer aside, that stand in that
    sentence; 0 where no sentence holds the answer, and where the question has no such word. No model is asked.
    """
    said = _words(answer)
    wanted = {word for word in normalise_match(question).split() if len(word) >= SHORTEST_CONTENT_WORD}
    wanted -= set(said)
    if not wanted:
        return 0.0
    sentences = (normalise_match(sentence).split() for sentence in split_sentences(evidence))
    held = (wanted & set(sentence) for sentence in sentences if holds_run(sentence, said))
    return max((len(found) / len(wanted) for found in held), default=0.0)


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text in order: they end with ``.``, ``!`` or ``?`` before white space, or with a line."""
    return [sentence.strip() for sentence in _SENTENCE_END.split(text) if sentence.strip()]


def _words(answer: str) -> list[str]:
    return normalise_match(final_answer(answer).text).split()


def _abstained(answer: str) -> float:
    return float(is_abstention(final_answer(answer).text))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
