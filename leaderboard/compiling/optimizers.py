"""The optimizers of the catalog as dspy's: one function each, from parameters and workshop to the compiled program.

All of them run one thread: the order of calls is part of what a replay repeats.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import dspy

from leaderboard.catalog import optimizers as catalog
from leaderboard.catalog.encoders import BUILT_IN, DEFAULT_ENCODER
from leaderboard.compiling.ending import CallsSpent, CompileError, Stopped
from leaderboard.compiling.scoreboard import Scoreboard
from leaderboard.compiling.student import TrainExample, feedback, metric


@dataclass(frozen=True, slots=True)
class Workshop:
    """What an optimizer works with: the student, the train examples in the order of the seed, the board of its scores.

    ``writer`` is the system's model set to write instructions.
    """

    student: Any
    examples: Sequence[TrainExample]
    scores: Scoreboard
    writer: Any

    @property
    def labelled(self) -> list[TrainExample]:
        """The examples that can be shown as they are, with question and gold answer."""
        fields = [set(predictor.signature.fields) for predictor in self.student.predictors()]
        return [one for one in self.examples if any(names <= set(one.keys()) for names in fields)]


class _Bootstrap(dspy.BootstrapFewShot):  # type: ignore[misc]
    """Ends with the demonstrations it has when the calls are spent."""

    spent: Stopped | None = None

    def _bootstrap_one_example(self, example: Any, round_idx: int = 0) -> bool:
        if self.spent:
            return False
        try:
            return bool(super()._bootstrap_one_example(example, round_idx))
        except Stopped as stopped:
            if not isinstance(stopped.cause, CallsSpent):
                raise
            self.spent = stopped
            return False

    def compile(self, student: Any, *, teacher: Any = None, trainset: Sequence[Any]) -> Any:
        """Return the compiled student; when the calls are spent before it has a demonstration, end."""
        compiled = super().compile(student, teacher=teacher, trainset=trainset)
        if self.spent and not any(self.name2traces.values()):
            raise self.spent
        return compiled


def labeled_few_shot(parameters: catalog.LabeledFewShot, shop: Workshop) -> Any:
    """Show ``k`` train questions with their gold answers."""
    if not shop.labelled:
        raise CompileError(
            "labeled_few_shot: expected a program with a predictor whose only output is the answer, found none; use another optimizer"
        )
    return dspy.LabeledFewShot(k=parameters.k).compile(shop.student, trainset=shop.labelled)


def bootstrap_few_shot(parameters: catalog.BootstrapFewShot, shop: Workshop) -> Any:
    """Show runs on train questions that were answered right."""
    optimizer = _Bootstrap(
        metric=metric,
        max_bootstrapped_demos=parameters.max_bootstrapped_demos,
        max_labeled_demos=parameters.max_labeled_demos,
        max_rounds=parameters.rounds,
    )
    return optimizer.compile(shop.student, trainset=list(shop.examples))


def bootstrap_few_shot_with_random_search(parameters: catalog.RandomSearch, shop: Workshop) -> Any:
    """Bootstrap several sets of demonstrations and keep the best."""
    shop.scores.needed = len(shop.examples)
    optimizer = dspy.BootstrapFewShotWithRandomSearch(
        metric=metric,
        max_bootstrapped_demos=parameters.max_bootstrapped_demos,
        max_labeled_demos=parameters.max_labeled_demos,
        max_rounds=parameters.rounds,
        num_candidate_programs=parameters.num_candidate_programs,
        num_threads=1,
    )
    return optimizer.compile(shop.student, trainset=list(shop.examples))


def mipro_v2(parameters: catalog.MiproV2, shop: Workshop) -> Any:
    """Search the combinations of proposed instructions and sets of demonstrations.

    A fifth of the examples make demonstrations, four fifths score the combinations (dspy's own split).
    """
    import optuna  # noqa: F401  # dspy asks for it after the first calls

    size = max(1, int(len(shop.examples) * 0.8))
    learning, scoring = list(shop.examples[:-size]), list(shop.examples[-size:])
    shop.scores.needed = len(scoring)
    optimizer = dspy.MIPROv2(
        metric=metric,
        prompt_model=shop.writer,
        task_model=dspy.settings.lm,
        max_bootstrapped_demos=parameters.max_bootstrapped_demos,
        max_labeled_demos=parameters.max_labeled_demos,
        auto=None,
        num_candidates=parameters.num_candidates,
        num_threads=1,
        seed=parameters.seed,
        track_stats=False,
    )
    return optimizer.compile(
        shop.student, trainset=learning, valset=scoring, num_trials=parameters.num_trials, minibatch=False
    )


def gepa(parameters: catalog.Gepa, shop: Workshop) -> Any:
    """Let the model reflect on failures and rewrite the instructions."""
    from dspy.teleprompt.gepa.instruction_proposal import InstructionProposer

    shop.scores.needed = len(shop.examples)
    optimizer = dspy.GEPA(
        metric=feedback,
        max_metric_calls=parameters.max_metric_calls,
        reflection_minibatch_size=parameters.reflection_minibatch_size,
        reflection_lm=shop.writer,
        instruction_proposer=InstructionProposer(adapter=dspy.settings.adapter),
        num_threads=1,
        seed=parameters.seed,
    )
    return optimizer.compile(shop.student, trainset=list(shop.examples))


def simba(parameters: catalog.Simba, shop: Workshop) -> Any:
    """Sample answers in small batches and learn from those that differ."""
    batch = min(parameters.bsize, len(shop.examples))
    shop.scores.needed = batch
    optimizer = dspy.SIMBA(
        metric=metric,
        bsize=batch,
        num_candidates=parameters.num_candidates,
        max_steps=parameters.max_steps,
        max_demos=parameters.max_demos,
        prompt_model=shop.writer,
        num_threads=1,
    )
    return optimizer.compile(shop.student, trainset=list(shop.examples), seed=parameters.seed)


def copro(parameters: catalog.Copro, shop: Workshop) -> Any:
    """Let the model rewrite the instructions, and go on from the best."""
    shop.scores.needed = len(shop.examples)
    optimizer = dspy.COPRO(
        metric=metric, breadth=parameters.breadth, depth=parameters.depth, prompt_model=shop.writer
    )
    return optimizer.compile(shop.student, trainset=list(shop.examples), eval_kwargs={"num_threads": 1})


def knn_few_shot(parameters: catalog.KNNFewShot, shop: Workshop) -> Any:
    """Show runs of the train questions that are most often the nearest neighbours of the others.

    dspy's own finds neighbours for every question it is asked, at run time; what it compiles holds no demonstration.
    """
    examples = shop.examples
    votes = Counter(place for places in _neighbours(examples, parameters.k) for place in places)
    chosen = sorted(votes, key=lambda place: (-votes[place], place))[: parameters.k]
    optimizer = _Bootstrap(
        metric=metric, max_bootstrapped_demos=parameters.k, max_labeled_demos=parameters.k, max_rounds=1
    )
    return optimizer.compile(shop.student, trainset=[examples[place] for place in chosen])


def _neighbours(examples: Sequence[TrainExample], k: int) -> list[list[int]]:
    """Return for each example the places of its k nearest others: by cosine to six decimals, then by place."""
    import numpy as np

    from leaderboard.retrieval.encoder_opening import open_encoder
    from leaderboard.retrieval.encoders import encodable

    vectors = open_encoder(BUILT_IN[DEFAULT_ENCODER]).encode([encodable(one["question"]) for one in examples])
    similarity = np.round(vectors @ vectors.T, 6)
    np.fill_diagonal(similarity, -np.inf)
    order = np.argsort(-similarity, axis=1, kind="stable")[:, :k]
    return [[int(place) for place in row] for row in order]
