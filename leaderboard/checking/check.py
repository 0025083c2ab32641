"""``leaderboard check``: what is wrong with submissions, and what the valid ones are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from leaderboard.catalog.programs import PROGRAMS
from leaderboard.catalog.rerankers import RERANKERS
from leaderboard.submissions.errors import SubmissionError, SubmissionErrors
from leaderboard.submissions.load import Submission, load_submission

if TYPE_CHECKING:
    from leaderboard.benchmarks.questions import Question
    from leaderboard.checking.leaks import Evaluation
    from leaderboard.submissions.config import BoardConfig
    from leaderboard.submissions.schema import Benchmark


@dataclass(frozen=True, slots=True)
class Summary:
    """What a valid submission is. ``most_calls`` bounds the model calls a question, the submission's limit included."""

    key: str
    path: Path
    name: str
    model: str
    retriever: str
    program: str
    benchmarks: tuple[Benchmark, ...]
    most_calls: int
    compiled: str = ""
    """How its prompts were compiled, or that they still have to be; "" where nothing is compiled."""


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The errors of all files, each once, and a summary of each valid file, in the order asked for."""

    errors: tuple[SubmissionError, ...]
    summaries: tuple[Summary, ...]

    @property
    def ok(self) -> bool:
        """Whether no file has an error."""
        return not self.errors


def check_paths(
    paths: Iterable[Path], config: BoardConfig | None = None, data_dir: Path | None = None
) -> CheckReport:
    """Check submissions and their compiled states: files, or folders for all their ``*.toml``, each file once.

    With the board's configuration models and encoders have to be of its lists, and no state may hold a question of its
    benchmarks, those of its track and in ``data_dir``; they are read only where there is a state.
    """
    names = config.names if config else None
    errors: list[SubmissionError] = []
    summaries: list[Summary] = []
    given = list(paths)
    board = _Questions(config, data_dir) if config else None
    for path in given:
        if path.is_dir() and path.suffix != ".toml":
            from leaderboard.checking.compiled import orphans

            errors += orphans(path)
    for path in dict.fromkeys(_files(given)):
        try:
            submission = load_submission(path, names)
            compiled, found = _compiled(submission, board)
        except SubmissionErrors as error:
            errors += error.errors
            continue
        errors += found
        if not found:
            summaries.append(summary(submission, compiled))
    return CheckReport(tuple(dict.fromkeys(errors)), tuple(summaries))


class _Questions:
    """The board's questions, read when the first state asks for them, and the benchmarks whose files cannot be read."""

    def __init__(self, config: BoardConfig, data_dir: Path | None) -> None:
        self.board, self.data_dir = config.board, data_dir

    @cached_property
    def read(self) -> tuple[Evaluation, tuple[str, ...]]:
        from leaderboard.benchmarks.questions import BenchmarkError
        from leaderboard.benchmarks.registry import load_benchmark
        from leaderboard.checking.leaks import Evaluation

        questions: list[Question] = []
        absent: list[str] = []
        for name in self.board.every_benchmark:
            try:
                questions += load_benchmark(name, self.board.track, self.data_dir).questions
            except BenchmarkError:
                absent.append(name)
        return Evaluation(questions), tuple(absent)


def _compiled(submission: Submission, board: _Questions | None) -> tuple[str, tuple[SubmissionError, ...]]:
    """Return in words how a submission is compiled, and the evaluation questions in its state.

    Most submissions have no state: what reads one is imported only for those that have.
    """
    path = submission.state_path
    if not (path.exists() or path.is_symlink()):
        return submission.not_compiled, ()
    from leaderboard.checking.compiled import leak_errors, state_of

    state = state_of(submission)
    if state is None:
        return submission.not_compiled, ()
    how = f"compiled with {state.compiled.optimizer}"
    if board is None:
        return how, ()
    evaluation, absent = board.read
    if absent:
        how += f", not searched for questions of {', '.join(absent)}: their files cannot be read here"
    return how, leak_errors(path, state, evaluation)


def summary(submission: Submission, compiled: str = "") -> Summary:
    """Return what a valid submission is; ``compiled`` says how its prompts were."""
    document = submission.document
    return Summary(
        key=submission.key,
        path=submission.path,
        name=document.system.name,
        model=document.model,
        retriever=document.retriever.kind,
        program=document.program.kind,
        benchmarks=document.system.benchmarks,
        most_calls=most_calls(submission),
        compiled=compiled,
    )


def most_calls(submission: Submission) -> int:
    """Return the most model calls a question can cost: the bound of program and reranker, or the submission's limit, the lower."""
    document = submission.document
    program = PROGRAMS[document.program.kind]
    reranking = RERANKERS[document.reranker.kind].calls * program.searches(document.program)
    bound = program.calls(document.program) + reranking
    limit = document.limits.calls_per_question
    return bound if limit is None else min(bound, limit)


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir() and path.suffix != ".toml":
            yield from sorted(path.glob("*.toml"), key=lambda file: file.stem)
        else:
            yield path
