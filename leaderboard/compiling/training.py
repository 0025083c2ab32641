"""The train questions of a compile: drawn from the train split, and none of them an evaluation question."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from leaderboard.benchmarks.questions import Benchmark, Question
from leaderboard.benchmarks.registry import load_benchmark, load_train
from leaderboard.catalog.optimizers import OptimizerParameters
from leaderboard.checking.leaks import leaks
from leaderboard.compiling.ending import CompileError
from leaderboard.submissions.config import BoardConfig


def training(parameters: OptimizerParameters, config: BoardConfig, data_dir: Path | None = None) -> Benchmark:
    """Return the train split with the ``max_examples`` questions that the seed draws, in the order drawn.

    The corpus stays whole. Raises ``BenchmarkError`` where there is no such file, ``CompileError`` when one of these
    is a question of the board, or nearly one.
    """
    split = load_train(parameters.train, config.board.track, data_dir)
    drawn = draw(split.questions, parameters.max_examples, parameters.seed)
    if len(drawn) < 2:
        raise CompileError(
            f"{parameters.train}: expected at least 2 train questions, found {len(drawn)}; fetch the file again"
        )
    require_no_leak(drawn, evaluation(config, data_dir))
    return replace(split, questions=drawn)


def draw(questions: Sequence[Question], most: int, seed: int) -> tuple[Question, ...]:
    """Return ``most`` of the questions, or all of fewer, in an order that the seed decides."""
    return tuple(random.Random(seed).sample(questions, min(most, len(questions))))


def evaluation(config: BoardConfig, data_dir: Path | None = None) -> tuple[Question, ...]:
    """Return every question that the board could score: its benchmarks' whole files, whatever its limits."""
    return tuple(
        question
        for name in config.board.every_benchmark
        for question in load_benchmark(name, config.board.track, data_dir).questions
    )


def require_no_leak(drawn: Sequence[Question], scored: Sequence[Question]) -> None:
    """Raise ``CompileError`` that names each train question which is an evaluation question, with that one."""
    found = leaks(drawn, scored)
    if not found:
        return
    texts = {question.id: question.text for question in (*scored, *drawn)}
    pairs = "; ".join(
        f"train question {leak.place} ({texts[leak.place]!r}) and evaluation question {leak.question} "
        f"({texts[leak.question]!r})"
        for leak in found[:5]
    )
    more = f"; and {len(found) - 5} more" if len(found) > 5 else ""
    raise CompileError(
        f"{len(found)} of {len(drawn)} train questions are scored on this board, or nearly: {pairs}{more}. "
        "Draw others (seed) or fewer (max_examples) in [compile], or take them out of the train split"
    )
