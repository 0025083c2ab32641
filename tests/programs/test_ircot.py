"""IRCoT played through: each sentence is a query, what ends the chain, what the reader sees."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaderboard.catalog.reasoning import IRCoT
from leaderboard.metrics.tokens import count_tokens
from leaderboard.programs.ircot import NOTHING_YET, first_sentence
from leaderboard.programs.lines import MOST_CHARACTERS
from leaderboard.results.records import Outcome
from tests import scripted
from tests.programs.played import (
    ASKED,
    COMPOSER,
    HARBOUR,
    OPERA,
    QUESTION,
    TOWN,
    block,
    fields,
    said,
    section,
)

BY_LIVIA = "Livia Brodrigh is its composer."
IN_SARNFORTH = "Their town Sarnforth has a mayor."
MAYOR = "So the answer is Abel Tranter."


def ircot(**parameters):
    return IRCoT(kind="ircot", **{"passages_per_query": 1, **parameters})


def reasons(*sentences, answer="Abel Tranter"):
    left = iter(sentences)
    return lambda request: said(answer=answer) if fields(request) == ["answer"] else said(sentence=next(left))


def endless():
    numbers = itertools.count()
    return lambda request: (
        said(answer="x")
        if fields(request) == ["answer"]
        else said(sentence=f"Fact {next(numbers)} is a ferry.")
    )


def test_each_sentence_is_searched_for_and_the_reader_answers_from_all_that_came(stage):
    played = stage.play(ircot(), reasons(BY_LIVIA, IN_SARNFORTH, MAYOR))
    assert played.searches == [(ASKED, 1), (BY_LIVIA, 1), (IN_SARNFORTH, 1)]
    blocks = [block(n, d) for n, d in enumerate((OPERA, COMPOSER, TOWN), start=1)]
    assert [fields(request) for request in played.requests] == [["sentence"]] * 3 + [["answer"]]
    assert [section(request, "question") for request in played.requests] == [ASKED] * 4
    assert [section(request, "passages") for request in played.requests[:3]] == [
        "\n\n".join(blocks[:n]) for n in (1, 2, 3)
    ]
    assert [section(request, "reasoning") for request in played.requests[:3]] == [
        NOTHING_YET,
        BY_LIVIA,
        f"{BY_LIVIA}\n{IN_SARNFORTH}",
    ]
    assert section(played.requests[3], "context") == "\n\n".join(blocks)
    assert BY_LIVIA not in str(played.requests[3])
    record = played.record
    assert (record.outcome, record.final_answer) == (Outcome.ANSWERED, "Abel Tranter")
    assert (len(record.calls), record.rounds, record.parse_repairs) == (4, 3, 0)
    assert [(r.round, r.passage, r.evidence) for r in record.returned] == [
        (1, "opera", (0,)),
        (2, "composer", (1,)),
        (3, "town", (2,)),
    ]


def test_the_trace_holds_sentences_searches_and_how_the_chain_ended(stage):
    assert list(stage.play(ircot(), reasons(BY_LIVIA, MAYOR)).record.trace) == [
        {"step": "search", "round": 1, "query": ASKED, "passages": ["opera"]},
        {"step": "sentence", "round": 2, "written": [BY_LIVIA]},
        {"step": "search", "round": 2, "query": BY_LIVIA, "passages": ["composer"]},
        {"step": "chain_ended", "because": "answer is", "sentence": MAYOR},
    ]


def test_what_repeats_between_the_calls_of_a_question_stands_first(stage):
    first, second = (
        request["messages"][-1]["content"]
        for request in stage.play(ircot(), reasons(BY_LIVIA, MAYOR)).requests[:2]
    )
    same = first[: first.index("\n\n[[ ## reasoning ## ]]")]
    assert same.endswith(block(1, OPERA))
    assert second.startswith(same)


@pytest.mark.parametrize(
    ("sentences", "because", "searched"),
    [
        ((MAYOR,), "answer is", 1),
        (("THE  ANSWER\tIS Abel.",), "answer is", 1),
        (("",), "no sentence", 1),
        (("…",), "no sentence", 1),
        ((BY_LIVIA, ""), "no sentence", 2),
        ((BY_LIVIA, BY_LIVIA), "repeated sentence", 2),
        ((BY_LIVIA, IN_SARNFORTH, BY_LIVIA.upper()), "repeated sentence", 3),
        # The answer is in the second sentence: only the first one counts.
        ((f"{BY_LIVIA} {MAYOR}", MAYOR), "answer is", 2),
    ],
)
def test_the_model_ends_the_chain_and_the_reader_answers(stage, sentences, because, searched):
    played = stage.play(ircot(), reasons(*sentences))
    assert [step["because"] for step in played.steps("chain_ended")] == [because]
    assert len(played.searches) == searched
    assert (played.record.outcome, played.record.final_answer) == (Outcome.ANSWERED, "Abel Tranter")
    assert len(played.record.calls) == len(sentences) + 1


@pytest.mark.parametrize("steps", [1, 3, 9])
def test_a_model_that_never_concludes_is_stopped_after_its_steps_and_has_to_answer(stage, steps):
    played = stage.play(ircot(max_steps=steps), endless())
    record = played.record
    assert (record.outcome, record.final_answer) == (Outcome.FORCED, "x")
    assert (len(record.calls), len(played.searches), record.rounds) == (steps + 1, steps + 1, steps + 1)
    assert record.trace[-1] == {"step": "chain_ended", "because": "max_steps"}


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_the_submissions_limit_keeps_its_last_call_for_the_reader(stage, limit):
    played = stage.play(ircot(), endless(), calls_per_question=limit)
    assert (played.record.outcome, len(played.record.calls)) == (Outcome.FORCED, limit)
    assert len(played.searches) == limit
    assert played.record.trace[-1] == {"step": "chain_ended", "because": "calls_per_question"}


def test_the_passages_found_first_stay_when_there_are_too_many(stage):
    played = stage.play(ircot(most_passages=2), reasons(BY_LIVIA, IN_SARNFORTH, "The harbour ferry.", MAYOR))
    assert section(played.requests[-1], "context") == f"{block(1, OPERA)}\n\n{block(2, COMPOSER)}"
    assert [r.passage for r in played.record.returned] == ["opera", "composer", "town", "harbour"]
    assert [s.passage for s in played.record.shown] == ["opera", "composer"]


def test_the_context_budget_holds_in_every_call(stage):
    long = [replace(d, text=d.text + " So it went on." * 20) for d in (OPERA, COMPOSER, HARBOUR)]
    played = stage.play(ircot(context_tokens=120), reasons(BY_LIVIA, MAYOR), documents=long)
    assert played.record.retrieved_tokens == 120
    shown = section(played.requests[1], "passages").split("\n")
    assert sum(count_tokens(line) for line in shown if line and not line.startswith("[")) == 120


def test_nothing_found_is_said(stage):
    question = replace(QUESTION, text="Unheard?")
    played = stage.play(ircot(), reasons(BY_LIVIA, MAYOR), question=question)
    assert section(played.requests[0], "passages") == NOTHING_YET


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Dr. A. Fenn built it. It stands.", "Dr. A. Fenn built it."),
        ("  It was\tlit\nin 1881.", "It was lit"),
        ("---\n\nIt stands.", "It stands."),
        ("It stands", "It stands"),
        ("", ""),
        ("?! …", ""),
        ("x" * 1000, "x" * MOST_CHARACTERS),
        ("a\ud800b", "a\ufffdb"),
    ],
)
def test_the_first_sentence_is_one_line(text, sentence):
    assert first_sentence(text) == sentence


def test_an_output_without_the_protocol_is_read_all_the_same_and_counted(stage):
    texts = iter([f"{BY_LIVIA} And more.", "The answer is Abel.", "Abel Tranter"])
    played = stage.play(ircot(), lambda _: next(texts))
    assert [query for query, _ in played.searches] == [ASKED, BY_LIVIA]
    assert (played.record.parse_repairs, played.record.final_answer) == (3, "Abel Tranter")


def test_a_model_that_never_stops_writing_asks_one_bounded_query(stage):
    played = stage.play(
        ircot(max_steps=2),
        lambda request: (
            said(answer="x")
            if fields(request) == ["answer"]
            else scripted.said(f"salt {len(str(request))} wedding " * 20_000, "length")
        ),
    )
    assert {len(query) for query, _ in played.searches[1:]} <= {MOST_CHARACTERS - 1, MOST_CHARACTERS}
    assert max(len(str(request)) for request in played.requests) < 5000


def test_no_output_exceeds_a_budget_or_breaks_the_record(stage):
    pieces = st.one_of(
        st.sampled_from(
            ["[[ ## sentence ## ]]\n", "[[ ## completed ## ]]", "answer is", BY_LIVIA, ". ", "\n"]
        ),
        st.text(max_size=12),
    )
    outputs = st.lists(st.lists(pieces, max_size=5).map("".join), min_size=1, max_size=4)
    numbers = itertools.count()

    @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(outputs, st.sampled_from([None, 1, 2, 4]))
    def holds(texts, limit):
        left = itertools.cycle(texts)
        played = stage.play(
            ircot(max_steps=3, most_passages=2),
            lambda request: said(answer="x") if fields(request) == ["answer"] else next(left),
            question=replace(QUESTION, text=f"{ASKED} {next(numbers)}"),
            calls_per_question=limit,
        )
        record, sentences = played.record, played.steps("sentence")
        assert (record.final_answer, record.error) == ("x", "")
        assert len(record.calls) == len(played.requests) <= min(4, limit or 4)
        assert len(played.searches) == len(played.steps("search")) <= len(sentences) + 1 <= 4
        assert len(record.shown) <= 2
        ended = played.steps("chain_ended")
        assert len(ended) == 1
        assert (record.outcome == Outcome.FORCED) == (
            ended[0]["because"] in ("max_steps", "calls_per_question")
        )

    holds()
