"""A submission and its compiled state together: is there one, is it right, does it hold an evaluation question."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path

from leaderboard.benchmarks.questions import Question
from leaderboard.checking.leaks import Evaluation, leaks_of_state
from leaderboard.checking.state import Compiled, State, read_state
from leaderboard.submissions.compilation import STATE_SUFFIX, StateErrors
from leaderboard.submissions.errors import SubmissionError, SubmissionErrors, quoted
from leaderboard.submissions.load import Submission


def state_of(submission: Submission) -> State | None:
    """Return a submission's compiled state, None where it declares none, or none was made yet.

    Raises ``StateErrors`` for a broken one, one that no ``[compile]`` declares, and one of another optimizer or train
    split than declared.
    """
    path, declared = submission.state_path, submission.document.compile
    if not (path.exists() or path.is_symlink()):
        return None
    if declared is None:
        hint = "declare it, or delete the state"
        raise StateErrors([_error(path, f"a table [compile] in {submission.path.name}", "none", hint)])
    state = read_state(path, submission.document.program, submission.document.reranker)
    wrong = [
        _error(path, f"{quoted(said)}, as in {submission.path.name}", quoted(found), "compile again", field)
        for field, said, found in (
            ("optimizer", declared.optimizer, state.compiled.optimizer),
            ("train", declared.train, state.compiled.train),
        )
        if said != found
    ]
    if wrong:
        raise StateErrors(wrong)
    return state


def leak_errors(path: Path, state: State, evaluation: Evaluation) -> tuple[SubmissionError, ...]:
    """Return what a state in ``path`` holds of evaluation questions, as errors."""
    hint = "compile on the train split alone"
    return tuple(
        SubmissionError(path.as_posix(), 1, 1, leak.place, "no evaluation question", leak.said, hint)
        for leak in leaks_of_state(state, evaluation)
    )


def state_errors(
    submissions: Iterable[Submission], evaluation: Iterable[Question]
) -> tuple[SubmissionError, ...]:
    """Return the errors of all compiled states: what is wrong with a file, and the evaluation questions in it."""
    known: Evaluation | None = None
    errors: list[SubmissionError] = []
    for submission in submissions:
        try:
            if (state := state_of(submission)) is not None:
                known = known or Evaluation(evaluation)
                errors += leak_errors(submission.state_path, state, known)
        except SubmissionErrors as found:
            errors += found.errors
    return tuple(errors)


def orphans(folder: Path) -> tuple[SubmissionError, ...]:
    """Return an error for each state in ``folder`` that belongs to no submission."""
    return tuple(
        _error(path, f"a submission {owner.name} beside it", "none", "rename or delete the state")
        for path in sorted(folder.glob(f"*{STATE_SUFFIX}"))
        if not (owner := path.with_name(path.name.removesuffix(STATE_SUFFIX) + ".toml")).exists()
    )


def _error(path: Path, expected: str, found: str, hint: str, fact: str = "") -> SubmissionError:
    """Return an error of a state file, or of one of the facts under ``compiled``, its first key in canonical form."""
    line, column = (3 + sorted(field.name for field in fields(Compiled)).index(fact), 3) if fact else (1, 1)
    return SubmissionError(
        path.as_posix(), line, column, f"compiled.{fact}" if fact else "", expected, found, hint
    )
