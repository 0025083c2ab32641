"""Questions of the published files that shouldn't count as they stand: an overlay, applied in scoring alone.

``errata/<benchmark>.toml`` has an ``[[erratum]]`` a question. It never changes a question, so digests, fingerprints and
recorded runs stay valid, and ranks use the published questions always.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, Strict, ValidationError

from leaderboard.benchmarks.questions import Benchmark, BenchmarkError, Defect, Question
from leaderboard.files import digest_json
from leaderboard.submissions.errors import SubmissionError, SubmissionErrors, dotted, escaped, quoted
from leaderboard.submissions.reading import TomlFile, read_toml
from leaderboard.submissions.schema import Expected, Sentence
from leaderboard.submissions.translation import faults

# Beside the package's own modules: a folder of data, which Python doesn't take for this module.
FOLDER = Path(__file__).with_suffix("")
"""Where the package's own files are."""

Kind = Literal["duplicate", "debris", "answer_in_prompt", "dated", "wrong", "ambiguous"]
KINDS: Mapping[Kind, str] = {
    "duplicate": "duplicate",
    "debris": "debris in the gold",
    "answer_in_prompt": "answer in the prompt",
    "dated": "dated",
    "wrong": "wrong gold",
    "ambiguous": "ambiguous",
}
"""Kind → what is wrong, in words."""

Identity = Annotated[
    str, Field(pattern=r"\A[!-~]{1,100}\z"), Expected("a question's id, without white space")
]


class ErrataError(BenchmarkError):
    """A file of errata cannot be used. The text has a line a fault: file, line, field, expected, found."""


class Erratum(BaseModel):
    """What is wrong with one question, and what scoring does about it.

    ``digest`` are the first 12 or more hex digits of ``wording_digest``. With ``exclude`` the question is left out.
    Else ``answer``, with ``aliases`` beside it, replaces the published answer and aliases, and ``aliases`` alone are
    added to them. ``twin`` is the question that a duplicate repeats. ``source`` says who found it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    id: Identity
    digest: Annotated[str, Field(pattern=r"\A[0-9a-f]{12,64}\z"), Expected("12 to 64 lower-case hex digits")]
    kind: Kind
    exclude: bool = False
    answer: Sentence | None = None
    aliases: Annotated[tuple[Sentence, ...], Strict(False), Field(max_length=20)] = ()
    twin: Identity | None = None
    reason: Sentence
    source: Sentence

    @property
    def action(self) -> str:
        """What scoring does, in words."""
        if self.exclude:
            return f"excluded; its twin {self.twin} counts" if self.twin else "excluded"
        golds = "; ".join(self.golds(()))
        return f"gold replaced by: {golds}" if self.answer is not None else f"gold added: {golds}"

    def golds(self, published: tuple[str, ...]) -> tuple[str, ...]:
        """Return the corrected golds of a question with these ``published`` ones."""
        return (*published, *self.aliases) if self.answer is None else (self.answer, *self.aliases)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    erratum: Annotated[tuple[Erratum, ...], Strict(False), Field(min_length=1)]


@dataclass(frozen=True)
class Errata:
    """The errata that apply to a loaded benchmark.

    ``excluded`` maps a question's id to its erratum, ``corrected`` to the golds that take the place of the published
    ones; ``applied`` are their errata in the file's order. ``defects`` are errata of another version of a question
    that is here, or that can't be applied to it: not applied. An erratum of a question that isn't loaded (a limit, a
    part of the file) is neither.
    """

    excluded: Mapping[str, Erratum] = field(default_factory=dict)
    corrected: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    applied: tuple[Erratum, ...] = ()
    defects: tuple[Defect, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.excluded or self.corrected)

    def golds(self, question: Question) -> tuple[str, ...]:
        """Return a question's golds, corrected where they are."""
        return self.corrected.get(question.id, question.golds)

    def kinds(self, *, excluded: bool) -> dict[Kind, int]:
        """Return how many questions are excluded, or corrected, by kind, in the order of ``KINDS``."""
        counts = Counter(erratum.kind for erratum in self.applied if erratum.exclude is excluded)
        return {kind: counts[kind] for kind in KINDS if counts[kind]}

    @cached_property
    def digest(self) -> str:
        """SHA-256 over all that changes a score: which questions are excluded, and the corrected golds."""
        return digest_json(
            [sorted(self.excluded), {key: list(golds) for key, golds in self.corrected.items()}]
        )


NONE = Errata()
"""No errata: the sample track, and a benchmark without a file of them."""


def wording_digest(question: Question) -> str:
    """Return the SHA-256 over a question's wording and golds, as 64 hex digits.

    Unlike ``Question.digest`` it leaves out the evidence, whose place in the corpus a frozen or partial corpus changes.
    Of one question alone, it is the same under every limit.
    """
    return digest_json([question.text, question.answer, list(question.aliases)])


def listed(benchmark: str, folder: Path | None = None) -> tuple[Erratum, ...]:
    """Return all errata of a benchmark, in the order of ``<folder>/<benchmark>.toml``; none without a file.

    Whether one applies, ``errata_for`` says. Raises ErrataError.
    """
    file = (folder or FOLDER) / f"{benchmark}.toml"
    return _read(file).erratum if file.exists() or file.is_symlink() else ()


def errata_for(benchmark: Benchmark, folder: Path | None = None) -> Errata:
    """Return the errata that apply to a loaded benchmark: those of the full track whose digest is the question's.

    An erratum is of the question with its id. Where ids are numbers, they are a question's place in its file, and a
    part of the file numbers anew: there the question is also found by its digest alone. A duplicate is excluded only
    where its twin is loaded too. Raises ErrataError.
    """
    if benchmark.track != "full":
        return NONE
    excluded: dict[str, Erratum] = {}
    corrected: dict[str, tuple[str, ...]] = {}
    applied, defects = [], []
    file = f"errata/{benchmark.name}.toml"
    find = _Finder(benchmark)
    for row, erratum in enumerate(listed(benchmark.name, folder), start=1):
        question = find(erratum)
        if question is None:
            if erratum.id in benchmark.by_id:
                problem = f"the erratum of question {erratum.id} is of another wording or gold"
                defects.append(Defect(file, row, problem, "not applied"))
        elif erratum.twin is not None and erratum.twin not in benchmark.by_id:
            continue
        elif question.null and not erratum.exclude:
            problem = f"question {erratum.id} is a null question, whose golds are never compared"
            defects.append(Defect(file, row, problem, "not applied"))
        elif question.id in excluded or question.id in corrected:
            problem = f"question {question.id} has another erratum already"
            defects.append(Defect(file, row, problem, "not applied"))
        else:
            if erratum.exclude:
                excluded[question.id] = erratum
            else:
                corrected[question.id] = erratum.golds(question.golds)
            applied.append(erratum)
    return Errata(excluded, corrected, tuple(applied), tuple(defects))


class _Finder:
    """Finds the question that an erratum is about."""

    def __init__(self, benchmark: Benchmark) -> None:
        self.benchmark = benchmark

    @cached_property
    def digests(self) -> dict[str, Question]:
        """The first 12 digits of a digest → its question, where ids are numbers and no other has that digest."""
        numbered = [question for question in self.benchmark.questions if question.id.isdecimal()]
        digests = [wording_digest(question)[:12] for question in numbered]
        times = Counter(digests)
        return {key: one for key, one in zip(digests, numbered, strict=True) if times[key] == 1}

    def __call__(self, erratum: Erratum) -> Question | None:
        question = self.benchmark.by_id.get(erratum.id)
        if question is not None and wording_digest(question).startswith(erratum.digest):
            return question
        if not erratum.id.isdecimal():
            return None
        moved = self.digests.get(erratum.digest[:12])
        return moved if moved is not None and wording_digest(moved).startswith(erratum.digest) else None


def _read(path: Path) -> _File:
    try:
        toml = read_toml(path)
        try:
            file = _File.model_validate(toml.data)
        except ValidationError as error:
            raise SubmissionErrors(_translated(toml, error)) from error
        if found := list(_contradictions(toml, file.erratum)):
            raise SubmissionErrors(found)
    except SubmissionErrors as error:
        raise ErrataError(str(error)) from error
    return file


def _translated(toml: TomlFile, error: ValidationError) -> Iterator[SubmissionError]:
    for fault in faults(error, _File):
        places = toml.positions
        at = places.key(fault.path) if fault.at_key else places.value(fault.path)
        yield SubmissionError(
            toml.file, at.line, at.column, dotted(fault.path), fault.expected, fault.found, fault.hint
        )


def _contradictions(toml: TomlFile, errata: Iterable[Erratum]) -> Iterator[SubmissionError]:
    """Yield what is wrong between an erratum's fields, and between errata."""

    def fault(index: int, name: str, expected: str, found: str) -> SubmissionError:
        path = ("erratum", index, name)
        at = toml.positions.value(path)
        return SubmissionError(toml.file, at.line, at.column, dotted(path), expected, found)

    seen: set[str] = set()
    for index, erratum in enumerate(errata):
        golds = erratum.golds(())
        if erratum.exclude and golds:
            yield fault(index, "exclude", "either exclude = true or corrected golds", "both")
        elif not erratum.exclude and not golds:
            yield fault(index, "exclude", "exclude = true, an answer or aliases", "none of them")
        if (erratum.kind == "duplicate") != (erratum.twin is not None):
            found = "none" if erratum.twin is None else f"one of a {escaped(erratum.kind)}"
            yield fault(index, "twin", "a twin of each duplicate, and of nothing else", found)
        elif erratum.twin == erratum.id:
            yield fault(index, "twin", "another question", "the same")
        elif erratum.twin is not None and not erratum.exclude:
            yield fault(index, "exclude", "exclude = true of a duplicate", "corrected golds")
        if erratum.id in seen:
            yield fault(index, "id", "each question once", f"{quoted(erratum.id)} again")
        seen.add(erratum.id)
