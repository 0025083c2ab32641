"""A benchmark's further tables: which there are, whom they are about, and their values."""

from __future__ import annotations

import pytest

from leaderboard.models.providers import ProviderError
from tests import tiny
from tests.board.boards import numbers, page, row, table
from tests.scripted import answer, said

WRONG = {tiny.KEYS: "Cleo Reed"}
RAG = tiny.benchmark("multihop_rag")


def cards(home, systems, tables=None, on=RAG):
    return page(home, systems, tables, on).scorecards


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("multihop_rag", ["answers", "abstention", "evidence", "cost"]),
        ("frames", ["answers", "evidence", "cost"]),
    ],
)
def test_a_benchmark_has_the_cards_that_say_something_of_it(tmp_path, name, keys):
    found = cards(tmp_path, {"mill": {}}, {"mill": tiny.READER}, tiny.benchmark(name))
    assert [one.key for one in found] == [f"{name}-{key}" for key in keys]


def test_answers_are_compared_in_every_way(tmp_path):
    mill = row(table(cards(tmp_path, {"mill": WRONG}), "multihop_rag-answers"), "mill")
    assert numbers(mill) == {
        "match": 0.75,
        "em": 0.75,
        "f1": 0.875,
        "contain": pytest.approx(2 / 3),
        "contain_token": pytest.approx(2 / 3),
        "word_overlap": 1,  # "Cleo Reed" shares a word with "Cleo Marsh"
        "abstained": 0.25,
        "answer_tokens": 1.75,
        "overlong": 0,
    }


def test_word_overlap_is_no_column_elsewhere_and_support_is_for_who_cites(tmp_path):
    found = table(cards(tmp_path, {"mill": {}}, on=tiny.benchmark("musique")), "musique-answers")
    assert {"word_overlap", "support_f1"} & {column.key for column in found.columns} == set()


def test_declining_by_hand(tmp_path):
    systems = {"mill": {tiny.MILL: "I do not know.", tiny.KEYS: ""}, "never": {tiny.HARBOUR: "Bo"}}
    found = table(cards(tmp_path, systems), "multihop_rag-abstention")
    assert numbers(row(found, "mill")) == {
        "balanced_abstention": pytest.approx((1 + 1 - 2 / 3) / 2),
        "abstention_recall": 1,
        "false_abstention": pytest.approx(2 / 3),
        "abstention_precision": pytest.approx(1 / 3),
        "abstention_accuracy": 0.5,
    }
    never = row(found, "never").values
    assert (never["balanced_abstention"].value, never["abstention_accuracy"].value) == (0.5, 0.75)
    assert (never["abstention_precision"].value, never["abstention_precision"].n) == (None, 0)
    assert {key: value.n for key, value in never.items()} == {
        "balanced_abstention": 4,
        "abstention_recall": 1,
        "false_abstention": 3,
        "abstention_precision": 0,
        "abstention_accuracy": 4,
    }


def test_evidence_is_about_systems_that_have_any(tmp_path):
    systems = {"reader": {}, "closed": {}, "gold": {}}
    found = table(
        cards(tmp_path, systems, {"reader": tiny.READER, "gold": tiny.GOLD}), "multihop_rag-evidence"
    )
    assert [(one.key, one.kind) for one in found.rows] == [("reader", "ranked"), ("gold", "reference")]
    values = numbers(row(found, "reader"))
    # The first question's second article came back, and was cut before its gold sentence.
    assert values.pop("retrieved_tokens") > 0
    assert values == {
        "evidence_complete": pytest.approx(2 / 3),
        "evidence_shown": pytest.approx(2.5 / 3),
        "evidence_returned": 1,
        "evidence_recall": 1,
    }
    assert row(found, "reader").values["evidence_recall"].n == 3


def test_on_frames_evidence_columns_have_the_fields_names(tmp_path):
    found = table(
        cards(tmp_path, {"mill": {}}, {"mill": tiny.READER}, tiny.benchmark("frames")), "frames-evidence"
    )
    labels = {column.key: column.label for column in found.columns}
    assert (labels["evidence_shown"], labels["evidence_complete"]) == ("Article recall", "All articles")


def test_a_board_of_closed_book_systems_has_no_card_of_evidence(tmp_path):
    assert "multihop_rag-evidence" not in [one.key for one in cards(tmp_path, {"mill": {}})]


def test_the_cheapest_system_stands_first_on_the_card_of_cost(tmp_path):
    dear = {question: said(answer(right), prompt_tokens=95) for question, right in tiny.RIGHT.items()}
    found = table(cards(tmp_path, {"ant": dear, "bee": {}}), "multihop_rag-cost")
    assert [(one.key, one.values["tokens"].value) for one in found.rows] == [("bee", 15), ("ant", 100)]
    assert numbers(row(found, "bee")) == {
        **{"tokens": 15, "prompt_tokens": 10, "cached_tokens": 0, "completion_tokens": 5},
        **{"calls": 1, "seconds": 0.5},
    }


def test_calls_are_counted_over_all_steps_of_a_question(tmp_path):
    found = table(cards(tmp_path, {"mill": {}}, {"mill": tiny.STEPS}), "multihop_rag-cost")
    # Two rounds of queries and an answer.
    assert numbers(row(found, "mill")) == {
        **{"tokens": 45, "prompt_tokens": 30, "cached_tokens": 0, "completion_tokens": 15},
        **{"calls": 3, "seconds": 1.5},
    }


def test_an_incomplete_system_stands_below_on_every_card(tmp_path):
    systems = {"ant": {tiny.LOCK: ProviderError("gone")}, "bee": WRONG}
    for found in cards(tmp_path, systems):
        assert [(one.key, one.kind, one.marks) for one in found.rows] == [
            ("bee", "ranked", ()),
            ("ant", "unranked", ("incomplete",)),
        ]


def test_a_column_says_its_range_and_its_questions(tmp_path):
    found = table(cards(tmp_path, {"mill": {}}), "multihop_rag-answers")
    columns = {column.key: column for column in found.columns}
    assert (columns["contain"].range, columns["contain"].applies_to) == ((0.0, 1.0), "answerable questions")
    assert (columns["answer_tokens"].range, columns["answer_tokens"].applies_to) == (
        (0.0, None),
        "all questions",
    )
