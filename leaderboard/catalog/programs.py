"""The programs a submission can name: parameters, predictors, how many calls a question can cost, where the code is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from leaderboard.catalog import skill_rag
from leaderboard.catalog.parameters import ProgramParameters
from leaderboard.catalog.reasoning import Decomposition, IRCoT, SelfAsk
from leaderboard.catalog.retrievers import INDEXED, TOOLS
from leaderboard.catalog.skill_rag import SkillRag
from leaderboard.catalog.tool_programs import ARAG, CALLS_PER_STEP, ExecutionRAG, ReAct


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


class RetrievalOnly(ProgramParameters):
    """Search with the question and stop: what a retriever finds by itself, without a model (spec § 0, R10)."""

    kind: Literal["retrieval_only"] = Field(description="The program's name in the catalog.")
    k: int = Field(
        default=10,
        ge=10,
        le=100,
        description="How many passages to retrieve; the scorecard reads the first ten.",
    )


class MultiStep(ProgramParameters):
    """Rounds of searches with queries that the model writes from what was found so far; then one answer (spec § 4.3)."""

    kind: Literal["multi_step"] = Field(description="The program's name in the catalog.")
    rounds: int = Field(
        default=2, ge=1, le=10, description="Rounds of searching, one call of the model each."
    )
    queries_per_round: int = Field(
        default=2, ge=1, le=10, description="Queries that each round's call writes."
    )
    passages_per_query: int = Field(
        default=2, ge=1, le=50, description="How many passages (or articles) each query brings."
    )
    planning: bool = Field(
        default=False,
        description="Search planning: examples of a good sequence of queries, think step by step, repeat no query.",
    )
    context_tokens: int = Field(
        default=3000,
        ge=50,
        le=100_000,
        description="Budget of the shown passages in `words-1` tokens; filled in order of retrieval, the last one is cut.",
    )


Program = Annotated[
    ClosedBook
    | SingleStep
    | GoldContext
    | RetrievalOnly
    | MultiStep
    | IRCoT
    | SelfAsk
    | Decomposition
    | ARAG
    | ExecutionRAG
    | ReAct
    | SkillRag,
    Field(discriminator="kind"),
]


Predictors = Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]
"""Predictor name → (input fields, output fields)."""

_FROM_PASSAGES: Predictors = {"answer": (("context", "question"), ("answer",))}

_FROM_STEPS: Predictors = {"answer": (("steps", "question"), ("answer",))}


@dataclass(frozen=True, slots=True)
class ProgramEntry:
    """A row of the catalog.

    ``predictors`` maps each dspy predictor's name to its input and output fields, for these parameters; ``calls``
    bounds the program's own model calls a question, ``searches`` its searches, each of which costs what the reranker
    costs; ``revision`` is raised by hand when the requests a program sends change; ``module`` is ``"module:Class"``,
    resolved only when the program runs; ``reference`` rows are shown, never ranked; ``asks_model`` is False for a
    program that has no ``[lm]``; ``in_rounds`` programs search again with what they found, in at most ``rounds``
    rounds; ``cites`` those that name the passages an answer rests on.
    """

    parameters: type[ProgramParameters]
    predictors: Callable[[Any], Predictors]
    calls: Callable[[Any], int]
    revision: int
    module: str
    retrievers: tuple[str, ...]
    searches: Callable[[Any], int] = lambda _: 0
    reference: bool = False
    asks_model: bool = True
    in_rounds: bool = False
    rounds: Callable[[Any], int] = lambda _: 1
    cites: bool = False

    @property
    def reranks(self) -> bool:
        """Whether it has a model that could order what its searches bring."""
        return self.asks_model and set(self.retrievers) <= set(INDEXED)


PROGRAMS: Mapping[str, ProgramEntry] = {
    "closed_book": ProgramEntry(
        parameters=ClosedBook,
        predictors=lambda _: {"answer": (("question",), ("answer",))},
        calls=lambda _: 1,
        revision=1,
        module="leaderboard.programs.closed_book:ClosedBook",
        retrievers=("none",),
    ),
    "single_step": ProgramEntry(
        parameters=SingleStep,
        predictors=lambda _: _FROM_PASSAGES,
        calls=lambda _: 1,
        revision=1,
        module="leaderboard.programs.single_step:SingleStep",
        retrievers=INDEXED,
        searches=lambda _: 1,
    ),
    "gold_context": ProgramEntry(
        parameters=GoldContext,
        predictors=lambda _: _FROM_PASSAGES,
        calls=lambda _: 1,
        revision=1,
        module="leaderboard.programs.gold_context:GoldContext",
        retrievers=("gold",),
        reference=True,
    ),
    "retrieval_only": ProgramEntry(
        parameters=RetrievalOnly,
        predictors=lambda _: {},
        calls=lambda _: 0,
        revision=1,
        module="leaderboard.programs.retrieval_only:RetrievalOnly",
        retrievers=INDEXED,
        searches=lambda _: 1,
        asks_model=False,
    ),
    "multi_step": ProgramEntry(
        parameters=MultiStep,
        predictors=lambda parameters: {
            "write_queries": (
                (("question", "found", "queries_so_far"), ("reasoning", "queries"))
                if parameters.planning
                else (("question", "found"), ("queries",))
            ),
            **_FROM_PASSAGES,
        },
        calls=lambda parameters: parameters.rounds + 1,
        revision=1,
        module="leaderboard.programs.multi_step:MultiStep",
        retrievers=INDEXED,
        searches=lambda parameters: parameters.rounds * parameters.queries_per_round,
        in_rounds=True,
        rounds=lambda parameters: parameters.rounds,
    ),
    "ircot": ProgramEntry(
        parameters=IRCoT,
        predictors=lambda _: {
            "write_sentence": (("question", "passages", "reasoning"), ("sentence",)),
            **_FROM_PASSAGES,
        },
        calls=lambda parameters: parameters.max_steps + 1,
        revision=1,
        module="leaderboard.programs.ircot:IRCoT",
        retrievers=INDEXED,
        searches=lambda parameters: parameters.max_steps + 1,
        in_rounds=True,
        rounds=lambda parameters: parameters.max_steps + 1,
    ),
    "self_ask": ProgramEntry(
        parameters=SelfAsk,
        predictors=lambda _: {
            "ask_follow_up": (("question", "answered"), ("follow_up",)),
            "answer_follow_up": (("context", "question"), ("answer",)),
            "answer": (("question", "answered"), ("answer",)),
        },
        calls=lambda parameters: 2 * parameters.max_follow_ups + 1,
        revision=1,
        module="leaderboard.programs.self_ask:SelfAsk",
        retrievers=INDEXED,
        searches=lambda parameters: parameters.max_follow_ups,
        in_rounds=True,
        rounds=lambda parameters: parameters.max_follow_ups,
    ),
    "decomposition": ProgramEntry(
        parameters=Decomposition,
        predictors=lambda _: {
            "write_sub_questions": (("question",), ("sub_questions",)),
            **_FROM_PASSAGES,
        },
        calls=lambda _: 2,
        revision=1,
        module="leaderboard.programs.decomposition:Decomposition",
        retrievers=INDEXED,
        searches=lambda parameters: parameters.sub_questions + 1,
    ),
    "a_rag": ProgramEntry(
        parameters=ARAG,
        predictors=lambda _: {"act": (("question", "steps"), ("tool_call",)), **_FROM_STEPS},
        calls=lambda parameters: parameters.max_loops + 1,
        revision=1,
        module="leaderboard.programs.a_rag:ARAG",
        retrievers=TOOLS,
        in_rounds=True,
        rounds=lambda parameters: parameters.max_loops,
    ),
    "execution_rag": ProgramEntry(
        parameters=ExecutionRAG,
        predictors=lambda parameters: {
            **(
                {"initialise": (("question", "evidence"), ("requirements",))} if parameters.initialise else {}
            ),
            "act": (("question", "steps"), ("tool_call",)),
            **_FROM_STEPS,
            **(
                {"update": (("question", "requirements", "new_evidence"), ("changes",))}
                if parameters.progress
                else {}
            ),
        },
        # Two for the register, a step and its update in each loop, the answer.
        calls=lambda parameters: (
            2 * parameters.initialise + parameters.max_loops * (1 + parameters.progress) + 1
        ),
        revision=1,
        module="leaderboard.programs.execution_rag:ExecutionRAG",
        retrievers=TOOLS,
        in_rounds=True,
        rounds=lambda parameters: parameters.max_loops,
    ),
    "react": ProgramEntry(
        parameters=ReAct,
        predictors=lambda _: {"act": (("question", "steps"), ("thought", "action")), **_FROM_STEPS},
        calls=lambda parameters: parameters.max_loops + 1,
        revision=1,
        module="leaderboard.programs.react:ReAct",
        retrievers=INDEXED,
        searches=lambda parameters: parameters.max_loops * CALLS_PER_STEP,
        in_rounds=True,
        rounds=lambda parameters: parameters.max_loops,
    ),
    "skill_rag": ProgramEntry(
        parameters=SkillRag,
        predictors=skill_rag.predictors,
        calls=skill_rag.calls,
        revision=1,
        module="leaderboard.programs.skill_rag:SkillRag",
        retrievers=INDEXED,
        searches=skill_rag.searches,
        in_rounds=True,
        rounds=lambda parameters: parameters.max_rounds,
    ),
}
