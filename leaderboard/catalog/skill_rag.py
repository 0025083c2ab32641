"""Skill-RAG (surrogate prober): the parameters, with the trained numbers of its prober (spec § 4.6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from leaderboard.catalog.parameters import ProgramParameters

SKILLS = ("query_rewriting", "question_decomposition", "evidence_focusing", "exit")
"""What the router picks from."""

LARGEST_WEIGHT = 100.0
"""No weight of a prober lies further from 0: features lie in 0 to 1, so a larger one says nothing more."""

CALLS_A_ROUND = 3
"""What a further round costs: the router, the skill, the answer."""


class _Numbers(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False, defer_build=True)


def _weight(description: str) -> float:
    weight: float = Field(ge=-LARGEST_WEIGHT, le=LARGEST_WEIGHT, description=description)
    return weight


class BeforeRetrieval(_Numbers):
    """Gate 1: whether what the model knows by heart may be taken for the answer. Logistic regression."""

    intercept: float = _weight("Log-odds that the answer is right when every feature is 0.")
    self_consistency: float = _weight("Weight of the share of samples that say the same as the answer.")
    abstained: float = _weight("Weight of 1 for an answer that declines to answer.")


class AfterRetrieval(_Numbers):
    """Gate 2: whether the answer of a round may be taken. Logistic regression."""

    intercept: float = _weight("Log-odds that the answer is right when every feature is 0.")
    self_consistency: float = _weight("Weight of the share of closed-book samples that say the same.")
    abstained: float = _weight("Weight of 1 for an answer that declines to answer.")
    answer_in_evidence: float = _weight(
        "Weight of the share of the answer's words that stand in the evidence."
    )
    supported: float = _weight(
        "Weight of the share of the question's words in the best sentence that holds the answer."
    )
    top_score: float = _weight("Weight of the best passage's score s, as s / (s + score_scale).")
    margin: float = _weight("Weight of the gap between the two best scores, as a share of the best.")


class SurrogateProber(_Numbers):
    """A prober that sees only what a system of any model can see: texts and the retriever's scores.

    A prober on hidden states would be another ``kind``, with the layers and the classifier's numbers in its place; it
    needs an engine that hands out hidden states, which none does.
    """

    kind: Literal["black_box"] = Field(
        description="What the prober looks at: answers, evidence and scores, no hidden state."
    )
    score_scale: float = Field(
        gt=0, le=1e6, description="The retriever's score that counts half: the median best score in training."
    )
    before_retrieval: BeforeRetrieval = Field(description="Gate 1, before any retrieval.")
    after_retrieval: AfterRetrieval = Field(description="Gate 2, after each round of retrieval.")


class SkillRag(ProgramParameters):
    """Skill-RAG (surrogate prober): a prober decides whether an answer stands, a router which skill to try if not (spec § 4.6)."""

    kind: Literal["skill_rag"] = Field(description="The program's name in the catalog.")
    samples: int = Field(
        default=3, ge=2, le=10, description="Closed-book answers to draw for self-consistency, a call each."
    )
    sample_temperature: float = Field(
        default=0.7, gt=0, le=2, description="Sampling temperature of the closed-book answers."
    )
    max_rounds: int = Field(
        default=2,
        ge=1,
        le=10,
        description="Most rounds: the first searches with the question, each further one carries out a skill.",
    )
    passages: int = Field(
        default=3, ge=1, le=50, description="How many passages (or articles) each search brings."
    )
    sub_questions: int = Field(
        default=3, ge=2, le=10, description="Most searches of a round that decomposes the question."
    )
    context_tokens: int = Field(
        default=3000,
        ge=50,
        le=100_000,
        description="Budget of the shown passages in `words-1` tokens; those of the latest round first, the last one is cut.",
    )
    threshold: float = Field(
        default=0.5,
        ge=0,
        le=1,
        description="An answer stands when the prober's probability is at least this.",
    )
    prober: SurrogateProber = Field(
        description="The prober's trained numbers (python -m leaderboard.training)."
    )


_STATE = ("question", "evidence", "failed_answer")
_PREDICTORS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "remember": (("question",), ("answer",)),
    "answer": (("context", "question"), ("answer",)),
    "route": (_STATE, ("skill",)),
    "rewrite": (_STATE, ("query",)),
    "decompose": (("question",), ("sub_questions",)),
    "focus": (("question", "sentences"), ("numbers",)),
}


def predictors(_: SkillRag) -> Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return predictor name → (input fields, output fields)."""
    return _PREDICTORS


def calls(parameters: SkillRag) -> int:
    """Return the most calls a question can cost: the samples, the first answer, three a further round."""
    return parameters.samples + 1 + CALLS_A_ROUND * (parameters.max_rounds - 1)


def searches(parameters: SkillRag) -> int:
    """Return the most searches of a question: one, and in each further round one a sub-question."""
    return 1 + parameters.sub_questions * (parameters.max_rounds - 1)
