"""The tables of Skill-RAG (surrogate prober): every number has to be said, and each fault is told with its place."""

from __future__ import annotations

import json
import re

import pytest

from leaderboard.plan import submission_json
from leaderboard.submissions.errors import SubmissionErrors
from leaderboard.submissions.load import load_submission
from tests import tiny
from tests.project import ROOT


def faults(folder, old, new):
    """Return the faults of the bundled submission with one text in it replaced: (field, expected, found)."""
    text = (ROOT / "submissions" / "skill-rag.toml").read_text(encoding="utf-8")
    made, count = re.subn(old, new, text, count=1, flags=re.M)
    assert count == 1
    path = folder / "skill-rag.toml"
    path.write_text(made, encoding="utf-8")
    with pytest.raises(SubmissionErrors) as raised:
        load_submission(path)
    return [(made.splitlines()[e.line - 1], e.field, e.expected, e.found) for e in raised.value.errors]


@pytest.mark.parametrize(
    ("old", "new", "field", "expected", "found"),
    [
        (r"^margin = .*$", "margin = nan", "margin", "a number from -100.0 to 100.0", "nan"),
        (r"^margin = .*$", "margin = 1e300", "margin", "a number from -100.0 to 100.0", "1e+300"),
        (r"^margin = .*$", 'margin = "1.0"', "margin", "a number from -100.0 to 100.0", '"1.0"'),
        (r"^margin = .*$", "margin = [1.0]", "margin", "a number from -100.0 to 100.0", "an array of 1"),
        (r"^margin = .*$\n", "", "margin", "a number from -100.0 to 100.0", "nothing"),
    ],
)
def test_a_weight_that_is_none_is_refused(tmp_path, old, new, field, expected, found):
    [(_, at, wanted, seen)] = faults(tmp_path, old, new)
    assert (at, wanted, seen) == (f"program.prober.after_retrieval.{field}", expected, found)


def test_faults_stand_at_their_line(tmp_path):
    [(line, at, _, _)] = faults(tmp_path, r"^supported = ", "suported = 1.0\nsupported = ")
    assert (line, at) == ("suported = 1.0", "program.prober.after_retrieval.suported")
    [(line, at, expected, _)] = faults(tmp_path, r'^kind = "black_box"', 'kind = "hidden_states"')
    assert (line, at, expected) == ('kind = "hidden_states"', "program.prober.kind", '"black_box"')
    [(line, at, _, found)] = faults(tmp_path, r"^score_scale = .*$", "score_scale = 0.0")
    assert (line, at, found) == ("score_scale = 0.0", "program.prober.score_scale", "0.0")


def test_a_submission_has_to_say_the_probers_numbers(tmp_path):
    with pytest.raises(SubmissionErrors, match=r"program\.prober"):
        tiny.submit(tmp_path, "skills", **{**tiny.SKILLS, "program": {"kind": "skill_rag"}})


def test_every_number_of_the_prober_is_in_the_fingerprint(tmp_path):
    submission = tiny.submit(tmp_path, "skills", **tiny.SKILLS)
    assert json.loads(submission_json(submission))["program"] == {
        "kind": "skill_rag",
        "passages": 1,
        "prober": tiny.PROBER,
    }


def test_the_bundled_submission_is_labelled_as_a_surrogate():
    submission = load_submission(ROOT / "submissions" / "skill-rag.toml")
    about = submission.document.system
    assert "Skill-RAG (surrogate prober)" in about.name
    assert about.description.startswith("Skill-RAG (surrogate prober)")
