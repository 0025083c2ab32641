"""A prober trained on the train split with a scripted model, and the questions it is trained on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from leaderboard.benchmarks.registry import load_benchmark, load_train
from leaderboard.calls.spending import Ledger, Spent
from leaderboard.calls.store import CallStore
from leaderboard.compiling.prober import TrainingError
from leaderboard.models.providers import ProviderError
from leaderboard.running.session import Bench
from leaderboard.training import main, report, train
from tests import tiny
from tests.scripted import ScriptedProvider, answer


def bench(home, script):
    provider = ScriptedProvider(script)
    return provider, Bench(provider, CallStore(home / "calls"), Ledger(None, Spent()))


def some(number):
    """The first train questions."""
    benchmark = load_train("musique", "sample")
    return replace(benchmark, questions=benchmark.questions[:number])


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path / "cache"))


def test_the_train_questions_are_none_of_the_scored_ones():
    trained_on, scored = load_train("musique", "sample"), load_benchmark("musique", "sample")
    assert len(trained_on.questions) == 24
    assert not {q.id for q in trained_on.questions} & {q.id for q in scored.questions}
    assert not {q.text for q in trained_on.questions} & {q.text for q in scored.questions}


def test_a_question_is_asked_by_heart_and_once_with_what_it_finds(tmp_path):
    """Whatever numbers and rounds the submission has."""
    prober = {**tiny.PROBER, "before_retrieval": {**tiny.PROBER["before_retrieval"], "intercept": 50.0}}
    program = {**tiny.SKILLS["program"], "prober": prober, "max_rounds": 5, "samples": 2}
    submission = tiny.submit(tmp_path, "skills", **{**tiny.SKILLS, "program": program})
    questions = some(3)
    golds = {question.text: question.answer for question in questions.questions}
    text = questions.questions[0].text

    def script(request):
        asked = request["messages"][-1]["content"]
        [found] = [question for question in golds if question in asked]
        return answer(golds[found] if "[[ ## context ## ]]" in asked and found != text else "Nobody")

    provider, opened = bench(tmp_path, script)
    trained = train(submission, questions, opened)
    assert (trained.calls, len(provider.requests)) == (9, 9)
    assert (trained.before.examples, trained.before.right) == (3, 0)
    assert (trained.after.examples, trained.after.right) == (3, 2)
    assert trained.prober.score_scale > 0
    assert "# after_retrieval: 2 of 3 right; leaving one out: accuracy " in report(trained)
    again = train(submission, questions, opened)
    assert (again, len(provider.requests)) == (trained, 9)


def test_a_question_without_a_result_ends_the_training(tmp_path):
    submission = tiny.submit(tmp_path, "skills", **tiny.SKILLS)
    _, opened = bench(tmp_path, lambda _: ProviderError("gone"))
    with pytest.raises(TrainingError, match=r"question 2hop__.*: failed: "):
        train(submission, some(1), opened)


def test_another_program_has_no_prober(tmp_path, capsys):
    submission = tiny.submit(tmp_path, "reader", **tiny.READER)
    _, opened = bench(tmp_path, lambda _: answer("x"))
    with pytest.raises(TrainingError, match=r'expected program\.kind "skill_rag", found "single_step"'):
        train(submission, some(1), opened)
    assert main([str(tmp_path / "nothing.toml"), "--config", "leaderboard.toml"]) == 1
    assert "nothing.toml" in capsys.readouterr().err
