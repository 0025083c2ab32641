"""``based_on``: what is inherited, what isn't, and what can be wrong with it."""

from pathlib import Path

import pytest

from leaderboard.catalog.programs import PROGRAMS
from leaderboard.submissions.errors import SubmissionErrors, one_of
from leaderboard.submissions.load import load_folder, load_submission

BASE = """\
[system]
name = "Base"
authors = ["B"]
description = "C."
paper = "https://arxiv.org/abs/2409.12941"
benchmarks = ["frames"]
withdrawn = "No."
[lm]
model = "embedded/m"
temperature = 0.5
[retriever]
kind = "bm25"
k1 = 1.2
chunk_tokens = 64
[program]
kind = "single_step"
passages = 3
"""
OWN = '[system]\nname = "Own"\ndescription = "D."\nbased_on = "base"\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("base.toml").write_text(BASE)
    return Path()


def load(text: str, name: str = "own"):
    Path(f"{name}.toml").write_text(text)
    return load_submission(Path(f"{name}.toml")).document


def errors_of(text: str, name: str = "own") -> list[str]:
    with pytest.raises(SubmissionErrors) as caught:
        load(text, name)
    return [str(error) for error in caught.value.errors]


def test_an_ablation_says_only_what_differs(folder):
    own = load(OWN + "[program]\npassages = 5\n")
    assert own.program.passages == 5
    assert (own.lm.model, own.lm.temperature, own.retriever.k1) == ("embedded/m", 0.5, 1.2)
    assert (own.system.authors, own.system.benchmarks) == (("B",), ("frames",))
    assert own.system.paper == "https://arxiv.org/abs/2409.12941"


def test_an_inherited_paper_can_be_none(folder):
    assert load(OWN.replace("[system]", '[system]\npaper = ""')).system.paper == ""


def test_name_description_and_withdrawal_belong_to_one_system(folder):
    assert load(OWN).system.withdrawn is None
    assert errors_of('[system]\nbased_on = "base"\n') == [
        "own.toml:1:1: system.description: expected one line of 1 to 500 printable characters, "
        "no space around it, found nothing (one sentence: what the system does)",
        "own.toml:1:1: system.name: expected one line of 1 to 100 printable characters, "
        "no space around it, found nothing (the system's name as the board shows it)",
    ]


def test_chains_are_followed(folder):
    load(OWN + "[program]\npassages = 5\n", "middle")
    last = load(OWN.replace('"base"', '"middle"') + "[lm]\ntemperature = 1\n", "last")
    assert (last.program.passages, last.lm.temperature, last.retriever.k1) == (5, 1.0, 1.2)


def test_another_kind_inherits_no_parameters(folder):
    own = load(OWN + '[retriever]\nkind = "gold"\n[program]\nkind = "gold_context"\n')
    assert own.retriever.model_dump() == {"kind": "gold"}
    assert own.program.context_tokens == 3000


def test_whole_articles_inherit_no_chunk_length(folder):
    own = load(OWN + '[retriever]\nunit = "article"\n')
    assert (own.retriever.unit, own.retriever.k1, own.retriever.chunk_tokens) == ("article", 1.2, 256)


def test_kinds_that_do_not_fit_are_said_in_the_file_that_changed_one(folder):
    searching = one_of(kind for kind, entry in PROGRAMS.items() if "bm25" in entry.retrievers)
    assert errors_of(OWN + '[program]\nkind = "closed_book"\n') == [
        f'own.toml:6:8: program.kind: expected {searching} with the retriever "bm25", found "closed_book"'
    ]
    assert errors_of(OWN + '[retriever]\nkind = "none"\n') == [
        'own.toml:6:8: retriever.kind: expected one of "bm25", "dense", "hybrid" with the program "single_step", '
        'found "none"'
    ]


def test_an_inherited_error_stands_where_it_was_made(folder):
    Path("base.toml").write_text(BASE.replace("k1 = 1.2", "k1 = 99"))
    said = "base.toml:13:6: retriever.k1: expected a number above 0 and at most 10, found 99"
    assert errors_of(OWN) == [said]
    assert [str(error) for error in load_folder(folder).errors] == [said]
    assert load(OWN + "[retriever]\nk1 = 1\n").retriever.k1 == 1.0


def test_a_base_that_cannot_be_read_says_why(folder):
    Path("base.toml").write_text("x")
    assert errors_of(OWN) == [
        "base.toml:1:2: expected valid TOML, found the end of the file (expected '=' after a key in a key/value pair)"
    ]


def test_a_missing_base_is_one_error_among_the_others(folder):
    assert errors_of(OWN.replace('"base"', '"bass"') + "[lm]\ntemperature = 3\n") == [
        'own.toml:4:12: system.based_on: expected a submission in this folder, found "bass" '
        '(did you mean "base"?)',
        "own.toml:6:15: lm.temperature: expected a number from 0 to 2, found 3",
    ]


def test_a_base_that_misses_its_own_base_is_told_apart(folder):
    load_text = BASE.replace("[lm]", 'based_on = "gone"\n[lm]')
    Path("base.toml").write_text(load_text)
    assert errors_of(OWN) == [
        'base.toml:8:12: system.based_on: expected a submission in this folder, found "gone"'
    ]


@pytest.mark.parametrize(
    "path", ["../base", "/etc/passwd", "./base", "base.toml", "sub/base", "base\\\\x", ".."]
)
def test_a_path_is_no_name_and_is_never_opened(folder, path):
    [error] = errors_of(OWN.replace('"base"', f'"{path}"'))
    assert error == (
        "own.toml:4:12: system.based_on: expected the name of a submission in this folder, without .toml: "
        f'2 to 63 of a-z, 0-9 and -, found "{path.replace(chr(92) * 2, chr(92))}"'
    )


@pytest.mark.parametrize("value", ["5", "[]", "{}", '"base\\n"'])
def test_a_base_is_named_by_its_text(folder, value):
    [error] = errors_of(OWN.replace('"base"', value))
    assert error.startswith("own.toml:4:12: system.based_on: expected the name of a submission")


def test_a_base_that_is_a_link_out_of_the_folder_is_refused(folder):
    Path("base.toml").unlink()
    Path("base.toml").symlink_to("/etc/passwd")
    assert errors_of(OWN) == ["base.toml:1:1: expected a file of this folder, found a link that leaves it"]


def test_circles_are_errors(folder):
    assert errors_of(OWN.replace('"base"', '"own"')) == [
        "own.toml:4:12: system.based_on: expected a submission that isn't based on this one, found own → own"
    ]
    Path("base.toml").write_text(BASE.replace("[lm]", 'based_on = "own"\n[lm]'))
    assert errors_of(OWN) == [
        "base.toml:8:12: system.based_on: expected a submission that isn't based on this one, "
        "found own → base → own"
    ]
