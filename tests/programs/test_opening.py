"""The catalog and the dspy modules it names by string say the same."""

from __future__ import annotations

import dspy
import pytest

from leaderboard.catalog.programs import PROGRAMS
from leaderboard.catalog.retrievers import RETRIEVERS
from leaderboard.programs.opening import open_program


@pytest.mark.parametrize("kind", PROGRAMS)
def test_each_entry_resolves_to_a_module_with_the_declared_predictors(kind):
    entry = PROGRAMS[kind]
    program = open_program(entry.parameters(kind=kind))
    assert isinstance(program, dspy.Module)
    found = {
        name: (tuple(predictor.signature.input_fields), tuple(predictor.signature.output_fields))
        for name, predictor in program.named_predictors()
    }
    assert found == dict(entry.predictors)


@pytest.mark.parametrize("kind", PROGRAMS)
def test_each_entry_names_retrievers_that_exist_and_bounds_its_calls(kind):
    entry = PROGRAMS[kind]
    assert set(entry.retrievers) <= set(RETRIEVERS)
    assert entry.calls(entry.parameters(kind=kind)) >= 1


def test_a_kind_in_the_catalog_is_the_kind_its_parameters_accept():
    for kind, entry in PROGRAMS.items():
        assert entry.parameters(kind=kind).kind == kind
    for kind, entry in RETRIEVERS.items():
        assert entry.parameters(kind=kind).kind == kind
