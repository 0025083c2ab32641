"""The programs a submission can name: parameters, predictors, how many calls a question can cost, where the code is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class ProgramParameters(BaseModel):
    """What every program's table has: its kind. Unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False, defer_build=True)


class ClosedBook(ProgramParameters):
    """Ask the model without showing it any document: what it knows by heart."""

    kind: Literal["closed_book"] = Field(description="The program's name in the catalog.")


class SingleStep(ProgramParameters):
    """Retrieve once with the question as the query, show what came, and ask for the answer (spec § 4.2)."""

    kind: Literal["single_step"] = Field(description="The program's name in the catalog.")
    passages: int = Field(
        default=5, ge=1, le=50, description="How many passages (or articles) to retrieve and show."
    )
    context_tokens: int = Field(
        default=3000,
        ge=50,
        le=100_000,
        description="Budget of the shown passages in `words-1` tokens; filled in order of retrieval, the last one is cut.",
    )


class GoldContext(ProgramParameters):
    """Show the gold evidence and ask for the answer: the ceiling a retriever can reach, a reference row."""

    kind: Literal["gold_context"] = Field(description="The program's name in the catalog.")
    context_tokens: int = Field(
        default=3000,
        ge=50,
        le=100_000,
        description="Budget of the shown passages in `words-1` tokens; filled in the order of the gold, the last one is cut.",
    )


Program = Annotated[ClosedBook | SingleStep | GoldContext, Field(discriminator="kind")]


@dataclass(frozen=True, slots=True)
class ProgramEntry:
    """A row of the catalog.

    ``predictors`` maps each dspy predictor's name to its input and output fields; ``calls`` bounds the model calls
    a question can cost; ``revision`` is raised by hand when the requests a program sends change; ``module`` is
    ``"module:Class"``, resolved only when the program runs; ``reference`` rows are shown, never ranked.
    """

    parameters: type[ProgramParameters]
    predictors: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]
    calls: Callable[[Any], int]
    revision: int
    module: str
    retrievers: tuple[str, ...]
    reference: bool = False


PROGRAMS: Mapping[str, ProgramEntry] = {
    "closed_book": ProgramEntry(
        parameters=ClosedBook,
        predictors={"answer": (("question",), ("answer",))},
        calls=lambda _: 1,
        revision=1,
        module="leaderboard.programs.closed_book:ClosedBook",
        retrievers=("none",),
    ),
    "single_step": ProgramEntry(
        parameters=SingleStep,
        predictors={"answer": (("context", "question"), ("answer",))},
        calls=lambda _: 1,
        revision=1,
        module="leaderboard.programs.single_step:SingleStep",
        retrievers=("bm25",),
    ),
    "gold_context": ProgramEntry(
        parameters=GoldContext,
        predictors={"answer": (("context", "question"), ("answer",))},
        calls=lambda _: 1,
        revision=1,
        module="leaderboard.programs.gold_context:GoldContext",
        retrievers=("gold",),
        reference=True,
    ),
}
