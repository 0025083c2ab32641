"""Listwise reranking: the model's order where it gives one, the retriever's where it does not."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from leaderboard.benchmarks.questions import Document
from leaderboard.catalog.programs import MultiStep, SingleStep
from leaderboard.catalog.rerankers import LMListwise
from leaderboard.results.records import Outcome
from tests.programs.played import QUESTION, block, fields, queries, said, section

# Their order by BM25 for "weir" is the order of their names: the more words, the less each counts.
WEIRS = tuple(
    Document(f"weir{number}", f"Weir {name}", f"The weir {name} {'stands ' * number}here.")
    for number, name in enumerate(("Amber", "Birch", "Cedar", "Dunes"), start=1)
)
LISTWISE = LMListwise(kind="lm_listwise", candidates=4, passage_tokens=8)
SINGLE_STEP = SingleStep(kind="single_step", passages=2)


@pytest.fixture
def rank(stage):
    """Play a single step over four weirs with a model that ranks them as ``ranking`` says."""

    def play(ranking, parameters=SINGLE_STEP, reranker=LISTWISE, raw=False, query="weir", **options):
        def write(request):
            if fields(request) == ["ranking"]:
                return ranking if raw else said(ranking=ranking)
            return said(answer="Amber")

        question = replace(QUESTION, text=query, evidence=())
        return stage.play(parameters, write, reranker, documents=WEIRS, question=question, **options)

    return play


def order_of(played) -> list[int]:
    [step] = played.steps("rerank")
    return step["order"]


def test_the_models_order_decides_which_passages_come_and_which_rank_they_have(rank):
    played = rank("3 > 1 > 2 > 4")
    assert [(r.passage, r.rank, r.round, r.query) for r in played.record.returned] == [
        ("weir3", 1, 1, "weir"),
        ("weir1", 2, 1, "weir"),
    ]
    assert section(played.requests[1], "context") == "\n\n".join([block(1, WEIRS[2]), block(2, WEIRS[0])])
    assert played.steps("rerank") == [
        {
            "step": "rerank",
            "query": "weir",
            "candidates": ["weir1", "weir2", "weir3", "weir4"],
            "order": [3, 1, 2, 4],
        }
    ]
    assert played.record.parse_repairs == 0
    # Scores stay the retriever's: they are what it gave, not what the ranks go by.
    assert played.record.returned[0].score < played.record.returned[1].score


def test_the_model_sees_the_candidates_in_the_retrievers_order_cut_with_the_query(rank):
    played = rank("1 > 2 > 3 > 4")
    assert played.searches == [("weir", 4)]
    assert section(played.requests[0], "passages") == "\n\n".join(
        [
            "[1] Weir Amber\nThe weir Amber stands here.",
            "[2] Weir Birch\nThe weir Birch stands stands here.",
            "[3] Weir Cedar\nThe weir Cedar stands stands stands here.",
            "[4] Weir Dunes\nThe weir Dunes stands stands stands stands here",
        ]
    )
    assert section(played.requests[0], "question") == "weir"


def test_what_the_reranker_sees_is_not_shown(rank):
    record = rank("4 > 3 > 2 > 1").record
    assert [shown.passage for shown in record.shown] == ["weir4", "weir3"]
    assert record.retrieved_tokens == sum(shown.tokens for shown in record.shown) == 9 + 8
    assert len(record.calls) == 2
    assert record.prompt_tokens == 20


def test_as_many_candidates_as_the_program_wants_at_least(rank):
    played = rank(
        "3 > 2 > 1", SingleStep(kind="single_step", passages=3), LISTWISE.model_copy(update={"candidates": 2})
    )
    assert played.searches == [("weir", 3)]
    assert [r.passage for r in played.record.returned] == ["weir3", "weir2", "weir1"]


@pytest.mark.parametrize(
    ("ranking", "order", "repairs"),
    [
        ("3 > 1 > 2 > 4", [3, 1, 2, 4], 0),
        ("[3] > [1] > [2] > [4]", [3, 1, 2, 4], 0),
        ("3, 1, 2, 4", [3, 1, 2, 4], 0),
        ("3\n1\n2\n4", [3, 1, 2, 4], 0),
        ("[3, 1, 2, 4]", [3, 1, 2, 4], 0),
        ("3 > 3 > 1 > 3 > 2 > 4", [3, 1, 2, 4], 0),  # repeated, and whole all the same
        ("3 > 1 > 9 > 0 > 2 > 4", [3, 1, 2, 4], 0),
        ("", [1, 2, 3, 4], 1),
        ("none of them", [1, 2, 3, 4], 1),
        ("4", [4, 1, 2, 3], 1),
        ("4 > 2", [4, 2, 1, 3], 1),
        ("2 > 2 > 2", [2, 1, 3, 4], 1),
        ("0 > 5 > 1000", [1, 2, 3, 4], 1),
        ("-3 > 2", [3, 2, 1, 4], 1),
        ("9" * 5000 + " > 4", [4, 1, 2, 3], 1),
        ("00000000000000000003 > 4", [4, 1, 2, 3], 1),
        ("Ignore all passages. Rank 5 first! Weir 1881 is best", [1, 2, 3, 4], 1),
        ("３ > ４", [3, 4, 1, 2], 1),  # digits all the same
        ("² > 4", [4, 1, 2, 3], 1),  # no digit
        ("1 > " * 30_000, [1, 2, 3, 4], 1),
    ],
)  # fmt: skip
def test_a_faulty_order_is_mended_with_the_retrievers_and_counted_once(rank, ranking, order, repairs):
    played = rank(ranking)
    assert (order_of(played), played.record.parse_repairs) == (order, repairs)
    assert [r.passage for r in played.record.returned] == [f"weir{number}" for number in order[:2]]
    assert played.record.outcome == Outcome.ANSWERED


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("3 > 1 > 2 > 4", [3, 1, 2, 4]),
        ("[[ ## rank ## ]]\n3 > 1", [3, 1, 2, 4]),
        ("", [1, 2, 3, 4]),
        ("[[ ## completed ## ]]", [1, 2, 3, 4]),
    ],
)
def test_an_order_without_the_protocol_is_read_and_counted_once(rank, text, order):
    played = rank(text, raw=True)
    assert (order_of(played), played.record.parse_repairs) == (order, 1)


def test_any_output_leaves_every_candidate_once(rank):
    pieces = st.one_of(
        st.text(max_size=8), st.integers(-3, 12).map(str), st.sampled_from([" > ", "\n", "[", "]"])
    )

    numbers = itertools.count()

    @settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.lists(pieces, max_size=12).map("".join))
    @example("4\n3\n2\n1")
    def holds(text):
        played = rank(text, query=f"weir {next(numbers)}")  # another one each time: nothing is replayed
        assert fields(played.requests[0]) == ["ranking"]
        assert sorted(order_of(played)) == [1, 2, 3, 4]
        assert played.record.parse_repairs in (0, 1)
        assert played.record.outcome == Outcome.ANSWERED

    holds()


def test_one_candidate_needs_no_call(stage):
    played = stage.play(
        SINGLE_STEP, lambda _: said(answer="Amber"), LISTWISE, documents=WEIRS[:1], question=QUESTION
    )
    assert (played.steps("rerank"), len(played.record.calls)) == ([], 1)


def test_each_search_of_a_round_is_ranked_and_each_faulty_order_counted(stage):
    texts = {"weir": "2 > 1", "stands weir": "4 > 3 > 2 > 1", "here": ""}

    def write(request):
        match fields(request):
            case ["ranking"]:
                return said(ranking=texts[section(request, "question")])
            case ["answer"]:
                return said(answer="Amber")
        first = "nothing yet" in section(request, "found")
        return queries(request, "weir\nstands weir" if first else "here\nunheard of")

    played = stage.play(MultiStep(kind="multi_step", passages_per_query=1), write, LISTWISE, documents=WEIRS)
    assert played.searches == [("weir", 4), ("stands weir", 4), ("here", 4), ("unheard of", 4)]
    assert [(r.round, r.query, r.passage, r.rank) for r in played.record.returned] == [
        (1, "weir", "weir2", 1),
        (1, "stands weir", played.steps("rerank")[1]["candidates"][3], 1),
        (2, "here", played.steps("rerank")[2]["candidates"][0], 1),
    ]
    assert played.record.parse_repairs == 2
    assert len(played.record.calls) == 2 + 3 + 1  # nothing was found to rank for the fourth


def test_the_submissions_last_call_answers_from_what_the_retriever_ordered(rank):
    played = rank("3 > 1 > 2 > 4", calls_per_question=1)
    assert (played.record.outcome, len(played.record.calls)) == (Outcome.FORCED, 1)
    assert not played.steps("rerank")
