"""Question decomposition played through: parts, merged lists, budgets."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaderboard.catalog.reasoning import Decomposition
from leaderboard.catalog.rerankers import LMListwise
from leaderboard.programs.decomposition import best_rank, rrf
from leaderboard.results.records import Outcome
from leaderboard.retrieval.passages import Passage
from tests.programs.played import ASKED, COMPOSER, OPERA, QUESTION, TOWN, block, fields, said, section

WHO = "Who wrote operas?"
WHERE = "Which town has a mayor?"


def decomposition(**parameters):
    return Decomposition(kind="decomposition", **{"passages_per_question": 1, **parameters})


def splits(text, answer="Abel Tranter"):
    return lambda request: said(answer=answer) if fields(request) == ["answer"] else said(sub_questions=text)


def test_the_question_and_its_parts_are_searched_for_and_one_call_answers_from_all(stage):
    played = stage.play(decomposition(), splits(f"1. {WHO}\n2. {WHERE}"))
    assert played.searches == [(ASKED, 1), (WHO, 1), (WHERE, 1)]
    assert [fields(request) for request in played.requests] == [["sub_questions"], ["answer"]]
    assert "into 2 to 3 simpler questions" in played.requests[0]["messages"][0]["content"]
    assert section(played.requests[1], "context") == "\n\n".join(
        block(n, d) for n, d in enumerate((OPERA, COMPOSER, TOWN), start=1)
    )
    record = played.record
    assert (record.outcome, record.final_answer, record.rounds) == (Outcome.ANSWERED, "Abel Tranter", 1)
    assert list(record.trace) == [
        {"step": "sub_questions", "written": [WHO, WHERE], "asked": [WHO, WHERE]},
        {"step": "search", "round": 1, "query": ASKED, "passages": ["opera"]},
        {"step": "search", "round": 1, "query": WHO, "passages": ["composer"]},
        {"step": "search", "round": 1, "query": WHERE, "passages": ["town"]},
        {"step": "merge", "by": "best_rank", "found": 3, "kept": 3},
    ]


@pytest.mark.parametrize(
    ("text", "written", "asked"),
    [
        (f"{WHO}\n{WHO.upper()}\n{WHERE}", [WHO, WHO.upper(), WHERE], [WHO, WHERE]),
        (f"{ASKED}\n{WHO}", [ASKED, WHO], [WHO]),
        (f'["{WHO}", "{WHERE}"]', [WHO, WHERE], [WHO, WHERE]),
        ("a\nb\nc\nd\ne", ["a", "b", "c"], ["a", "b", "c"]),
        ("", [], []),
    ],
)
def test_parts_are_bounded_and_none_is_searched_for_twice(stage, text, written, asked):
    played = stage.play(decomposition(), splits(text))
    assert played.steps("sub_questions") == [{"step": "sub_questions", "written": written, "asked": asked}]
    assert [query for query, _ in played.searches] == [ASKED, *asked]


def test_the_merged_list_is_cut_and_then_the_context(stage):
    played = stage.play(decomposition(most_passages=2), splits(f"{WHO}\n{WHERE}"))
    assert [s.passage for s in played.record.shown] == ["opera", "composer"]
    assert played.steps("merge") == [{"step": "merge", "by": "best_rank", "found": 3, "kept": 2}]
    long = [replace(d, text=d.text + " So it went on." * 20) for d in (OPERA, COMPOSER, TOWN)]
    cut = stage.play(decomposition(context_tokens=120), splits(f"{WHO}\n{WHERE}"), documents=long)
    assert cut.record.retrieved_tokens == 120


def test_the_submissions_last_call_is_the_answers(stage):
    played = stage.play(decomposition(), splits(WHO), calls_per_question=1)
    assert (played.record.outcome, played.searches) == (Outcome.FORCED, [(ASKED, 1)])
    assert (len(played.record.calls), played.steps("sub_questions")) == (1, [])


def test_a_reranker_orders_each_search_by_its_own_query_before_the_merge(stage):
    def write(request):
        if fields(request) == ["ranking"]:
            return said(ranking="2 > 1")
        return splits(WHO)(request)

    reranker = LMListwise(kind="lm_listwise", candidates=2)
    played = stage.play(decomposition(passages_per_question=2), write, reranker)
    steps = played.steps("rerank")
    assert [(step["query"], step["order"][:2]) for step in steps] == [(ASKED, [2, 1]), (WHO, [2, 1])]
    firsts = [step["candidates"][1] for step in steps]
    assert [s.passage for s in played.record.shown][:2] == firsts


def test_a_model_that_never_stops_is_asked_twice_and_an_output_without_the_protocol_counts(stage):
    endless = "\n".join(f"Question {n} of many?" for n in range(10_000))
    played = stage.play(
        decomposition(), lambda request: said(answer="x") if fields(request) == ["answer"] else endless
    )
    assert (len(played.record.calls), len(played.searches)) == (2, 4)
    assert (played.record.parse_repairs, played.record.outcome) == (1, Outcome.ANSWERED)


A, B, C, D = (Passage(name, name, name, name) for name in "ABCD")


@pytest.mark.parametrize(
    ("rankings", "by_best_rank", "by_rrf"),
    [
        ([], "", ""),
        ([[]], "", ""),
        ([[A, B, C]], "ABC", "ABC"),
        ([[A, B], [C, D]], "ACBD", "ACBD"),
        # B: 2/62 = 0.0323, A: 1/61 = 0.0164, C: 1/61.
        ([[A, B], [C, B]], "ACB", "BAC"),
        ([[A], [], [B, A]], "AB", "AB"),
        # A and B both have the ranks 1, 2, 3: a tie, in the order of the first ranking.
        ([[A, B, C], [B, C, A], [C, A, B]], "ABC", "ABC"),
    ],
)
def test_lists_are_merged_by_hand(rankings, by_best_rank, by_rrf):
    assert "".join(passage.id for passage in best_rank(rankings)) == by_best_rank
    assert "".join(passage.id for passage in rrf(rankings)) == by_rrf


@given(
    st.lists(st.permutations("abcdefg").flatmap(lambda p: st.integers(0, 7).map(lambda n: p[:n])), max_size=5)
)
def test_a_merged_list_holds_each_passage_once_and_a_list_alone_stays(rankings):
    lists = [[Passage(name, name, name, name) for name in ranking] for ranking in rankings]
    for merge in (best_rank, rrf):
        merged = [passage.id for passage in merge(lists)]
        assert sorted(merged) == sorted({name for ranking in rankings for name in ranking})
        for ranking in lists:
            assert merge([ranking]) == ranking


def test_no_output_exceeds_a_budget_or_breaks_the_record(stage):
    pieces = st.one_of(
        st.sampled_from(
            ["[[ ## sub_questions ## ]]\n", "[[ ## completed ## ]]", WHO, "\n", '["', '"]', "1. "]
        ),
        st.text(max_size=12),
    )
    numbers = itertools.count()

    @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        st.lists(pieces, max_size=8).map("".join),
        st.sampled_from([None, 1, 2]),
        st.sampled_from(["best_rank", "rrf"]),
    )
    def holds(text, limit, merge):
        asked = f"{ASKED} {next(numbers)}"
        played = stage.play(
            decomposition(sub_questions=2, most_passages=2, merge=merge),
            lambda request: said(answer="x") if fields(request) == ["answer"] else text,
            question=replace(QUESTION, text=asked),
            calls_per_question=limit,
        )
        record = played.record
        assert (record.final_answer, record.error) == ("x", "")
        assert record.outcome == (Outcome.FORCED if limit == 1 else Outcome.ANSWERED)
        assert len(record.calls) == (1 if limit == 1 else 2)
        parts = [question for step in played.steps("sub_questions") for question in step["asked"]]
        assert [query for query, _ in played.searches] == [asked, *parts]
        assert len(parts) <= 2 and len(record.shown) <= 2

    holds()
