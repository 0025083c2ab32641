"""The tables and fields of a submission. Their descriptions are the reference, the JSON Schema and the errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Strict
from pydantic_core import PydanticCustomError

from leaderboard.catalog.optimizers import Compile
from leaderboard.catalog.programs import Program
from leaderboard.catalog.rerankers import NoReranker, Reranker
from leaderboard.catalog.retrievers import Retriever
from leaderboard.manifest import CORE, KEYS

if TYPE_CHECKING:
    Benchmark = str
else:
    Benchmark = Literal[KEYS]

STEM_PATTERN = r"^[a-z0-9][a-z0-9-]{1,62}$"
MODEL_PATTERN = r"^[a-z0-9][a-z0-9-]{0,30}/[A-Za-z0-9][A-Za-z0-9._:/-]{0,90}$"
ADDRESS_PATTERN = r"^(https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[!-~]*)?)?$"

_JOINERS = str.maketrans("", "", "\u200c\u200d")  # some scripts and emoji can't be written without them


@dataclass(frozen=True, slots=True)
class Expected:
    """What an error says was expected of a field; of a ``secret`` field an error never shows what was found."""

    text: str
    secret: bool = False


def _one_line(text: str) -> str:
    if text != text.strip() or not text.translate(_JOINERS).isprintable():
        raise PydanticCustomError("one_line", "one line of printable text")
    return text


def each_once(items: tuple[str, ...]) -> tuple[str, ...]:
    """Return ``items``; refuse one that comes twice."""
    for index, item in enumerate(items):
        if item in items[:index]:
            raise PydanticCustomError(
                "each_once", "each item once", {"expected": "each item once", "found": item}
            )
    return items


def _line_of(most: int) -> Expected:
    return Expected(f"one line of 1 to {most} printable characters, no space around it")


Line = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_one_line), _line_of(100)]
Sentence = Annotated[str, Field(min_length=1, max_length=500), AfterValidator(_one_line), _line_of(500)]
Stem = Annotated[
    str,
    Field(pattern=STEM_PATTERN),
    Expected("the name of a submission in this folder, without .toml: 2 to 63 of a-z, 0-9 and -"),
]
ModelName = Annotated[
    str,
    Field(pattern=MODEL_PATTERN),
    Expected('a model of the board\'s list, such as "openai/gpt-4o-mini-2024-07-18"'),
]
WebAddress = Annotated[
    str,
    Field(pattern=ADDRESS_PATTERN, max_length=300),
    Expected('an address that starts with https:// or http://, or "" for none'),
]
Benchmarks = Annotated[
    tuple[Benchmark, ...], Strict(False), Field(min_length=1, max_length=len(KEYS)), AfterValidator(each_once)
]


class Table(BaseModel):
    """What every table has in common: unknown fields, NaN and infinities are errors, nothing is converted."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False, defer_build=True)


class System(Table):
    """Who made what. Of this table a fingerprint holds nothing but the benchmarks."""

    name: Line = Field(
        description="The system's name as the board shows it.",
        examples=["Multi-step retrieval with search planning"],
    )
    authors: Annotated[tuple[Line, ...], Strict(False)] = Field(
        min_length=1,
        max_length=50,
        description="Who to credit, one name an item.",
        examples=[["Ada Lovelace"]],
    )
    description: Sentence = Field(
        description="One sentence: what the system does.",
        examples=["BM25 finds two articles, one call answers."],
    )
    paper: WebAddress | None = Field(
        default=None,
        description='Address of the paper the system follows; "" where an inherited one does not fit.',
        examples=["https://arxiv.org/abs/2409.12941"],
    )
    benchmarks: Benchmarks = Field(
        default=CORE,
        description=f"The benchmarks to run on; {', '.join(CORE)} when left out.",
        examples=[["frames", "musique", "multihop_rag"]],
    )
    replaces: Stem | None = Field(
        default=None,
        description="The submission this one improves on, whose row it takes.",
        examples=["bm25-2-articles"],
    )
    based_on: Stem | None = Field(
        default=None,
        description="The submission whose authors, paper, benchmarks and other tables this one inherits.",
        examples=["bm25-2-articles"],
    )
    withdrawn: Sentence | None = Field(
        default=None,
        description="Why the system was withdrawn; its row becomes a line in the log.",
        examples=["The index held the questions."],
    )


class LanguageModel(Table):
    """Which language model answers, and how it samples."""

    model: ModelName = Field(
        description="A model of the board's list (leaderboard.toml).",
        examples=["embedded/qwen2.5-coder-0.5b"],
    )
    temperature: float = Field(
        default=0.0, ge=0, le=2, description="Sampling temperature, 0 for greedy decoding."
    )
    max_tokens: int = Field(
        default=256, ge=1, le=32768, description="Longest response in tokens of the model."
    )
    top_p: float | None = Field(
        default=None,
        gt=0,
        le=1,
        description="Nucleus sampling: keep tokens up to this share of the probability.",
    )


class Limits(Table):
    """What a question and a whole run may cost at most; the board's own ceilings hold as well."""

    calls_per_question: int | None = Field(
        default=None,
        ge=1,
        le=1000,
        description="Most model calls a question; the last one is kept for the answer.",
    )
    usd_total: float | None = Field(
        default=None, ge=0, le=1_000_000, description="Most US dollars for all benchmarks together."
    )


class SubmissionDocument(Table):
    """A system of the multi-hop RAG leaderboard: who made it, model, retriever, program, optimizer, limits."""

    system: System = Field(description="Who made what.")
    lm: LanguageModel | None = Field(
        default=None,
        description="Which language model answers, and how it samples; left out where the program asks none.",
    )
    retriever: Retriever = Field(
        description="How documents are found: a kind of the catalog and its parameters."
    )
    reranker: Reranker = Field(
        default_factory=NoReranker.model_construct,
        description="What orders the found passages anew: a kind of the catalog and its parameters; none when left out.",
    )
    program: Program = Field(
        description="How the question is answered: a kind of the catalog and its parameters."
    )
    compile: Compile | None = Field(
        default=None,
        description="How the program's prompts are learnt: an optimizer of the catalog and its parameters; never inherited.",
    )
    limits: Limits = Field(
        default_factory=Limits, description="What a question and a whole run may cost at most."
    )

    @property
    def model(self) -> str:
        """The name of the model that answers, "" where the program asks none."""
        return self.lm.model if self.lm else ""
