"""Programs whose model calls tools: their parameters."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, Strict
from pydantic_core import PydanticCustomError

from leaderboard.catalog.parameters import ProgramParameters

Tool = Literal["keyword_search", "semantic_search", "read_chunk"]
CALLS_PER_STEP = 4
"""Most calls of one step that are carried out."""
_EXPECTED = "each tool once, and a search among them"


def _usable(tools: tuple[Tool, ...]) -> tuple[Tool, ...]:
    if len(set(tools)) < len(tools) or set(tools) <= {"read_chunk"}:
        raise PydanticCustomError("tools", _EXPECTED, {"expected": _EXPECTED, "found": ", ".join(tools)})
    return tools


class ToolLoop(ProgramParameters):
    """What every loop of tool calls has: its budgets."""

    max_loops: int = Field(
        default=15, ge=1, le=50, description="Most steps; then a last call without tools answers."
    )
    token_budget: int = Field(
        default=128_000,
        ge=50,
        le=1_000_000,
        description="Most `words-1` tokens of steps and what they brought; then a last call without tools answers.",
    )


class CorpusLoop(ToolLoop):
    """A loop over the tools of A-RAG: what it can call, and how much a search brings."""

    tools: Annotated[tuple[Tool, ...], Strict(False), AfterValidator(_usable)] = Field(
        default=("keyword_search", "semantic_search", "read_chunk"),
        min_length=1,
        max_length=3,
        description="The tools that the model can call. Without `read_chunk` the searches give whole chunks.",
    )
    top_k: int = Field(
        default=5, ge=1, le=20, description="How many chunks a search brings unless the model says so."
    )


class ARAG(CorpusLoop):
    """The model searches by keywords and by meaning and reads chunks, as it decides (A-RAG, spec § 4.4)."""

    kind: Literal["a_rag"] = Field(description="The program's name in the catalog.")


class ExecutionRAG(CorpusLoop):
    """A-RAG under a register of requirements: what is still open, what is answered, by which chunk (spec § 4.5)."""

    kind: Literal["execution_rag"] = Field(description="The program's name in the catalog.")
    seed_passages: int = Field(
        default=5, ge=1, le=20, description="How many chunks the first search, with the question, brings."
    )
    initialise: bool = Field(
        default=True,
        description="Whether the model sets up the register from the question and the first search; without, the question is its one item.",
    )
    progress: bool = Field(
        default=True,
        description="Whether the register is updated after chunks were read; without, the model's first answer counts.",
    )
    most_requirements: int = Field(
        default=8, ge=1, le=8, description="Most items of the register, closed ones counted."
    )


class ReAct(ToolLoop):
    """The model thinks, searches and sees what came, in turns, with the retriever as its one tool (ReAct, spec § 4.7)."""

    kind: Literal["react"] = Field(description="The program's name in the catalog.")
    passages_per_search: int = Field(default=3, ge=1, le=20, description="How many passages a search brings.")
