"""Instructions as requests carried them, and how two texts differ."""

import pytest

from leaderboard.board.instructions import difference, plain, recorded_instructions
from leaderboard.programs.multi_step import MultiStep
from tests import tiny


def test_each_predictors_instructions_are_read_from_what_was_sent(tmp_path, monkeypatch):
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path / "cache"))
    planning = {**tiny.STEPS, "program": {**tiny.STEPS["program"], "planning": True}}
    submission = tiny.submit(tmp_path, "steps", **planning)
    found = recorded_instructions(tiny.run(tmp_path, submission).shown)
    program = MultiStep(submission.document.program)
    assert found == {
        (("question", "found", "queries_so_far"), ("reasoning", "queries")): plain(
            program.write_queries.signature.instructions
        ),
        (("context", "question"), ("answer",)): plain(program.answer.signature.instructions),
    }
    assert any("\n\nExample: " in text for text in found.values())  # more than a line


@pytest.mark.parametrize(
    ("text", "sent"), [("a", "a"), ("\n    a  \n      b\n\n", "a\n  b"), ("", ""), ("a\r\nb", "a\nb")]
)
def test_instructions_are_compared_as_they_are_sent(text, sent):
    assert plain(text) == sent


def kinds(before, after):
    return [(line.kind, line.text) for line in difference(before, after)]


def test_lines_of_one_text_alone_are_marked():
    assert kinds("a\nb\nc", "a\nd\nc\ne") == [
        *(("same", "a"), ("removed", "b"), ("added", "d"), ("same", "c"), ("added", "e"))
    ]


def test_texts_of_very_many_lines_are_not_compared_line_by_line():
    found = kinds("a\n" * 500, "a\n" * 501)
    assert len(found) == 501 + 502
    assert [kind for kind, _ in found[:2]] == ["removed"] * 2
