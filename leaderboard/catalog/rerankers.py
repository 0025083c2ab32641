"""The rerankers a submission can put between its retriever and its program, and their parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class RerankerParameters(BaseModel):
    """What every reranker's table has. Unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False, defer_build=True)


class NoReranker(RerankerParameters):
    """Passages stay in the retriever's order."""

    kind: Literal["none"] = Field(default="none", description="The reranker's name in the catalog.")


class LMListwise(RerankerParameters):
    """The language model orders the candidates of each search in one call (listwise, as in Sun et al. 2023, RankGPT)."""

    kind: Literal["lm_listwise"] = Field(description="The reranker's name in the catalog.")
    candidates: int = Field(
        default=10, ge=2, le=50, description="How many passages the retriever brings for it to order."
    )
    passage_tokens: int = Field(
        default=64, ge=8, le=512, description="How much of each candidate it sees, in `words-1` tokens."
    )


Reranker = Annotated[NoReranker | LMListwise, Field(discriminator="kind")]


@dataclass(frozen=True, slots=True)
class RerankerEntry:
    """A row of the catalog. ``calls`` is what each search costs in model calls; ``revision`` is raised by hand.

    ``predictors`` maps the dspy predictor's name, below ``reranker.``, to its input and output fields; ``module`` is
    "module:Class", "" for none.
    """

    parameters: type[RerankerParameters]
    predictors: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]
    calls: int
    revision: int
    module: str = ""


RERANKERS: Mapping[str, RerankerEntry] = {
    "none": RerankerEntry(NoReranker, {}, calls=0, revision=1),
    "lm_listwise": RerankerEntry(
        LMListwise,
        {"rank": (("passages", "question"), ("ranking",))},
        calls=1,
        revision=1,
        module="leaderboard.programs.reranking:Listwise",
    ),
}
