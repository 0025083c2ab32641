"""The schema file for editors: current, and saying what the validation says."""

import json
import tomllib
from pathlib import Path

import jsonschema
import pytest

from leaderboard.catalog.optimizers import OPTIMIZERS
from leaderboard.submissions import json_schema
from leaderboard.submissions.schema import SubmissionDocument
from leaderboard.submissions.template import template

ROOT = Path(__file__).parents[2]
VALIDATOR = jsonschema.Draft202012Validator(json_schema.schema())


def plain(text: str) -> dict:
    return json.loads(json.dumps(tomllib.loads(text)))


def test_the_committed_schema_is_current():
    assert json_schema.is_current(ROOT / json_schema.SCHEMA_PATH)


def test_it_is_a_schema_of_its_draft():
    jsonschema.Draft202012Validator.check_schema(json_schema.schema())
    assert json_schema.schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_every_field_is_described():
    for name, table in json_schema.schema()["$defs"].items():
        assert table["description"].strip(), name
        for field, about in table["properties"].items():
            assert about["description"].endswith("."), (name, field)
            assert "\n" not in about["description"], (name, field)


@pytest.mark.parametrize("path", sorted((ROOT / "submissions").glob("*.toml")), ids=lambda path: path.stem)
def test_bundled_submissions_are_valid(path):
    VALIDATOR.validate(plain(path.read_text()))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("temperature = 0.0", "temperature = 3.0"),
        ("temperature = 0.0", "temprature = 0.0"),
        ('kind = "bm25"', 'kind = "bm52"'),
        ('kind = "bm25"', ""),
        ("[lm]", "[lmm]"),
        ('authors = ["Your name"]', ""),
        ("passages = 5", "k1 = 0.9"),
        ('authors = ["Your name"]', 'authors = ["Your name"]\nbased_on = "../x"'),
    ],
)
def test_it_refuses_what_the_validation_refuses(old, new):
    text = template("my-system")
    VALIDATOR.validate(plain(text))
    SubmissionDocument.model_validate(tomllib.loads(text))
    assert not VALIDATOR.is_valid(plain(text.replace(old, new, 1)))
    with pytest.raises(ValueError):
        SubmissionDocument.model_validate(tomllib.loads(text.replace(old, new, 1)))


SYSTEM = {"name": "A", "authors": ["B"], "description": "C."}
LM = {"model": "embedded/m"}
STEP = {"lm": LM, "retriever": {"kind": "bm25"}, "program": {"kind": "single_step"}}


@pytest.mark.parametrize(
    "tables",
    [
        {"retriever": {"kind": "bm25"}, "program": {"kind": "retrieval_only", "k": 20}},
        {"retriever": {"kind": "dense", "encoder": "org/model-1"}, "program": {"kind": "retrieval_only"}},
        {"retriever": {"kind": "hybrid", "rrf_k": 60, "depth": 50, "k1": 1.2}, "program": {"kind": "retrieval_only"}},
        {"lm": LM, "retriever": {"kind": "bm25", "overlap_tokens": 8}, "program": {"kind": "multi_step", "planning": True}},
        {"lm": LM, "retriever": {"kind": "bm25"}, "reranker": {"kind": "none"}, "program": {"kind": "single_step"}},
        {"lm": LM, "retriever": {"kind": "bm25"}, "reranker": {"kind": "lm_listwise", "candidates": 20}, "program": {"kind": "single_step"}},
        *({**STEP, "compile": {"optimizer": optimizer, "train": "musique", "max_calls": 0}} for optimizer in OPTIMIZERS),
        {**STEP, "compile": {"optimizer": "mipro_v2", "max_bootstrapped_demos": 0, "num_trials": 200}},
    ],
)  # fmt: skip
def test_it_accepts_what_the_validation_accepts(tables):
    VALIDATOR.validate({"system": SYSTEM, **tables})
    SubmissionDocument.model_validate({"system": SYSTEM, **tables})


@pytest.mark.parametrize(
    "tables",
    [
        {"retriever": {"kind": "bm25"}, "program": {"kind": "retrieval_only", "k": 9}},
        {"retriever": {"kind": "bm25"}, "program": {"kind": "retrieval_only", "rounds": 2}},
        {"retriever": {"kind": "bm25", "encoder": "mine"}, "program": {"kind": "retrieval_only"}},
        {"retriever": {"kind": "dense", "encoder": "../up"}, "program": {"kind": "retrieval_only"}},
        {"retriever": {"kind": "dense", "k1": 1.2}, "program": {"kind": "retrieval_only"}},
        {"retriever": {"kind": "hybrid", "rrf_k": 0}, "program": {"kind": "retrieval_only"}},
        {"retriever": {"kind": "bm25", "stemmer": "german"}, "program": {"kind": "retrieval_only"}},
        {"retriever": {"kind": "bm25", "overlap_tokens": -1}, "program": {"kind": "retrieval_only"}},
        {"lm": LM, "retriever": {"kind": "bm25"}, "program": {"kind": "multi_step", "rounds": 11}},
        {"lm": LM, "retriever": {"kind": "bm25"}, "program": {"kind": "multi_step", "planning": "yes"}},
        {"lm": LM, "retriever": {"kind": "bm25"}, "reranker": {"kind": "lm_pairwise"}, "program": {"kind": "single_step"}},
        {"lm": LM, "retriever": {"kind": "bm25"}, "reranker": {"kind": "none", "candidates": 9}, "program": {"kind": "single_step"}},
        {"lm": LM, "retriever": {"kind": "bm25"}, "reranker": {"kind": "lm_listwise", "candidates": 1}, "program": {"kind": "single_step"}},
        {**STEP, "compile": {}},
        {**STEP, "compile": {"optimizer": "bootstrap"}},
        {**STEP, "compile": {"optimizer": "copro", "k": 3}},
        {**STEP, "compile": {"optimizer": "bootstrap_few_shot", "max_bootstrapped_demos": 0}},
        {**STEP, "compile": {"optimizer": "gepa", "train": "hotpot"}},
        {**STEP, "compile": {"optimizer": "simba", "max_calls": -1}},
    ],
)  # fmt: skip
def test_it_refuses_the_same_parameters(tables):
    assert not VALIDATOR.is_valid({"system": SYSTEM, **tables})
    with pytest.raises(ValueError):
        SubmissionDocument.model_validate({"system": SYSTEM, **tables})


def test_a_submission_based_on_another_needs_little_and_is_still_held_to_types():
    own = {"system": {"name": "A", "description": "B.", "based_on": "base"}, "program": {"passages": 4}}
    VALIDATOR.validate(own)
    assert not VALIDATOR.is_valid(own | {"program": {"passages": "4"}})
    assert not VALIDATOR.is_valid(own | {"system": {"name": "A", "based_on": "base"}})


def test_the_command_writes_and_checks(tmp_path, capsys):
    path = tmp_path / "submission.schema.json"
    assert json_schema.main(["--check", str(path)]) == 1
    assert "is not current: run python -m leaderboard.submissions.json_schema" in capsys.readouterr().err
    assert json_schema.main([str(path)]) == 0
    assert json_schema.main(["--check", str(path)]) == 0
    assert json.loads(path.read_text()) == json_schema.schema()
