"""One compile: a system's program through an optimizer, with recorded calls, to the state of its predictors."""

from __future__ import annotations

import contextlib
import io
import random
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError

from leaderboard.benchmarks.questions import Benchmark
from leaderboard.calls.spending import Ledger
from leaderboard.calls.store import CallStore
from leaderboard.catalog.encoders import Encoder
from leaderboard.catalog.optimizers import OPTIMIZERS
from leaderboard.compiling.calls import CompileCalls
from leaderboard.compiling.ending import CallsSpent, CompileError, Stopped
from leaderboard.compiling.labels import label
from leaderboard.compiling.optimizers import Workshop
from leaderboard.compiling.proposals import ProposalAdapter
from leaderboard.compiling.scoreboard import Candidate, Predictors, Scoreboard, changed
from leaderboard.compiling.student import example, predictors_of, student_of
from leaderboard.models.engine import Engine, Mode, open_lm
from leaderboard.models.providers import Provider
from leaderboard.programs.system import open_system
from leaderboard.submissions.schema import SubmissionDocument

WRITER_TOKENS = 1024
"""Longest proposal of an optimizer, in tokens of the model: a system's own max_tokens is cut for answers."""

_LESS_TO_DO = "raise max_calls, lower max_examples, or make the search smaller"
_OTHER_MODEL = "use another optimizer, one that asks for no instructions (bootstrap_few_shot_with_random_search), or another model"

_ANY_ERRORS = 10**9
"""dspy stops at so many errors. None is left to it: what is no answer ends the compile at once."""


@dataclass(frozen=True, slots=True)
class Answering:
    """Who answers a compile's calls: the provider, the store around it, prices and ceilings, the mode."""

    provider: Provider
    store: CallStore
    ledger: Ledger
    mode: Mode = "live"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a compile is: distinct calls of the ceiling, those of them made now, the best score so far."""

    calls: int
    most: int
    made: int
    best: float | None


Report = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Learnt:
    """What a compile came to: the state of each predictor before and after, and how the candidates did.

    ``score`` is the share of right answers on the questions the optimizer scores on, None where it scores nothing;
    ``ended`` says why the optimizer ended early, "" if it did not.
    """

    before: Predictors
    predictors: Predictors
    score: float | None
    candidates: tuple[Candidate, ...]
    calls: CompileCalls
    ended: str

    @property
    def changed(self) -> tuple[str, ...]:
        """The predictors that differ from the program's own."""
        return tuple(changed(self.before, self.predictors))


def learn(
    document: SubmissionDocument,
    train: Benchmark,
    answering: Answering,
    encoder: Encoder | None = None,
    report: Report = lambda _: None,
) -> Learnt:
    """Run a submission's optimizer on train questions.

    An optimizer that has spent its calls, or whose proposal cannot be read, ends with the best program so far. Raises
    ``CompileError`` when there is none, and the error of whoever did not answer: ``ProviderError``, ``Uncached``,
    ``CeilingReached``, ``CallStoreError``, ``EncoderError``.
    """
    parameters = document.compile
    if parameters is None or document.lm is None:
        raise CompileError(
            "expected a submission with the tables [compile] and [lm]: optimizer and model are missing"
        )
    scores = Scoreboard()
    engine = Engine(
        answering.provider,
        answering.store,
        model=document.lm.model,
        mode=answering.mode,
        ledger=answering.ledger,
        calls_per_question=document.limits.calls_per_question,
    )
    calls = CompileCalls(engine, parameters.max_calls, lambda: report(_progress(calls, scores)))
    lm = open_lm(
        calls, temperature=document.lm.temperature, max_tokens=document.lm.max_tokens, top_p=document.lm.top_p
    )
    system = open_system(document, train, encoder)
    optimize = _resolved(OPTIMIZERS[parameters.optimizer].module)
    with _working(lm):
        examples = [example(question, label(system, question, lm)) for question in train.questions]
        student = student_of(system, lm, scores)
        before = predictors_of(student)
        writer = lm.copy(temperature=1.0, max_tokens=max(document.lm.max_tokens, WRITER_TOKENS))
        shop = Workshop(student, examples, scores, writer)
        report(_progress(calls, scores))
        try:
            after = predictors_of(optimize(parameters, shop))
            ended = calls.spent
        except (Stopped, AdapterParseError) as stop:
            ended = _ended(stop)
            best = scores.best()
            if best is None:
                advice = _OTHER_MODEL if isinstance(stop, AdapterParseError) else _LESS_TO_DO
                early = f"{parameters.optimizer}: {ended} before {_goal(scores.needed)}; {advice}"
                raise CompileError(early) from stop
            after = best.predictors
    return Learnt(before, after, scores.score(after), tuple(scores.scored()), calls, ended)


def _ended(stop: Stopped | AdapterParseError) -> str:
    if isinstance(stop, AdapterParseError):
        return "the model wrote a proposal that cannot be read"
    if not isinstance(stop.cause, CallsSpent):
        raise stop.cause from stop
    return str(stop.cause)


def _goal(needed: int) -> str:
    if needed:
        return f"a changed program was scored on {needed} train questions"
    return "a train question was answered right"


def _progress(calls: CompileCalls, scores: Scoreboard) -> Progress:
    return Progress(len(calls.calls), calls.most, calls.made, scores.best_score)


@contextlib.contextmanager
def _working(lm: Any) -> Iterator[None]:
    """Set dspy up for one compile, with the random numbers of the process as they are found and its talk unheard.

    Its optimizers print every step, to both streams, with bars of their own.
    """
    numbers = random.getstate()
    random.seed(0)
    try:
        with (
            dspy.context(
                lm=lm,
                adapter=ProposalAdapter(),
                num_threads=1,
                max_errors=_ANY_ERRORS,
                disable_history=True,
                track_usage=False,
                trace=[],
            ),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            yield
    finally:
        random.setstate(numbers)


def _resolved(name: str) -> Any:
    module, _, function = name.partition(":")
    return getattr(import_module(module), function)
