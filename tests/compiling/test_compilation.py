"""A compile from file to file: the state beside the submission, and the calls that make it again without a model."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.calls.spending import Ledger, Spent
from leaderboard.calls.store import CallStore
from leaderboard.checking.compiled import state_of
from leaderboard.compiling.compilation import compile_parts, compile_with
from leaderboard.compiling.ending import CompileError
from leaderboard.compiling.program import Answering
from leaderboard.models.engine import Uncached
from leaderboard.programs.opening import open_program
from leaderboard.results.compiles import read_compile
from leaderboard.results.runs import RunError
from leaderboard.results.tables import read_calls
from leaderboard.submissions.config import load_config
from tests import tiny
from tests.compiling.school import TRAIN, pupil, submit
from tests.scripted import ScriptedProvider

CONFIG = load_config(Path(__file__).parents[2] / "leaderboard.toml")


class Home:
    """A folder with a submission, results, and a store that can be emptied."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.submission = submit(folder / "submissions", "bootstrap_few_shot", max_labeled_demos=0)
        self.results = folder / "results"
        self.stores = 0

    def fresh_store(self) -> None:
        self.stores += 1

    def compile(self, script=pupil, *, mode="live", train=TRAIN):
        self.provider = ScriptedProvider(script)
        store = CallStore(self.folder / f"calls-{self.stores}")
        answering = Answering(self.provider, store, Ledger(None, Spent()), mode)
        return compile_with(answering, self.submission, CONFIG, train, self.results)

    @property
    def files(self) -> dict[str, bytes]:
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and not path.relative_to(self.folder).as_posix().startswith("calls-")
        }


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path)


def test_the_state_lies_beside_the_file_and_the_calls_under_results(home):
    finished = home.compile()
    assert finished.written
    state = state_of(home.submission)
    assert state is not None and state.sha256 == finished.state.sha256
    assert (state.program, state.compiled.optimizer, state.compiled.train) == (
        "single_step",
        "bootstrap_few_shot",
        "musique",
    )
    assert (state.compiled.calls, state.compiled.score, state.compiled.train_digest) == (
        4,
        None,
        TRAIN.questions_digest,
    )
    assert [demo["answer"] for demo in state.predictors["answer"].demos] == ["Ada Fenn", "Dora Pell"]
    folder = home.results / "compile" / "pupil" / state.compiled.fingerprint[:8]
    assert finished.folder == folder
    record = read_compile(folder)
    assert record.state_sha256 == state.sha256
    assert (record.calls, record.calls_made, record.calls_replayed) == (4, 4, 0)
    assert (record.prompt_tokens, record.completion_tokens) == (40, 20)
    assert (record.changed, record.questions) == (("answer",), tuple(q.id for q in TRAIN.questions))
    assert json.loads(record.parts["compile"]) == {"max_labeled_demos": 0, "optimizer": "bootstrap_few_shot"}
    assert len(read_calls(folder / "calls.parquet")) == record.table.rows == 4


def test_a_fresh_clone_makes_the_same_state_without_a_model(home):
    home.compile()
    before = home.files
    home.submission.state_path.unlink()
    home.fresh_store()
    finished = home.compile(mode="replay")
    assert home.provider.requests == []
    assert home.files == before  # the record of the first compile stays as it is
    assert finished.written
    assert not home.compile(mode="replay").written


def test_a_call_that_is_not_recorded_is_refused_in_replay_and_nothing_is_written(home):
    with pytest.raises(Uncached, match="without --replay it would be made"):
        home.compile(mode="replay")
    assert list(home.files) == ["submissions/pupil.toml"]


def test_what_was_compiled_is_what_runs(home):
    home.compile()
    document = home.submission.document
    program = open_program(document.program, document.reranker, state_of(home.submission))
    assert [demo["question"] for demo in program.answer.demos] == [
        "Who built the mill?",
        "Who built the tower?",
    ]
    assert program.answer.lm is None
    assert open_program(document.program).answer.demos == []


def test_the_parts_name_settings_questions_and_optimizer_and_not_what_came_of_them(home):
    parts = compile_parts(home.submission, TRAIN, CONFIG)
    home.compile()
    assert compile_parts(home.submission, TRAIN, CONFIG) == parts
    assert (parts["optimizer"], parts["questions"]) == ("bootstrap_few_shot/1", TRAIN.questions_digest)
    other = replace(TRAIN, questions=TRAIN.questions[:4])
    changed = compile_parts(home.submission, other, CONFIG)
    assert {name for name in parts if parts[name] != changed[name]} == {"questions"}


def test_calls_of_an_earlier_compile_with_other_settings_are_not_asked_again(home):
    home.compile()
    home.submission = submit(
        home.folder / "submissions", "bootstrap_few_shot", max_labeled_demos=0, max_bootstrapped_demos=1
    )
    home.fresh_store()
    finished = home.compile(mode="replay")
    assert len(finished.state.predictors["answer"].demos) == 1
    assert len(list((home.results / "compile" / "pupil").iterdir())) == 2


def test_an_altered_recording_is_refused(home):
    folder = home.compile().folder
    (folder / "calls.parquet").write_bytes(b"PAR1")
    home.fresh_store()
    with pytest.raises(RunError, match=r"calls.parquet: sha256 .* expected by compile.json"):
        home.compile()
    shutil.copy(home.submission.path, folder / "compile.json")
    with pytest.raises(RunError, match=r"compile.json: not a compile"):
        home.compile()


def test_what_was_learnt_may_not_hold_an_evaluation_question(home, monkeypatch):
    scored = replace(TRAIN.questions[0], id="dev1")
    monkeypatch.setattr("leaderboard.compiling.compilation.evaluation", lambda *_: (scored,))
    with pytest.raises(CompileError, match=r"holds an evaluation question: predictors.answer.demos.*dev1"):
        home.compile()
    assert list(home.files) == ["submissions/pupil.toml"]


def test_a_submission_without_an_optimizer_is_told_what_to_add(home, tmp_path):
    home.submission = tiny.submit(tmp_path / "other", "plain", **tiny.READER)
    with pytest.raises(CompileError, match=r"plain.toml: expected a table \[compile\], found none"):
        home.compile()
