"""The stages in order: plan, run, score, board, pages, site."""

from __future__ import annotations

import difflib
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from leaderboard.benchmarks.questions import Benchmark
from leaderboard.benchmarks.registry import load_benchmark
from leaderboard.files import cache_dir, write_text
from leaderboard.plan import Cell, plan
from leaderboard.submissions.config import BoardConfig, load_config
from leaderboard.submissions.errors import SubmissionErrors
from leaderboard.submissions.load import load_folder

if TYPE_CHECKING:
    from leaderboard.board.tables import Board
    from leaderboard.running.session import Bench

Reasons = dict[tuple[str, str], str]
"""(system, benchmark) → why the cell could not be run."""


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
        return bool(self.repeats and cell.shown and cell.shown.run.repeats < self.repeats)

    def covers(self, cell: Cell) -> bool:
        """Whether this cell is among those asked for."""
        return (not self.systems or cell.system in self.systems) and (
            not self.benchmarks or cell.benchmark.name in self.benchmarks
        )


@dataclass(frozen=True, slots=True)
class Built:
    """What a build came to. ``troubles`` are cells without a complete run, each with its reason."""

    site: Path
    troubles: tuple[str, ...]


def read_cells(places: Places) -> tuple[BoardConfig, tuple[Benchmark, ...], tuple[Cell, ...]]:
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
    say(f"plan   reading {', '.join(config.board.benchmarks)} ({config.board.track})")
    benchmarks = tuple(
        load_benchmark(
            name,
            config.board.track,
            places.data_dir,
            limit=config.questions.limit(name),
            each=config.questions.group(name),
        )
        for name in config.board.benchmarks
    )
    return config, benchmarks, plan(folder.submissions, benchmarks, places.results, config.encoder_list)


def build(places: Places, choice: Choice) -> Built:
    """Build the board: run what has no run, score, and render the site. Each stage says what it does."""
    started = time.monotonic()
    config, benchmarks, cells = read_cells(places)
    _known("system", choice.systems, {cell.system for cell in cells})
    _known("benchmark", choice.benchmarks, {benchmark.name for benchmark in benchmarks})
    wanted = [cell for cell in cells if choice.wants(cell)]
    say(f"plan   {len(cells)} cells: {_count(cells)}; {len(wanted)} to run")
    if wanted:
        _require_writable(places.results)
    reasons = (
        run_cells(config, wanted, places.results, replay=choice.replay, repeats=choice.repeats)
        if wanted
        else {}
    )
    if wanted:
        submissions = {cell.system: cell.submission for cell in cells}.values()
        cells = plan(submissions, benchmarks, places.results, config.encoder_list)
    site = render(config, benchmarks, cells, places)
    chosen = [cell for cell in cells if choice.covers(cell)]
    troubles = tuple(
        f"{cell.system} on {cell.benchmark.label}: {cell.state}"
        + (
            f" ({reasons[cell.system, cell.benchmark.name]})"
            if (cell.system, cell.benchmark.name) in reasons
            else ""
        )
        for cell in chosen
        if cell.state in ("not run", "incomplete")
    )
    for cell in chosen:
        if cell.state == "complete" and cell.stale_parts:
            say(
                f"note   {cell.system} on {cell.benchmark.label}: shown as recorded with another "
                f"{', '.join(cell.stale_parts)}; to run it again: --only {cell.system} --refresh"
            )
    say(f"done   in {time.monotonic() - started:.1f} s")
    return Built(site=site, troubles=troubles)


def run_cells(
    config: BoardConfig,
    cells: Sequence[Cell],
    results: Path,
    *,
    replay: bool = False,
    repeats: int | None = None,
) -> Reasons:
    """Run stage: run cells one after the other; return the reasons of those that could not be run.

    ``repeats`` says how often each question is asked; left out, as often as in the run shown, once where there is none.

    A model whose weights or endpoint cannot be had leaves its cells not run, and the build goes on.
    """
    from leaderboard.calls.spending import Ledger, Spent
    from leaderboard.calls.store import CallStore
    from leaderboard.models.embedded_models import WeightsError
    from leaderboard.running.providers import open_ledger, open_provider, workers
    from leaderboard.running.session import Bench

    reasons: Reasons = {}
    spent = Spent()
    with closing(CallStore(cache_dir() / "calls")) as store:
        for name in dict.fromkeys(cell.submission.document.model for cell in cells):
            mine = [cell for cell in cells if cell.submission.document.model == name]
            if not name:  # these systems ask no model
                free = Ledger(None, spent)
                reasons |= _run_on(Bench(provider=None, store=store, ledger=free), mine, results, repeats)
                continue
            model = config.model_named(name)
            try:
                provider = open_provider(model, fetch=not replay)
            except WeightsError as error:
                say(f"run    {name}: {error}")
                reasons |= {(cell.system, cell.benchmark.name): f"{name} cannot be had" for cell in mine}
                continue
            with closing(provider):
                bench = Bench(
                    provider=provider,
                    store=store,
                    ledger=open_ledger(config, model, spent),
                    mode="replay" if replay else "live",
                    workers=workers(model),
                )
                reasons |= _run_on(bench, mine, results, repeats)
    return reasons


def _run_on(bench: Bench, cells: Sequence[Cell], results: Path, repeats: int | None) -> Reasons:
    from leaderboard.running.cell import CellNotRun, run_cell
    from leaderboard.running.progress import cell_progress, finished

    reasons: Reasons = {}
    for cell in cells:
        label = f"{cell.system} on {cell.benchmark.label}"
        try:
            with cell_progress(label) as report:
                times = repeats or (cell.shown.run.repeats if cell.shown else 1)
                run = run_cell(cell, bench, results, report, repeats=times)
            say(f"run    {label}: {finished(run.run)}")
        except CellNotRun as error:
            say(f"run    {label}: not run: {error}")
            reasons[cell.system, cell.benchmark.name] = str(error)
    return reasons


def score_cells(
    config: BoardConfig, benchmarks: Sequence[Benchmark], cells: Sequence[Cell], out: Path
) -> Board:
    """Score and board stages: rows a question under ``out/scores``, the board in ``out/board.json``."""
    from leaderboard.board.assemble import assemble
    from leaderboard.scoring.ceilings import open_ceilings
    from leaderboard.scoring.score import score_cell

    scores = {}
    for cell in cells:
        scored = score_cell(cell, out / "scores")
        if scored is not None:
            scores[cell.system, cell.benchmark.name] = scored
    board = assemble(config.board.title, benchmarks, cells, scores, open_ceilings(out / "scores"))
    write_text(out / "board.json", board.model_dump_json(indent=1) + "\n")
    say(f"score  {len(scores)} cells")
    return board


def render(
    config: BoardConfig, benchmarks: Sequence[Benchmark], cells: Sequence[Cell], places: Places
) -> Path:
    """Score, board, pages and site stages; return the site's folder."""
    board = score_cells(config, benchmarks, cells, places.out)
    from leaderboard.site.mkdocs import build_site
    from leaderboard.site.pages import write_pages

    docs, site = places.out / "docs", places.out / "site"
    pages = write_pages(board, docs, places.root / "site_templates")
    say(f"pages  {sum(page.suffix == '.md' for page in pages)} pages in {docs}")
    say(f"site   rendering {site}")
    build_site(places.root, docs, site)
    return site


def say(line: str) -> None:
    """Tell the person at the terminal what a stage does."""
    print(line, file=sys.stderr, flush=True)


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


def _known(what: str, chosen: frozenset[str], known: set[str]) -> None:
    for name in sorted(chosen - known):
        nearest = difflib.get_close_matches(name, known, n=1)
        hint = f" (did you mean {nearest[0]}?)" if nearest else ""
        raise BuildError(
            f"no {what} of this board is called {name!r}{hint}; it has: {', '.join(sorted(known))}"
        )


def _count(cells: Sequence[Cell]) -> str:
    states = [cell.state for cell in cells]
    return ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states)) or "none"
