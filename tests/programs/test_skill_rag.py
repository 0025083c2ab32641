"""Skill-RAG (surrogate prober) played through: gates, router, each skill, and what ends a question."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaderboard.catalog import skill_rag as catalog
from leaderboard.catalog.rerankers import LMListwise
from leaderboard.catalog.skill_rag import SKILLS, AfterRetrieval, BeforeRetrieval, SkillRag, SurrogateProber
from leaderboard.programs.skills import FALLBACK
from leaderboard.results.records import Outcome
from tests.programs.played import (
    ASKED,
    COMPOSER,
    FERRY,
    HARBOUR,
    OPERA,
    QUESTION,
    TOWN,
    block,
    fields,
    said,
    section,
)

NEVER = -100.0
RIGHT = "Abel Tranter"
EXAMPLES = itertools.count()


def skill_rag(
    *, before: float = NEVER, supported: float = 100.0, after: float = -50.0, **parameters
) -> SkillRag:
    """A system whose gate 1 says the same of all answers, and whose gate 2 takes an answer that is supported by half."""
    zeros = dict.fromkeys(AfterRetrieval.model_fields, 0.0)
    return SkillRag(
        kind="skill_rag",
        prober=SurrogateProber(
            kind="black_box",
            score_scale=1.0,
            before_retrieval=BeforeRetrieval(intercept=before, self_consistency=0.0, abstained=0.0),
            after_retrieval=AfterRetrieval.model_validate(
                {**zeros, "intercept": after, "supported": supported}
            ),
        ),
        **{"passages": 1, **parameters},
    )


def model(*answers, recalled="Livia", skill="exit", **written):
    """A model that says ``recalled`` by heart, then ``answers`` in turn (the last again), and ``written`` by field."""
    left = list(answers)
    skills = [skill] if isinstance(skill, str) else list(skill)

    def write(request):
        [field] = fields(request)
        if field == "answer" and "[[ ## context ## ]]" not in request["messages"][-1]["content"]:
            return said(answer=recalled)
        if field == "answer":
            return said(answer=left.pop(0) if len(left) > 1 else left[0])
        if field == "skill":
            return said(skill=skills.pop(0) if len(skills) > 1 else skills[0])
        return said(**{field: written[field]})

    return write


def asked(played):
    return [fields(request)[0] for request in played.requests]


def test_gate_1_takes_the_answer_by_heart_without_any_search(stage):
    answers = iter(["Livia", "Abel Tranter", "abel tranter"])
    played = stage.play(skill_rag(before=0.0), lambda _: said(answer=next(answers)))
    record = played.record
    assert (record.outcome, record.final_answer, record.rounds) == (Outcome.ANSWERED, RIGHT, 0)
    assert (played.searches, record.shown, len(record.calls)) == ([], (), 3)
    assert list(record.trace) == [
        {"step": "samples", "answers": ["Livia", "Abel Tranter", "abel tranter"]},
        {
            "step": "gate",
            "round": 0,
            "gate": "before_retrieval",
            "answer": "Abel Tranter",
            "features": {"self_consistency": 2 / 3, "abstained": 0.0},
            "probability": 0.5,
            "threshold": 0.5,
            "accepted": True,
        },
    ]


def test_each_sample_is_a_draw_and_a_recorded_call_of_its_own(stage):
    parameters = skill_rag(before=0.0, samples=4, sample_temperature=0.9)
    played = stage.play(parameters, model("unused"))
    assert len(set(played.record.calls)) == 4
    assert [request["temperature"] for request in played.requests] == [0.9] * 4
    assert len({request["seed"] for request in played.requests}) == 4
    assert len({str(request["messages"]) for request in played.requests}) == 1
    again = stage.play(parameters, model("unused", recalled="never said"))
    assert (again.requests, again.record.calls) == ([], played.record.calls)


def test_gate_2_accepts_by_its_threshold_after_one_round(stage):
    parameters = skill_rag(after=-1.0, supported=3.0, threshold=0.5)
    played = stage.play(parameters, model("Livia Brodrigh"))
    # z = −1 + 3 · 2/6 = 0
    before, after = played.steps("gate")
    assert (before["accepted"], before["probability"]) == (False, pytest.approx(math.exp(-100)))
    assert (after["gate"], after["round"], after["accepted"]) == ("after_retrieval", 1, True)
    assert after["probability"] == pytest.approx(0.5)
    assert after["features"] == {
        "self_consistency": 0.0,
        "abstained": 0.0,
        "answer_in_evidence": 1.0,
        "supported": pytest.approx(1 / 3),
        "top_score": pytest.approx(played.record.returned[0].score / (played.record.returned[0].score + 1)),
        "margin": 1.0,  # a single hit
    }
    record = played.record
    assert (record.outcome, record.final_answer, record.rounds) == (Outcome.ANSWERED, "Livia Brodrigh", 1)
    assert played.searches == [(ASKED, 1)]
    assert asked(played) == ["answer"] * 4
    assert section(played.requests[3], "context") == block(1, OPERA)
    refused = stage.play(skill_rag(after=-1.0, supported=3.0, threshold=0.51, max_rounds=1), model("unused"))
    assert (refused.record.outcome, refused.record.final_answer) == (Outcome.FORCED, "Livia Brodrigh")


def test_query_rewriting_searches_anew_and_shows_what_came_first(stage):
    played = stage.play(
        skill_rag(),
        model("Livia", RIGHT, skill="query_rewriting", query='1. "Sarnforth mayor"'),
    )
    assert played.searches == [(ASKED, 1), ("Sarnforth mayor", 1)]
    assert asked(played)[3:] == ["answer", "skill", "query", "answer"]
    route, rewrite, last = played.requests[4:]
    for request in (route, rewrite):
        assert section(request, "question") == ASKED
        assert section(request, "evidence") == block(1, OPERA)
        assert section(request, "failed_answer") == "Livia"
    assert section(last, "context") == "\n\n".join([block(1, TOWN), block(2, OPERA)])
    assert played.steps("route") == [
        {"step": "route", "round": 2, "said": "query_rewriting", "skill": "query_rewriting"}
    ]
    assert played.steps("queries") == [
        {"step": "queries", "round": 2, "written": ["Sarnforth mayor"], "asked": ["Sarnforth mayor"]}
    ]
    record = played.record
    assert (record.final_answer, record.rounds, record.parse_repairs) == (RIGHT, 2, 0)
    assert [(r.round, r.passage) for r in record.returned] == [(1, "opera"), (2, "town")]


def test_question_decomposition_searches_each_sub_question_the_best_of_each_first(stage):
    text = "- Who wrote Salt Wedding opera?\n- Where is the ferry harbour?\n- Who is mayor?\n- One more?"
    played = stage.play(
        skill_rag(passages=2, sub_questions=3, context_tokens=500),
        model("Livia", RIGHT, skill="question_decomposition", sub_questions=text),
        documents=(OPERA, COMPOSER, FERRY, HARBOUR, TOWN),
    )
    assert [query for query, _ in played.searches[1:]] == [
        "Who wrote Salt Wedding opera?",
        "Where is the ferry harbour?",
        "Who is mayor?",
    ]
    second = [r for r in played.record.returned if r.round == 2]
    by_rank = [r.title for rank in (1, 2) for r in second if r.rank == rank]
    shown = re.findall(r"^\[\d+\] (.+)$", section(played.requests[-1], "context"), re.M)
    assert shown[: len(set(by_rank))] == list(dict.fromkeys(by_rank))
    assert by_rank[:3] == ["The Salt Wedding", "Lindrake", "Sarnforth"]
    assert asked(played)[4:] == ["skill", "sub_questions", "answer"]
    assert "into two to 3 simple questions" in str(played.requests[5]["messages"][0])
    assert section(played.requests[5], "question") == ASKED


def test_evidence_focusing_answers_from_the_chosen_sentences_without_a_search(stage):
    played = stage.play(
        skill_rag(passages=2, context_tokens=500),
        model("Livia", RIGHT, skill="evidence_focusing", numbers="2, 4, 9"),
        documents=(COMPOSER, TOWN),
    )
    assert played.searches == [(ASKED, 2)]
    first, second = (r.title for r in played.record.returned)
    assert {first, second} == {"Livia Brodrigh", "Sarnforth"}
    sentences = {
        "Livia Brodrigh": ["Livia Brodrigh wrote operas.", "She grew up in Sarnforth."],
        "Sarnforth": ["Sarnforth is a town.", "Abel Tranter is mayor there."],
    }
    assert section(played.requests[5], "sentences") == "\n".join(
        [
            first,
            f"1. {sentences[first][0]}",
            f"2. {sentences[first][1]}",
            second,
            f"3. {sentences[second][0]}",
            f"4. {sentences[second][1]}",
        ]
    )
    kept = [sentences[first][1], sentences[second][1]]
    assert played.steps("focus") == [{"step": "focus", "round": 2, "kept": kept}]
    assert section(played.requests[6], "context") == f"[1] {first}\n{kept[0]}\n\n[2] {second}\n{kept[1]}"
    # What stood before the model is counted once, whole.
    assert [(s.title, s.tokens) for s in played.record.shown] == [(first, 11), (second, 11)]
    assert (played.record.rounds, played.record.parse_repairs) == (1, 0)


def test_focusing_on_no_sentence_keeps_all_and_counts_a_repair(stage):
    played = stage.play(
        skill_rag(context_tokens=500), model("Livia", skill="evidence_focusing", numbers="none of them")
    )
    assert played.steps("focus")[0]["kept"] == ["The Salt Wedding is an opera by Livia Brodrigh."]
    assert played.record.parse_repairs == 1


def test_exit_ends_with_the_answer_at_hand(stage):
    played = stage.play(skill_rag(max_rounds=5), model("Livia", skill="exit"))
    assert (played.record.outcome, played.record.final_answer) == (Outcome.ANSWERED, "Livia")
    assert asked(played)[3:] == ["answer", "skill"]
    assert played.steps("route")[0]["skill"] == "exit"


def test_max_rounds_ends_with_the_last_answer_as_forced(stage):
    played = stage.play(
        skill_rag(max_rounds=3),
        model(
            "Livia",
            "Odo",
            "Benedek",
            skill=["query_rewriting", "evidence_focusing"],
            query="ferry",
            numbers="1",
        ),
    )
    assert (played.record.outcome, played.record.final_answer) == (Outcome.FORCED, "Benedek")
    assert [step["skill"] for step in played.steps("route")] == ["query_rewriting", "evidence_focusing"]
    assert [step["round"] for step in played.steps("gate")] == [0, 1, 2, 3]
    assert len(played.record.calls) == catalog.calls(skill_rag(max_rounds=3)) == 10


@pytest.mark.parametrize(
    ("limit", "calls", "samples", "gates", "outcome"),
    [
        (1, 1, 0, [1], Outcome.FORCED),  # no sample: the one call answers
        (2, 2, 1, [1], Outcome.FORCED),
        (3, 3, 2, [1], Outcome.FORCED),  # gate 1 needs all its samples
        (4, 4, 3, [0, 1], Outcome.FORCED),
        (6, 4, 3, [0, 1], Outcome.FORCED),  # router, skill and answer don't fit
        (7, 7, 3, [0, 1, 2], Outcome.FORCED),
        (9, 7, 3, [0, 1, 2], Outcome.FORCED),
        (10, 10, 3, [0, 1, 2, 3], Outcome.FORCED),
    ],
)
def test_the_limit_of_calls_leaves_an_answer(stage, limit, calls, samples, gates, outcome):
    played = stage.play(
        skill_rag(max_rounds=3),
        model("Livia", skill="query_rewriting", query="ferry"),
        calls_per_question=limit,
    )
    record = played.record
    assert (record.outcome, record.final_answer, len(record.calls)) == (outcome, "Livia", calls)
    assert len(played.steps("samples")[0]["answers"]) == samples
    assert [step["round"] for step in played.steps("gate")] == gates


def test_an_answer_that_gate_2_takes_with_the_last_call_is_not_forced(stage):
    parameters = skill_rag(after=50.0)
    record = stage.play(parameters, model("Livia"), calls_per_question=4).record
    assert (record.outcome, len(record.calls)) == (Outcome.ANSWERED, 4)


@pytest.mark.parametrize(
    ("output", "skill", "repairs"),
    [
        ("evidence_focusing", "evidence_focusing", 0),
        (" `Evidence_Focusing`. ", "evidence_focusing", 0),
        ("Question decomposition", "question_decomposition", 1),
        ("I would rewrite the query, not exit", "query_rewriting", 1),
        ("exit or query_rewriting", "exit", 1),
        ("the exits are shut", FALLBACK, 1),
        ("42", FALLBACK, 1),
        ("", FALLBACK, 1),
    ],
)
def test_a_routers_output_that_is_not_one_name_is_repaired(stage, output, skill, repairs):
    played = stage.play(
        skill_rag(), model("Livia", skill=output, query="ferry", sub_questions="ferry", numbers="1")
    )
    assert played.steps("route")[0]["skill"] == skill
    assert played.record.parse_repairs == repairs


def test_a_routers_output_without_the_field_counts_once(stage):
    def write(request):
        return (
            "decompose it" if fields(request) == ["skill"] else model("Livia", sub_questions="ferry")(request)
        )

    played = stage.play(skill_rag(), write)
    assert (played.steps("route")[0]["skill"], played.record.parse_repairs) == ("question_decomposition", 1)
    assert played.steps("route")[0]["said"] == "decompose it"


def test_a_skill_that_writes_no_query_searches_with_the_question(stage):
    played = stage.play(skill_rag(), model("Livia", skill="query_rewriting", query=" - "))
    assert played.steps("queries") == [{"step": "queries", "round": 2, "written": [], "asked": [ASKED]}]
    assert played.searches == [(ASKED, 1), (ASKED, 1)]


def test_a_round_that_says_nothing_keeps_the_answer_before_it(stage):
    played = stage.play(skill_rag(), model("Livia", "", skill="query_rewriting", query="ferry"))
    assert (played.record.outcome, played.record.final_answer) == (Outcome.FORCED, "Livia")
    last = played.steps("gate")[-1]
    assert (last["answer"], last["accepted"], last["features"]["abstained"]) == ("", False, 1.0)


def test_no_answer_at_all_is_unparsed_whatever_the_prober_thinks(stage):
    played = stage.play(skill_rag(before=100.0, after=100.0), lambda _: "")
    assert (played.record.outcome, played.record.final_answer) == (Outcome.UNPARSED, "")
    assert not any(step["accepted"] for step in played.steps("gate"))
    assert len(played.record.calls) == 7


def test_a_reranker_keeps_to_the_limit_too(stage):
    def write(request):
        if fields(request) == ["ranking"]:
            return said(ranking="1")
        return model("Livia", skill="question_decomposition", sub_questions="ferry\nmayor\nopera")(request)

    for limit in (1, 4, 6, 9):
        record = stage.play(
            skill_rag(max_rounds=3, passages=2),
            write,
            reranker=LMListwise(kind="lm_listwise"),
            calls_per_question=limit,
        ).record
        assert record.final_answer == "Livia"
        assert len(record.calls) <= limit


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    outputs=st.lists(
        st.one_of(
            st.sampled_from([*SKILLS, RIGHT, "2, 1", "", "[[ ## answer ## ]]", "a?\nb?", "0 99999999999"]),
            st.text(max_size=20),
        ),
        min_size=1,
        max_size=8,
    ),
    protocol=st.lists(st.booleans(), min_size=1, max_size=3),
    rounds=st.integers(1, 3),
    limit=st.one_of(st.none(), st.integers(1, 11)),
    before=st.sampled_from([-100.0, 0.0]),
    after=st.sampled_from([-100.0, -1.0, 0.0]),
)
def test_no_output_breaks_a_budget_or_the_program(stage, outputs, protocol, rounds, limit, before, after):
    count = itertools.count()

    def write(request):
        number = next(count)
        text = outputs[number % len(outputs)]
        return said(**{fields(request)[0]: text}) if protocol[number % len(protocol)] else text

    parameters = skill_rag(max_rounds=rounds, before=before, after=after, supported=3.0, passages=2)
    # The store is the same for all examples: each asks a question of its own, so that nothing is replayed.
    question = replace(QUESTION, text=f"{ASKED} {next(EXAMPLES)}")
    played = stage.play(parameters, write, question=question, calls_per_question=limit)
    record = played.record
    assert len(played.requests) <= len(record.calls)
    assert record.outcome in (Outcome.ANSWERED, Outcome.FORCED, Outcome.UNPARSED)
    assert len(record.calls) <= min(catalog.calls(parameters), limit or 1000)
    assert len(played.searches) <= catalog.searches(parameters)
    assert record.rounds <= rounds
    assert [step["accepted"] for step in played.steps("gate")][:-1].count(True) == 0
