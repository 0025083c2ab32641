"""Errata are read as they stand or refused with their line, and apply to the very questions they were written for."""

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.benchmarks import errata
from leaderboard.benchmarks.errata import KINDS, ErrataError, errata_for, listed, wording_digest
from leaderboard.benchmarks.questions import Benchmark, Defect, Question
from leaderboard.benchmarks.registry import load_benchmark
from leaderboard.manifest import KEYS
from leaderboard.metrics.match import match
from tests import tiny
from tests.overlay import erratum, write

ROOT = Path(__file__).parents[2]
FILE = """
[[erratum]]
id = "q1"
digest = "0123456789ab"
kind = "dated"
exclude = true
reason = "It names no date."
source = "found by us"

[[erratum]]
id = "q2"
digest = "0123456789ab"
kind = "debris"
aliases = ["Sure", "Aye"]
reason = "Its gold has debris."
source = "found by us"
"""


def read(folder, text):
    (folder / "frames.toml").write_text(text, encoding="utf-8")
    return listed("frames", folder)


def applied(folder, *entries, on=None):
    on = on or full()
    write(folder, *entries, benchmark=on.name)
    return errata_for(on, folder)


def full(**changes):
    return tiny.benchmark("frames", **{"track": "full", **changes})


Q1, Q2, Q3, Q4 = tiny.QUESTIONS


def test_an_erratum_says_what_is_wrong_and_what_is_done_about_it(tmp_path):
    first, second = read(tmp_path, FILE)
    assert (first.kind, first.reason, first.source) == ("dated", "It names no date.", "found by us")
    assert (first.action, second.action) == ("excluded", "gold added: Sure; Aye")
    text = FILE.replace('aliases = ["Sure", "Aye"]', 'answer = "Sure"\naliases = ["Aye"]')
    assert read(tmp_path, text)[1].action == "gold replaced by: Sure; Aye"
    text = FILE.replace('"dated"\nexclude = true', '"duplicate"\nexclude = true\ntwin = "q2"')
    assert read(tmp_path, text)[0].action == "excluded; its twin q2 counts"


def test_a_benchmark_without_a_file_has_none(tmp_path):
    assert listed("frames", tmp_path) == ()
    assert not errata_for(full(), tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "line", "told"),
    [
        ('id = "q1"', 'id = "q 1"', 3, 'erratum[0].id: expected a question\'s id, without white space, found "q 1"'),
        ('id = "q1"', "id = 1", 3, "erratum[0].id: expected a question's id, without white space, found 1"),
        ('id = "q1"', 'id = "q2"', 11, 'erratum[1].id: expected each question once, found "q2" again'),
        ('"0123456789ab"\nkind = "dated"', '"0123456789AB"\nkind = "dated"', 4, "erratum[0].digest: expected 12 to 64 lower-case hex digits"),
        ('"0123456789ab"\nkind = "dated"', '"0123456789a"\nkind = "dated"', 4, "erratum[0].digest: expected 12 to 64"),
        ('kind = "dated"', 'kind = "datd"', 5, 'erratum[0].kind: expected one of "duplicate", "debris", "answer_in_prompt", "dated", "wrong", "ambiguous", found "datd" (did you mean "dated"?)'),
        ('kind = "dated"', 'kind = "duplicate"', 2, "erratum[0].twin: expected a twin of each duplicate, and of nothing else, found none"),
        ('kind = "dated"', 'kind = "dated"\ntwin = "q2"', 6, "erratum[0].twin: expected a twin of each duplicate, and of nothing else, found one of a dated"),
        ('kind = "dated"', 'kind = "duplicate"\ntwin = "q1"', 6, "erratum[0].twin: expected another question, found the same"),
        ("exclude = true", 'exclude = "yes"', 6, 'erratum[0].exclude: expected true or false, found "yes"'),
        ("exclude = true", "exclude = false", 6, "erratum[0].exclude: expected exclude = true, an answer or aliases, found none of them"),
        ("exclude = true", "", 2, "erratum[0].exclude: expected exclude = true, an answer or aliases, found none of them"),
        ("exclude = true", 'exclude = true\nanswer = "A"', 6, "erratum[0].exclude: expected either exclude = true or corrected golds, found both"),
        ("exclude = true", 'exclud = true', 6, 'erratum[0].exclud: expected one of'),
        ('aliases = ["Sure", "Aye"]', "aliases = []", 10, "erratum[1].exclude: expected exclude = true, an answer or aliases, found none of them"),
        ('aliases = ["Sure", "Aye"]', 'aliases = ["Sure", ""]', 14, "erratum[1].aliases[1]: expected one line"),
        ('aliases = ["Sure", "Aye"]', 'aliases = ["Sure", "A\\nB"]', 14, "erratum[1].aliases[1]: expected one line"),
        ('aliases = ["Sure", "Aye"]', "aliases = 5", 14, "erratum[1].aliases: expected an array of 0 to 20 items, found 5"),
        ('reason = "Its gold has debris."', "", 10, "erratum[1].reason: expected one line"),
        ('reason = "Its gold has debris."', 'reason = "\\u202egnorw"', 15, "erratum[1].reason: expected one line"),
        ("[[erratum]]\nid = \"q1\"", "[[erratum]]\nid = ", 3, "expected valid TOML"),
        ("[[erratum]]\nid = \"q1\"", "[[errata]]\nid = \"q1\"", 2, "errata: expected"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_refused_with_file_line_expected_and_found(tmp_path, old, new, line, told):
    assert FILE.count(old) == 1
    with pytest.raises(ErrataError) as caught:
        read(tmp_path, FILE.replace(old, new))
    lines = str(caught.value).splitlines()
    place = f"{(tmp_path / 'frames.toml').as_posix()}:{line}:"
    assert any(one.startswith(place) and told in one for one in lines), lines


def test_all_faults_of_a_file_come_at_once(tmp_path):
    with pytest.raises(ErrataError) as caught:
        read(tmp_path, FILE.replace('"0123456789ab"', '"x"'))
    assert len(str(caught.value).splitlines()) == 2


def test_what_is_no_text_no_file_or_has_nothing_in_it_is_refused(tmp_path):
    path = tmp_path / "frames.toml"
    for content, told in ((b"\xff\xfe", "UTF-8"), (b"a = " + b"[" * 1500, "TOML|levels"), (b"", "erratum")):
        path.write_bytes(content)
        with pytest.raises(ErrataError, match=told):
            listed("frames", tmp_path)
    path.unlink()
    path.mkdir()
    with pytest.raises(ErrataError, match="expected a regular file, found a folder"):
        listed("frames", tmp_path)
    path.rmdir()
    path.symlink_to("/etc/passwd")
    with pytest.raises(ErrataError, match="a link that leaves it"):
        listed("frames", tmp_path)


@given(st.text(max_size=60), st.sampled_from(["id", "digest", "kind", "answer", "reason", "twin"]))
def test_whatever_stands_in_a_field_is_taken_or_refused_in_print(tmp_path_factory, value, name):
    fields = {name: value, "exclude": None} if name == "answer" else {name: value}
    path = tmp_path_factory.mktemp("errata")
    try:
        [found] = read(path, erratum(Q1, **fields))
    except ErrataError as error:
        assert all(line.isprintable() for line in str(error).split("\n"))
    else:
        assert getattr(found, name) == value


def test_a_question_is_excluded_or_its_golds_are_replaced_or_added_to(tmp_path):
    found = applied(
        tmp_path,
        erratum(Q1),
        erratum(Q2, exclude=None, kind="debris", answer="Indeed", aliases=["Aye"]),
        erratum(Q4, exclude=None, kind="debris", aliases=["C. Marsh"]),
    )
    assert list(found.excluded) == ["q1"]
    assert found.corrected == {"q2": ("Indeed", "Aye"), "q4": ("Cleo Marsh", "Marsh", "C. Marsh")}
    assert [found.golds(question) for question in (Q3, Q4)] == [Q3.golds, ("Cleo Marsh", "Marsh", "C. Marsh")]
    assert found.kinds(excluded=True) == {"wrong": 1}
    assert found.kinds(excluded=False) == {"debris": 2}
    assert found.defects == ()


def test_errata_change_no_question_and_no_digest(tmp_path):
    on = full()
    before = on.questions_digest
    assert applied(tmp_path, erratum(Q1), on=on)
    assert (replace(on).questions_digest, on.questions) == (before, tiny.QUESTIONS)


def test_errata_of_the_published_data_never_apply_to_the_sample(tmp_path):
    assert not applied(tmp_path, erratum(Q1), on=tiny.benchmark("frames"))


@pytest.mark.parametrize(
    "changes",
    [{"text": "Who built it?"}, {"answer": "Ada Fenn"}, {"aliases": ("Ada L.",)}],
)
def test_an_erratum_of_another_wording_or_gold_is_a_defect_and_not_applied(tmp_path, changes):
    on = full(questions=(replace(Q1, **changes), Q2))
    found = applied(tmp_path, erratum(Q2), erratum(Q1), on=on)
    assert list(found.excluded) == ["q2"]
    problem = "the erratum of question q1 is of another wording or gold"
    assert found.defects == (Defect("errata/frames.toml", 2, problem, "not applied"),)


def test_the_place_of_the_evidence_in_the_corpus_is_no_part_of_the_digest(tmp_path):
    moved = replace(Q1, evidence=tuple(replace(item, document="") for item in Q1.evidence))
    assert moved.digest != Q1.digest
    assert list(applied(tmp_path, erratum(Q1), on=full(questions=(moved,))).excluded) == ["q1"]


def test_the_whole_digest_counts_where_it_is_given(tmp_path):
    whole = wording_digest(Q1)
    assert applied(tmp_path, erratum(Q1, digest=whole)).excluded
    other = whole[:-1] + ("0" if whole[-1] != "0" else "1")
    assert len(applied(tmp_path, erratum(Q1, digest=other)).defects) == 1


def test_a_question_beyond_the_limit_is_no_defect(tmp_path):
    found = applied(tmp_path, erratum(Q4), erratum(Q1), on=full(questions=(Q1, Q2)))
    assert (list(found.excluded), found.defects) == (["q1"], ())


def test_where_ids_are_places_in_a_file_a_part_of_the_file_is_recognised_by_digest(tmp_path):
    whole = [replace(question, id=str(place)) for place, question in enumerate(tiny.QUESTIONS)]
    part = (replace(whole[3], id="0"), replace(whole[1], id="1"))
    found = applied(tmp_path, erratum(whole[3]), erratum(whole[0]), on=full(questions=part))
    assert list(found.excluded) == ["0"]
    problem = "the erratum of question 0 is of another wording or gold"
    assert found.defects == (Defect("errata/frames.toml", 2, problem, "not applied"),)


def test_a_digest_that_two_questions_share_finds_neither(tmp_path):
    moved = erratum(replace(Q1, id="7"))
    once, twice = ((replace(Q1, id="0"), replace(second, id="1")) for second in (Q2, Q1))
    assert list(applied(tmp_path, moved, on=full(questions=once)).excluded) == ["0"]
    assert not applied(tmp_path, moved, on=full(questions=twice))


def test_a_duplicate_is_excluded_only_where_its_twin_is_loaded(tmp_path):
    twin = replace(Q1, id="twin")
    entry = erratum(twin, kind="duplicate", twin="q1")
    assert list(applied(tmp_path, entry, on=full(questions=(Q1, twin))).excluded) == ["twin"]
    alone = applied(tmp_path, entry, on=full(questions=(Q2, twin)))
    assert (bool(alone), alone.defects) == (False, ())


def test_golds_of_a_null_question_cannot_be_corrected_but_it_can_be_excluded(tmp_path):
    found = applied(tmp_path, erratum(Q3, exclude=None, answer="Ada"))
    assert not found and "null question" in found.defects[0].problem
    assert list(applied(tmp_path, erratum(Q3)).excluded) == ["q3"]


def test_the_digest_of_errata_follows_what_changes_a_score_and_nothing_else(tmp_path):
    base = applied(tmp_path, erratum(Q1)).digest
    assert applied(tmp_path, erratum(Q1, reason="Other words.", kind="dated")).digest == base
    others = [erratum(Q1, exclude=None, answer="A"), erratum(Q1, exclude=None, aliases=["A"]), erratum(Q2)]
    assert len({base, *(applied(tmp_path, other).digest for other in others)}) == 4


def test_the_package_takes_its_files_along():
    data = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "errata/*.toml" in data["tool"]["setuptools"]["package-data"]["leaderboard.benchmarks"]


@pytest.mark.parametrize("path", sorted(errata.FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_each_committed_file_is_of_a_benchmark_and_gives_short_reasons(path):
    assert path.stem in KEYS
    for entry in listed(path.stem):
        assert entry.kind in KINDS and entry.reason.endswith(".") and len(entry.reason) <= 160, entry.id


def test_the_same_errata_are_there_as_were_counted():
    """So that none gets lost: to add one is to count it here too."""
    counted = {name: (len(listed(name)), sum(entry.exclude for entry in listed(name))) for name in KEYS}
    assert counted == {
        "frames": (152, 29),
        "musique": (22, 6),
        "multihop_rag": (3, 0),
        "hotpotqa": (0, 0),
        "two_wiki": (0, 0),
    }


def real_benchmark(name: str, data: Path) -> Benchmark:
    """Return a published benchmark; of MuSiQue all questions, which one file holds without their paragraphs."""
    if name != "musique" or (data / name / "musique_ans_v1.0_dev.jsonl").exists():
        return load_benchmark(name, "full", data)
    lines = (data / name / "dev_questions_2417.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    questions = tuple(
        Question(row["id"], row["question"].strip(), row["answer"].strip(), tuple(row["answer_aliases"]), (), {})
        for row in rows
    )  # fmt: skip
    return Benchmark("musique", "MuSiQue", "full", questions, (), (), chunked=False)


@pytest.mark.parametrize("name", ["frames", "musique", "multihop_rag"])
def test_each_committed_erratum_is_of_a_question_of_the_published_file_and_changes_something(name, real_data):
    on = real_benchmark(name, real_data)
    found = errata_for(on)
    assert found.defects == ()
    assert found.applied == listed(name)
    for key, golds in found.corrected.items():
        published = on.by_id[key].golds
        assert set(published) < set(golds)  # published golds stay: none is replaced so far
        for gold in golds[len(published) :]:
            assert match(gold, golds, null_question=False), (key, gold)
            assert not match(gold, published, null_question=False), (key, gold)


def test_each_committed_duplicate_has_the_wording_and_gold_of_its_twin(real_data):
    on = real_benchmark("musique", real_data)
    order = [question.id for question in on.questions]
    twins = [(entry.id, entry.twin) for entry in listed("musique") if entry.twin is not None]
    assert len(twins) == 6
    for later, first in twins:
        one, other = on.by_id[first], on.by_id[later]
        assert (one.text.casefold(), one.golds) == (other.text.casefold(), other.golds)
        assert order.index(first) < order.index(later)


def test_a_gold_that_is_excluded_as_debris_does_not_even_match_itself(real_data):
    on = real_benchmark("frames", real_data)
    debris = [entry for entry in listed("frames") if entry.exclude and entry.kind == "debris"]
    assert [entry.id for entry in debris] == ["324", "335", "524", "601", "813"]
    for entry in debris:
        golds = on.by_id[entry.id].golds
        assert not match(golds[0], golds, null_question=False), entry.id
