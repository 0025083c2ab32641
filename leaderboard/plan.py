"""Which cells there are, what identifies each, and which of them have a run (design § 1, § 5). No heavy import."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from leaderboard.benchmarks.questions import Benchmark
from leaderboard.catalog.encoders import BUILT_IN, Encoder, EncoderKind
from leaderboard.catalog.programs import PROGRAMS, ProgramEntry
from leaderboard.catalog.rerankers import RERANKERS
from leaderboard.catalog.retrievers import RETRIEVERS, Dense, Hybrid, KeywordSentence
from leaderboard.files import canonical_json, digest_json, sha256_bytes
from leaderboard.results.runs import RunFolder, runs_of, shown_run
from leaderboard.submissions.compilation import state_bytes
from leaderboard.submissions.load import Submission

ADAPTER = "chat/1"
"""The adapter every program runs with and its revision, raised by hand when what it sends changes."""

_LEXICAL = ("bm25s", "PyStemmer")
_LIBRARIES_OF_RETRIEVER: Mapping[str, tuple[str, ...]] = {"bm25": _LEXICAL, "hybrid": _LEXICAL}
_LIBRARIES_OF_ENCODER: Mapping[EncoderKind, tuple[str, ...]] = {
    "wordllama": ("model2vec", "tokenizers"),
    "model2vec": ("model2vec", "tokenizers"),
    "minilm": ("onnxruntime", "tokenizers"),
}

State = Literal["complete", "incomplete", "not run", "not applicable", "withdrawn"]


@dataclass(frozen=True)
class Cell:
    """A system on a benchmark, with its runs, newest first.

    ``parts`` are the fingerprint's named parts; ``encoder`` is the one its retriever names, if any; ``inapplicable``
    says why the system cannot be run here, "" if it can.
    """

    submission: Submission
    benchmark: Benchmark
    parts: Mapping[str, str]
    runs: Sequence[RunFolder]
    encoder: Encoder | None = None
    inapplicable: str = ""

    @property
    def system(self) -> str:
        """The system's key: the stem of its file."""
        return self.submission.key

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the named parts."""
        return digest_json(dict(self.parts))

    @property
    def shown(self) -> RunFolder | None:
        """The run that the board shows: of those made on exactly these questions, the newest complete one.

        A run on other questions (another limit, a corrected gold) is no run of this cell; its calls are replayed.
        """
        return shown_run(
            [folder for folder in self.runs if folder.run.parts.get("questions") == self.parts["questions"]]
        )

    @property
    def program(self) -> ProgramEntry:
        """The program's row in the catalog."""
        return PROGRAMS[self.submission.document.program.kind]

    @property
    def state(self) -> State:
        """The cell's state (design § 2)."""
        if self.submission.document.system.withdrawn:
            return "withdrawn"
        if self.inapplicable:
            return "not applicable"
        if self.shown is None:
            return "not run"
        return "complete" if self.shown.run.complete else "incomplete"

    @property
    def stale_parts(self) -> tuple[str, ...]:
        """The fingerprint's parts in which the shown run differs from what would run now."""
        if self.shown is None:
            return ()
        then = self.shown.run.parts
        return tuple(sorted(name for name in {*then, *self.parts} if then.get(name) != self.parts.get(name)))


def submission_json(submission: Submission) -> str:
    """Return what a run depends on of a submission, inheritance resolved, as canonical JSON.

    Only values that differ from their defaults count, so that a new field with a default changes no old fingerprint.
    Name, authors, description, paper, withdrawal and ``[compile]`` are not in it: what was compiled is the state, a part
    of its own.
    """
    document = submission.document
    chosen = {
        table: {"kind": value.kind, **value.model_dump(exclude_defaults=True)}
        for table, value in (("retriever", document.retriever), ("program", document.program))
    }
    if document.reranker.kind != "none":
        reranker = document.reranker
        chosen["reranker"] = {"kind": reranker.kind, **reranker.model_dump(exclude_defaults=True)}
    if document.lm:
        chosen["lm"] = document.lm.model_dump(exclude_defaults=True, exclude_none=True)
    chosen["limits"] = document.limits.model_dump(include={"calls_per_question"}, exclude_none=True)
    return canonical_json(chosen).decode()


def fingerprint_parts(
    submission: Submission, benchmark: Benchmark, encoder: Encoder | None = None
) -> dict[str, str]:
    """Return the named parts of a cell's fingerprint (design § 5).

    Of ``[compile]`` only what came of it counts: the state, by the SHA-256 of its file, whose one form is canonical.
    Raises ``StateErrors`` for a state that is no file to read; what its bytes say is checked elsewhere.
    """
    document = submission.document
    program, retriever, reranker = document.program.kind, document.retriever.kind, document.reranker.kind
    parts = {
        "submission": submission_json(submission),
        "questions": benchmark.questions_digest,
        "program": f"{program}/{PROGRAMS[program].revision}",
        "retriever": f"{retriever}/{RETRIEVERS[retriever].revision}",
    }
    if document.compile is not None and (state := state_bytes(submission.state_path)) is not None:
        parts["state"] = sha256_bytes(state)
    if PROGRAMS[program].asks_model:
        parts |= {"adapter": ADAPTER, "dspy": version("dspy")}
    if reranker != "none":
        parts["reranker"] = f"{reranker}/{RERANKERS[reranker].revision}"
    if retriever != "none":
        parts["corpus"] = benchmark.corpus_digest
    libraries = _LIBRARIES_OF_RETRIEVER.get(retriever, ())
    if encoder is not None:
        parts["encoder"] = encoder.sha256
        libraries += _LIBRARIES_OF_ENCODER[encoder.kind]
    for library in libraries:
        parts[library] = version(library)
    return parts


def encoder_of(submission: Submission, encoders: Mapping[str, Encoder]) -> Encoder | None:
    """Return the encoder that a submission's retriever names, None where it has none."""
    retriever = submission.document.retriever
    return encoders[retriever.encoder] if isinstance(retriever, Dense | Hybrid | KeywordSentence) else None


def plan(
    submissions: Iterable[Submission],
    benchmarks: Sequence[Benchmark],
    results: Path,
    encoders: Mapping[str, Encoder] = BUILT_IN,
) -> tuple[Cell, ...]:
    """Return every cell of the board: submissions in the order of their keys, benchmarks in the board's order."""
    cells = []
    for submission in sorted(submissions, key=lambda submission: submission.key):
        encoder = encoder_of(submission, encoders)
        for benchmark in benchmarks:
            if benchmark.name not in submission.document.system.benchmarks:
                continue
            cells.append(
                Cell(
                    submission=submission,
                    benchmark=benchmark,
                    parts=fingerprint_parts(submission, benchmark, encoder),
                    runs=tuple(runs_of(results, benchmark.track, benchmark.name, submission.key)),
                    encoder=encoder,
                    inapplicable=_inapplicable(submission, benchmark),
                )
            )
    return tuple(cells)


def _inapplicable(submission: Submission, benchmark: Benchmark) -> str:
    if submission.document.retriever.kind != "none" and not benchmark.documents:
        return f"{benchmark.label} has no corpus here, and the system retrieves"
    return submission.not_compiled
