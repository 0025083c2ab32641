"""Compiled prompts: instructions beside those before, demonstrations, where they were made."""

from __future__ import annotations

import pytest

from leaderboard.board.compiled import with_passages_cut
from leaderboard.submissions.compilation import StateErrors
from tests import tiny
from tests.board.boards import FRAMES, board
from tests.board.states import COMPILE, FINGERPRINT, write_state

UNCOMPILED = (
    "Answer the question from the passages with a name, a number, a date, yes or no. Give the answer only, no "
    "explanation. If the passages do not hold what is needed, answer: Insufficient information."
)
LONG = "[1] The mill\n" + "stone " * 60 + "\n\n[2] The lock\nOld."
DEMOS = (
    {"context": LONG, "question": "Who? " * 60, "answer": "Ada", "augmented": True},
    {"question": "Where?", "answer": "Here"},
)


def system(home, *, run=True, of="child", base=None, **compile_table):
    """The page of the compiled system, which has no run, based on ``base``, the tiny reader when left out."""
    tables = {
        "base": base or tiny.READER,
        "child": {**tiny.READER, "system": {"based_on": "base"}, "compile": {**COMPILE, **compile_table}},
    }
    answers = {"base": {"frames": {}} if run else {}, "child": {}}
    [page] = [one for one in board(home, answers, tables, (FRAMES,)).systems if one.key == of]
    return page


def predictor(page):
    [only] = page.compiled.predictors
    return only


def test_an_uncompiled_system_has_no_compiled_prompts(tmp_path):
    write_state(tmp_path, "child", "Answer.")
    assert system(tmp_path, run=False, of="base").compiled is None


def test_changed_instructions_stand_beside_those_that_the_parent_sent(tmp_path):
    write_state(tmp_path, "child", f"{UNCOMPILED}\nThink twice.\n")
    page = system(tmp_path)
    answer = predictor(page)
    assert (answer.name, answer.changed) == ("answer", True)
    assert [(line.kind, line.text) for line in answer.lines] == [
        ("same", UNCOMPILED),
        ("added", "Think twice."),
    ]
    assert page.compiled.before == "the recorded requests of Base"


def test_unchanged_instructions_are_known_as_such(tmp_path):
    write_state(tmp_path, "child", f"\n    {UNCOMPILED}  \n")  # as a docstring is indented
    answer = predictor(system(tmp_path))
    assert (answer.changed, answer.lines, answer.instructions) == (False, (), UNCOMPILED)


def test_without_a_run_of_the_parent_what_was_before_is_unknown(tmp_path):
    write_state(tmp_path, "child", UNCOMPILED)
    page = system(tmp_path, run=False)
    assert (predictor(page).changed, page.compiled.before) == (None, "")


def test_of_a_compiled_parent_its_state_is_what_was_before(tmp_path):
    write_state(tmp_path, "base", "Answer shortly.")
    write_state(tmp_path, "child", "Answer.")
    page = system(tmp_path, run=False, base={**tiny.READER, "compile": COMPILE})
    assert [(line.kind, line.text) for line in predictor(page).lines] == [
        ("removed", "Answer shortly."),
        ("added", "Answer."),
    ]
    assert page.compiled.before == "the state of Base"


def test_demonstrations_are_whole_but_for_their_passages(tmp_path):
    write_state(tmp_path, "child", UNCOMPILED, DEMOS)
    first, second = predictor(system(tmp_path, run=False)).demonstrations
    assert (first.ran, second.ran) == (True, False)
    fields = dict(first.fields)
    assert list(fields) == ["context", "question", "answer"]
    assert fields["question"] == "Who? " * 60
    title, text, rest = fields["context"].split("\n", 2)
    assert (title, rest) == ("[1] The mill", "\n[2] The lock\nOld.")
    assert text == ("stone " * 34)[:199].rstrip() + "…" and len(text) <= 200
    assert second.fields == (("question", "Where?"), ("answer", "Here"))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("nothing yet", "nothing yet"),
        ("x" * 200, "x" * 200),
        ("x" * 201, "x" * 199 + "…"),
        ("[1] " + "t" * 300 + "\n" + "x" * 300, "[1] " + "t" * 195 + "…\n" + "x" * 199 + "…"),
        ("[1] A\na\n[2] B\nb", "[1] A\na\n\n[2] B\nb"),
    ],
)
def test_every_passage_is_cut_also_one_without_a_number(text, shown):
    assert with_passages_cut(text) == shown


def test_the_facts_say_how_and_where_it_was_compiled(tmp_path):
    write_state(tmp_path, "child", UNCOMPILED)
    facts = dict(system(tmp_path, run=False).compiled.facts)
    assert facts.pop("State").startswith("submissions/child.state.json, sha256 ")
    assert facts == {
        "Optimizer": "labeled_few_shot",
        "Settings": "max_examples = 24, seed = 0, max_calls = 80, k = 2",
        "Trained on": "the train split of MuSiQue-like (sample)",
        "Questions": "sha256 " + "ab" * 32,
        "Its own score": "0.25 of 1, while compiling",
        "Calls": "1,057 made to compile it; none of them is in the cost of a question",
        "Compiled with": "dspy 3.4.1",
        "Recorded in": f"results/compile/child/{FINGERPRINT[:8]}/",
    }


def test_a_state_made_with_another_optimizer_is_told(tmp_path):
    write_state(tmp_path, "child", UNCOMPILED, optimizer="copro")
    [note] = system(tmp_path, run=False).compiled.notes
    assert note == (
        "The submission says optimizer = labeled_few_shot, its state was made with copro: compile it again."
    )


def test_before_it_is_compiled_the_page_says_what_to_do(tmp_path):
    compiled = system(tmp_path, run=False).compiled
    assert compiled.notes == ("Not compiled yet: leaderboard compile child writes its prompts.",)
    assert (compiled.predictors, [label for label, _ in compiled.facts]) == ((), ["Optimizer", "Settings"])


def test_a_broken_state_is_an_error_that_names_the_file(tmp_path):
    (tmp_path / "child.state.json").write_text("{", encoding="utf-8")
    with pytest.raises(StateErrors, match=r"child\.state\.json"):
        system(tmp_path, run=False)
