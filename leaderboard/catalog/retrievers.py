"""The retrievers a submission can name, and their parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Unit = Literal["article", "passage"]


class RetrieverParameters(BaseModel):
    """What every retriever's table has. Unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False, defer_build=True)


class NoRetriever(RetrieverParameters):
    """No retrieval: for programs that answer from the model alone."""

    kind: Literal["none"] = Field(description="The retriever's name in the catalog.")


class Gold(RetrieverParameters):
    """The question's gold evidence, in the benchmark's order: a reference, not a system."""

    kind: Literal["gold"] = Field(description="The retriever's name in the catalog.")


class BM25(RetrieverParameters):
    """Okapi BM25 over title and text, English stop words, Snowball stemmer, deterministic order (−score, id)."""

    kind: Literal["bm25"] = Field(description="The retriever's name in the catalog.")
    unit: Unit = Field(
        default="passage", description="What is retrieved: whole articles or passages of them."
    )
    chunk_tokens: int = Field(
        default=256,
        ge=16,
        le=4096,
        description="Longest passage in `words-1` tokens, cut on sentence borders.",
    )
    k1: float = Field(default=0.9, gt=0, le=10, description="Term-frequency saturation.")
    b: float = Field(default=0.4, ge=0, le=1, description="Length normalisation, 0 for none.")


Retriever = Annotated[NoRetriever | Gold | BM25, Field(discriminator="kind")]


@dataclass(frozen=True, slots=True)
class RetrieverEntry:
    """A row of the catalog. ``revision`` is raised by hand when what a retriever returns changes."""

    parameters: type[RetrieverParameters]
    revision: int


RETRIEVERS: Mapping[str, RetrieverEntry] = {
    "none": RetrieverEntry(NoRetriever, 1),
    "gold": RetrieverEntry(Gold, 1),
    "bm25": RetrieverEntry(BM25, 1),
}
