"""MuSiQue ids (spec § 1.5)."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.metrics.musique_ids import GRAPHS, MusiqueId, parse_musique_id

CASES = json.loads((Path(__file__).parents[1] / "vectors" / "em_f1.json").read_text("utf-8"))["musique_ids"]


def test_all_vectors_are_here():
    assert len(CASES) == 9


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_vector(case):
    expected = case["expected"]
    if expected is None:
        with pytest.raises(ValueError, match="MuSiQue id"):
            parse_musique_id(case["id"])
        return
    parsed = parse_musique_id(case["id"])
    assert parsed == MusiqueId(expected["type"], expected["hops"], tuple(expected["subquestion_ids"]))
    assert parsed.graph == expected["shape"]


@pytest.mark.parametrize(
    "id", ["", "2hop__1_2\n", "2hop__1_2_3", "2hop_1_2", "2hop__1_x", "2hop__١_٢", " 2hop__1_2"]
)
def test_other_texts_are_errors(id):
    with pytest.raises(ValueError, match="MuSiQue id"):
        parse_musique_id(id)


@given(st.sampled_from(sorted(GRAPHS)), st.lists(st.integers(0, 10**6).map(str), min_size=4, max_size=4))
def test_an_id_gives_back_its_parts(shape, numbers):
    hops = int(shape[0])
    parsed = parse_musique_id(f"{shape}__{'_'.join(numbers[:hops])}")
    assert parsed == MusiqueId(shape, hops, tuple(numbers[:hops]))


def test_every_published_id_parses_and_has_one_part_a_decomposition_step(real_data):
    lines = (real_data / "musique" / "dev_questions_2417.jsonl").read_text("utf-8").split("\n")
    rows = [json.loads(line) for line in lines if line]
    parsed = [parse_musique_id(row["id"]) for row in rows]
    for row, id in zip(rows, parsed, strict=True):
        assert id.parts == tuple(str(step["id"]) for step in row["question_decomposition"])
    assert Counter(id.hops for id in parsed) == {2: 1252, 3: 760, 4: 405}
