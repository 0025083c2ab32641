"""The stages in order: plan, run, score, board, pages, site."""

from __future__ import annotations

import difflib
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from leaderboard.benchmarks.questions import Benchmark
from leaderboard.benchmarks.registry import load_benchmark
from leaderboard.checking.compiled import state_errors
from leaderboard.files import write_text
from leaderboard.plan import Cell, plan
from leaderboard.running.progress import say
from leaderboard.submissions.config import BoardConfig, load_config
from leaderboard.submissions.errors import SubmissionErrors
from leaderboard.submissions.load import load_folder

if TYPE_CHECKING:
    from leaderboard.board.tables import Board


class BuildError(Exception):
    """What was asked for does not exist. The text says what does."""


def find_root() -> Path:
    """Return the repository: this folder, else the one this program was installed from. Raises ``BuildError``."""
    candidates = (Path(), Path(__file__).parents[1])
    for folder in candidates:
        if (folder / "mkdocs.yml").is_file() and (folder / "site_templates").is_dir():
            return folder
    raise BuildError(
        "mkdocs.yml and site_templates are neither here nor where this program was installed from; run this in the "
        "repository's folder"
    )


@dataclass(frozen=True, slots=True)
class Places:
    """Where a board's inputs lie and its outputs go."""

    config: Path
    submissions: Path
    results: Path
    out: Path
    data_dir: Path | None = None
    root: Path = field(default_factory=lambda: find_root())
    """The folder of ``mkdocs.yml`` and ``site_templates``."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which cells to run, and how. Empty ``systems`` or ``benchmarks`` mean all."""

    systems: frozenset[str] = frozenset()
    benchmarks: frozenset[str] = frozenset()
    refresh: bool = False
    run: bool = True
    replay: bool = False
    repeats: int | None = None

    def wants(self, cell: Cell) -> bool:
        """Whether this cell is to be run now: chosen, and without a complete run (or stale, with ``refresh``)."""
        due = cell.state in ("not run", "incomplete") or (
            cell.state == "complete"
            and ((self.refresh and bool(cell.stale_parts)) or self._asks_more_often(cell))
        )
        return self.run and self.covers(cell) and due

    def _asks_more_often(self, cell: Cell) -> bool:
        more = self.repeats and cell.shown and cell.shown.run.repeats < self.repeats
        return bool(more) and cell.program.asks_model  # a search comes out the same each time

    def covers(self, cell: Cell) -> bool:
        """Whether this cell is among those asked for."""
        return (not self.systems or cell.system in self.systems) and (
            not self.benchmarks or cell.benchmark.name in self.benchmarks
        )


@dataclass(frozen=True, slots=True)
class Ran:
    """The board after its run stage. ``troubles`` are cells asked for without a complete run, each with its reason;
    ``stale`` those that are shown as recorded with other parts than they would run with now.
    """

    config: BoardConfig
    benchmarks: tuple[Benchmark, ...]
    cells: tuple[Cell, ...]
    troubles: tuple[str, ...]
    stale: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Built:
    """What a build came to: the site's folder, and its run stage."""

    site: Path
    ran: Ran


def read_cells(
    places: Places, *, quiet: bool = False
) -> tuple[BoardConfig, tuple[Benchmark, ...], tuple[Cell, ...]]:
    """Plan stage: read configuration, submissions and benchmarks, and find each cell's runs.

    Raises ``SubmissionErrors`` with all errors of all files, ``BenchmarkError`` and ``RunError``.
    """
    config = load_config(places.config)
    if not places.submissions.is_dir():
        raise BuildError(
            f"{places.submissions}: no such folder; it should hold the submissions, a TOML file a system"
        )
    folder = load_folder(places.submissions, config.names)
    if folder.errors:
        raise SubmissionErrors(folder.errors)
    if not quiet:
        say(f"plan   reading {', '.join(config.board.every_benchmark)} ({config.board.track})")
    benchmarks = tuple(
        load_benchmark(
            name,
            config.board.track,
            places.data_dir,
            limit=config.questions.limit(name),
            each=config.questions.group(name),
        )
        for name in config.board.every_benchmark
    )
    questions = (question for benchmark in benchmarks for question in benchmark.questions)
    if errors := state_errors(folder.submissions, questions):
        raise SubmissionErrors(errors)
    return config, benchmarks, plan(folder.submissions, benchmarks, places.results, config.encoder_list)


def build(places: Places, choice: Choice) -> Built:
    """Build the board: run what has no run, score, and render the site. Each stage says what it does."""
    started = time.monotonic()
    ran = run(places, choice)
    board = score_cells(ran.config, ran.benchmarks, ran.cells, places.out)
    built = Built(write_site(board, places), ran)
    say(f"done   in {time.monotonic() - started:.1f} s")
    return built


def run(places: Places, choice: Choice) -> Ran:
    """Plan and run stages: run the cells that ``choice`` wants, and find each cell's runs anew."""
    config, benchmarks, cells = read_cells(places)
    require_known("system", choice.systems, {cell.system for cell in cells})
    require_known("benchmark", choice.benchmarks, {benchmark.name for benchmark in benchmarks})
    wanted = [cell for cell in cells if choice.wants(cell)]
    say(f"plan   {len(cells)} cells: {_count(cells)}; {len(wanted)} to run")
    reasons: Mapping[tuple[str, str], str] = {}
    if wanted:
        from leaderboard.running.cells import run_cells

        _require_writable(places.results)
        reasons = run_cells(config, wanted, places.results, replay=choice.replay, repeats=choice.repeats)
        submissions = {cell.system: cell.submission for cell in cells}.values()
        cells = plan(submissions, benchmarks, places.results, config.encoder_list)
    chosen = [cell for cell in cells if choice.covers(cell)]
    return Ran(
        config,
        benchmarks,
        cells,
        troubles=tuple(
            _trouble(cell, reasons.get((cell.system, cell.benchmark.name), ""))
            for cell in chosen
            if cell.state in ("not run", "incomplete")
        ),
        stale=tuple(cell for cell in chosen if cell.state == "complete" and cell.stale_parts),
    )


def _trouble(cell: Cell, reason: str) -> str:
    return f"{cell.system} on {cell.benchmark.label}: {cell.state}" + (f" ({reason})" if reason else "")


def score(places: Places) -> Board:
    """Plan, score and board stages: ``out/scores`` and ``out/board.json`` of the runs that are there."""
    return score_cells(*read_cells(places), places.out)


def site(places: Places) -> Path:
    """Pages and site stages from ``out/board.json``, nothing scored again; return the site's folder.

    Raises ``BuildError`` where there is no board of this version.
    """
    from pydantic import ValidationError

    from leaderboard.board.tables import Board

    path = places.out / "board.json"
    try:
        board = Board.model_validate_json(path.read_bytes())
    except FileNotFoundError as error:
        raise BuildError(f"{path}: no board there; score the runs first: leaderboard score") from error
    except ValidationError as error:
        raise BuildError(
            f"{path}: not a board of this version ({error.error_count()} faults); make it anew: leaderboard score"
        ) from error
    return write_site(board, places)


def score_cells(
    config: BoardConfig, benchmarks: Sequence[Benchmark], cells: Sequence[Cell], out: Path
) -> Board:
    """Score and board stages: rows a question under ``out/scores``, the board in ``out/board.json``."""
    from leaderboard.board.assemble import assemble
    from leaderboard.calls.prices import prices_of
    from leaderboard.scoring.ceilings import open_ceilings
    from leaderboard.scoring.score import score_cell

    scores = {}
    for cell in cells:
        scored = score_cell(cell, out / "scores")
        if scored is not None:
            scores[cell.system, cell.benchmark.name] = scored
    board = assemble(
        config.board.title,
        benchmarks,
        cells,
        scores,
        open_ceilings(out / "scores"),
        config.board.also,
        prices_of(config),
    )
    write_text(out / "board.json", board.model_dump_json(indent=1) + "\n")
    say(f"score  {len(scores)} cells")
    return board


def write_site(board: Board, places: Places) -> Path:
    """Pages and site stages; return the site's folder."""
    from leaderboard.site.mkdocs import build_site
    from leaderboard.site.pages import write_pages

    docs, target = places.out / "docs", places.out / "site"
    pages = write_pages(board, docs, places.root / "site_templates")
    say(f"pages  {sum(page.suffix == '.md' for page in pages)} pages in {docs}")
    say(f"site   rendering {target}")
    build_site(places.root, docs, target)
    return target


def _require_writable(results: Path) -> None:
    """Refuse a folder of runs that cannot be written before anything is asked for it."""
    try:
        results.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=results):
            pass
    except OSError as error:
        raise BuildError(
            f"{results}: {error.strerror}; give a folder for the runs that can be written (--results)"
        ) from error


def require_known(what: str, chosen: Collection[str], known: Collection[str]) -> None:
    """Raise ``BuildError`` for a name that the board does not have, with the nearest one it has."""
    for name in sorted(set(chosen) - set(known)):
        nearest = difflib.get_close_matches(name, known, n=1)
        hint = f" (did you mean {nearest[0]}?)" if nearest else ""
        raise BuildError(
            f"no {what} of this board is called {name!r}{hint}; it has: {', '.join(sorted(known))}"
        )


def _count(cells: Sequence[Cell]) -> str:
    states = [cell.state for cell in cells]
    return ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states)) or "none"
