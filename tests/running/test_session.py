"""An opened system: ready to answer one question after another, with or without a model."""

from __future__ import annotations

from pathlib import Path

import dspy
import pytest

from leaderboard.calls.spending import Ledger, Spent
from leaderboard.calls.store import CallStore, CallStoreError
from leaderboard.checking.strict_json import canonical_text
from leaderboard.plan import plan
from leaderboard.results.records import Outcome, RetrievalCall
from leaderboard.running.session import Bench, open_session
from leaderboard.submissions.compilation import StateErrors
from tests import tiny
from tests.checking.states import RIGHT, spoilt
from tests.programs.played import fields, said
from tests.running.test_cell import retriever
from tests.scripted import ScriptedProvider

MILL = tiny.QUESTIONS[0]
LISTWISE = {"kind": "lm_listwise", "candidates": 4}


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """Open a system on the tiny benchmark with a model that ranks backwards and answers "Ada"."""
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path / "cache"))
    stores = []

    def open_(submission, recorded=(), provider=None, **options):
        [cell] = plan([submission], [tiny.benchmark()], tmp_path / "results")
        stores.append(CallStore(tmp_path / f"calls-{len(stores)}"))
        provider = provider or ScriptedProvider(
            lambda request: said(
                **{fields(request)[0]: "Ada" if fields(request) == ["answer"] else "4 > 3 > 2 > 1"}
            )
        )
        bench = Bench(
            provider if submission.document.lm else None, stores[-1], Ledger(None, Spent()), **options
        )
        return open_session(cell, bench, recorded)

    yield open_
    for store in stores:
        store.close()


def test_a_session_answers_any_question_in_any_repeat(opened, tmp_path):
    with opened(tiny.submit(tmp_path, "mill", **tiny.READER)) as session:
        answers = [session.answer(question, repeat) for repeat in (0, 1) for question in tiny.QUESTIONS]
    assert [(a.record.question, a.record.repeat) for a in answers] == [
        (question.id, repeat) for repeat in (0, 1) for question in tiny.QUESTIONS
    ]
    assert {a.record.outcome for a in answers} == {Outcome.ANSWERED}
    assert [a.meter.made for a in answers] == [1] * 8
    # Searches are the same in every repeat, and kept once.
    assert sorted(row.query for row in session.log.rows()) == sorted(q.text for q in tiny.QUESTIONS)


def test_dspys_settings_hold_while_it_is_open_and_no_longer(opened, tmp_path):
    before = dspy.settings.lm
    with opened(tiny.submit(tmp_path, "mill", lm={"max_tokens": 7, "top_p": 0.5, "temperature": 0.3})):
        inside = dspy.settings.lm
        assert inside is not before
        assert (inside.kwargs["max_tokens"], inside.kwargs["top_p"], inside.kwargs["temperature"]) == (
            7,
            0.5,
            0.3,
        )
        assert dspy.settings.disable_history
        assert not dspy.settings.adapter.use_json_adapter_fallback
    assert dspy.settings.lm is before


def test_a_system_without_a_model_leaves_them_alone(opened, tmp_path):
    before = dspy.settings.lm
    with opened(retriever(tmp_path, unit="article")) as session:
        assert dspy.settings.lm is before
        record = session.answer(MILL).record
    assert [returned.passage for returned in record.returned] == ["mill", "plans"]
    assert not session.stop.is_set()


def test_a_reranker_orders_the_searches_of_its_program(opened, tmp_path):
    plain = tiny.submit(tmp_path / "a", "mill", **tiny.READER)
    with opened(plain) as session:
        before = [r.passage for r in session.answer(MILL).record.returned]
    with opened(tiny.submit(tmp_path / "b", "mill", reranker=LISTWISE, **tiny.READER)) as session:
        answered = session.answer(MILL)
    assert before == ["mill", "plans"]
    # Only two documents hold a word of the question: of "4 > 3 > 2 > 1" their numbers are taken.
    assert [r.passage for r in answered.record.returned] == ["plans", "mill"]
    assert len(answered.record.calls) == 2


def test_recorded_searches_answer_in_place_of_the_index(opened, tmp_path):
    submission = tiny.submit(tmp_path, "mill", **tiny.READER)
    with opened(submission) as session:
        session.answer(MILL)
        [row] = session.log.rows()
    recorded = RetrievalCall(row.index_digest, row.query, row.k, ("keys",), (9.5,), 0.25)
    with opened(submission, [recorded]) as session:
        returned = session.answer(MILL).record.returned
    assert [(r.passage, r.score) for r in returned] == [("keys", 9.5)]
    other = RetrievalCall("0" * 64, row.query, row.k, ("keys",), (9.5,), 0.25)
    with opened(submission, [other]) as session:
        assert session.answer(MILL).record.returned[0].passage == "mill"


def test_gold_passages_are_open_to_the_gold_context_alone(opened, tmp_path):
    with opened(tiny.submit(tmp_path / "a", "mill", **tiny.GOLD)) as session:
        assert session.log is None
        assert [shown.evidence for shown in session.answer(MILL).record.shown] == [(0,), (1,)]
    with opened(tiny.submit(tmp_path / "b", "mill", **tiny.READER)) as session:
        assert session.system.gold is None


def test_the_submissions_limit_of_calls_is_the_engines_and_the_tasks(opened, tmp_path):
    submission = tiny.submit(
        tmp_path, "mill", reranker=LISTWISE, limits={"calls_per_question": 1}, **tiny.READER
    )
    with opened(submission) as session:
        record = session.answer(MILL).record
    assert (record.outcome, len(record.calls)) == (Outcome.FORCED, 1)


def test_a_store_that_cannot_keep_a_response_stops_the_others_too(opened, tmp_path, monkeypatch):
    def full(*_):
        raise CallStoreError("the disk is full")

    with opened(tiny.submit(tmp_path, "mill")) as session:
        monkeypatch.setattr(CallStore, "put", full)
        with pytest.raises(CallStoreError, match="the disk is full"):
            session.answer(MILL)
        assert session.stop.is_set()


def test_in_replay_nothing_is_asked(opened, tmp_path):
    provider = ScriptedProvider()
    with opened(tiny.submit(tmp_path, "mill"), provider=provider, mode="replay") as session:
        answered = session.answer(MILL)
    assert answered.record.outcome == Outcome.UNCACHED
    assert answered.unavailable.endswith("is not recorded; without --replay it would be made")
    assert provider.requests == []
    assert list(Path(tmp_path / "results").glob("*")) == []


def test_a_compiled_system_shows_what_it_learnt(opened, tmp_path):
    submission = tiny.submit(tmp_path, "mill", compile={"optimizer": "bootstrap_few_shot"}, **tiny.READER)
    submission.state_path.write_text(canonical_text(RIGHT), encoding="utf-8")
    provider = ScriptedProvider()
    with opened(submission, provider=provider) as session:
        session.answer(MILL)
    [request] = provider.requests
    assert "Answer briefly." in request["messages"][0]["content"]
    assert "Whose mill?" in request["messages"][1]["content"]
    submission.state_path.write_text(canonical_text(spoilt(("predictors.answer.lm", {"model": "theirs"}))))
    with pytest.raises(StateErrors, match="null: the submission's"), opened(submission):
        pass
