"""A system with its cells, and the rows it becomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from leaderboard.benchmarks.questions import Benchmark
from leaderboard.board.aggregate import overall, shown, value_of
from leaderboard.board.floor import Floor
from leaderboard.board.tables import Row, RowKind, Value
from leaderboard.catalog.retrievers import Dense, Hybrid, Indexed, KeywordSentence
from leaderboard.plan import Cell
from leaderboard.scoring.metric import Combined, Metric
from leaderboard.scoring.score import Scores
from leaderboard.statistics.intervals import wilson
from leaderboard.submissions.schema import SubmissionDocument


@dataclass(frozen=True)
class CellScores:
    """A cell and the scores of the run it shows, if it has one."""

    cell: Cell
    scores: Scores | None


@dataclass(frozen=True)
class System:
    """A submission's cells, in the order of the board's benchmarks."""

    cells: tuple[CellScores, ...]

    @property
    def key(self) -> str:
        """The stem of the submission's file."""
        return self.cells[0].cell.system

    @property
    def name(self) -> str:
        """The name the submission gives."""
        return self.cells[0].cell.submission.document.system.name

    @property
    def program(self) -> str:
        """The kind of its program in the catalog."""
        return self.cells[0].cell.submission.document.program.kind

    @property
    def reference(self) -> bool:
        """Whether it is shown but never ranked."""
        return self.cells[0].cell.program.reference

    @property
    def retrieves(self) -> bool:
        """Whether it searches a corpus for what it answers from."""
        return isinstance(self.cells[0].cell.submission.document.retriever, Indexed)

    @property
    def based_on(self) -> str:
        """The key of the system it is based on, "" for none."""
        return self.cells[0].cell.submission.document.system.based_on or ""

    @property
    def compiled(self) -> bool:
        """Whether its prompts were made by an optimizer."""
        return self.cells[0].cell.submission.document.compile is not None

    @property
    def asks_model(self) -> bool:
        """Whether it is ranked by its answers; a retriever by itself stands on the Retrievers page (rule R5)."""
        return self.cells[0].cell.program.asks_model

    @cached_property
    def marks(self) -> tuple[str, ...]:
        """What a reader should know of the whole row."""
        states = {cell.cell.state for cell in self.cells}
        marks: list[str] = [
            state for state in ("withdrawn", "incomplete", "not run", "not applicable") if state in states
        ]
        reason = self.cells[0].cell.submission.document.system.withdrawn
        marks = [f"withdrawn: {reason}" if mark == "withdrawn" else mark for mark in marks]
        if self.compiled:
            marks.append("compiled")
        if any(cell.cell.stale_parts for cell in self.cells):
            marks.append("older revision")
        repeats = [cell.scores.run.run.repeats for cell in self.cells if cell.scores]
        if 1 in repeats and self.asks_model:
            marks.append("single run")
        elif repeats and self.asks_model:
            marks.append(f"mean of {min(repeats)} runs")
        return tuple(marks)

    def at(self, benchmark: str) -> CellScores | None:
        """Return the cell on a benchmark, None where the submission does not name it."""
        return next((cell for cell in self.cells if cell.cell.benchmark.name == benchmark), None)

    def value(self, benchmark: str, metric: Metric | Combined) -> Value:
        """Return a metric's mean on a benchmark; unknown, with the cell's state, where there is no run."""
        found = self.at(benchmark)
        if found is None:
            return Value(value=None, n=0, note="not submitted for this benchmark")
        if found.scores is None:
            return Value(value=None, n=0, note=state_text(found.cell))
        return value_of(found.scores, metric)


def state_text(cell: Cell) -> str:
    """Return a cell's state in words: what is missing, and what to do about it."""
    match cell.state:
        case "not run":
            return f"not run: leaderboard build --only {cell.system}"
        case "not applicable":
            return f"not applicable: {cell.inapplicable}"
        case "withdrawn":
            return f"withdrawn: {cell.submission.document.system.withdrawn}"
        case state:
            return state


def system_texts(system: System) -> dict[str, str]:
    """Return a system's text columns: model, retriever, date of the newest run shown."""
    document = system.cells[0].cell.submission.document
    dates = [cell.scores.run.run.finished_at[:10] for cell in system.cells if cell.scores]
    return {
        "model": document.model or "none",
        "retriever": retriever_words(document),
        "date": max(dates, default=""),
    }


def retriever_words(document: SubmissionDocument) -> str:
    """Return what a system retrieves with, in a few words."""
    retriever = document.retriever
    words: str = retriever.kind.replace("_", " ")
    if isinstance(retriever, Dense | Hybrid | KeywordSentence):
        words += f", {retriever.encoder}"
    if isinstance(retriever, Indexed):
        words += (
            ", articles" if retriever.unit == "article" else f", passages of {retriever.chunk_tokens} tokens"
        )
        words += f", overlap {retriever.overlap_tokens}" if retriever.overlap_tokens else ""
    return words if document.reranker.kind == "none" else f"{words}, {document.reranker.kind}"


def row_kind(system: System, *, complete: bool) -> RowKind:
    """Return where a row stands: reference rows apart, incomplete ones below the ranked (rules R4, R5)."""
    if system.reference:
        return "reference"
    withdrawn = bool(system.cells[0].cell.submission.document.system.withdrawn)
    return "ranked" if complete and not withdrawn else "unranked"


def system_row(system: System, benchmark: Benchmark, values: dict[str, Value], key: str) -> Row:
    """Return a system's row in a table of one benchmark, ranked where it has the value of column ``key``."""
    found = system.at(benchmark.name)
    state = found.cell.state if found else "not run"
    return Row(
        key=system.key,
        label=system.name,
        kind=row_kind(system, complete=values[key].value is not None),
        page=system.key,
        texts=system_texts(system),
        marks=(
            *(() if state == "complete" else (state,)),
            *(("older revision",) if found and found.cell.stale_parts else ()),
        ),
        values=values,
    )


def order(rows: Sequence[Row], key: str, highest_first: bool = True) -> tuple[Row, ...]:
    """Return rows ranked first, then unranked, then reference; within each by column ``key``, then name (rule R8)."""
    kinds: Mapping[RowKind, int] = {"ranked": 0, "unranked": 1, "reference": 2}

    def place(row: Row) -> tuple[int, bool, float, str]:
        value = row.values[key].value if key in row.values else None
        known = 0.0 if value is None else -value if highest_first else value
        return kinds[row.kind], value is None, known, row.label

    return tuple(sorted(rows, key=place))


def floor_row(floors: Mapping[str, Floor]) -> Row:
    """Return the best constant answer's row: a reference, the floor under every headline (rule R3)."""
    values = {
        name: Value(
            value=floor.right / floor.n,
            n=floor.n,
            interval=shown(wilson(floor.right, floor.n)),
            note=f"the constant answer “{floor.answer}”",
        )
        for name, floor in floors.items()
    }
    return Row(
        key="best-constant-answer",
        label="Best constant answer",
        kind="reference",
        texts={"model": "none", "retriever": "none", "date": ""},
        values={"overall": overall(list(values.values()), len(values)), **values},
    )
