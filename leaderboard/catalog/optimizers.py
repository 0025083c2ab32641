"""The optimizers that compile a program, and their parameters: what a submission's ``[compile]`` can say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from leaderboard.manifest import KEYS

if TYPE_CHECKING:
    Benchmark = str
else:
    Benchmark = Literal[KEYS]


class OptimizerParameters(BaseModel):
    """What every optimizer's table has. Unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False, defer_build=True)

    train: Benchmark = Field(
        default="musique", description="The benchmark whose train split it learns from; never what is scored."
    )
    max_examples: int = Field(
        default=24, ge=2, le=1000, description="How many questions of the train split it sees at most."
    )
    seed: int = Field(
        default=0,
        ge=0,
        le=2**31 - 1,
        description="Seed of every random choice: examples, demonstrations, candidates.",
    )
    max_calls: int = Field(
        default=80, ge=0, le=100_000, description="Call ceiling: most model calls that compiling may make."
    )


class _Searching(OptimizerParameters):
    """An optimizer that runs the program on many examples, once a candidate: it needs a higher ceiling."""

    max_calls: int = Field(
        default=400, ge=0, le=100_000, description="Call ceiling: most model calls that compiling may make."
    )


Bootstrapped = Annotated[int, Field(ge=1, le=16)]
Labelled = Annotated[int, Field(ge=0, le=16)]
Rounds = Annotated[int, Field(ge=1, le=5)]

_BOOTSTRAPPED = (
    "Most demonstrations a predictor made by running the program on train questions it answers right."
)
_LABELLED = "Fill up with question and gold answer, without intermediate steps, to this many demonstrations."
_ROUNDS = "Attempts a train question; each after the first samples at temperature 1."


class LabeledFewShot(OptimizerParameters):
    """Show train questions with their gold answers; no model call."""

    optimizer: Literal["labeled_few_shot"] = Field(description="The optimizer's name in the catalog.")
    k: int = Field(default=4, ge=1, le=16, description="How many train questions to show, drawn at random.")


class BootstrapFewShot(OptimizerParameters):
    """Run the program on train questions and show the runs whose answers match (Khattab et al. 2023, DSPy)."""

    optimizer: Literal["bootstrap_few_shot"] = Field(description="The optimizer's name in the catalog.")
    max_bootstrapped_demos: Bootstrapped = Field(default=2, description=_BOOTSTRAPPED)
    max_labeled_demos: Labelled = Field(default=2, description=_LABELLED)
    rounds: Rounds = Field(default=1, description=_ROUNDS)


class RandomSearch(_Searching):
    """Bootstrap several sets of demonstrations, score each on the train questions, keep the best."""

    optimizer: Literal["bootstrap_few_shot_with_random_search"] = Field(
        description="The optimizer's name in the catalog."
    )
    max_bootstrapped_demos: Bootstrapped = Field(default=2, description=_BOOTSTRAPPED)
    max_labeled_demos: Labelled = Field(default=2, description=_LABELLED)
    rounds: Rounds = Field(default=1, description=_ROUNDS)
    num_candidate_programs: int = Field(
        default=4,
        ge=1,
        le=64,
        description="Random sets to try, besides none, labelled ones, and the first ones in the file's order.",
    )


class MiproV2(_Searching):
    """Propose instructions and demonstrations, search their combinations (Opsahl-Ong et al. 2024, MIPROv2)."""

    optimizer: Literal["mipro_v2"] = Field(description="The optimizer's name in the catalog.")
    num_candidates: int = Field(
        default=4,
        ge=2,
        le=32,
        description="Instructions, and sets of demonstrations, to choose from for each predictor.",
    )
    num_trials: int = Field(
        default=8, ge=1, le=200, description="Combinations to score, each on all validation questions."
    )
    max_bootstrapped_demos: int = Field(
        default=2, ge=0, le=16, description=f"{_BOOTSTRAPPED[:-1]}; 0 here and below: instructions only."
    )
    max_labeled_demos: Labelled = Field(default=2, description=_LABELLED)


class Gepa(_Searching):
    """Let the model reflect on failures and rewrite the instructions (Agrawal et al. 2025, GEPA)."""

    optimizer: Literal["gepa"] = Field(description="The optimizer's name in the catalog.")
    max_metric_calls: int = Field(
        default=120, ge=2, le=20_000, description="How many answers to score in all; the search ends there."
    )
    reflection_minibatch_size: int = Field(
        default=3, ge=1, le=32, description="How many answers the model sees at once when it reflects."
    )


class Simba(_Searching):
    """Sample answers in small batches; add rules and demonstrations where they differ most (DSPy's SIMBA)."""

    optimizer: Literal["simba"] = Field(description="The optimizer's name in the catalog.")
    bsize: int = Field(default=8, ge=1, le=256, description="Train questions a batch; at most max_examples.")
    num_candidates: int = Field(
        default=3, ge=2, le=32, description="Samples a question and candidates a step."
    )
    max_steps: int = Field(default=3, ge=1, le=50, description="How many batches to learn from.")
    max_demos: int = Field(
        default=2, ge=0, le=16, description="Most demonstrations a predictor; 0: rules only."
    )


class Copro(_Searching):
    """Let the model rewrite the instructions, score each, and go on from the best (DSPy's COPRO)."""

    optimizer: Literal["copro"] = Field(description="The optimizer's name in the catalog.")
    breadth: int = Field(default=4, ge=2, le=32, description="Instructions a predictor to try at each depth.")
    depth: int = Field(default=2, ge=1, le=10, description="How often new instructions are written.")


class KNNFewShot(OptimizerParameters):
    """Show runs of the train questions that are most often the nearest neighbours of the others.

    DSPy's KNNFewShot finds neighbours anew for every question it is asked, and has no state to keep. Here they are
    found once, when compiling, so that the demonstrations are fixed and can be read.
    """

    optimizer: Literal["knn_few_shot"] = Field(description="The optimizer's name in the catalog.")
    k: int = Field(default=3, ge=1, le=16, description="How many neighbours, and so demonstrations.")


Compile = Annotated[
    LabeledFewShot | BootstrapFewShot | RandomSearch | MiproV2 | Gepa | Simba | Copro | KNNFewShot,
    Field(discriminator="optimizer"),
]


@dataclass(frozen=True, slots=True)
class OptimizerEntry:
    """A row of the catalog.

    ``revision`` is raised by hand when what it asks or keeps changes; ``module`` is ``"module:function"``, resolved
    only when compiling.
    """

    parameters: type[OptimizerParameters]
    revision: int
    module: str


OPTIMIZERS: Mapping[str, OptimizerEntry] = {
    "labeled_few_shot": OptimizerEntry(
        LabeledFewShot, 1, "leaderboard.compiling.optimizers:labeled_few_shot"
    ),
    "bootstrap_few_shot": OptimizerEntry(
        BootstrapFewShot, 1, "leaderboard.compiling.optimizers:bootstrap_few_shot"
    ),
    "bootstrap_few_shot_with_random_search": OptimizerEntry(
        RandomSearch, 1, "leaderboard.compiling.optimizers:bootstrap_few_shot_with_random_search"
    ),
    "mipro_v2": OptimizerEntry(MiproV2, 1, "leaderboard.compiling.optimizers:mipro_v2"),
    "gepa": OptimizerEntry(Gepa, 1, "leaderboard.compiling.optimizers:gepa"),
    "simba": OptimizerEntry(Simba, 1, "leaderboard.compiling.optimizers:simba"),
    "copro": OptimizerEntry(Copro, 1, "leaderboard.compiling.optimizers:copro"),
    "knn_few_shot": OptimizerEntry(KNNFewShot, 1, "leaderboard.compiling.optimizers:knn_few_shot"),
}
