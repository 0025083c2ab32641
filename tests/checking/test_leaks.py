"""Evaluation questions among train questions and in compiled states, and templates filled in anew that are none."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.benchmarks.questions import Question
from leaderboard.benchmarks.registry import load_benchmark, load_train
from leaderboard.checking.leaks import Leak, leaks, leaks_of_state
from leaderboard.checking.state import parse_state
from leaderboard.checking.strict_json import canonical_text
from leaderboard.manifest import KEYS
from tests.checking.states import SINGLE, spoilt

DATA = Path(os.environ.get("LEADERBOARD_DATA_DIR", Path(__file__).parents[3] / "shared" / "data"))


def asked(text: str, key: str = "e1") -> Question:
    return Question(key, text, "Ada", (), (), {})


MAYOR = "Who is the mayor of the town where Odo Fennimark was born?"
LONG = "In what year did the mayor of the town where Odo Fennimark was born open the first mill there?"


@pytest.mark.parametrize(
    ("train", "share"),
    [
        (MAYOR, 1.0),
        ("who is mayor of THE town, where Odo Fennimark was born", 1.0),
        (f"{MAYOR} Name her.", 1.0),
        ("The mayor of the town where Odo Fennimark was born?", 1.0),
        ("Who is mayor of the town where Odo Fennimark grew up?", 4 / 6),
        ("Is the mayor of the town where Odo Fennimark grew up?", 3 / 5),
    ],
)
def test_equal_and_nearly_equal_questions_leak(train, share):
    assert leaks([asked(train, "t1")], [asked("What is it?", "e0"), asked(MAYOR)]) == (
        Leak("t1", "e1", share),
    )


@pytest.mark.parametrize(
    "train",
    [
        "Who is the mayor of the town where Ansel Brodrigh was born?",
        "Who is the mayor of the town where Zenobia was born?",
        "Who is the mayor of the town where Odo Marrick grew up?",
        "Who was the composer that studied under Odo Fennimark?",
        "Ada",
    ],
)
def test_a_template_filled_in_anew_and_another_question_do_not(train):
    assert leaks([asked(train, "t1")], [asked(MAYOR)]) == ()


def test_a_question_of_fewer_than_five_words_leaks_only_when_it_is_equal():
    short = [asked("Who built the mill?")]
    assert leaks([asked("Who built the old mill?", "t1")], short) == ()
    assert leaks([asked("who built a mill", "t1")], short) == (Leak("t1", "e1", 1.0),)


def test_composed_and_decomposed_characters_are_the_same():
    assert leaks([asked("Où?", "t")], [asked("Ou\u0300?")]) == (Leak("t", "e1", 1.0),)


def test_the_nearest_one_is_named_the_first_of_several():
    train, near = asked(MAYOR, "t1"), asked(MAYOR.replace("was born", "grew up"), "e0")
    assert leaks([train], [near, asked(MAYOR), asked(MAYOR, "e2")]) == (Leak("t1", "e1", 1.0),)


@pytest.mark.parametrize(
    ("path", "text", "place"),
    [
        ("demos.0.question", MAYOR, "demos[0].question"),
        ("demos.0.context", f"[1] Towns\nA quiz asks: {MAYOR} It was Ada.", "demos[0].context"),
        ("signature.instructions", f"Answer briefly. If asked '{MAYOR}', say Ada.", "signature.instructions"),
        ("signature.fields.1.description", MAYOR, "signature.fields[1].description"),
    ],
)
def test_a_state_is_read_everywhere(path, text, place):
    value = spoilt((f"predictors.answer.{path}", text))
    state = parse_state(canonical_text(value).encode(), "xx.state.json", SINGLE)
    assert leaks_of_state(state, [asked(LONG, "e0"), asked(MAYOR)]) == (
        Leak(f"predictors.answer.{place}", "e1", 1.0),
    )


def test_a_gold_answer_alone_is_no_leak():
    state = parse_state(canonical_text(spoilt()).encode(), "xx.state.json", SINGLE)
    assert leaks_of_state(state, [asked(MAYOR), asked("Whose work is the stone mill?")]) == ()


def test_no_question_of_the_samples_train_split_is_one_that_is_scored():
    evaluation = [question for key in KEYS for question in load_benchmark(key, "sample").questions]
    train = load_train("musique", "sample").questions
    assert (len(train), leaks(train, evaluation)) == (24, ())
    # One has 14 of its 16 sequences in a scored one: it names the yard that the other describes by a ship. Without
    # the name it would be that question, cut.
    [near] = [question for question in train if question.text.endswith("the home of Tenterhall Yard?")]
    [leak] = leaks([replace(near, text=near.text.replace("Tenterhall Yard", "the yard"))], evaluation)
    assert (leak.question, leak.share > 0.8) == ("4hop3__21649_21558_21502_21516", True)


def test_a_long_template_passes_with_another_name_and_not_with_a_name_left_out():
    long = (
        "In which year was the oldest of the bridges over the river that passes the birthplace of {} opened?"
    )
    scored = [asked(long.format("Odo Fennimark"))]
    assert leaks([asked(long.format("Ansel Brodrigh"), "t1")], scored) == ()
    assert [leak.question for leak in leaks([asked(long.format("the mayor"), "t1")], scored)] == ["e1"]
    assert [leak.question for leak in leaks([asked(long.format("odo fennimark"), "t1")], scored)] == ["e1"]


@pytest.mark.skipif(
    not (DATA / "musique" / "dev_questions_2417.jsonl").is_file(), reason=f"no published MuSiQue in {DATA}"
)
def test_of_a_hundred_published_train_questions_none_is_one_of_the_dev_questions():
    def read(name: str) -> list[Question]:
        lines = (DATA / "musique" / name).read_text(encoding="utf-8").splitlines()
        return [asked(row["question"], row["id"]) for row in map(json.loads, lines)]

    train, dev = read("musique_ans_v1.0_train_100.jsonl"), read("dev_questions_2417.jsonl")
    assert (len(train), leaks(train, dev)) == (100, ())
