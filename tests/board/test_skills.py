"""The table of skills on the page of a system that routes between them."""

from tests import tiny
from tests.board.boards import board, numbers, row, table


def test_a_row_a_skill_with_what_became_of_its_answers(tmp_path):
    """The tiny model's router names no skill, so each question has its query rewritten; three of four end right."""
    answers = {"skills": {"frames": {tiny.KEYS: "Cleo Reed"}}, "reader": {"frames": {}}}
    systems = {"skills": tiny.SKILLS, "reader": tiny.READER}
    pages = {page.key: page for page in board(tmp_path, answers, systems).systems}
    found = table(pages["skills"].groups, "skills-frames-skills")
    assert [made.label for made in found.rows] == [
        "query rewriting",
        "question decomposition",
        "evidence focusing",
        "exit",
    ]
    assert numbers(row(found, "query_rewriting")) == {
        "chosen": 4,
        "wrong_before": 1,
        "recovered": 0,
        "right_after": 3,
        "recovery_rate": 0,
    }
    assert numbers(row(found, "exit")) == {
        "chosen": 0,
        "wrong_before": 0,
        "recovered": 0,
        "right_after": 0,
        "recovery_rate": None,
    }
    assert row(found, "exit").values["recovery_rate"].note == "no wrong answer before"
    assert not [made for made in pages["reader"].groups if made.key.endswith("-skills")]
