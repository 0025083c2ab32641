"""Parameters of the programs that reason in steps, or take a question apart, and search for each part (spec § 4.7)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from leaderboard.catalog.parameters import ProgramParameters


class IRCoT(ProgramParameters):
    """IRCoT: each sentence of the model's reasoning is the next query; a reader answers from what came (spec § 4.7)."""

    kind: Literal["ircot"] = Field(description="The program's name in the catalog.")
    passages_per_query: int = Field(
        default=3,
        ge=1,
        le=50,
        description="How many passages (or articles) the question and each sentence bring.",
    )
    max_steps: int = Field(
        default=4, ge=1, le=9, description="Most sentences of reasoning, one call of the model each."
    )
    most_passages: int = Field(
        default=15, ge=1, le=100, description="Most passages that are collected; the first ones found stay."
    )
    context_tokens: int = Field(
        default=3000,
        ge=50,
        le=100_000,
        description="Budget of the shown passages in `words-1` tokens; filled in order of retrieval, the last one is cut.",
    )


class SelfAsk(ProgramParameters):
    """Self-Ask: one follow-up question at a time, each answered from its own passages, then the answer (spec § 4.7)."""

    kind: Literal["self_ask"] = Field(description="The program's name in the catalog.")
    max_follow_ups: int = Field(
        default=3,
        ge=1,
        le=10,
        description="Most follow-up questions, two calls of the model each: one asks it, one answers it.",
    )
    passages_per_question: int = Field(
        default=3, ge=1, le=50, description="How many passages (or articles) each follow-up question brings."
    )
    context_tokens: int = Field(
        default=3000,
        ge=50,
        le=100_000,
        description="Budget of the passages shown for one follow-up question in `words-1` tokens; the last one is cut.",
    )


class Decomposition(ProgramParameters):
    """Decomposition: split the question once, search for every part and the whole, merge, answer (spec § 4.7)."""

    kind: Literal["decomposition"] = Field(description="The program's name in the catalog.")
    sub_questions: int = Field(
        default=3, ge=1, le=10, description="Most questions that the question is split into."
    )
    passages_per_question: int = Field(
        default=3,
        ge=1,
        le=50,
        description="How many passages (or articles) the question and each part of it bring.",
    )
    merge: Literal["best_rank", "rrf"] = Field(
        default="best_rank",
        description="How the lists become one: by each passage's best rank, or by reciprocal-rank fusion.",
    )
    most_passages: int = Field(
        default=15, ge=1, le=100, description="Most passages of the merged list that are kept."
    )
    context_tokens: int = Field(
        default=3000,
        ge=50,
        le=100_000,
        description="Budget of the shown passages in `words-1` tokens; filled in merged order, the last one is cut.",
    )
