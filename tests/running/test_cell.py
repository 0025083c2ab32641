"""Running a cell once and several times: what is asked, what is written, what is not written again."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leaderboard.build import Choice
from leaderboard.calls.spending import Ledger, Price, Spent
from leaderboard.calls.store import CallStore
from leaderboard.models.providers import Refused
from leaderboard.plan import Cell, plan
from leaderboard.results.records import Outcome
from leaderboard.results.runs import runs_of
from leaderboard.results.tables import read_calls, read_records, read_retrievals
from leaderboard.retrieval.encoders import EncoderError
from leaderboard.running.cell import CellNotRun, Progress, run_cell
from leaderboard.running.cells import run_cells
from leaderboard.running.session import Bench
from leaderboard.submissions.config import load_config
from leaderboard.submissions.load import Submission, load_submission
from tests import tiny
from tests.scripted import ScriptedProvider, answer

WARM = {"lm": {"temperature": 0.7}}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path / "cache"))


class Board:
    """A system, its runs, and a model that never says the same twice; each run has a store of its own."""

    def __init__(self, home: Path, submission: Submission) -> None:
        self.home = home
        self.submission = submission
        self.numbers = itertools.count()
        self.provider = ScriptedProvider(lambda _: answer(f"answer {next(self.numbers)}"))

    @property
    def cell(self) -> Cell:
        [cell] = plan([self.submission], [tiny.benchmark()], self.home / "results")
        return cell

    def run(self, report: Callable[[Progress], None] = lambda _: None, repeats: int = 1, **options: Any):
        """Run the system with an empty store: what is replayed comes from earlier runs."""
        store = CallStore(self.home / f"calls-{len(list(self.home.glob('calls-*')))}")
        ledger = options.pop("ledger", None) or Ledger(None, Spent())
        provider = self.provider if self.submission.document.lm else None
        bench = Bench(provider, store, ledger, **options)
        try:
            return run_cell(self.cell, bench, self.home / "results", report, repeats=repeats)
        finally:
            store.close()

    @property
    def runs(self):
        return runs_of(self.home / "results", "sample", "multihop_rag", self.submission.key)


@pytest.fixture
def board(tmp_path) -> Board:
    return Board(tmp_path, tiny.submit(tmp_path, "mill", **WARM))


def records_of(folder):
    return read_records(folder.table("records"))


def test_three_repeats_are_three_times_the_questions_each_drawn_anew(board):
    folder = board.run(repeats=3)
    run, records = folder.run, records_of(folder)
    assert (run.questions, run.repeats, run.calls_made, run.calls_replayed) == (4, 3, 12, 0)
    assert run.outcomes[Outcome.ANSWERED] == sum(run.outcomes.values()) == 12
    assert run.complete
    assert [(record.repeat, record.question) for record in records] == [
        (repeat, question.id) for repeat in range(3) for question in tiny.QUESTIONS
    ]
    assert [record.raw_answer for record in records] == [f"answer {n}" for n in range(12)]
    assert len({record.calls for record in records}) == 12
    assert len({request["seed"] for request in board.provider.requests}) == 12
    calls = {call.key: call for call in read_calls(folder.table("calls"))}
    assert len(calls) == 12
    assert [calls[record.calls[0]].request["draw"][2:] for record in records] == [[]] * 4 + [[1]] * 4 + [
        [2]
    ] * 4


def test_repeats_over_a_single_run_make_only_the_calls_it_lacks(board):
    single = board.run()
    assert (single.run.repeats, single.run.calls_made) == (1, 4)
    folder = board.run(repeats=3)
    assert (folder.run.calls_made, folder.run.calls_replayed) == (8, 4)
    assert len(board.provider.requests) == 4 + 8
    records = records_of(folder)
    assert [record.calls for record in records[:4]] == [record.calls for record in records_of(single)]
    assert records[:4] == records_of(single)
    assert [record.raw_answer for record in records] == [f"answer {n}" for n in range(12)]
    assert board.cell.shown == folder
    assert len(board.runs) == 2


def test_fewer_repeats_than_recorded_ask_nothing(board):
    three = board.run(repeats=3)
    single = board.run()
    assert (single.run.calls_made, single.run.calls_replayed) == (0, 4)
    assert records_of(single) == records_of(three)[:4]


@pytest.mark.parametrize("workers", [2, 5])
def test_several_at_a_time_give_the_same_rows_in_the_same_order(board, tmp_path, workers):
    folder = board.run(repeats=3, workers=workers)
    records = records_of(folder)
    assert [(record.repeat, record.question) for record in records] == [
        (repeat, question.id) for repeat in range(3) for question in tiny.QUESTIONS
    ]
    assert sorted(record.raw_answer for record in records) == sorted(f"answer {n}" for n in range(12))
    again = board.run(repeats=3)
    assert records_of(again) == records


def test_which_cells_are_wanted_for_more_repeats(board):
    def wants(repeats: int | None, **choice: Any) -> bool:
        return Choice(repeats=repeats, **choice).wants(board.cell)

    assert wants(None) and wants(3)  # not run yet
    board.run()
    assert not wants(None) and not wants(1)
    assert wants(3)
    assert not wants(3, run=False)
    assert not wants(3, systems=frozenset({"other"}))
    board.run(repeats=3)
    assert not wants(3) and not wants(2) and not wants(None)
    assert wants(4)


def test_what_a_replay_lacks_is_uncached_and_not_written_twice(board):
    """A complete single run is shown all the while; the larger one waits until somebody pays for it."""
    single = board.run()
    folder = board.run(repeats=3, mode="replay")
    assert (folder.run.outcomes[Outcome.ANSWERED], folder.run.outcomes[Outcome.UNCACHED]) == (4, 8)
    assert not folder.run.complete
    assert board.cell.shown == single
    assert Choice(repeats=3).wants(board.cell)
    assert board.run(repeats=3, mode="replay") == folder
    assert len(board.runs) == 2
    whole = board.run(repeats=3)
    assert (whole.run.complete, whole.run.calls_made, whole.run.calls_replayed) == (True, 8, 4)
    assert board.cell.shown == whole


def test_progress_counts_answers_calls_tokens_and_money(board):
    board.run()
    seen: list[Progress] = []
    board.run(seen.append, repeats=2, ledger=Ledger(Price(1.0, 0.5, 2.0), Spent()))
    assert [progress.done for progress in seen] == list(range(9))
    assert {progress.answers for progress in seen} == {8}
    assert (seen[0].made, seen[0].tokens, seen[0].paid_usd) == (0, 0, 0.0)
    last = seen[-1]
    assert (last.made, last.replayed, last.troubles, last.tokens) == (4, 4, 0, 4 * 15)
    # Four calls of 10 prompt and 5 completion tokens; what was replayed is not paid again.
    assert last.paid_usd == pytest.approx(4 * (10 * 1.0 + 5 * 2.0) / 1e6)


def test_without_a_price_what_is_paid_is_unknown_as_soon_as_a_call_is_made(board):
    seen: list[Progress] = []
    board.run(seen.append)
    assert (seen[0].paid_usd, seen[-1].paid_usd) == (0.0, None)
    seen.clear()
    board.run(seen.append)  # replayed: nothing is paid, and that is known
    assert (seen[-1].made, seen[-1].paid_usd) == (0, 0.0)


def test_troubles_are_counted_in_every_repeat(board):
    asked = itertools.count()
    board.provider.script = lambda _: Refused("no such thing") if next(asked) % 4 == 2 else answer("x")
    seen: list[Progress] = []
    folder = board.run(seen.append, repeats=3)
    assert (folder.run.outcomes[Outcome.ANSWERED], folder.run.outcomes[Outcome.FAILED]) == (9, 3)
    assert seen[-1].troubles == 3
    assert not folder.run.complete


def retriever(home: Path, **fields: str) -> Submission:
    """Write and load a system that asks no model."""
    chosen = "".join(f'{field} = "{value}"\n' for field, value in {"kind": "bm25", **fields}.items())
    path = home / "only.toml"
    path.write_text(
        '[system]\nname = "Only"\nauthors = ["A"]\ndescription = "Tiny."\n'
        f'[retriever]\n{chosen}[program]\nkind = "retrieval_only"\n'
    )
    return load_submission(path)


def test_a_system_that_asks_no_model_is_run_once_however_often_is_asked(tmp_path):
    """Its searches come out the same each time: three equal runs would say that there is no deviation to measure."""
    board = Board(tmp_path, retriever(tmp_path, unit="article"))
    config = load_config(Path(__file__).parents[2] / "leaderboard.toml")
    assert run_cells(config, [board.cell], tmp_path / "results", repeats=3) == {}
    assert [folder.run.repeats for folder in board.runs] == [1]
    assert not Choice(repeats=3).wants(board.cell)


def test_a_system_that_asks_no_model_runs_without_a_provider(tmp_path):
    board = Board(tmp_path, retriever(tmp_path, unit="article"))
    seen: list[Progress] = []
    folder = board.run(seen.append)
    assert folder.run.complete
    assert (folder.run.calls_made, folder.run.calls_replayed) == (0, 0)
    assert "adapter" not in folder.run.parts
    assert list(read_calls(folder.table("calls"))) == []
    assert [(call.query, call.k) for call in read_retrievals(folder.table("retrievals"))] == sorted(
        (question.text, 10) for question in tiny.QUESTIONS
    )
    records = records_of(folder)
    assert [(r.outcome, r.raw_answer, r.final_answer, r.error) for r in records] == [
        (Outcome.ANSWERED, "", "", "")
    ] * 4
    mill = records[0]
    assert [(r.passage, r.rank, r.round, r.query, r.evidence) for r in mill.returned] == [
        ("mill", 1, 1, tiny.MILL, (0,)),
        ("plans", 2, 1, tiny.MILL, (1,)),
    ]
    assert (mill.shown, mill.calls, mill.rounds, mill.retrieved_tokens) == ((), (), 1, 0)
    assert (mill.prompt_tokens, mill.completion_tokens, mill.paid_usd, mill.latency_s) == (0, 0, 0.0, 0.0)
    assert seen[-1] == Progress(done=4, answers=4, made=0, replayed=0, troubles=0, tokens=0, paid_usd=0.0)
    assert board.cell.state == "complete"


def test_an_encoder_that_cannot_be_had_leaves_the_cell_not_run(tmp_path, monkeypatch):
    def gone(*_: Any) -> None:
        raise EncoderError("encoder mine: models/mine is not there; get it first")

    monkeypatch.setattr("leaderboard.programs.system.open_retriever", gone)
    board = Board(tmp_path, retriever(tmp_path, kind="dense"))
    with pytest.raises(CellNotRun, match=r"^encoder mine: models/mine is not there; get it first$"):
        board.run()
    assert board.runs == []
    assert board.cell.state == "not run"


def test_an_unavailable_endpoint_leaves_the_cell_not_run_whatever_the_repeats(board):
    board.provider.script = lambda _: Refused("no key", of_endpoint=True)
    with pytest.raises(CellNotRun, match="no key"):
        board.run(repeats=3)
    assert board.runs == []
    assert len(board.provider.requests) == 1
