"""Supporting paragraphs and the grouped scores of MuSiQue-Full (spec §§ 1.3 and 1.4)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.metrics.support import (
    FullInstance,
    SupportScore,
    full_scores,
    paragraph_indices,
    support_score,
)

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "em_f1.json").read_text("utf-8"))
KEYS = st.sets(st.integers(0, 9))


def _instances(case) -> list[FullInstance]:
    return [
        FullInstance(
            id=row["id"],
            answerable=row["answerable"],
            golds=tuple(row["golds"]),
            gold_support=paragraph_indices(row["gold_support_idxs"]),
            predicted_answer=row["predicted_answer"],
            predicted_support=paragraph_indices(row["predicted_support_idxs"]),
            predicted_answerable=row["predicted_answerable"],
        )
        for row in case["instances"]
    ]


def test_all_vectors_are_here():
    assert len(VECTORS["support"]) == 8
    assert len(VECTORS["group"]) == 1


@pytest.mark.parametrize("case", VECTORS["support"], ids=lambda case: case["id"])
def test_support_vector(case):
    score = support_score(paragraph_indices(case["predicted_idxs"]), paragraph_indices(case["gold_idxs"]))
    assert score.exact is bool(case["em"])
    assert score.f1 == pytest.approx(case["f1"], abs=5e-7)


@pytest.mark.parametrize("case", VECTORS["group"], ids=lambda case: case["id"])
def test_group_vector(case):
    scores, expected = full_scores(_instances(case)), case["expected"]
    # The official script prints three decimals.
    assert scores.answer_em == pytest.approx(expected["answer_em"], abs=5e-4)
    assert scores.answer_f1 == pytest.approx(expected["answer_f1"], abs=5e-4)
    assert scores.support_f1 == pytest.approx(expected["support_f1"], abs=5e-4)
    assert scores.group_answer_f1 == pytest.approx(expected["group_answer_sufficiency_f1"], abs=5e-4)
    assert scores.group_support_f1 == pytest.approx(expected["group_support_sufficiency_f1"], abs=5e-4)


def test_the_order_of_twins_does_not_matter():
    instances = _instances(VECTORS["group"][0])
    assert full_scores(instances[::-1]) == pytest.approx(full_scores(instances))


def test_without_unanswerable_instances_there_is_no_grouped_score():
    scores = full_scores([one for one in _instances(VECTORS["group"][0]) if one.answerable])
    assert scores.answer_em == pytest.approx(2 / 3)
    assert scores.group_answer_f1 is None
    assert scores.group_support_f1 is None


def test_an_id_must_occur_once_answerable_and_once_not():
    instances = _instances(VECTORS["group"][0])
    with pytest.raises(ValueError, match="'2hop__1_2' once answerable and once not"):
        full_scores(instances[:1] + instances[2:])
    with pytest.raises(ValueError, match="one answerable instance an id"):
        full_scores([*instances, replace(instances[0])])
    with pytest.raises(ValueError, match="at least one answerable"):
        full_scores([])


def test_an_index_that_is_no_number_is_an_error():
    with pytest.raises(ValueError, match="invalid literal"):
        paragraph_indices(["one"])


@given(KEYS, KEYS)
def test_support_f1_is_symmetric_and_1_only_for_equal_sets(one, other):
    score = support_score(one, other)
    assert score == support_score(other, one)
    assert 0 <= score.f1 <= 1
    assert (score == SupportScore(exact=True, f1=1.0)) is (one == other)
