"""What every declared metric has, and the range that it says its values keep."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.manifest import KEYS
from leaderboard.metrics.ranking import map_ceiling
from leaderboard.scoring.declared import BY_KEY, COMBINED, METRICS, metrics_of
from leaderboard.scoring.evidence import after_round
from leaderboard.scoring.metric import APPLIES
from tests import tiny
from tests.scoring.cases import (
    NULL_ANSWER,
    article,
    case,
    fact,
    null_question,
    paragraph,
    question,
    returned,
    shown,
    written,
)

OF_ROUNDS = tuple(metric for number in range(1, 4) for metric in after_round(number))
EVERY = (*METRICS, *OF_ROUNDS, *COMBINED)


@pytest.mark.parametrize("metric", EVERY, ids=lambda metric: metric.key)
def test_a_metric_says_what_it_is(metric):
    assert metric.label == metric.label.strip() != ""
    assert metric.hint.endswith(".") and len(metric.hint) > 20
    assert metric.source
    assert metric.applies_to in APPLIES.values()
    assert set(metric.benchmarks) <= set(KEYS)
    low, high = metric.range
    assert low == 0
    assert high == (1 if metric.percent else None)
    assert bool(metric.unit) is not metric.percent
    assert (metric.higher_is_better, metric.percent) != (
        True,
        False,
    )  # counts and costs are never "the more the better"


def test_keys_are_unique_and_so_are_labels():
    assert [key for key, count in Counter(metric.key for metric in EVERY).items() if count > 1] == []
    assert [label for label, count in Counter(metric.label for metric in EVERY).items() if count > 1] == []
    assert list(BY_KEY) == [metric.key for metric in METRICS]


def test_what_is_combined_is_made_of_shares_and_keeps_its_range():
    for metric in COMBINED:
        assert all(BY_KEY[key].binary and BY_KEY[key].range == (0, 1) for key, _ in metric.parts)
        least = metric.offset + sum(min(weight, 0) for _, weight in metric.parts)
        most = metric.offset + sum(max(weight, 0) for _, weight in metric.parts)
        assert (least, most) == metric.range


@pytest.mark.parametrize(
    ("tables", "kinds"),
    [
        (tiny.CLOSED_BOOK, {"answer", "cost"}),
        (tiny.READER, {"answer", "cost", "evidence"}),
        (tiny.GOLD, {"answer", "cost", "evidence"}),
        (tiny.STEPS, {"answer", "cost", "evidence", "rounds"}),
        (tiny.RETRIEVER, {"ranking"}),
    ],
)
def test_a_cell_has_the_metrics_that_say_something_of_its_system(tmp_path, tables, kinds):
    cell = tiny.run(tmp_path, tiny.submit(tmp_path, "mill", **tables))
    metrics = metrics_of(cell)
    assert {metric.kind for metric in metrics} == kinds
    assert len({metric.key for metric in metrics}) == len(metrics)


# Values of random records: a passage holds one article or paragraph, and any facts.

texts = st.one_of(
    st.sampled_from(("", "...", NULL_ANSWER, "Ada Fenn", "no", "I cannot determine it.", "word " * 60)),
    st.text(),
)
counts = st.one_of(st.none(), st.integers(0, 10**6))


@st.composite
def cases(draw):
    kind = draw(st.sampled_from(("null", "facts", "articles", "paragraphs")))
    if kind == "null":
        of, gold = null_question(), 0
    else:
        gold = draw(st.integers(*{"facts": (1, 4), "articles": (1, 23), "paragraphs": (2, 4)}[kind]))
        make = {"facts": fact, "articles": article, "paragraphs": paragraph}[kind]
        evidence = [make(f"Gold {number}.") for number in range(gold)]
        of = question(draw(texts.filter(str.strip)), *draw(st.lists(texts, max_size=2)), evidence=evidence)
    items = st.frozensets(st.integers(0, gold - 1), max_size=4 if kind == "facts" else 1)
    held = (items if gold else st.just(frozenset())).map(sorted)
    hits = [
        hit
        for number in range(1, draw(st.integers(1, 4)))
        for hit in returned(*draw(st.lists(held, max_size=12)), round=number)
    ]
    return case(
        of,
        draw(texts),
        returned=tuple(hits),
        shown=shown(*draw(st.lists(held, max_size=6))),
        cited=tuple(draw(st.lists(st.sampled_from(("Gold 0.", "Gold 1.", "x"))))),
        trace=written(*draw(st.lists(st.lists(texts, max_size=3), max_size=3))),
        calls=tuple(draw(st.lists(st.just("k"), max_size=5))),
        prompt_tokens=draw(counts),
        completion_tokens=draw(counts),
        retrieved_tokens=draw(st.integers(0, 10**6)),
        latency_s=draw(st.floats(0, 1e6)),
    )


@given(cases())
def test_every_value_keeps_its_declared_range(one):
    for metric in (*METRICS, *OF_ROUNDS):
        found = metric.compute(one) if metric.applies(one.question) else None
        if found is None:
            continue
        low, high = metric.range
        # MRR's and MAP's sums of fractions may end a last bit above 1.
        assert low <= found <= (float("inf") if high is None else high + 1e-12), metric.key
        assert not metric.binary or found in (0, 1), metric.key


@given(cases())
def test_map_never_exceeds_its_ceiling_where_a_passage_holds_one_item(one):
    gold = len(one.question.evidence)
    if gold and all(len(hit.evidence) <= 1 for hit in one.record.returned):
        first = [hit for hit in one.record.returned if hit.round == 1]
        single = case(one.question, returned=tuple(first))
        assert BY_KEY["map_10"].compute(single) <= map_ceiling(gold, 10) + 1e-12


@given(cases())
def test_a_metric_has_no_value_where_it_does_not_apply(one):
    for metric in METRICS:
        if not metric.applies(one.question):
            # Declared to apply to other questions alone: it must not be that a value is thrown away unseen.
            assert metric.compute(one) is None, metric.key
