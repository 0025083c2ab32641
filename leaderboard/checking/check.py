"""``leaderboard check``: what is wrong with submissions, and what the valid ones are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from leaderboard.catalog.programs import PROGRAMS
from leaderboard.catalog.rerankers import RERANKERS
from leaderboard.submissions.errors import SubmissionError, SubmissionErrors
from leaderboard.submissions.load import Submission, load_submission

if TYPE_CHECKING:
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


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The errors of all files, each once, and a summary of each valid file, in the order asked for."""

    errors: tuple[SubmissionError, ...]
    summaries: tuple[Summary, ...]

    @property
    def ok(self) -> bool:
        """Whether no file has an error."""
        return not self.errors


def check_paths(paths: Iterable[Path], config: BoardConfig | None = None) -> CheckReport:
    """Check submissions: files, or folders for all their ``*.toml``, each file once.

    With the board's configuration models and encoders have to be of its lists.
    """
    names = config.names if config else None
    errors: list[SubmissionError] = []
    summaries: list[Summary] = []
    for path in dict.fromkeys(_files(paths)):
        try:
            summaries.append(summary(load_submission(path, names)))
        except SubmissionErrors as error:
            errors += error.errors
    return CheckReport(tuple(dict.fromkeys(errors)), tuple(summaries))


def summary(submission: Submission) -> Summary:
    """Return what a valid submission is."""
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
