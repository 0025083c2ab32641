"""``leaderboard check`` of compiled submissions: the table, the state beside it, and both together."""

from __future__ import annotations

from pathlib import Path

import pytest

from leaderboard.benchmarks.registry import load_benchmark
from leaderboard.checking.check import check_paths
from leaderboard.cli import main
from leaderboard.submissions.config import load_config
from tests.checking.states import RIGHT, spoilt, written

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "submissions" / "bm25-top3-passages.toml").read_text()
COMPILE = '\n[compile]\noptimizer = "bootstrap_few_shot"\n'


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("s").mkdir()


def checked(text: str, state: object = None) -> tuple[list[str], list[str]]:
    """Return the errors of a submission with a state, and what is said of how it is compiled."""
    Path("s/xx.toml").write_text(text)
    if state is not None:
        written(Path("s"), state)
    report = check_paths([Path("s")], load_config(ROOT / "leaderboard.toml"))
    return [str(error) for error in report.errors], [summary.compiled for summary in report.summaries]


def test_a_submission_that_is_not_compiled_yet_is_valid_and_told_so(capsys):
    assert checked(TEXT) == ([], [""])
    assert checked(TEXT + COMPILE) == ([], ["not compiled yet: leaderboard compile s/xx.toml"])
    assert main(["check", "s/xx.toml", "--config", str(ROOT / "leaderboard.toml")]) == 0
    assert capsys.readouterr().out.endswith("; not compiled yet: leaderboard compile s/xx.toml\n")


def test_a_right_state_is_told():
    assert checked(TEXT + COMPILE, RIGHT) == ([], ["compiled with bootstrap_few_shot"])


@pytest.mark.parametrize(
    ("text", "state", "error"),
    [
        (TEXT, RIGHT, "1:1: expected a table [compile] in xx.toml, found none (declare it, or delete the state)"),
        (TEXT + COMPILE, spoilt(("predictors.answer.lm", "x")), '21:4: predictors.answer.lm: expected null: the submission\'s [lm] says which model, found "x"'),
        (TEXT + COMPILE.replace("bootstrap_few_shot", "copro"), RIGHT, '6:3: compiled.optimizer: expected "copro", as in xx.toml, found "bootstrap_few_shot" (compile again)'),
        (TEXT + COMPILE, spoilt(("compiled.train", "frames")), '8:3: compiled.train: expected "musique", as in xx.toml, found "frames" (compile again)'),
    ],
)  # fmt: skip
def test_a_state_that_is_broken_or_does_not_belong_to_its_submission_is_an_error(text, state, error):
    assert checked(text, state) == ([f"s/xx.state.json:{error}"], [])


def test_a_state_without_its_submission_is_an_error():
    written(Path("s"), RIGHT, "old.state.json")
    assert checked(TEXT) == (
        [
            "s/old.state.json:1:1: expected a submission old.toml beside it, found none (rename or delete the state)"
        ],
        [""],
    )


def test_a_question_of_the_board_in_a_state_is_an_error_at_its_key():
    question = load_benchmark("multihop_rag", "sample").questions[0]
    instructions = f"Answer briefly. {question.text}"
    errors, _ = checked(TEXT + COMPILE, spoilt(("predictors.answer.signature.instructions", instructions)))
    assert errors == [
        "s/xx.state.json:1:1: predictors.answer.signature.instructions: expected no evaluation question, found "
        f"{question.id}, word for word (compile on the train split alone)"
    ]
