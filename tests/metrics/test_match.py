"""``match`` (spec § 0, R2): its vectors, its properties, and the claims at the top of § 0 on the published files."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.metrics.match import MAX_EXTRA_TOKENS, match

CASES = json.loads((Path(__file__).parents[1] / "vectors" / "match.json").read_text("utf-8"))["cases"]
CONSTANT = "I cannot determine this from the documents."
LIST = "Yes, no, Sam Bankman-Fried, Google, Sam Altman"

WORDS = st.from_regex(r"[b-z]{3,8}", fullmatch=True).filter(lambda word: word not in {"the", "yes"})
PHRASES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
SEPARATORS = st.sampled_from(
    [", ", "; ", "/ ", " - ", " – ", " — ", " | ", " • ", " · ", " * ", " or ", " and "]
)


class Asked(NamedTuple):
    golds: list[str]
    null: bool


def test_all_vectors_are_here():
    assert len(CASES) == 63


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_vector(case):
    assert match(case["prediction"], case["golds"], null_question=case["null_question"]) is bool(
        case["match"]
    )


@given(PHRASES)
def test_an_answer_alone_or_in_a_short_sentence_is_right(gold):
    for said in (gold, gold.upper() + ".", f"It is {gold}.", f"Long reasoning.\nAnswer: {gold}"):
        assert match(said, [gold], null_question=False), said


# At most five: a dash or bullet is a token of its own, and more than eight beside the gold make any answer wrong.
@given(st.lists(WORDS, min_size=2, max_size=5, unique=True), SEPARATORS)
def test_a_list_of_guesses_is_right_only_for_its_first_item(items, separator):
    right = [match(separator.join(items), [item], null_question=False) for item in items]
    assert right == [True] + [False] * (len(items) - 1)


@given(st.lists(PHRASES, min_size=1, max_size=6), SEPARATORS, PHRASES)
def test_no_list_that_begins_with_yes_names_anything_else(items, separator, gold):
    assert not match(separator.join(["Yes", *items]), [gold], null_question=False)
    assert not match(" ".join(["No", *items]), [gold], null_question=False)


@given(PHRASES, st.lists(WORDS, min_size=MAX_EXTRA_TOKENS + 1, max_size=30))
def test_a_gold_within_a_long_text_is_wrong(gold, padding):
    assert not match(f"{gold} {' '.join(padding)}", [gold], null_question=False)


@given(st.integers(0, 999), st.integers(0, 999))
def test_a_number_is_right_only_as_the_only_number(first, second):
    assert match(f"about {first} years", [str(first)], null_question=False)
    if first != second:
        assert not match(f"{first} {second}", [str(second)], null_question=False)


@given(st.text(), st.lists(st.text(), min_size=1))
def test_an_alias_never_makes_an_answer_wrong(said, golds):
    before = match(said, golds[:1], null_question=False)
    assert match(said, golds, null_question=False) or not before


@pytest.mark.parametrize("nothing", [None, "", " \n", "...", "The", "Answer:"])
def test_saying_nothing_is_never_right(nothing):
    assert not match(nothing, ["The", "....-"], null_question=False)
    assert not match(nothing, ["Insufficient information."], null_question=True)


def test_separators_of_the_gold_are_allowed_to_the_answer():
    gold = "Berlin, Paris and Rome"
    assert match("The cities are Berlin, Paris and Rome, Italy", [gold], null_question=False)
    assert not match("Oslo, or maybe Bonn, Berlin, Paris and Rome", [gold], null_question=False)


def test_a_null_question_needs_no_gold_and_an_answerable_one_does():
    assert match("Unknown", [], null_question=True)
    with pytest.raises(ValueError, match="at least one gold"):
        match("Paris", [], null_question=False)
    with pytest.raises(ValueError, match="sequence"):
        match("Paris", "Paris", null_question=False)


@pytest.fixture(scope="module")
def multihop_rag(real_data: Path) -> list[Asked]:
    rows = json.loads((real_data / "multihop_rag" / "MultiHopRAG_500.json").read_text("utf-8"))
    return [Asked([row["answer"]], row["question_type"] == "null_query") for row in rows]


@pytest.fixture(scope="module")
def musique(real_data: Path) -> list[Asked]:
    lines = (real_data / "musique" / "dev_questions_2417.jsonl").read_text("utf-8").split("\n")
    rows = [json.loads(line) for line in lines if line]
    return [Asked([row["answer"], *row["answer_aliases"]], False) for row in rows]


@pytest.fixture(scope="module")
def frames(real_data: Path) -> list[Asked]:
    with (real_data / "frames" / "test.tsv").open(encoding="utf-8", newline="") as file:
        return [Asked([row["Answer"]], False) for row in csv.DictReader(file, delimiter="\t")]


def _own(questions: list[Asked]) -> tuple[int, int]:
    right = sum(match(asked.golds[0], asked.golds, null_question=asked.null) for asked in questions)
    return right, len(questions)


def _constant(said: str, questions: list[Asked]) -> tuple[int, int]:
    return sum(match(said, asked.golds, null_question=asked.null) for asked in questions), len(questions)


def test_every_multihop_rag_gold_matches_itself(multihop_rag):
    assert _own(multihop_rag) == (500, 500)


def test_every_musique_gold_matches_itself(musique):
    assert _own(musique) == (2417, 2417)


def test_815_of_824_frames_golds_match_themselves(frames):
    # Eight are cut at 40 words; "....-" normalises to nothing.
    assert _own(frames) == (815, 824)


def test_a_constant_abstention_scores_0_on_answerable_and_1_on_null_questions(multihop_rag):
    assert _constant(CONSTANT, [asked for asked in multihop_rag if not asked.null]) == (0, 429)
    assert _constant(CONSTANT, [asked for asked in multihop_rag if asked.null]) == (71, 71)


@pytest.mark.parametrize(
    "text",
    [
        "No information available.",
        "No information",
        "no answer",
        "No evidence in the documents.",
        "n/a",
        "None",
    ],
)
def test_an_abstention_that_begins_with_no_is_not_the_answer_no(text, multihop_rag):
    assert not match(text, ["no"], null_question=False)
    assert _constant(text, [asked for asked in multihop_rag if not asked.null]) == (0, 429)


def test_no_with_a_reason_is_the_answer_no():
    assert match("No, there is no information on a change.", ["no"], null_question=False)


def test_a_constant_list_scores_0(multihop_rag, musique):
    assert _constant(LIST, multihop_rag) == (0, 500)
    assert _constant(LIST, musique) == (0, 2417)


def test_the_constant_yes_scores_three_tenths_of_multihop_rag(multihop_rag):
    assert _constant("Yes", multihop_rag) == (150, 500)


def test_pasted_gold_paragraphs_score_0_on_musique(real_data):
    lines = (real_data / "musique" / "musique_ans_v1.0_dev_210.jsonl").read_text("utf-8").split("\n")
    rows = [json.loads(line) for line in lines if line]
    assert len(rows) == 210
    for row in rows:
        pasted = " ".join(p["paragraph_text"] for p in row["paragraphs"] if p["is_supporting"])
        assert not match(pasted, [row["answer"], *row["answer_aliases"]], null_question=False), row["id"]
