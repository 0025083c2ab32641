"""The schema file for editors: current, and saying what the validation says."""

import json
import tomllib
from pathlib import Path

import jsonschema
import pytest

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
