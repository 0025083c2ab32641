"""The run stage: cells one after the other, each with what answers for its model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from leaderboard.calls.spending import Ledger, Spent
from leaderboard.calls.store import CallStore
from leaderboard.files import cache_dir
from leaderboard.models.embedded_models import WeightsError
from leaderboard.models.opening import open_ledger, open_provider, workers
from leaderboard.plan import Cell
from leaderboard.running.cell import CellNotRun, run_cell
from leaderboard.running.progress import RunProgress, finished, say
from leaderboard.running.session import Bench
from leaderboard.submissions.config import BoardConfig

Reasons = dict[tuple[str, str], str]
"""(system, benchmark) → why the cell could not be run."""


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
    reasons: Reasons = {}
    spent = Spent()
    progress = RunProgress([_answers(cell, repeats) for cell in cells])
    with closing(CallStore(cache_dir() / "calls")) as store:
        for name in dict.fromkeys(cell.submission.document.model for cell in cells):
            mine = [cell for cell in cells if cell.submission.document.model == name]
            with ExitStack() as stack:
                try:
                    bench = stack.enter_context(open_bench(config, name, store, spent, replay=replay))
                except WeightsError as error:
                    say(f"run    {name}: {error}")
                    reasons |= {(cell.system, cell.benchmark.name): f"{name} cannot be had" for cell in mine}
                    progress.leave_out([_answers(cell, repeats) for cell in mine])
                    continue
                reasons |= _run_on(bench, mine, results, repeats, progress)
    return reasons


@contextmanager
def open_bench(
    config: BoardConfig, model: str, store: CallStore, spent: Spent, *, replay: bool = False
) -> Iterator[Bench]:
    """Open what answers for a model of the board's list, under the board's ceilings; "" is no model.

    Raises ``WeightsError`` when the weights of an embedded one cannot be had.
    """
    if not model:
        yield Bench(provider=None, store=store, ledger=Ledger(None, spent))
        return
    listed = config.model_named(model)
    with closing(open_provider(listed, fetch=not replay)) as provider:
        yield Bench(
            provider=provider,
            store=store,
            ledger=open_ledger(config, listed, spent),
            mode="replay" if replay else "live",
            workers=workers(listed),
        )


def _times(cell: Cell, repeats: int | None) -> int:
    if not cell.program.asks_model:
        return 1
    return repeats or (cell.shown.run.repeats if cell.shown else 1)


def _answers(cell: Cell, repeats: int | None) -> int:
    return len(cell.benchmark.questions) * _times(cell, repeats)


def _run_on(
    bench: Bench, cells: Sequence[Cell], results: Path, repeats: int | None, progress: RunProgress
) -> Reasons:
    reasons: Reasons = {}
    for cell in cells:
        label = f"{cell.system} on {cell.benchmark.label}"
        try:
            with progress.cell(label) as report:
                folder = run_cell(cell, bench, results, report, repeats=_times(cell, repeats))
            say(f"run    {label}: {finished(folder.run)}")
        except CellNotRun as error:
            say(f"run    {label}: not run: {error}")
            reasons[cell.system, cell.benchmark.name] = str(error)
    return reasons
