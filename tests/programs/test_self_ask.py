"""Self-Ask played through: follow-up questions, their answers, and what ends the chain."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaderboard.catalog.reasoning import SelfAsk
from leaderboard.programs.self_ask import NOTHING_YET, follow_up
from leaderboard.results.records import Outcome
from tests.programs.played import ASKED, COMPOSER, OPERA, QUESTION, TOWN, block, fields, said, section

WHO = "Who is the composer of the opera The Salt Wedding?"
WHERE = "Where was the youth of Livia Brodrigh?"
MAYOR = "Who is mayor of the town Sarnforth?"
ANSWERS = {WHO: "Livia Brodrigh", WHERE: "Sarnforth", MAYOR: "Abel Tranter"}


def self_ask(**parameters):
    return SelfAsk(kind="self_ask", **{"passages_per_question": 1, **parameters})


def asks(*questions, answers=ANSWERS, final="Abel Tranter"):
    """A model that asks these follow-up questions in order, and answers each."""
    left = iter(questions)

    def write(request):
        if fields(request) == ["follow_up"]:
            return said(follow_up=next(left))
        if "[[ ## context ## ]]" in request["messages"][-1]["content"]:
            return said(answer=answers[section(request, "question")])
        return said(answer=final)

    return write


def endless():
    numbers = itertools.count()
    return lambda request: said(**{fields(request)[0]: f"Which ferry has number {next(numbers)}?"})


def chain(*questions):
    return "\n".join(f"Follow up: {q}\nIntermediate answer: {ANSWERS[q]}" for q in questions)


def test_each_follow_up_question_is_answered_from_what_it_finds_and_the_answer_from_the_chain(stage):
    played = stage.play(self_ask(), asks(WHO, WHERE, "none"))
    assert played.searches == [(WHO, 1), (WHERE, 1)]
    assert [fields(request)[0] for request in played.requests] == [
        "follow_up", "answer", "follow_up", "answer", "follow_up", "answer",
    ]  # fmt: skip
    deciding = [request for request in played.requests if fields(request) == ["follow_up"]]
    assert [section(request, "answered") for request in deciding] == [
        NOTHING_YET,
        chain(WHO),
        chain(WHO, WHERE),
    ]
    answering = [played.requests[1], played.requests[3]]
    assert [(section(r, "question"), section(r, "context")) for r in answering] == [
        (WHO, block(1, OPERA)),
        (WHERE, block(1, COMPOSER)),
    ]
    last = played.requests[-1]
    assert (section(last, "question"), section(last, "answered")) == (ASKED, chain(WHO, WHERE))
    assert OPERA.text not in str(last)
    record = played.record
    assert (record.outcome, record.final_answer) == (Outcome.ANSWERED, "Abel Tranter")
    assert (len(record.calls), record.rounds, record.parse_repairs) == (6, 2, 0)
    assert [(r.round, r.passage) for r in record.returned] == [(1, "opera"), (2, "composer")]
    assert [(s.passage, s.evidence) for s in record.shown] == [("opera", (0,)), ("composer", (1,))]


def test_the_trace_holds_questions_searches_and_answers(stage):
    assert list(stage.play(self_ask(), asks(MAYOR, "No further follow-up question.")).record.trace) == [
        {"step": "follow_up", "round": 1, "written": [MAYOR]},
        {"step": "search", "round": 1, "query": MAYOR, "passages": [TOWN.id]},
        {"step": "intermediate_answer", "round": 1, "answer": "Abel Tranter"},
        {"step": "chain_ended", "because": "no follow-up question"},
    ]


def test_what_repeats_between_the_calls_of_a_question_stands_first(stage):
    requests = stage.play(self_ask(), asks(WHO, WHERE, "none")).requests
    second, third = (requests[n]["messages"][-1]["content"] for n in (2, 4))
    same = second[: second.index(chain(WHO)) + len(chain(WHO))]
    assert third.startswith(same)


def test_a_question_that_needs_no_follow_up_is_answered_at_once(stage):
    played = stage.play(self_ask(), asks("none"))
    assert (played.searches, len(played.record.calls), played.record.rounds) == ([], 2, 0)
    assert section(played.requests[1], "answered") == NOTHING_YET
    assert played.record.outcome == Outcome.ANSWERED


def test_a_repeated_follow_up_question_ends_the_chain_and_is_not_searched_for(stage):
    played = stage.play(self_ask(), asks(WHO, WHO.upper()))
    assert played.searches == [(WHO, 1)]
    assert [step["written"] for step in played.steps("follow_up")] == [[WHO], [WHO.upper()]]
    assert played.record.trace[-1]["because"] == "repeated follow-up question"
    assert (played.record.outcome, len(played.record.calls)) == (Outcome.ANSWERED, 4)


@pytest.mark.parametrize("most", [1, 3, 10])
def test_a_model_that_never_stops_asking_has_to_answer_after_its_follow_ups(stage, most):
    played = stage.play(self_ask(max_follow_ups=most), endless())
    record = played.record
    assert record.outcome == Outcome.FORCED
    assert (len(record.calls), len(played.searches), record.rounds) == (2 * most + 1, most, most)
    assert record.trace[-1] == {"step": "chain_ended", "because": "max_follow_ups"}


@pytest.mark.parametrize(
    ("limit", "searched", "answered"), [(1, 0, 0), (2, 0, 0), (3, 1, 1), (4, 1, 1), (5, 2, 2)]
)
def test_the_submissions_limit_keeps_its_last_call_for_the_answer(stage, limit, searched, answered):
    played = stage.play(self_ask(), endless(), calls_per_question=limit)
    assert (played.record.outcome, len(played.record.calls)) == (Outcome.FORCED, limit)
    assert (len(played.searches), len(played.steps("intermediate_answer"))) == (searched, answered)
    assert played.record.trace[-1]["because"] == "calls_per_question"


def test_the_context_budget_holds(stage):
    documents = [replace(OPERA, text=OPERA.text + " So it went on." * 20)]
    played = stage.play(self_ask(context_tokens=50), asks(WHO, "none"), documents=documents)
    assert [(s.tokens, s.truncated) for s in played.record.shown] == [(50, True)]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (WHO, WHO),
        (f"Follow up: {WHO}", WHO),
        (f"Follow-up question 2: {WHO}", WHO),
        (f"**Follow up:** “{WHO}”", WHO),
        (f"Are follow up questions needed here: Yes.\nFollow up: {WHO}\nIntermediate answer: x", WHO),
        (f"1. {WHO}\n2. {WHERE}", WHO),
        ("No one's Wedding, by whom?", "No one's Wedding, by whom?"),
        ("none", ""),
        ("None.", ""),
        ("No", ""),
        ("Follow up: none", ""),
        ("Are follow up questions needed here: No.", ""),
        ("No more follow-up questions are needed.", ""),
        ("So the final answer is: Abel Tranter", ""),
        ("", ""),
        ("…\n---", ""),
    ],
)
def test_a_follow_up_question_is_read_however_it_is_labelled(text, question):
    assert follow_up(text) == question


@pytest.mark.parametrize(
    ("text", "answer"),
    [("Livia\nBrodrigh", "Livia"), ("Answer: 12.", "12."), ("x" * 1000, "x" * 300), ("Answer:", "unknown")],
)
def test_an_intermediate_answer_is_one_short_line(stage, text, answer):
    played = stage.play(self_ask(), asks(WHO, "none", answers={WHO: text}))
    assert section(played.requests[2], "answered").endswith(f"Intermediate answer: {answer}")


def test_outputs_without_the_protocol_are_read_all_the_same_and_counted(stage):
    texts = iter([f"Follow up: {WHO}", "Livia Brodrigh", "none", "Abel Tranter"])
    record = stage.play(self_ask(), lambda _: next(texts)).record
    assert (record.parse_repairs, record.final_answer, record.outcome) == (
        4,
        "Abel Tranter",
        Outcome.ANSWERED,
    )


def test_no_output_exceeds_a_budget_or_breaks_the_record(stage):
    markers = ["[[ ## follow_up ## ]]\n", "[[ ## answer ## ]]\n", "[[ ## completed ## ]]"]
    pieces = st.one_of(st.sampled_from([*markers, WHO, "none", "Follow up: ", "\n"]), st.text(max_size=12))
    outputs = st.lists(st.lists(pieces, max_size=5).map("".join), min_size=1, max_size=5)
    numbers = itertools.count()

    @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(outputs, st.sampled_from([None, 1, 2, 3, 6]))
    def holds(texts, limit):
        left = itertools.cycle(texts)
        final = {"seen": False}

        def write(request):
            content = request["messages"][-1]["content"]
            final["seen"] = fields(request) == ["answer"] and "[[ ## context ## ]]" not in content
            return said(answer="x") if final["seen"] else next(left)

        played = stage.play(
            self_ask(max_follow_ups=2),
            write,
            question=replace(QUESTION, text=f"{ASKED} {next(numbers)}"),
            calls_per_question=limit,
        )
        record = played.record
        assert (record.final_answer, record.error, final["seen"]) == ("x", "", True)
        assert len(record.calls) <= min(5, limit or 5)
        assert len(played.steps("intermediate_answer")) == len(played.searches)
        assert len(played.searches) <= len(played.steps("follow_up")) <= 2
        [ended] = played.steps("chain_ended")
        assert (record.outcome == Outcome.FORCED) == (
            ended["because"] in ("max_follow_ups", "calls_per_question")
        )

    holds()
