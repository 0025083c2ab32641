"""Submissions from files: read, inherit, validate, cross-check; all errors of a file at once."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from leaderboard.catalog.programs import PROGRAMS
from leaderboard.catalog.rerankers import RERANKERS
from leaderboard.catalog.retrievers import INDEXED, RETRIEVERS, Indexed
from leaderboard.submissions.compilation import compile_faults, state_bytes, state_path
from leaderboard.submissions.errors import (
    SubmissionError,
    SubmissionErrors,
    did_you_mean,
    one_of,
    quoted,
    shown,
)
from leaderboard.submissions.inheritance import Lineage, get, holds, lineage
from leaderboard.submissions.positions import Path as Keys
from leaderboard.submissions.reading import read_toml
from leaderboard.submissions.schema import STEM_PATTERN, SubmissionDocument
from leaderboard.submissions.translation import NOTHING, Fault, faults


@dataclass(frozen=True, slots=True)
class Submission:
    """A valid submission. ``key`` is its file's stem, ``document`` what it says with everything inherited."""

    key: str
    path: Path
    document: SubmissionDocument
    text: str

    @property
    def state_path(self) -> Path:
        """Where the compiled state lies, if there is one: beside the file, under its stem."""
        return state_path(self.path)

    @property
    def not_compiled(self) -> str:
        """That the program still has to be compiled, and how; "" where it has not."""
        if self.document.compile is None or state_bytes(self.state_path) is not None:
            return ""
        return f"not compiled yet: leaderboard compile {self.path.as_posix()}"


@dataclass(frozen=True, slots=True)
class Folder:
    """What a folder of submissions holds: the valid ones by key, and the errors of the others."""

    submissions: tuple[Submission, ...]
    errors: tuple[SubmissionError, ...]


@dataclass(frozen=True, slots=True)
class Names:
    """What a submission may name of the board's lists: models and encoders."""

    models: Collection[str]
    encoders: Collection[str]


def load_submission(path: Path, names: Names | None = None) -> Submission:
    """Return the submission in ``path``, whose folder holds the ones it may name.

    ``names`` are those of the board, when they are known. Raises ``SubmissionErrors``.
    """
    if path.suffix != ".toml" or not re.fullmatch(STEM_PATTERN, path.stem):
        expected = "a file name of 2 to 63 of a-z, 0-9 and -, with .toml"
        raise SubmissionErrors([SubmissionError(path.as_posix(), 1, 1, "", expected, quoted(path.name))])
    own = read_toml(path)
    files = lineage(own)
    found = [*files.faults, *_cross_checks(files, names)]
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


def load_folder(folder: Path, names: Names | None = None) -> Folder:
    """Return all submissions (``*.toml``) of ``folder``, sorted by key, and all errors, each once."""
    submissions: list[Submission] = []
    errors: list[SubmissionError] = []
    for path in sorted(folder.glob("*.toml"), key=lambda path: path.stem):
        try:
            submissions.append(load_submission(path, names))
        except SubmissionErrors as error:
            errors += error.errors
    return Folder(tuple(submissions), tuple(dict.fromkeys(errors)))


def _cross_checks(files: Lineage, names: Names | None) -> Iterator[Fault]:
    """Yield what only several fields together, or other files, can tell."""
    data = files.data
    yield from _kinds(files)
    yield from _chunks(files)
    yield from _asked(files)
    yield from _reranked(files)
    yield from compile_faults(files.data)
    if names is not None:
        yield from _listed(data, ("lm", "model"), names.models, "a model")
        if _has_encoder(get(data, ("retriever", "kind"))):
            yield from _listed(data, ("retriever", "encoder"), names.encoders, "an encoder")
    yield from _replaced(data, files.files[0].path)


def _listed(data: Mapping[str, Any], path: Keys, listed: Collection[str], what: str) -> Iterator[Fault]:
    name = get(data, path)
    if isinstance(name, str) and name not in listed:
        expected = one_of(listed) if listed else f"{what}, but leaderboard.toml lists none"
        yield Fault(path, expected, shown(name), did_you_mean(name, listed))


def _has_encoder(retriever: object) -> bool:
    known = isinstance(retriever, str) and retriever in RETRIEVERS
    return known and "encoder" in RETRIEVERS[str(retriever)].parameters.model_fields


def _chunks(files: Lineage) -> Iterator[Fault]:
    data, own = files.data, files.files[0].data
    chunk, overlap = ("retriever", "chunk_tokens"), ("retriever", "overlap_tokens")
    if get(data, ("retriever", "unit")) == "article":
        for path in (chunk, overlap):
            if holds(data, path):
                expected = f'no {path[-1]} with unit = "article": articles are not cut'
                yield Fault(path, expected, shown(get(data, path)), at_key=True)
        return
    length, shared = get(data, chunk), get(data, overlap)
    length = Indexed.model_fields["chunk_tokens"].default if length is None else length
    if isinstance(length, int) and isinstance(shared, int) and 2 * shared >= length > 0:
        if holds(own, chunk) and not holds(own, overlap):
            yield Fault(chunk, f"more than twice overlap_tokens ({shared})", shown(length))
        else:
            yield Fault(overlap, f"less than half of chunk_tokens ({length})", shown(shared))


def _asked(files: Lineage) -> Iterator[Fault]:
    """Yield what does not go together with the program's asking a model, or asking none."""
    data = files.data
    program = get(data, ("program", "kind"))
    if not (isinstance(program, str) and program in PROGRAMS):
        return
    asks = PROGRAMS[program].asks_model
    if asks and not holds(data, ("lm",)) and not files.broken:
        hint = "which language model answers, and how it samples"
        yield Fault(("lm",), "a table [lm]", NOTHING, hint, missing=True)
    if not asks and holds(data, ("lm",)):
        expected = f'no [lm] with the program "{program}": it asks no model'
        yield Fault(("lm",), expected, shown(get(data, ("lm",))), at_key=True)


def _reranked(files: Lineage) -> Iterator[Fault]:
    """Yield a reranker that has no model to ask, or no search whose passages it could order.

    Of an inherited one it is said in the own file, where program or retriever was changed.
    """
    reranker, program, retriever = (
        get(files.data, (table, "kind")) for table in ("reranker", "program", "retriever")
    )
    if not (isinstance(reranker, str) and reranker in RERANKERS) or reranker == "none":
        return
    if isinstance(program, str) and program in PROGRAMS and not PROGRAMS[program].asks_model:
        changed, kinds, around = "program", [k for k, e in PROGRAMS.items() if e.reranks], program
        needs = f'"none" with the program "{program}"'
    elif isinstance(retriever, str) and retriever in RETRIEVERS and retriever not in INDEXED:
        changed, kinds, around = "retriever", list(INDEXED), retriever
        needs = f'"none" without a retriever that searches ({one_of(INDEXED)})'
    else:
        return
    own = files.files[0].data
    if holds(own, (changed, "kind")) and not holds(own, ("reranker", "kind")):
        expected = f'{one_of(kinds)} with the reranker "{reranker}"'
        hint = '[reranker] with kind = "none" leaves it out'
        yield Fault((changed, "kind"), expected, shown(around), hint)
    else:
        yield Fault(("reranker", "kind"), needs, shown(reranker))


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
