"""A system against the one it is based on: by hand on four questions."""

from __future__ import annotations

import math

import pytest

from leaderboard.calls.spending import Price
from tests import tiny
from tests.board.boards import FRAMES, board, numbers, row
from tests.board.states import COMPILE, write_state
from tests.scripted import answer, said

WRONG = {tiny.KEYS: "Cleo Reed"}
PRICES = {"embedded/tiny": Price(input_usd=1.0, cached_usd=0.25, output_usd=2.0)}


def against(home, child, parent, *, tables=None, benchmarks=("frames",), key="child", **more):
    """The child's table: ``child`` and ``parent`` are answers beside the right ones, on each of the benchmarks."""
    own = {key: tiny.READER, "base": tiny.READER, **(tables or {})}
    own[key] = {**own[key], "system": {"based_on": "base"}}
    answers = {"base": parent, key: child}
    found = board(
        home,
        {
            name: said if "frames" in said else dict.fromkeys(benchmarks, said)
            for name, said in answers.items()
        },
        own,
        tuple(map(tiny.benchmark, benchmarks)),
        **more,
    )
    [page] = [page for page in found.systems if page.key == key]
    return page.against


def spoken(text, **usage):
    return said(answer(text), **usage)


def test_a_score_is_compared_question_by_question(tmp_path):
    # Only the child has the keys right; only its base the mill and the lock.
    found = against(tmp_path, {tiny.MILL: "Bo", tiny.LOCK: "No"}, WRONG)
    [frames] = found.rows
    values = frames.values
    assert {key: values[key].value for key in ("difference", "wins", "losses", "p")} == {
        **{"difference": -0.25, "wins": 1, "losses": 2},
        "p": 1,  # 2 · P(X ≤ 1), X ~ Bin(3, ½), is 1
    }
    half = 1.959963984540054 * math.sqrt(3 - 1 / 4) / 4  # 0.813: the lower limit ends at -1
    assert (values["difference"].interval.low, values["difference"].interval.high) == pytest.approx(
        (-1, -0.25 + half)
    )
    assert values["difference"].interval.method == "Wald"
    assert {value.n for key, value in values.items() if key != "usd_difference"} == {
        3,
        4,
    }  # one question has no gold
    assert found.title == "Against the system it is based on: Base"
    assert (frames.label, frames.marks) == ("frames label", ("single run",))
    assert "A single run doesn't measure" in found.caption


def test_costs_are_mean_differences_by_the_price_table(tmp_path):
    dear = {tiny.MILL: spoken("Ada", prompt_tokens=90, completion_tokens=9, cached_tokens=40)}
    [frames] = against(tmp_path, dear, {}, prices=PRICES).rows
    # 80 prompt tokens more on one question of four, 40 of the 90 from the endpoint's cache; 4 completion tokens more.
    assert numbers(frames) == {
        **{"difference": 0, "wins": 0, "losses": 0, "p": 1},
        **{"prompt_tokens_difference": 20, "completion_tokens_difference": 1, "calls_difference": 0},
        "usd_difference": pytest.approx(((50 + 40 * 0.25 + 9 * 2) - (10 + 5 * 2)) / 4 / 1e6),
        **{"retrieved_tokens_difference": 0, "evidence_recall_difference": 0},
    }
    assert frames.values["difference"].interval is None  # no question differs
    assert frames.values["prompt_tokens_difference"].interval is None  # below 60 questions


def test_retrieved_tokens_and_evidence_are_compared_where_both_retrieve(tmp_path):
    fewer = {**tiny.READER, "program": {"kind": "single_step", "passages": 1, "context_tokens": 50}}
    [frames] = against(tmp_path, {}, {}, tables={"child": fewer}).rows
    # With one article instead of two, the second gold item of the first question isn't brought back.
    assert frames.values["evidence_recall_difference"].value == pytest.approx(-0.5 / 3)
    assert frames.values["retrieved_tokens_difference"].value < 0
    closed = against(tmp_path / "closed", {}, {}, tables={"child": {}}).rows[0]
    assert closed.values["evidence_recall_difference"].note == "does not apply to both"


def test_unknown_cost_stays_unknown(tmp_path):
    priceless = against(tmp_path / "price", {}, {}).rows[0].values["usd_difference"]
    assert (priceless.value, priceless.note) == (
        None,
        "unknown: embedded/tiny has no price in leaderboard.toml",
    )
    silent = {tiny.MILL: spoken("Ada", prompt_tokens=None)}
    values = against(tmp_path / "usage", silent, {}, prices=PRICES).rows[0].values
    for key in ("usd_difference", "prompt_tokens_difference"):
        assert (values[key].value, values[key].note) == (None, "unknown for 1 of 4 questions")
    assert values["completion_tokens_difference"].value == 0


def test_overall_is_tested_by_sign_flip_with_one_sign_for_what_is_one_question(tmp_path):
    both = {tiny.KEYS: "Cleo Reed", tiny.MILL: "Bo"}
    found = against(tmp_path, {}, {"frames": WRONG, "musique": both}, benchmarks=("frames", "musique"))
    overall, frames, musique = found.rows
    assert [one.key for one in found.rows] == ["overall", "frames", "musique"]
    # The two benchmarks ask the same four questions: signs of keys (2/8) and mill (1/8), so 2 of 4 patterns reach 3/8.
    assert {key: overall.values[key].value for key in ("difference", "wins", "losses", "p")} == {
        **{"difference": 0.375, "wins": 3, "losses": 0, "p": 0.5}
    }
    assert (overall.values["difference"].n, overall.values["difference"].interval) == (8, None)
    assert (frames.values["p"].value, musique.values["p"].value) == (1, 0.5)
    assert overall.values["prompt_tokens_difference"].value == 0


def test_overall_needs_both_complete_on_all_and_other_benchmarks_have_rows_below(tmp_path):
    found = against(tmp_path / "a", {"frames": {}}, {}, benchmarks=("frames", "musique"))
    assert [one.key for one in found.rows] == ["frames"]
    more = ("frames", "musique", "hotpotqa")
    found = against(tmp_path / "b", {}, {}, benchmarks=more, also=("hotpotqa",))
    assert [one.key for one in found.rows] == ["overall", *more]
    assert row(found, "overall").values["difference"].n == 8


def test_of_several_runs_the_questions_means_are_compared_by_sign_flip(tmp_path):
    varying = {tiny.KEYS: ("Cleo Reed", "Cleo Marsh", "Cleo Marsh"), tiny.MILL: ("Bo", "Bo", "Ada")}
    [frames] = against(tmp_path, {}, varying, repeats={"base": 3}).rows
    # Differences 1/3 and 2/3: the sum 1 is reached by 2 of 4 patterns of signs.
    assert frames.values["difference"].value == pytest.approx(0.25)
    assert (frames.values["p"].value, frames.values["wins"].value) == (0.5, 2)
    assert frames.marks == ("single run",)  # the child's
    [both] = against(tmp_path / "b", {}, {}, repeats={"base": 3, "child": 3}).rows
    assert both.marks == ("mean of 3 runs",)


def test_retrievers_by_themselves_are_compared_by_their_own_headline(tmp_path):
    tables = {"child": tiny.RETRIEVER, "base": tiny.RETRIEVER}
    found = against(tmp_path, {}, {}, tables=tables, benchmarks=("frames", "musique"))
    assert [one.key for one in found.rows] == ["frames", "musique"]  # Overall is of systems that answer
    assert [column.label for column in found.columns][:2] == ["Δ AllGold@10", "Only this with AllGold@10"]
    assert (found.rows[0].values["difference"].n, found.rows[0].marks) == (3, ())
    assert "single run" not in found.caption


def test_there_is_no_table_without_a_score_or_a_run_in_common(tmp_path):
    assert against(tmp_path / "a", {}, {}, tables={"base": tiny.RETRIEVER}) is None
    assert (
        against(
            tmp_path / "b",
            {"frames": {}},
            {"musique": {}} | {"frames": {}},
            tables={"base": {"system": {"withdrawn": "Wrong."}}},
        )
        is None
    )
    assert board(tmp_path / "c", {"mill": {"frames": {}}}, None, (FRAMES,)).systems[0].against is None


def test_a_compiled_system_is_shown_against_its_uncompiled_parent_and_marked(tmp_path):
    write_state(tmp_path, "child", "Answer.")
    tables = {"child": {**tiny.READER, "compile": COMPILE}}
    found = against(tmp_path, {}, WRONG, tables=tables)
    assert found.title == "Against its uncompiled parent: Base"
    assert found.rows[0].values["difference"].value == 0.25
