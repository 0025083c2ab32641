"""The board as data: tables of values with intervals, written to ``build/board.json`` and read by the pages.

A column is declared once; table, tooltip, CSV header and method page are drawn from that one declaration.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Column(_Frozen):
    """What a column holds. Values are kept at full precision; ``decimals`` and ``percent`` only say how to print them."""

    key: str
    label: str
    hint: str
    decimals: int = 1
    percent: bool = True
    higher_is_better: bool | None = True
    source: str = ""
    unit: str = ""
    range: tuple[float | None, float | None] = (0.0, 1.0)
    """The least and the greatest value there can be, None for no bound."""
    applies_to: str = ""
    """In words, which questions it is a mean over."""
    small: bool = False
    """Whether a value above 0 that rounds to 0 is printed as less than the smallest number, and never as 0."""


class Interval(_Frozen):
    """A 95 % interval and its method ("Wilson", "MOVER", "bootstrap", "Wald")."""

    low: float
    high: float
    method: str


class Value(_Frozen):
    """One number of the board. ``value`` is None where it is unknown or does not apply, and ``note`` says why.

    ``n`` is 0 where no question counts, and where somebody else's number doesn't say how many did.
    ``bounds`` are the worst and best case of an incomplete cell (rule R4). ``deviation`` is the standard deviation of
    the means of a run's repeats, None of a single run.
    """

    value: float | None
    n: int
    interval: Interval | None = None
    bounds: tuple[float, float] | None = None
    deviation: float | None = None
    note: str = ""


RowKind = Literal["ranked", "unranked", "reference", "published"]


class Row(_Frozen):
    """A row: a system, a reference (ceiling or floor), or a group of questions.

    ``kind`` "unranked" rows stand below the ranked ones (incomplete or not run), "reference" rows apart; "published"
    rows are somebody else's numbers, in tables of their own and in their source's order.
    ``page`` is the key of a system page, or "" where there is none. ``texts`` holds further text columns
    (model, retriever, date), ``marks`` short words such as "incomplete", "single run".
    """

    key: str
    label: str
    kind: RowKind = "ranked"
    page: str = ""
    texts: dict[str, str] = {}
    marks: tuple[str, ...] = ()
    values: dict[str, Value] = {}


class Table(_Frozen):
    """A table. ``text_columns`` maps the keys of ``Row.texts`` to their headings, in order."""

    key: str
    title: str
    caption: str
    row_heading: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    text_columns: dict[str, str] = {}


class PublishedTable(Table):
    """Numbers that others reported, in a table of their own. ``address`` is "" where none is known.

    ``read_from`` says what they were copied from, ``caveat`` why they can't be compared with rows measured here.
    """

    source: str
    address: str
    read_from: str
    setting: str
    caveat: str


class BenchmarkPage(_Frozen):
    """A benchmark's page: its main table, a table a breakdown, what others published, what was wrong with its files.

    ``published_name`` is the name of the benchmark that ``published`` is about, also on the sample track.
    """

    key: str
    label: str
    summary: str
    questions: int
    documents: int
    document_word: str = "articles"
    in_overall: bool = True
    main: Table
    breakdowns: tuple[Table, ...]
    scorecards: tuple[Table, ...] = ()
    """The whole scorecard, a table a subject; where systems search in rounds, what each round brought."""
    distances: tuple[Table, ...] = ()
    """Per breakdown: points above closed book, and below gold context."""
    published: tuple[PublishedTable, ...] = ()
    published_name: str = ""
    defects: tuple[str, ...] = ()


class Demonstration(_Frozen):
    """An example in a compiled prompt: field and text, in the predictor's order.

    Passages in it are cut to title and 200 characters. ``ran`` tells that it was made by running the program on a
    train question; otherwise it is a train question with its gold.
    """

    ran: bool
    fields: tuple[tuple[str, str], ...]


class InstructionLine(_Frozen):
    """A line of instructions: in both texts, in the earlier one alone, or in the later one alone."""

    kind: Literal["same", "removed", "added"]
    text: str


class CompiledPredictor(_Frozen):
    """A predictor's compiled prompt. ``changed`` is None where the instructions before it are not known.

    ``lines`` are the differences from those, line by line, where they changed.
    """

    name: str
    instructions: str
    changed: bool | None
    lines: tuple[InstructionLine, ...] = ()
    demonstrations: tuple[Demonstration, ...]


class CompiledPrompts(_Frozen):
    """What an optimizer made of a system's prompts. ``facts`` are rows of label and text, ``before`` says where the
    earlier instructions are from.
    """

    notes: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...]
    before: str = ""
    predictors: tuple[CompiledPredictor, ...] = ()


class SystemPage(_Frozen):
    """A system's page. ``toml`` is the submission's text, ``provenance`` rows of label and text, ``commands`` shell lines.

    ``literature`` is the key of the page of the system of the literature that its program is, "" where it is none.
    """

    key: str
    name: str
    authors: tuple[str, ...]
    description: str
    paper: str
    literature: str = ""
    toml: str
    main: Table
    """A row a benchmark, a column a metric."""
    groups: tuple[Table, ...]
    """Per benchmark and breakdown: a row a group."""
    outcomes: Table
    """A row a benchmark, a column an outcome: counts that sum to N."""
    against: Table | None = None
    """What changes from the system it is based on, a row a benchmark; with a paired test of each difference."""
    compiled: CompiledPrompts | None = None
    notes: tuple[str, ...] = ()
    """What a reader has to know before the numbers: withdrawn, or recorded with another submission than the one shown."""
    provenance: tuple[tuple[str, str], ...]
    commands: tuple[str, ...]


class RetrieversPage(_Frozen):
    """The retrievers by themselves, without a model: a table a benchmark, ranked by AllGold@10 (seed 3)."""

    summary: str
    tables: tuple[Table, ...]


class Paper(_Frozen):
    """A work with its year; ``address`` is "" where none is known."""

    work: str
    year: int
    address: str


class LiteraturePage(_Frozen):
    """A system of the literature: what our program of that kind reproduces, and what others published of it.

    ``parameters`` are rows of our parameter and what it is in the paper. ``second_hand`` and ``no_figures`` are
    sentences or "". ``systems`` are the submissions whose program is of the kind, None where there is none;
    ``published`` are numbers of others, never beside those.
    """

    key: str
    title: str
    papers: tuple[Paper, ...]
    summary: str
    reproduces: tuple[str, ...]
    leaves_out: tuple[str, ...]
    second_hand: str
    parameters: tuple[tuple[str, str], ...]
    systems: Table | None
    published: tuple[PublishedTable, ...]
    no_figures: str


class DataFileNote(_Frozen):
    """A published file: what it is, where it comes from, what pins it. Texts are for people; ``note`` may be ""."""

    name: str
    role: str
    sources: tuple[str, ...]
    size: str
    sha256: str
    licence: str
    note: str = ""
    optional: bool = False


class DataErratum(_Frozen):
    """A question that the errata correct or leave out, without its gold."""

    question: str
    kind: str
    action: str
    reason: str
    source: str


class DataBenchmark(_Frozen):
    """A benchmark's data. ``read`` names each file that this board was scored on, with its digest in words.

    ``read_words`` says how much was read of them; ``defects`` are problem and repair.
    """

    key: str
    name: str
    licence: str
    home: str
    citation: str
    read_words: str
    read: tuple[tuple[str, str], ...]
    files: tuple[DataFileNote, ...]
    defects: tuple[tuple[str, str], ...]
    errata: tuple[DataErratum, ...] = ()


class DataPage(_Frozen):
    """Source, revision, digest, licence, size, defects and citation of every benchmark's files."""

    benchmarks: tuple[DataBenchmark, ...]


class MetricNote(_Frozen):
    """A metric's entry on the method page. ``range`` and ``applies_to`` are in words."""

    key: str
    label: str
    definition: str
    source: str
    range: str = ""
    applies_to: str = ""


class Board(_Frozen):
    """Everything the site shows."""

    schema_version: Literal["board/1"] = "board/1"
    title: str
    track: Literal["sample", "full"]
    home: Table
    benchmarks: tuple[BenchmarkPage, ...]
    systems: tuple[SystemPage, ...]
    retrievers: RetrieversPage | None = None
    literature: tuple[LiteraturePage, ...] = ()
    data: DataPage
    metrics: tuple[MetricNote, ...]
    built: str
    """Date of the newest run shown, ISO; so that two builds of the same results are equal."""
