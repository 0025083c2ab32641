"""What every benchmark is turned into: questions with gold evidence, and documents to search."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Literal

from leaderboard.files import digest_json

Track = Literal["sample", "full"]
EvidenceKind = Literal["article", "paragraph", "fact"]


def track_label(name: str, track: Track) -> str:
    """Return a benchmark's name as titles print it: "FRAMES", or "FRAMES-like (sample)" for an invented world."""
    return name if track == "full" else f"{name}-like (sample)"


def paragraph_key(title: str, text: str) -> str:
    """Return a paragraph's identity: SHA-1 of title, newline, text as 40 hex digits (spec § 1.3)."""
    return hashlib.sha1(f"{title}\n{text}".encode(), usedforsecurity=False).hexdigest()


class BenchmarkError(Exception):
    """A benchmark file cannot be used. The text names file, row, what was expected and what was found."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One gold item of a question.

    ``key`` identifies it within its benchmark: a canonical article key (spec § 3.3), a paragraph key (§ 1.3)
    or the fact's text. ``document`` is the id of the document that holds it, or ``""`` where the corpus
    lacks it. ``text`` is what has to stand before the model: the paragraph, the fact, ``""`` for a whole article.
    """

    key: str
    kind: EvidenceKind
    title: str
    text: str
    document: str


@dataclass(frozen=True)
class Question:
    """A question with its gold. ``groups`` maps a breakdown's name to the labels this question counts in."""

    id: str
    text: str
    answer: str
    aliases: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    groups: Mapping[str, tuple[str, ...]]
    null: bool = False

    @property
    def golds(self) -> tuple[str, ...]:
        """The answer and its aliases, the answer first."""
        return (self.answer, *self.aliases)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over all that is asked and scored: a record made for another wording or gold is recognised.

        The groups are left out: how a page splits the questions is no part of what was run.
        """
        return digest_json({name: value for name, value in asdict(self).items() if name != "groups"})


@dataclass(frozen=True, slots=True)
class Document:
    """An article (or a paragraph, where the corpus is of paragraphs). Indexes take title, newline, text."""

    id: str
    title: str
    text: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Breakdown:
    """A way to split a benchmark's questions. ``labels`` are in display order; ``overlapping`` groups share questions."""

    name: str
    label: str
    labels: tuple[str, ...]
    hint: str
    overlapping: bool = False


@dataclass(frozen=True, slots=True)
class Defect:
    """Something wrong in a source file and what was done about it.

    ``row`` is the 1-based line, or the 1-based item of a JSON array; ``None`` for what concerns the whole file.
    """

    file: str
    row: int | None
    problem: str
    action: str


@dataclass(frozen=True)
class Benchmark:
    """A loaded benchmark: questions in file order, the closed corpus, and what was wrong with the files.

    ``chunked`` tells whether passages may be chunks of documents (paragraphs never are).
    ``label`` is the benchmark's name with its track, such as "FRAMES-like (sample)".
    """

    name: str
    label: str
    track: Track
    questions: tuple[Question, ...]
    documents: tuple[Document, ...]
    breakdowns: tuple[Breakdown, ...]
    chunked: bool
    defects: tuple[Defect, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    """File name → SHA-256 of the bytes read."""

    @cached_property
    def questions_digest(self) -> str:
        """SHA-256 over the questions' digests, in order."""
        return digest_json([question.digest for question in self.questions])

    @cached_property
    def corpus_digest(self) -> str:
        """SHA-256 over ids, titles and texts of the documents, in order."""
        return digest_json([[document.id, document.title, document.text] for document in self.documents])

    @cached_property
    def by_id(self) -> dict[str, Question]:
        """Question id → question."""
        return {question.id: question for question in self.questions}
