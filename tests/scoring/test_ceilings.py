"""What an index can reach at most: right by hand, and not cut and searched twice."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from leaderboard.plan import plan
from leaderboard.scoring import ceilings
from leaderboard.scoring.ceilings import open_ceilings
from tests import tiny
from tests.scoring.cases import fact

PARTS = {**tiny.RETRIEVER, "retriever": {"kind": "bm25", "chunk_tokens": 16}}
LONG = "Many words. Many words. Many words. Many words. Many words. Many words."  # 18 tokens: more than a passage holds


def benchmark():
    """The tiny benchmark with a fifth gold fact, which no passage of 16 tokens can hold."""
    first, *others = tiny.QUESTIONS
    longer = replace(first, evidence=(*first.evidence, fact(LONG, "plans")))
    return tiny.benchmark(questions=(longer, *others))


def cell(home, key="parts", on=None, **tables):
    [found] = plan([tiny.submit(home, key, **(tables or PARTS))], [on or benchmark()], home / "results")
    return found


def test_a_fact_that_a_border_cuts_is_lost_to_the_index(tmp_path):
    of = open_ceilings(tmp_path / "kept")
    assert of(cell(tmp_path)) == pytest.approx(4 / 5)
    assert of(cell(tmp_path, "whole", **tiny.RETRIEVER)) == 1


def test_a_system_without_an_index_has_none_and_neither_has_a_benchmark_without_gold(tmp_path):
    of = open_ceilings(tmp_path / "kept")
    assert of(cell(tmp_path, "closed", **tiny.CLOSED_BOOK)) is None
    assert of(cell(tmp_path, "gold", **tiny.GOLD)) is None
    nothing = tiny.benchmark(questions=(tiny.QUESTIONS[2],))
    assert of(cell(tmp_path, on=nothing)) is None


def test_a_ceiling_is_kept_by_questions_corpus_and_cutting(tmp_path, monkeypatch):
    calls = []
    counted = ceilings.fact_ceiling
    monkeypatch.setattr(
        ceilings, "fact_ceiling", lambda *made_of: calls.append(made_of[1:]) or counted(*made_of)
    )
    of = open_ceilings(tmp_path / "kept")
    assert [of(cell(tmp_path)) for _ in range(3)] == [pytest.approx(4 / 5)] * 3
    # Another system with the same index, whatever else it does.
    same = {**PARTS, "retriever": {**PARTS["retriever"], "k1": 1.2}}
    assert of(cell(tmp_path, "same", **same)) == pytest.approx(4 / 5)
    assert calls == [("passage", 16, 0)]
    other = {**PARTS, "retriever": {**PARTS["retriever"], "chunk_tokens": 24}}
    assert of(cell(tmp_path, "other", **other)) == 1
    shorter = tiny.benchmark(documents=tiny.DOCUMENTS[:1], questions=benchmark().questions)
    assert of(cell(tmp_path, on=shorter)) == pytest.approx(1 / 5)
    assert of(cell(tmp_path, on=tiny.benchmark())) == 1
    assert len(calls) == 4


@pytest.mark.parametrize(
    "damage",
    [
        lambda kept: "no JSON",
        lambda kept: json.dumps([kept]),
        lambda kept: json.dumps({**kept, "key": "0" * 64}),
        lambda kept: json.dumps({"key": kept["key"]}),
        lambda kept: json.dumps({**kept, "share": "0.9"}),
        lambda kept: json.dumps({**kept, "share": 80}),
        lambda kept: json.dumps({**kept, "share": float("nan")}),
    ],
)
def test_a_kept_ceiling_that_is_damaged_is_found_again(tmp_path, damage):
    of = open_ceilings(tmp_path / "kept")
    of(cell(tmp_path))
    [file] = (tmp_path / "kept").rglob("ceiling-*.json")
    whole = file.read_text(encoding="utf-8")
    file.write_text(damage(json.loads(whole)), encoding="utf-8")
    assert of(cell(tmp_path)) == pytest.approx(4 / 5)
    assert file.read_text(encoding="utf-8") == whole
