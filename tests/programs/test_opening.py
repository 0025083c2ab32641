"""The catalog and the modules it names by string say the same."""

from __future__ import annotations

import dspy
import pytest

from leaderboard.catalog.programs import PROGRAMS
from leaderboard.catalog.rerankers import RERANKERS
from leaderboard.catalog.retrievers import INDEXED, RETRIEVERS, TOOLS, Indexed
from leaderboard.programs.opening import open_program
from tests import tiny

NEEDED = {"skill_rag": {"prober": tiny.PROBER}}
"""Parameters without a default."""

PARAMETERS = [
    *((kind, {}) for kind in PROGRAMS),
    *(("skill_rag", {"max_rounds": rounds, "samples": 2}) for rounds in (1, 10)),
    ("single_step", {"passages": 1, "context_tokens": 50}),
    ("retrieval_only", {"k": 100}),
    ("ircot", {"max_steps": 9}),
    ("self_ask", {"max_follow_ups": 10}),
    *(("decomposition", {"sub_questions": number}) for number in (1, 10)),
    *(
        ("multi_step", {"planning": planning, "rounds": rounds, "queries_per_round": queries})
        for planning in (False, True)
        for rounds, queries in ((1, 1), (2, 3), (10, 10))
    ),
]
RERANKER_PARAMETERS = [
    *((kind, {}) for kind in RERANKERS),
    ("lm_listwise", {"candidates": 50, "passage_tokens": 8}),
]


def predictors(module) -> dict:
    """Return what dspy finds: predictor → (input fields, output fields)."""
    return {
        name: (tuple(predictor.signature.input_fields), tuple(predictor.signature.output_fields))
        for name, predictor in module.named_predictors()
    }


@pytest.mark.parametrize(("kind", "given"), PARAMETERS)
def test_each_entry_resolves_to_a_module_with_the_declared_predictors(kind, given):
    entry = PROGRAMS[kind]
    parameters = entry.parameters(kind=kind, **NEEDED.get(kind, {}), **given)
    program = open_program(parameters)
    declared = dict(entry.predictors(parameters))
    if entry.asks_model:
        assert isinstance(program, dspy.Module)
        assert declared
        assert predictors(program) == declared
    else:
        assert not isinstance(program, dspy.Module)
        assert declared == {}
    assert callable(program)


@pytest.mark.parametrize(("kind", "given"), RERANKER_PARAMETERS)
@pytest.mark.parametrize("program", [kind for kind, entry in PROGRAMS.items() if entry.asks_model])
def test_a_rerankers_predictors_stand_beside_the_programs(program, kind, given):
    entry, reranker = PROGRAMS[program], RERANKERS[kind]
    parameters = entry.parameters(kind=program, **NEEDED.get(program, {}))
    opened = open_program(parameters, reranker.parameters(kind=kind, **given))
    assert predictors(opened) == {
        **entry.predictors(parameters),
        **{f"reranker.{name}": fields for name, fields in reranker.predictors.items()},
    }
    assert len(reranker.predictors) == reranker.calls
    assert hasattr(opened, "reranker") == bool(reranker.module)


@pytest.mark.parametrize(("kind", "given"), PARAMETERS)
def test_each_entry_names_retrievers_that_exist_and_bounds_its_calls(kind, given):
    entry = PROGRAMS[kind]
    parameters = entry.parameters(kind=kind, **NEEDED.get(kind, {}), **given)
    assert set(entry.retrievers) <= set(RETRIEVERS)
    assert (entry.calls(parameters) >= 1) is entry.asks_model
    assert (entry.searches(parameters) >= 1) is (set(entry.retrievers) <= set(INDEXED))


def test_the_bounds_of_multi_step_follow_from_its_rounds_and_queries():
    entry = PROGRAMS["multi_step"]
    parameters = entry.parameters(kind="multi_step", rounds=5, queries_per_round=3)
    assert (entry.calls(parameters), entry.searches(parameters)) == (6, 15)
    assert (entry.in_rounds, entry.reference, entry.cites) == (True, False, False)


@pytest.mark.parametrize(
    ("kind", "given", "rounds"),
    [
        ("multi_step", {"rounds": 5}, 5),
        ("ircot", {"max_steps": 5}, 6),
        ("self_ask", {"max_follow_ups": 5}, 5),
        ("decomposition", {"sub_questions": 5}, 1),
        ("single_step", {}, 1),
    ],
)
def test_rounds_are_the_searches_that_follow_one_another(kind, given, rounds):
    entry = PROGRAMS[kind]
    assert entry.rounds(entry.parameters(kind=kind, **given)) == rounds
    assert entry.in_rounds is (rounds > 1)


def test_the_retrievers_over_an_index_are_those_with_a_unit():
    assert (
        tuple(kind for kind, entry in RETRIEVERS.items() if issubclass(entry.parameters, Indexed))
        == INDEXED + TOOLS
    )


def test_a_kind_in_the_catalog_is_the_kind_its_parameters_accept():
    for catalog in (PROGRAMS, RETRIEVERS, RERANKERS):
        for kind, entry in catalog.items():
            assert entry.parameters(kind=kind, **NEEDED.get(kind, {})).kind == kind
