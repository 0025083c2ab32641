"""``leaderboard compile``: from a submission's file to the state beside it, and the calls under ``results``."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from leaderboard.benchmarks.questions import Benchmark
from leaderboard.calls.spending import Spent
from leaderboard.calls.store import CallStore
from leaderboard.catalog.optimizers import OPTIMIZERS, Compile
from leaderboard.checking.leaks import leaks_of_state
from leaderboard.checking.state import Compiled, State, parse_state, state_text
from leaderboard.compiling.ending import CompileError
from leaderboard.compiling.program import Answering, Learnt, Report, learn
from leaderboard.compiling.training import evaluation, training
from leaderboard.files import cache_dir, canonical_json, digest_json, write_text
from leaderboard.models.opening import open_ledger, open_provider
from leaderboard.plan import encoder_of, fingerprint_parts
from leaderboard.results.compiles import (
    CandidateScore,
    CompileRecord,
    compile_folder,
    read_compile,
    recorded_calls,
    write_compile,
    write_compile_calls,
)
from leaderboard.submissions.config import BoardConfig
from leaderboard.submissions.load import Submission

_LIBRARIES_OF_OPTIMIZER: Mapping[str, tuple[str, ...]] = {"mipro_v2": ("optuna",), "gepa": ("gepa",)}
_LIBRARIES = ("dspy", "bm25s", "PyStemmer", "model2vec", "tokenizers", "xllamacpp")


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished compile: what was learnt, the checked state, and the record under ``folder``.

    ``written`` tells whether the state's file is new or another than before.
    """

    learnt: Learnt
    state: State
    folder: Path
    written: bool
    wall_s: float


def compile_system(
    submission: Submission,
    config: BoardConfig,
    results: Path,
    *,
    replay: bool = False,
    data_dir: Path | None = None,
    report: Report = lambda _: None,
) -> Finished:
    """Compile a submission's program with the board's model and write its state beside the file.

    With ``replay`` no call is made: one that is not recorded raises ``Uncached``. Raises ``WeightsError`` when the
    weights of an embedded model cannot be had, and whatever ``compile_with`` does.
    """
    _parameters(submission)
    train = training(_parameters(submission), config, data_dir)
    with _answering(submission, config, replay=replay) as answering:
        return compile_with(answering, submission, config, train, results, data_dir=data_dir, report=report)


def compile_with(
    answering: Answering,
    submission: Submission,
    config: BoardConfig,
    train: Benchmark,
    results: Path,
    *,
    data_dir: Path | None = None,
    report: Report = lambda _: None,
) -> Finished:
    """Compile on ``train``, whose questions are those to learn from, with whoever answers.

    The calls of earlier compiles are taken into the store first. Nothing is written before the state has passed the
    checks that every state passes; the folder of an equal compile that asked nothing new stays as it is. Raises
    ``CompileError``, ``StateErrors``, ``RunError``, and what ``learn`` does.
    """
    started, clock = datetime.now(UTC), time.monotonic()
    parameters, document = _parameters(submission), submission.document
    encoder = encoder_of(submission, config.encoder_list)
    parts = compile_parts(submission, train, config)
    fingerprint = digest_json(parts)
    answering.store.merge(recorded_calls(results, submission.key))
    learnt = learn(document, train, answering, encoder, report)
    text = state_text(
        document.program.kind,
        Compiled(
            optimizer=parameters.optimizer,
            fingerprint=fingerprint,
            train=parameters.train,
            train_digest=train.questions_digest,
            calls=len(learnt.calls.calls),
            dspy=version("dspy"),
            score=learnt.score,
        ),
        learnt.predictors,
    )
    path = submission.state_path
    state = parse_state(text.encode(), path.as_posix(), document.program, document.reranker)
    if found := leaks_of_state(state, evaluation(config, data_dir)):
        raise CompileError(
            f"what was learnt holds an evaluation question: {found[0].place}: {found[0].said}; another seed draws other "
            "train questions"
        )
    folder = compile_folder(results, submission.key, fingerprint)
    earlier = read_compile(folder)
    if earlier is None or learnt.calls.made or earlier.state_sha256 != state.sha256:
        write_compile(folder, _record(submission, train, parts, learnt, state, folder, started, clock))
    before = path.read_text(encoding="utf-8") if path.is_file() else ""
    if before != text:
        write_text(path, text)
    return Finished(learnt, state, folder, before != text, time.monotonic() - clock)


def compile_parts(submission: Submission, train: Benchmark, config: BoardConfig) -> dict[str, str]:
    """Return the named parts of a compile's fingerprint: a cell's on the train questions, and the optimizer's own."""
    parameters = _parameters(submission)
    optimizer = parameters.optimizer
    parts = fingerprint_parts(submission, train, encoder_of(submission, config.encoder_list))
    parts.pop("state", None)  # what comes of it is no part of what it is made from
    chosen = {"optimizer": optimizer, **parameters.model_dump(exclude_defaults=True)}
    parts["compile"] = canonical_json(chosen).decode()
    parts["optimizer"] = f"{optimizer}/{OPTIMIZERS[optimizer].revision}"
    for library in _LIBRARIES_OF_OPTIMIZER.get(optimizer, ()):
        parts[library] = version(library)
    return parts


def _parameters(submission: Submission) -> Compile:
    parameters = submission.document.compile
    if parameters is None:
        raise CompileError(
            f"{submission.path}: expected a table [compile], found none; it names the optimizer, such as "
            '[compile] with optimizer = "bootstrap_few_shot"'
        )
    return parameters


@contextmanager
def _answering(submission: Submission, config: BoardConfig, *, replay: bool) -> Iterator[Answering]:
    listed = config.model_named(submission.document.model)
    with (
        closing(CallStore(cache_dir() / "calls")) as store,
        closing(open_provider(listed, fetch=not replay)) as provider,
    ):
        yield Answering(provider, store, open_ledger(config, listed, Spent()), "replay" if replay else "live")


def _record(
    submission: Submission,
    train: Benchmark,
    parts: Mapping[str, str],
    learnt: Learnt,
    state: State,
    folder: Path,
    started: datetime,
    clock: float,
) -> CompileRecord:
    calls = learnt.calls
    own = _LIBRARIES_OF_OPTIMIZER.get(state.compiled.optimizer, ())
    return CompileRecord(
        system=submission.key,
        fingerprint=state.compiled.fingerprint,
        parts=dict(parts),
        train=train.name,
        train_digest=state.compiled.train_digest,
        questions=tuple(question.id for question in train.questions),
        state_sha256=state.sha256,
        changed=learnt.changed,
        ended=learnt.ended,
        score=learnt.score,
        candidates=tuple(
            CandidateScore(
                predictors=digest_json(candidate.predictors),
                questions=len(candidate.right),
                score=candidate.score,
            )
            for candidate in learnt.candidates
        ),
        calls=len(calls.calls),
        calls_made=calls.made,
        calls_replayed=calls.replayed,
        prompt_tokens=calls.usage("prompt_tokens"),
        completion_tokens=calls.usage("completion_tokens"),
        started_at=started.isoformat(timespec="seconds"),
        finished_at=datetime.now(UTC).isoformat(timespec="seconds"),
        wall_s=round(time.monotonic() - clock, 3),
        platform=f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        libraries={library: version(library) for library in (*_LIBRARIES, *own)},
        table=write_compile_calls(folder, calls.calls.values()),
    )
