"""Submissions from files: read, inherit, validate, cross-check; all errors of a file at once."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from leaderboard.catalog.programs import PROGRAMS
from leaderboard.catalog.retrievers import RETRIEVERS
from leaderboard.submissions.errors import (
    SubmissionError,
    SubmissionErrors,
    did_you_mean,
    one_of,
    quoted,
    shown,
)
from leaderboard.submissions.inheritance import Lineage, get, holds, lineage
from leaderboard.submissions.reading import read_toml
from leaderboard.submissions.schema import STEM_PATTERN, SubmissionDocument
from leaderboard.submissions.translation import Fault, faults


@dataclass(frozen=True, slots=True)
class Submission:
    """A valid submission. ``key`` is its file's stem, ``document`` what it says with everything inherited."""

    key: str
    path: Path
    document: SubmissionDocument
    text: str


@dataclass(frozen=True, slots=True)
class Folder:
    """What a folder of submissions holds: the valid ones by key, and the errors of the others."""

    submissions: tuple[Submission, ...]
    errors: tuple[SubmissionError, ...]


def load_submission(path: Path, models: Collection[str] | None = None) -> Submission:
    """Return the submission in ``path``, whose folder holds the ones it may name.

    ``models`` are the names of the board's models, when they are known. Raises ``SubmissionErrors``.
    """
    if path.suffix != ".toml" or not re.fullmatch(STEM_PATTERN, path.stem):
        expected = "a file name of 2 to 63 of a-z, 0-9 and -, with .toml"
        raise SubmissionErrors([SubmissionError(path.as_posix(), 1, 1, "", expected, quoted(path.name))])
    own = read_toml(path)
    files = lineage(own)
    found = [*files.faults, *_cross_checks(files, models)]
    document: SubmissionDocument | None = None
    try:
        document = SubmissionDocument.model_validate(files.data)
    except ValidationError as error:
        told = {fault.path for fault in found}
        found += [
            fault
            for fault in faults(error, SubmissionDocument)
            if not (files.broken and fault.missing) and fault.path not in told
        ]
    if found or document is None:
        raise SubmissionErrors(sorted(files.locate(fault) for fault in found))
    return Submission(path.stem, path, document, own.text)


def load_folder(folder: Path, models: Collection[str] | None = None) -> Folder:
    """Return all submissions (``*.toml``) of ``folder``, sorted by key, and all errors, each once."""
    submissions: list[Submission] = []
    errors: list[SubmissionError] = []
    for path in sorted(folder.glob("*.toml"), key=lambda path: path.stem):
        try:
            submissions.append(load_submission(path, models))
        except SubmissionErrors as error:
            errors += error.errors
    return Folder(tuple(submissions), tuple(dict.fromkeys(errors)))


def _cross_checks(files: Lineage, models: Collection[str] | None) -> Iterator[Fault]:
    """Yield what only several fields together, or other files, can tell."""
    data = files.data
    yield from _kinds(files)
    if get(data, ("retriever", "unit")) == "article" and holds(data, ("retriever", "chunk_tokens")):
        path = ("retriever", "chunk_tokens")
        found = shown(get(data, path))
        yield Fault(path, 'no chunk_tokens with unit = "article": articles are not cut', found, at_key=True)
    model = get(data, ("lm", "model"))
    if models is not None and isinstance(model, str) and model not in models:
        expected = one_of(models) if models else "a model, but leaderboard.toml lists none"
        yield Fault(("lm", "model"), expected, shown(model), did_you_mean(model, models))
    yield from _replaced(data, files.files[0].path)


def _kinds(files: Lineage) -> Iterator[Fault]:
    program, retriever = (get(files.data, (table, "kind")) for table in ("program", "retriever"))
    if not (isinstance(program, str) and program in PROGRAMS):
        return
    if not (isinstance(retriever, str) and retriever in RETRIEVERS):
        return
    fitting = PROGRAMS[program].retrievers
    if retriever in fitting:
        return
    own = files.files[0].data
    if holds(own, ("program", "kind")) and not holds(own, ("retriever", "kind")):
        programs = [name for name, entry in PROGRAMS.items() if retriever in entry.retrievers]
        expected = f'{one_of(programs)} with the retriever "{retriever}"'
        yield Fault(("program", "kind"), expected, shown(program))
    else:
        yield Fault(
            ("retriever", "kind"), f'{one_of(fitting)} with the program "{program}"', shown(retriever)
        )


def _replaced(data: Mapping[str, Any], path: Path) -> Iterator[Fault]:
    name = get(data, ("system", "replaces"))
    if not isinstance(name, str) or not re.fullmatch(STEM_PATTERN, name):
        return
    others = [other.stem for other in path.parent.glob("*.toml") if other.name != path.name]
    if name not in others:
        expected = "another submission in this folder"
        yield Fault(("system", "replaces"), expected, quoted(name), did_you_mean(name, others))
