"""A trial: a few questions live, answers at once, nothing under results, and every call kept for the run."""

from __future__ import annotations

import json
import re
import threading
from dataclasses import replace

import pytest

from leaderboard.results.records import Outcome
from leaderboard.showing import read_trace
from leaderboard.submissions.config import load_config
from leaderboard.trial import TrialError, Tried, plan_trial, projection, summarise
from tests import tiny
from tests.loopback import Reply, chat_endpoint
from tests.project import ROOT, gold_of
from tests.scripted import answer


def test_a_trial_asks_the_first_questions_of_each_benchmark_and_a_run_replays_its_calls(project):
    with chat_endpoint(gold_of) as endpoint:
        project.configure(endpoint.url)
        code, out, err = project.run("try", "submissions/one.toml", "--questions", "2")
        assert code == 0, err
        assert len(endpoint.asked) == 6, "two questions of each of the sample's benchmarks"
        assert not (project.folder / "results").exists() and not (project.folder / "build").exists()
        for label in ("FRAMES-like (sample)", "MuSiQue-like (sample)", "MultiHop-RAG-like (sample)"):
            assert label in out
        assert "Gervase Tolleth  match" in out and "Nobody  no match" in out
        words = " ".join(out.split())
        assert re.search(
            r"6 questions: 1 of 6 match; all gold evidence before the model in \d of 6; 110 tokens and", words
        )
        assert "The whole board: 4 questions, 8 at a time, about" in words and "cost unknown" in words

        code, out, _ = project.run("try", "submissions/one.toml", "--questions", "2", "--replay")
        assert (code, len(endpoint.asked)) == (0, 6)
        code, _, err = project.run("run")
        assert code == 0, err
        [folder] = project.runs()
        assert (folder.run.calls_replayed, folder.run.calls_made, len(endpoint.asked)) == (2, 2, 8)


def test_an_answer_is_printed_as_soon_as_it_comes(project):
    printed = threading.Semaphore(
        1
    )  # the endpoint answers a question once the answer before it stands on the terminal
    waited_in_vain = []

    def answer(*asked):
        if not printed.acquire(timeout=30):
            waited_in_vain.append(asked)
        return gold_of(*asked)

    with chat_endpoint(answer) as endpoint:
        project.configure(endpoint.url)
        process = project.start("try", "submissions/one.toml", "--questions", "3", "--benchmark", "musique")
        for line in process.stdout:
            if "match" in line:
                printed.release()
        assert process.wait(timeout=120) == 0
    assert len(endpoint.asked) == 3 and not waited_in_vain


def test_a_trial_keeps_to_the_boards_ceilings_and_says_what_was_not_paid(project):
    with chat_endpoint(gold_of) as endpoint:
        project.configure(endpoint.url, ceilings="calls = 2")
        code, out, err = project.run(
            "try", "submissions/one.toml", "--questions", "3", "--benchmark", "musique"
        )
        assert (code, len(endpoint.asked)) == (0, 2), err
        assert "outcome  unpaid" in out
        assert "3 questions: 1 of 2 match" in out and "1 without a result" in " ".join(out.split())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["submissions/nope.toml"], "submissions/nope.toml"),
        (["submissions/bad.toml"], "submissions/bad.toml:2:8: system.name: expected"),
        (["submissions/one.toml", "--benchmark", "musiqe"], "did you mean musique?"),
        (["submissions/one.toml", "--replay"], "is not recorded"),
    ],
)
def test_what_cannot_be_tried_is_told_before_anything_is_asked(project, arguments, said):
    (project.folder / "submissions" / "bad.toml").write_text("[system]\nname = 3\n")
    with chat_endpoint(gold_of) as endpoint:
        project.configure(endpoint.url)
        code, _, err = project.run("try", *arguments)
        assert (code, endpoint.asked, said in err, "Traceback" in err) == (2, [], True, False), err


def test_an_endpoint_that_refuses_ends_the_trial_after_one_question(project):
    with chat_endpoint(lambda _: Reply(401)) as endpoint:
        project.configure(endpoint.url)
        code, _, err = project.run("try", "submissions/one.toml")
        assert (code, len(endpoint.asked), "401" in err) == (2, 1, True)
        assert endpoint.url not in err


def test_a_system_without_a_model_shows_what_it_ranked_and_asks_nobody(project):
    path = project.folder / "submissions" / "one.toml"
    text = re.sub(r"\[lm\].*?\n\n", "", path.read_text(), flags=re.DOTALL)
    path.write_text(text.replace('kind = "single_step"\npassages = 3', 'kind = "retrieval_only"'))
    with chat_endpoint(lambda _: answer("x")) as endpoint:
        project.configure(endpoint.url)
        code, out, err = project.run("try", str(path), "--questions", "1", "--benchmark", "multihop_rag")
        assert (code, endpoint.asked) == (0, []), err
    assert "search  round 1" in out and " answer " not in out
    assert re.search(r"\* +\d+ +\d+\.\d{3} ", out), "gold evidence is marked"
    assert re.search(r"1 question: all gold evidence found in [01] of 1; \d", out)


def test_a_trial_of_a_bundled_system_replays_its_committed_calls(project, monkeypatch):
    (project.folder / "leaderboard.toml").write_text((tiny_root() / "leaderboard.toml").read_text())
    code, out, err = project.run(
        "try", str(tiny_root() / "submissions" / "bm25-2-articles.toml"), "--replay", "--questions", "1",
        "--benchmark", "frames", "--results", str(tiny_root() / "results"),
    )  # fmt: skip
    assert code == 0, err
    assert "0.00 USD" in out and "The whole board: 72 questions, 1 at a time, about" in " ".join(out.split())


def tiny_root():
    from tests.project import ROOT

    return ROOT


def test_a_summary_counts_only_what_applies_and_a_projection_keeps_pace_and_price(tmp_path):
    cell = tiny.run(tmp_path, tiny.submit(tmp_path / "submissions", "reader", **tiny.READER))
    traces = [read_trace(cell, question) for question in cell.benchmark.questions]
    paid = [replace(trace, record=replace(trace.record, paid_usd=0.01)) for trace in traces]
    failed = replace(paid[0], record=replace(paid[0].record, outcome=Outcome.FAILED))
    tried = [Tried(trace, 2.0) for trace in [failed, *paid[1:]]]
    summary = summarise(tried)
    assert (summary.questions, summary.asked, summary.matched, summary.without_result) == (4, 3, 3, 1)
    assert (summary.with_gold, summary.complete) == (3, 2), "q3 needs nothing; a fact of q1 is cut off"
    assert (summary.tokens, summary.seconds) == (15.0, 2.0)
    assert summary.usd == pytest.approx(0.01)
    whole = projection(summary, 800, at_a_time=8)
    assert (whole.seconds, round(whole.usd, 9)) == (200.0, 8.0)
    unknown = summarise(
        [
            *tried,
            Tried(replace(paid[1], record=replace(paid[1].record, paid_usd=None, prompt_tokens=None)), 2.0),
        ]
    )
    assert (unknown.usd, unknown.tokens, projection(unknown, 800, 1).usd) == (None, None, None)
    assert json.dumps(summary.questions)


def test_a_system_that_still_has_to_be_compiled_is_not_tried(tmp_path):
    compiled = {"optimizer": "bootstrap_few_shot"}
    submission = tiny.submit(tmp_path, "learner", compile=compiled, **tiny.READER)
    config = load_config(ROOT / "leaderboard.toml")
    with pytest.raises(TrialError, match=r"not compiled yet: leaderboard compile .*learner\.toml"):
        plan_trial(config, submission, ["musique"], 1, tmp_path / "results")
