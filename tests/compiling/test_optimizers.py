"""The eight optimizers, each with a model that answers by a script: what they learn, and that they replay."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from leaderboard.catalog.optimizers import OPTIMIZERS
from leaderboard.compiling.ending import CompileError
from leaderboard.files import digest_json
from leaderboard.models.providers import Refused
from tests import tiny
from tests.compiling.school import NAMES, QUESTIONS, School, pupil, submit
from tests.programs.played import fields, said

SMALL = {
    "labeled_few_shot": {"k": 2},
    "bootstrap_few_shot": {"max_labeled_demos": 0},
    "bootstrap_few_shot_with_random_search": {"num_candidate_programs": 1},
    "mipro_v2": {"num_candidates": 4, "num_trials": 5},
    "gepa": {"max_metric_calls": 30, "reflection_minibatch_size": 2},
    "simba": {"bsize": 4, "num_candidates": 2, "max_steps": 2},
    "copro": {"breadth": 2, "depth": 2},
    "knn_few_shot": {"k": 2},
}
"""Optimizer → settings that are enough for six questions."""

SEARCHING = {
    "bootstrap_few_shot_with_random_search": 14,
    "mipro_v2": 30,
    "gepa": 30,
    "simba": 16,
    "copro": 15,
}
"""Optimizer that searches → a ceiling at which it has scored another program than it began with, and is not done."""


@pytest.fixture
def school(tmp_path):
    return School(tmp_path)


def test_every_optimizer_of_the_catalog_is_tried_here():
    assert set(SMALL) == set(OPTIMIZERS)


@pytest.mark.parametrize("name", SMALL)
def test_a_second_compile_makes_no_call_and_learns_the_same(name, school, tmp_path):
    submission = submit(tmp_path, name, **SMALL[name])
    learnt, provider = school.compile(submission)
    again, asked = school.compile(submission, mode="replay")
    assert len(provider.requests) == learnt.calls.made == len(learnt.calls.calls)
    assert asked.requests == []
    assert (again.calls.made, again.calls.replayed) == (0, learnt.calls.made)
    assert list(again.calls.calls) == list(learnt.calls.calls)  # in the same order
    assert digest_json(again.predictors) == digest_json(learnt.predictors)
    assert (again.score, again.ended) == (learnt.score, "")


def test_labelled_examples_cost_no_call_and_hold_what_the_retriever_brings(school, tmp_path):
    learnt, _ = school.compile(submit(tmp_path, "labeled_few_shot", k=2))
    assert not learnt.calls.calls
    demos = learnt.predictors["answer"]["demos"]
    assert len(demos) == 2
    for demo in demos:
        key = next(key for key in NAMES if key in demo["question"])
        assert demo["answer"] == NAMES[key]
        assert demo["context"].startswith(f"[1] The {key}\n{NAMES[key]} built the {key}.\n\n[2] ")
        assert "augmented" not in demo


def test_bootstrapping_keeps_runs_that_were_right(school, tmp_path):
    learnt, provider = school.compile(submit(tmp_path, "bootstrap_few_shot", max_labeled_demos=0))
    demos = learnt.predictors["answer"]["demos"]
    # The first two of the train set that the model knows; it ended when it had them.
    assert [(demo["question"], demo["answer"], demo["augmented"]) for demo in demos] == [
        ("Who built the mill?", "Ada Fenn", True),
        ("Who built the tower?", "Dora Pell", True),
    ]
    assert len(provider.requests) == 4
    assert (learnt.score, learnt.changed) == (None, ("answer",))


def test_labelled_demonstrations_fill_up_those_of_runs(school, tmp_path):
    settings = {"max_bootstrapped_demos": 1, "max_labeled_demos": 3}
    learnt, _ = school.compile(submit(tmp_path, "bootstrap_few_shot", **settings))
    assert [demo.get("augmented", False) for demo in learnt.predictors["answer"]["demos"]] == [
        True,
        False,
        False,
    ]


def test_a_search_keeps_the_demonstrations_that_score_best(school, tmp_path):
    name = "bootstrap_few_shot_with_random_search"
    learnt, _ = school.compile(submit(tmp_path, name, **SMALL[name]))
    # With any demonstration the model knows a fourth of the six answers.
    assert learnt.score == pytest.approx(4 / 6)
    assert [candidate.score for candidate in learnt.candidates][:2] == pytest.approx([3 / 6, 4 / 6])


@pytest.mark.parametrize("name", ["gepa", "copro"])
def test_instructions_that_the_model_writes_are_kept_when_they_score_better(name, school, tmp_path):
    learnt, _ = school.compile(submit(tmp_path, name, **SMALL[name]))
    assert "answer CAREFULLY" in learnt.predictors["answer"]["signature"]["instructions"]
    assert learnt.score == pytest.approx(5 / 6)


def test_mipro_searches_instructions_and_demonstrations(school, tmp_path):
    learnt, _ = school.compile(submit(tmp_path, "mipro_v2", **SMALL["mipro_v2"]))
    assert learnt.changed == ("answer",)
    assert {len(candidate.right) for candidate in learnt.candidates} == {4}  # four fifths of six
    assert learnt.score == max(candidate.score for candidate in learnt.candidates)


def test_simba_scores_what_it_returns_on_the_whole_train_set(school, tmp_path):
    learnt, provider = school.compile(submit(tmp_path, "simba", **SMALL["simba"]))
    assert learnt.changed == ("answer",)
    returned = [c for c in learnt.candidates if digest_json(c.predictors) == digest_json(learnt.predictors)]
    assert [(len(c.right), c.score) for c in returned] == [(6, learnt.score)]
    sampled = [
        r for r in provider.requests if r["temperature"] == 1.0 and "answer" in r["messages"][-1]["content"]
    ]
    assert len({request["seed"] for request in sampled}) == len(sampled)  # each sample is a draw of its own


def test_neighbours_of_the_others_are_what_knn_shows(school, tmp_path):
    learnt, _ = school.compile(submit(tmp_path, "knn_few_shot", k=2))
    assert len(learnt.predictors["answer"]["demos"]) == 2
    assert {demo["question"] for demo in learnt.predictors["answer"]["demos"]} <= {q.text for q in QUESTIONS}


@pytest.mark.parametrize(("name", "most"), SEARCHING.items())
def test_a_search_that_has_spent_its_calls_ends_with_its_best_program(name, most, school, tmp_path):
    settings = SMALL[name] | ({"max_metric_calls": 60} if name == "gepa" else {})
    submission = submit(tmp_path, name, **settings, max_calls=most)
    learnt, provider = school.compile(submission)
    assert len(provider.requests) == most
    assert learnt.ended == f"the call ceiling of {most} is reached"
    assert learnt.score == max(candidate.score for candidate in learnt.candidates)
    whole = len(next(iter(learnt.candidates)).right)
    assert {len(candidate.right) for candidate in learnt.candidates} <= {whole, 6}
    again, _ = school.compile(submission, mode="replay")
    assert digest_json(again.predictors) == digest_json(learnt.predictors)


@pytest.mark.parametrize("name", SEARCHING)
def test_a_search_that_has_spent_its_calls_too_early_is_an_error(name, school, tmp_path):
    with pytest.raises(CompileError, match=r"the call ceiling of 2 is reached before a changed program was"):
        school.compile(submit(tmp_path, name, **SMALL[name], max_calls=2))


def test_bootstrapping_that_has_spent_its_calls_keeps_what_it_has(school, tmp_path):
    settings = {"max_labeled_demos": 0, "max_bootstrapped_demos": 6}
    learnt, provider = school.compile(submit(tmp_path, "bootstrap_few_shot", **settings, max_calls=4))
    assert len(provider.requests) == 4
    assert len(learnt.predictors["answer"]["demos"]) == 2
    assert learnt.ended == "the call ceiling of 4 is reached"
    with pytest.raises(CompileError, match="before a train question was answered right; raise max_calls"):
        school.compile(submit(tmp_path, "bootstrap_few_shot", **settings, max_calls=0))


@pytest.mark.parametrize("name", [name for name in SMALL if name != "labeled_few_shot"])
def test_an_endpoint_that_fails_ends_the_compile_and_is_no_wrong_answer(name, school, tmp_path):
    def dies(request):
        left.append(request)
        return pupil(request) if len(left) < 2 else Refused("the key is gone", of_endpoint=True)

    left: list[object] = []
    with pytest.raises(Refused, match="the key is gone"):
        school.compile(submit(tmp_path, name, **SMALL[name]), dies)


@pytest.mark.parametrize(("name", "said"), [("gepa", "``````"), ("simba", "Hm.")])
def test_a_proposal_that_cannot_be_read_is_passed_over(name, said, school, tmp_path):
    def mumbles(request):
        return pupil(request) if fields(request) == ["answer"] else said

    learnt, _ = school.compile(submit(tmp_path, name, **SMALL[name]), mumbles)
    assert learnt.ended == ""


@pytest.mark.parametrize(
    "wrapped",
    [
        pytest.param(lambda text: f"```{text}\n```", id="marker in a code fence"),
        pytest.param(
            lambda text: "```\n" + text.split("\n", 1)[1] + "\n```", id="no marker, in a code fence"
        ),
        pytest.param(lambda text: text.split("\n", 1)[1], id="no marker"),
    ],
)
@pytest.mark.parametrize("name", ["mipro_v2", "gepa"])
def test_a_proposal_without_its_marker_is_taken_as_it_is(name, wrapped, school, tmp_path):
    """A small model's habit: one code fence would end the search after all the calls before it."""

    def fences(request):
        return pupil(request) if fields(request) == ["answer"] else wrapped(pupil(request))

    plain, _ = school.compile(submit(tmp_path / "plain", name, **SMALL[name]))
    fenced, _ = School(tmp_path / "other").compile(submit(tmp_path / "fenced", name, **SMALL[name]), fences)
    assert plain.changed
    assert fenced.predictors == plain.predictors
    assert (fenced.score, fenced.ended) == (plain.score, "")


def test_an_empty_proposal_is_none(school, tmp_path):
    """dspy makes an instruction of its own of an empty one, which may do as well as the program's."""

    def empty(request):
        blank = {name: "" for name in fields(request)}
        return pupil(request) if fields(request) == ["answer"] else said(**blank)

    with pytest.raises(CompileError, match="copro: the model wrote a proposal that cannot be read before"):
        school.compile(submit(tmp_path, "copro", **SMALL["copro"]), empty)


@pytest.mark.parametrize("name", ["gepa", "mipro_v2", "copro"])
def test_what_cannot_be_printed_is_no_part_of_a_proposal(name, school, tmp_path):
    def noisy(request):
        text = pupil(request)
        return (
            text
            if fields(request) == ["answer"]
            else text.replace("CAREFULLY", "CAREFULLY\x00\x1b[31m\u202e\ufeff")
        )

    learnt, _ = school.compile(submit(tmp_path, name, **SMALL[name]), noisy)
    written = learnt.predictors["answer"]["signature"]["instructions"]
    assert "CAREFULLY" in written
    assert all(character.isprintable() or character == "\n" for character in written)


def test_a_search_without_a_readable_proposal_says_so(school, tmp_path):
    def mumbles(request):
        return "Hm." if "proposed" in request["messages"][-1]["content"] else pupil(request)

    said = r"copro: the model wrote a proposal that cannot be read before .*; use another optimizer, .* or another model$"
    with pytest.raises(CompileError, match=said):
        school.compile(submit(tmp_path, "copro", **SMALL["copro"]), mumbles)


@pytest.mark.parametrize("name", ["bootstrap_few_shot", "gepa", "copro"])
def test_programs_of_several_predictors_are_compiled_as_a_whole(name, school, tmp_path):
    settings = SMALL[name] if name != "copro" else {"breadth": 2, "depth": 1}
    learnt, _ = school.compile(submit(tmp_path, name, tiny.STEPS, **settings))
    assert sorted(learnt.predictors) == ["answer", "write_queries"]
    for name, entry in learnt.predictors.items():
        wanted = {
            "answer": {"context", "question", "answer"},
            "write_queries": {"question", "found", "queries"},
        }[name]
        assert all(set(demo) - {"augmented"} == wanted for demo in entry["demos"])


def test_neither_hash_seed_nor_process_changes_what_is_asked_and_learnt(tmp_path):
    code = "import sys; from pathlib import Path; from tests.compiling import hashed; hashed.main(Path(sys.argv[1]))"
    outputs = []
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / seed)],
            capture_output=True,
            text=True,
            env=environment,
            cwd=Path(__file__).parents[2],
            check=True,
        )
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1] != ""
