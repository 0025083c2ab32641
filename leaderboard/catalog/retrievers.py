"""The retrievers a submission can name, and their parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from leaderboard.catalog.encoders import DEFAULT_ENCODER

Unit = Literal["article", "passage"]
Stemmer = Literal["english", "porter", "none"]
StopWords = Literal["english", "none"]
EncoderName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]{0,90}$")]


class RetrieverParameters(BaseModel):
    """What every retriever's table has. Unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False, defer_build=True)


class NoRetriever(RetrieverParameters):
    """No retrieval: for programs that answer from the model alone."""

    kind: Literal["none"] = Field(description="The retriever's name in the catalog.")


class Gold(RetrieverParameters):
    """The question's gold evidence, in the benchmark's order: a reference, not a system."""

    kind: Literal["gold"] = Field(description="The retriever's name in the catalog.")


class Indexed(RetrieverParameters):
    """What every retriever over an index of the corpus has: the unit it returns, and how articles are cut into it."""

    unit: Unit = Field(
        default="passage", description="What is retrieved: whole articles or passages of them."
    )
    chunk_tokens: int = Field(
        default=256,
        ge=16,
        le=4096,
        description="Longest passage in `words-1` tokens, cut on sentence borders.",
    )
    overlap_tokens: int = Field(
        default=0,
        ge=0,
        le=2048,
        description="Whole sentences of the passage before that a passage begins with, in `words-1` tokens at most; "
        "less than half of chunk_tokens.",
    )


class Lexical(Indexed):
    """What BM25 takes, alone or as one half of a hybrid."""

    k1: float = Field(default=0.9, gt=0, le=10, description="BM25's term-frequency saturation.")
    b: float = Field(default=0.4, ge=0, le=1, description="BM25's length normalisation, 0 for none.")
    stemmer: Stemmer = Field(default="english", description="Snowball stemmer of the words BM25 compares.")
    stop_words: StopWords = Field(default="english", description="Words that BM25 leaves out.")


class BM25(Lexical):
    """Okapi BM25 over title and text, English stop words, Snowball stemmer, deterministic order (−score, id)."""

    kind: Literal["bm25"] = Field(description="The retriever's name in the catalog.")


class Dense(Indexed):
    """Cosine of embeddings of the query and of title and text, exact search, deterministic order (−score, id)."""

    kind: Literal["dense"] = Field(description="The retriever's name in the catalog.")
    encoder: EncoderName = Field(
        default=DEFAULT_ENCODER,
        description="The encoder: built in, or one of the board's list (leaderboard.toml).",
        examples=[DEFAULT_ENCODER],
    )


class Hybrid(Lexical):
    """BM25 and dense, each with its own ranking, joined by reciprocal-rank fusion (Cormack et al. 2009)."""

    kind: Literal["hybrid"] = Field(description="The retriever's name in the catalog.")
    encoder: EncoderName = Field(
        default=DEFAULT_ENCODER,
        description="The encoder: built in, or one of the board's list (leaderboard.toml).",
        examples=[DEFAULT_ENCODER],
    )
    rrf_k: int = Field(
        default=60, ge=1, le=1000, description="Fusion constant: each ranking gives 1/(rrf_k + rank)."
    )
    depth: int = Field(
        default=100, ge=1, le=1000, description="How deep each ranking is read for the fusion."
    )


class KeywordSentence(Indexed):
    """Two searches over the same passages, for programs that choose between them as tools (A-RAG, spec § 4.4).

    By keywords: how often each stands in a passage, times its length. By meaning: the cosine of the query and single
    sentences; a passage counts as much as its best one.
    """

    kind: Literal["keyword_sentence"] = Field(description="The retriever's name in the catalog.")
    encoder: EncoderName = Field(
        default=DEFAULT_ENCODER,
        description="The encoder of the sentences: built in, or one of the board's list (leaderboard.toml).",
        examples=[DEFAULT_ENCODER],
    )


Retriever = Annotated[
    NoRetriever | Gold | BM25 | Dense | Hybrid | KeywordSentence, Field(discriminator="kind")
]


@dataclass(frozen=True, slots=True)
class RetrieverEntry:
    """A row of the catalog. ``revision`` is raised by hand when what a retriever returns changes."""

    parameters: type[RetrieverParameters]
    revision: int


RETRIEVERS: Mapping[str, RetrieverEntry] = {
    "none": RetrieverEntry(NoRetriever, 1),
    "gold": RetrieverEntry(Gold, 1),
    "bm25": RetrieverEntry(BM25, 1),
    "dense": RetrieverEntry(Dense, 1),
    "hybrid": RetrieverEntry(Hybrid, 1),
    "keyword_sentence": RetrieverEntry(KeywordSentence, 1),
}

INDEXED: tuple[str, ...] = ("bm25", "dense", "hybrid")
"""The retrievers that rank the passages of an index for a query."""

TOOLS: tuple[str, ...] = ("keyword_sentence",)
"""The retrievers that a program uses as tools."""
