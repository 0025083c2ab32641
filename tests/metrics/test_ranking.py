"""The scorecard of one ranked list (spec §§ 2.2, 2.3, 2.7 and 2.8): its vectors, and what always holds."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.metrics.containment import containment_key, holds_fact
from leaderboard.metrics.ranking import (
    Ceiling,
    all_gold_at,
    ap_cumulative_at,
    distinct_facts,
    fact_ceiling,
    fact_recall_at,
    first_ranks,
    hits_at,
    items_found,
    map_at,
    map_ceiling,
    mrr_at,
)

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "retrieval.json").read_text("utf-8"))
MODES = ["verbatim", "official", "loose"]
ANSWERABLE = [case for case in VECTORS["cases"] if case["question_type"] != "null_query"]
OF_GOLD = [fact_recall_at, all_gold_at, map_at, ap_cumulative_at]


def _scores(found, gold):
    """Every figure of the vectors, under the names they have there."""
    return {
        "hits@4": hits_at(found, 4),
        "fact_recall@4": fact_recall_at(found, gold, 4),
        "all_gold@4": all_gold_at(found, gold, 4),
        "hits@10": hits_at(found, 10),
        "fact_recall@10": fact_recall_at(found, gold, 10),
        "all_gold@10": all_gold_at(found, gold, 10),
        "mrr@10": mrr_at(found, 10),
        "map@10": map_at(found, gold, 10),
        "ap_cumulative@10": ap_cumulative_at(found, gold, 10),
    }


def _found(case, mode):
    facts = distinct_facts(case["facts"])
    return items_found(facts, case["chunks"], mode), len(facts)


def _rounded(numbers):
    return pytest.approx(numbers, abs=5e-7)


@st.composite
def ranked_lists(draw, most=None):
    """``found`` and ``gold``; ``most`` limits the items that stand at one rank."""
    gold = draw(st.integers(1, 5))
    items = st.frozensets(st.integers(0, gold - 1), max_size=most)
    return draw(st.lists(items, max_size=12)), gold


# The vectors.


def test_all_vectors_are_here():
    assert (len(VECTORS["cases"]), len(ANSWERABLE)) == (22, 21)
    assert len(VECTORS["chunking_ceiling"]) == 1
    assert len(VECTORS["authors_sample"]["fact_ranks"]) == 8
    for case in ANSWERABLE:
        assert list(case["expected"]) == MODES
        for expected in case["expected"].values():
            assert set(expected) == {"fact_ranks", *_scores([], 1)}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", ANSWERABLE, ids=lambda case: case["id"])
def test_vector(case, mode):
    found, gold = _found(case, mode)
    expected = dict(case["expected"][mode])
    assert list(first_ranks(found, gold)) == expected.pop("fact_ranks")
    assert _scores(found, gold) == _rounded(expected)


@pytest.mark.parametrize("mode", MODES)
def test_means_over_the_vectors_that_are_no_null_questions(mode):
    scores = [_scores(*_found(case, mode)) for case in ANSWERABLE]
    means = {name: fmean(one[name] for one in scores) for name in scores[0]}
    # The vectors' means are of numbers that were rounded to six decimals before.
    expected = pytest.approx(VECTORS["aggregate_over_non_null"][mode], abs=1e-6)
    assert {**means, "n": len(scores)} == expected


@pytest.mark.parametrize("case", ANSWERABLE, ids=lambda case: case["id"])
def test_the_released_script_agrees_except_for_facts_listed_twice(case):
    found, gold = _found(case, "official")
    script = dict(case["official_script"])
    assert (map_at(found, gold, 10) == _rounded(script.pop("MAP@10"))) is case["official_equal"]
    assert case["official_equal"] is (gold == len(case["facts"]))
    assert script == {
        "Hits@4": hits_at(found, 4),
        "Hits@10": hits_at(found, 10),
        "MRR@10": _rounded(mrr_at(found, 10)),
    }


def test_the_sample_output_of_the_dataset_authors():
    sample = VECTORS["authors_sample"]
    scores = []
    for ranks in sample["fact_ranks"]:
        found = [{item for item, at in enumerate(ranks) if at == rank} for rank in range(1, 11)]
        assert list(first_ranks(found, len(ranks))) == ranks
        scores.append(_scores(found, len(ranks)))
    means = {name: fmean(one[name] for one in scores) for name in sample["expected_mean"]}
    assert means == _rounded(sample["expected_mean"])
    script = sample["official_script_on_the_original_file"]
    assert {name: means[name.lower()] for name in script} == _rounded(script)


def test_best_map_when_every_fact_needs_its_own_chunk():
    expected = VECTORS["max_map_when_every_fact_needs_its_own_chunk"]
    assert {gold: map_ceiling(int(gold), 10) for gold in expected} == _rounded(expected)


def test_best_map_of_all_published_questions():
    # 1,078 questions have 2 facts, 779 have 3, 398 have 4.
    counts = {2: 1078, 3: 779, 4: 398}
    total = sum(count * map_ceiling(gold, 10) for gold, count in counts.items())
    assert total / sum(counts.values()) == pytest.approx(0.662, abs=5e-4)


@pytest.mark.parametrize("case", VECTORS["chunking_ceiling"], ids=lambda case: case["id"])
def test_chunking_ceiling_vector(case):
    expected, passages = case["expected"], case["corpus_chunks"]
    present = [fact_ceiling([fact], passages, case["mode"]).held == 1 for fact in case["facts"]]
    assert present == expected["present"]
    assert fact_ceiling(case["facts"], passages, case["mode"]).share == expected["fact_ceiling"]


# Formulas.


def test_a_null_question_has_no_score():
    (null,) = (case for case in VECTORS["cases"] if case["question_type"] == "null_query")
    assert set(null["expected"].values()) == {None}
    found, gold = _found(null, "official")
    assert (found, gold) == ([frozenset()] * 10, 0)
    for score in OF_GOLD:
        with pytest.raises(ValueError, match="at least one gold item"):
            score(found, gold, 10)
    with pytest.raises(ValueError, match="at least one gold item"):
        first_ranks(found, gold)
    with pytest.raises(ValueError, match="at least one gold item"):
        map_ceiling(gold, 10)


@pytest.mark.parametrize("item", [-1, 2])
def test_an_index_that_is_no_gold_item_is_an_error_even_behind_the_cutoff(item):
    for score in OF_GOLD:
        with pytest.raises(ValueError, match=f"indexes of 2 gold items, from 0, found {item} at rank 3"):
            score([{0}, set(), {item}], 2, 1)
    for score in (hits_at, mrr_at):
        with pytest.raises(ValueError, match="from 0, found -1"):
            score([{0}, set(), {-1}], 1)


@pytest.mark.parametrize("k", [0, -1])
def test_a_cutoff_before_the_first_rank_is_an_error(k):
    for score in (hits_at, mrr_at):
        with pytest.raises(ValueError, match=f"k of at least 1, found {k}"):
            score([{0}], k)
    for score in OF_GOLD:
        with pytest.raises(ValueError, match=f"k of at least 1, found {k}"):
            score([{0}], 1, k)
    with pytest.raises(ValueError, match=f"k of at least 1, found {k}"):
        map_ceiling(1, k)


def test_more_gold_items_than_ranks():
    separate = [{0}, {1}, {2}]
    assert fact_recall_at(separate, 3, 2) == 2 / 3
    assert map_at(separate, 3, 2) == map_ceiling(3, 2) == map_ceiling(2, 10) == 0.75
    assert ap_cumulative_at(separate, 3, 2) == 1.0
    # The script's denominator is min(gold, k), its numerator isn't limited.
    assert map_at([{0, 1, 2}], 3, 2) == 1.5


def test_in_the_diagnostic_each_precision_stops_at_1():
    # 1/1, 2/1 taken as 1, 3/10; limiting only the sum would give 1.
    assert ap_cumulative_at([{0, 1}, *[()] * 8, {2}], 3, 10) == pytest.approx(2.3 / 3)


@given(ranked_lists(), st.integers(1, 13))
def test_map_is_the_loop_of_the_script(ranked, k):
    found, gold = ranked
    seen, total, first = set(), 0.0, None
    for rank, items in enumerate(found, start=1):
        if rank <= k and items:
            first = first or rank
            total += len(items - seen) / rank
            seen |= items
    assert map_at(found, gold, k) == pytest.approx(total / min(gold, k))
    assert mrr_at(found, k) == (1 / first if first else 0)
    assert hits_at(found, k) is (first is not None)
    assert fact_recall_at(found, gold, k) == len(seen) / gold


@given(ranked_lists(most=1), st.integers(1, 13))
def test_map_keeps_below_its_ceiling_where_each_passage_holds_at_most_one_item(ranked, k):
    found, gold = ranked
    assert map_at(found, gold, k) <= map_ceiling(gold, k) <= 1


@given(st.permutations([0, 1, 2, None, None, None, None]), st.integers(1, 8))
def test_the_diagnostic_is_the_textbooks_ap_where_each_item_has_one_passage_of_its_own(order, k):
    found = [set() if item is None else {item} for item in order]
    relevant = [item is not None for item in order[:k]]
    precisions = [sum(relevant[:rank]) / rank for rank, right in enumerate(relevant, 1) if right]
    assert ap_cumulative_at(found, 3, k) == pytest.approx(sum(precisions) / min(3, k))


@given(ranked_lists(), st.integers(1, 13))
def test_figures_agree_with_each_other(ranked, k):
    found, gold = ranked
    recall = fact_recall_at(found, gold, k)
    assert all_gold_at(found, gold, k) is (recall == 1)
    assert hits_at(found, k) is (recall > 0) is (mrr_at(found, k) > 0)
    assert 0 <= recall <= 1
    if k >= gold:
        assert 0 <= map_at(found, gold, k) <= ap_cumulative_at(found, gold, k) <= 1


@given(ranked_lists(), st.integers(1, 13))
def test_looking_further_down_loses_nothing(ranked, k):
    found, gold = ranked
    assert hits_at(found, k) <= hits_at(found, k + 1)
    assert mrr_at(found, k) <= mrr_at(found, k + 1)
    assert fact_recall_at(found, gold, k) <= fact_recall_at(found, gold, k + 1)
    assert all_gold_at(found, gold, k) <= all_gold_at(found, gold, k + 1)
    if k >= gold:  # below, MAP's denominator grows with k
        assert map_at(found, gold, k) <= map_at(found, gold, k + 1)
        assert ap_cumulative_at(found, gold, k) <= ap_cumulative_at(found, gold, k + 1)


# Facts and passages.


def test_facts_are_distinct_by_the_official_key_and_the_first_stands():
    assert distinct_facts(["b c", "a", "bc", "B c", "b\nc", "a"]) == ("b c", "a", "B c")
    assert distinct_facts([]) == ()


@pytest.mark.parametrize("fact", ["", " \n"])
def test_a_fact_without_text_is_an_error(fact):
    with pytest.raises(ValueError, match="a fact with text"):
        distinct_facts(["a", fact])
    with pytest.raises(ValueError, match="a fact with text"):
        items_found(["a", fact], [], "official")
    with pytest.raises(ValueError, match="a fact with text"):
        fact_ceiling(["a", fact], ["a"])
    with pytest.raises(ValueError, match="a fact with text"):
        fact_ceiling(["\t"], ["a"], "loose")


def test_no_facts_have_no_share():
    assert fact_ceiling([], ["a"]) == Ceiling(held=0, facts=0)
    assert Ceiling(held=0, facts=0).share is None
    assert fact_ceiling(["a"], []) == Ceiling(held=0, facts=1)
    assert Ceiling(held=0, facts=1).share == 0.0


def test_a_fact_counts_once_however_often_it_is_asked_for_and_held():
    assert fact_ceiling(["a b", "ab", "c", "c"], ["x a b", "a b"]) == Ceiling(held=1, facts=2)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("between", ["", " ", "\n", "\0", "\x01", "a"])
def test_no_fact_is_found_across_a_border(mode, between):
    fact = f"x{between}y"
    assert fact_ceiling([fact], ["x", "y"], mode) == Ceiling(held=0, facts=1)
    assert fact_ceiling([fact], ["-", f"-{fact}-"], mode) == Ceiling(held=1, facts=1)


TEXTS = st.text("aB \n\t\0\x01\u2019'", max_size=4)


@pytest.mark.parametrize("mode", MODES)
@given(facts=st.lists(TEXTS.filter(str.strip), max_size=4), passages=st.lists(TEXTS, max_size=4))
def test_each_fact_is_looked_for_in_each_passage(mode, facts, passages):
    facts = [fact for fact in facts if containment_key(fact, mode) and containment_key(fact)]
    distinct = distinct_facts(facts)
    held = [{i for i, fact in enumerate(distinct) if holds_fact(fact, text, mode)} for text in passages]
    assert items_found(distinct, passages, mode) == held
    ceiling = fact_ceiling(iter(facts), iter(passages), mode)
    assert ceiling == Ceiling(held=len(set().union(*held)), facts=len(distinct))


def test_the_published_articles_hold_every_fact_and_their_halves_fewer(real_data):
    folder = real_data / "multihop_rag"
    bodies = [row["body"] for row in json.loads((folder / "corpus_reduced.json").read_text("utf-8"))]
    rows = json.loads((folder / "MultiHopRAG_500.json").read_text("utf-8"))
    facts = [evidence["fact"] for row in rows for evidence in row["evidence_list"]]
    assert fact_ceiling(facts, bodies) == Ceiling(held=438, facts=438)
    halves = [half for body in bodies for half in (body[: len(body) // 2], body[len(body) // 2 :])]
    assert fact_ceiling(facts, halves) == Ceiling(held=179, facts=438)
