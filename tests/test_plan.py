"""Cells: what identifies them, and what state they are in."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.benchmarks.registry import load_benchmark
from leaderboard.catalog import programs, rerankers
from leaderboard.catalog.encoders import BUILT_IN, Encoder
from leaderboard.files import sha256_bytes
from leaderboard.plan import Cell, encoder_of, fingerprint_parts, plan, submission_json
from leaderboard.submissions.compilation import StateErrors
from leaderboard.submissions.load import Submission, load_submission
from tests import tiny
from tests.results.examples import folder

ROOT = Path(__file__).parents[1]
OLD, NEW = "20260101T000000Z-ffffffff", "20260102T000000Z-ffffffff"
RECORDED_BEFORE_ENCODERS = (
    "bm25-2-articles",
    "bm25-4-articles",
    "bm25-top3-passages",
    "bm25-top5-passages",
    "closed-book",
    "gold-context",
)
"""Systems whose runs were recorded before there were encoders, rerankers and systems without a model."""
MINE = Encoder("mine", "model2vec", "c" * 64, folder="models/mine")


def cell(home, on=None, key="mill", **tables) -> Cell:
    [found] = plan([tiny.submit(home, key, **tables)], [on or tiny.benchmark("frames")], home / "results")
    return found


def retriever_only(folder: Path, **retriever) -> Submission:
    """Write a system that asks no model and load it."""
    lines = [
        "[system]\nname = 'Only'\nauthors = ['A']\ndescription = 'Tiny.'\n[program]\nkind = 'retrieval_only'\n[retriever]",
        *(f"{field} = {json.dumps(value)}" for field, value in retriever.items()),
    ]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "only.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    return load_submission(path)


def test_a_submission_counts_with_what_differs_from_the_defaults(tmp_path):
    assert submission_json(tiny.submit(tmp_path, "mill", **tiny.READER)) == (
        '{"limits":{},"lm":{"max_tokens":64,"model":"embedded/tiny"},'
        '"program":{"context_tokens":50,"kind":"single_step","passages":2},'
        '"retriever":{"kind":"bm25","unit":"article"}}'
    )


@pytest.mark.parametrize(
    "written",
    [
        {"lm": {"temperature": 0.0}},
        {"lm": {"temperature": 0}},
        {"retriever": {"kind": "bm25", "unit": "article", "k1": 0.9, "b": 0.4}},
        {"program": {"kind": "single_step", "passages": 2, "context_tokens": 50}},
        {"limits": {}},
    ],
)
def test_a_field_written_with_its_default_changes_nothing(tmp_path, written):
    without = cell(tmp_path / "a", **tiny.READER)
    assert cell(tmp_path / "b", **{**tiny.READER, **written}).fingerprint == without.fingerprint


@pytest.mark.parametrize(
    "changed",
    [
        {"lm": {"temperature": 0.5}},
        {"lm": {"model": "embedded/other"}},
        {"lm": {"max_tokens": 65}},
        {"lm": {"top_p": 0.9}},
        {"retriever": {"kind": "bm25", "unit": "article", "k1": 1.2}},
        {"retriever": {"kind": "bm25", "unit": "article", "b": 0.75}},
        {"retriever": {"kind": "bm25"}},
        {"program": {"kind": "single_step", "passages": 3, "context_tokens": 50}},
        {"limits": {"calls_per_question": 3}},
    ],
)
def test_a_changed_parameter_changes_the_submissions_part_and_the_fingerprint(tmp_path, changed):
    before, after = cell(tmp_path / "a", **tiny.READER), cell(tmp_path / "b", **{**tiny.READER, **changed})
    assert after.fingerprint != before.fingerprint
    assert {name for name in before.parts if before.parts[name] != after.parts[name]} == {"submission"}


@pytest.mark.parametrize(
    "system",
    [
        {"name": "Another name"},
        {"authors": ["B", "C"]},
        {"description": "Another sentence."},
        {"paper": "https://arxiv.org/abs/2409.12941"},
        {"withdrawn": "The index held the questions."},
        {"benchmarks": ["frames"]},
    ],
)
def test_who_made_it_and_what_is_said_of_it_are_no_part(tmp_path, system):
    assert cell(tmp_path / "b", system=system).fingerprint == cell(tmp_path / "a").fingerprint


def test_the_spending_limit_and_the_systems_key_are_no_part(tmp_path):
    limited = cell(tmp_path / "b", key="other", limits={"usd_total": 1.0})
    assert limited.fingerprint == cell(tmp_path / "a").fingerprint


@pytest.mark.parametrize(
    "change",
    [
        {"text": "Who?"},
        {"answer": "Bo"},
        {"aliases": ("Ada L.",)},
        {"evidence": ()},
        {"null": True},
        {"id": "q9"},
    ],
)
def test_another_wording_gold_or_evidence_of_a_question_is_another_fingerprint(tmp_path, change):
    first, *others = tiny.QUESTIONS
    changed = tiny.benchmark("frames", questions=(replace(first, **change), *others))
    before, after = cell(tmp_path), cell(tmp_path, changed)
    assert {name for name in before.parts if before.parts[name] != after.parts[name]} == {"questions"}
    assert after.fingerprint != before.fingerprint


def test_how_a_page_groups_the_questions_is_no_part(tmp_path):
    regrouped = tuple(replace(question, groups={}) for question in tiny.QUESTIONS)
    after = cell(tmp_path, tiny.benchmark("frames", questions=regrouped, breakdowns=(), label="Other"))
    assert after.fingerprint == cell(tmp_path).fingerprint


def test_the_corpus_is_a_part_for_who_searches_it_alone(tmp_path):
    smaller = tiny.benchmark("frames", documents=tiny.DOCUMENTS[:2])
    for tables, differs in ((tiny.READER, True), (tiny.GOLD, True), (tiny.CLOSED_BOOK, False)):
        before, after = cell(tmp_path, **tables), cell(tmp_path, smaller, **tables)
        assert (before.fingerprint != after.fingerprint) is differs


def test_the_parts_are_named(tmp_path):
    always = {"submission", "questions", "program", "retriever", "adapter", "dspy"}
    parts = {
        kind: set(cell(tmp_path, **tables).parts)
        for kind, tables in (("none", tiny.CLOSED_BOOK), ("gold", tiny.GOLD), ("bm25", tiny.READER))
    }
    assert parts == {
        "none": always,
        "gold": always | {"corpus"},
        "bm25": always | {"corpus", "bm25s", "PyStemmer"},
    }


def test_a_raised_revision_of_the_program_changes_its_part(tmp_path, monkeypatch):
    submission = tiny.submit(tmp_path, "mill")
    before = fingerprint_parts(submission, tiny.benchmark())
    entry = programs.PROGRAMS["closed_book"]
    raised = replace(entry, revision=entry.revision + 1)
    monkeypatch.setitem(programs.PROGRAMS, "closed_book", raised)  # type: ignore[arg-type]
    after = fingerprint_parts(submission, tiny.benchmark())
    assert {name for name in before if before[name] != after[name]} == {"program"}
    assert after["program"] == f"closed_book/{entry.revision + 1}"


def test_the_fingerprint_is_the_digest_of_the_parts_in_any_order(tmp_path):
    found = cell(tmp_path)
    turned = replace(found, parts=dict(reversed(found.parts.items())))
    assert turned.fingerprint == found.fingerprint
    assert len(found.fingerprint) == 64


def test_cells_come_by_system_and_in_the_boards_order_of_benchmarks(tmp_path):
    both = [tiny.benchmark("musique"), tiny.benchmark("frames")]
    systems = [
        tiny.submit(tmp_path, "zebra", system={"benchmarks": ["frames"]}),
        tiny.submit(tmp_path, "ant"),
    ]
    found = plan(systems, both, tmp_path / "results")
    assert [(c.system, c.benchmark.name) for c in found] == [
        ("ant", "musique"),
        ("ant", "frames"),
        ("zebra", "frames"),
    ]


def test_a_cell_without_a_run_is_not_run(tmp_path):
    found = cell(tmp_path)
    assert (found.state, found.shown, found.stale_parts) == ("not run", None, ())


def test_a_cell_is_complete_or_incomplete_as_the_run_it_shows(tmp_path):
    now = dict(cell(tmp_path).parts)
    folder(tmp_path / "results", OLD, parts=now, outcomes={"answered": 1, "failed": 1})
    assert cell(tmp_path).state == "incomplete"
    folder(tmp_path / "results", NEW, parts=now)
    assert cell(tmp_path).state == "complete"
    folder(tmp_path / "results", "20260103T000000Z-ffffffff", parts=now, outcomes={"unpaid": 2})
    found = cell(tmp_path)
    assert found.state == "complete"
    assert found.shown is not None
    assert found.shown.path.name[:16] == NEW[:16]


def test_a_run_on_other_questions_is_no_run_of_this_cell(tmp_path):
    folder(tmp_path / "results", OLD, parts={**cell(tmp_path).parts, "questions": "0" * 64})
    found = cell(tmp_path)
    assert (found.state, found.shown, len(found.runs)) == ("not run", None, 1)


def test_a_withdrawn_system_is_withdrawn_whatever_runs_it_has(tmp_path):
    folder(tmp_path / "results", OLD)
    assert cell(tmp_path, system={"withdrawn": "A mistake."}).state == "withdrawn"


def test_a_system_that_retrieves_does_not_apply_where_there_is_no_corpus(tmp_path):
    bare = tiny.benchmark("frames", documents=())
    found = cell(tmp_path, bare, **tiny.READER)
    assert found.state == "not applicable"
    assert found.inapplicable == "frames label has no corpus here, and the system retrieves"
    assert cell(tmp_path, bare).state == "not run"


def test_the_parts_in_which_the_shown_run_differs_are_named(tmp_path):
    now = dict(cell(tmp_path).parts)
    folder(tmp_path / "results", OLD, parts=now)
    assert cell(tmp_path).stale_parts == ()
    recorded = {**now, "dspy": "0.1", "tokenizer": "1"}
    del recorded["adapter"]
    folder(tmp_path / "results", NEW, parts=recorded)
    stale = cell(tmp_path)
    assert stale.stale_parts == ("adapter", "dspy", "tokenizer")
    assert stale.state == "complete"


def test_a_system_that_asks_no_model_counts_without_one(tmp_path):
    submission = retriever_only(tmp_path, kind="bm25", chunk_tokens=64, overlap_tokens=0, stemmer="english")
    assert submission_json(submission) == (
        '{"limits":{},"program":{"kind":"retrieval_only"},"retriever":{"chunk_tokens":64,"kind":"bm25"}}'
    )


def test_a_reranker_counts_where_there_is_one(tmp_path):
    plain = tiny.submit(tmp_path / "a", "mill", **tiny.READER)
    none = tiny.submit(tmp_path / "b", "mill", reranker={"kind": "none"}, **tiny.READER)
    listwise = {"kind": "lm_listwise", "candidates": 10, "passage_tokens": 32}
    ranked = tiny.submit(tmp_path / "c", "mill", reranker=listwise, **tiny.READER)
    assert submission_json(none) == submission_json(plain)
    assert json.loads(submission_json(ranked))["reranker"] == {"kind": "lm_listwise", "passage_tokens": 32}
    parts = [fingerprint_parts(submission, tiny.benchmark()) for submission in (plain, none, ranked)]
    assert parts[0] == parts[1]
    assert set(parts[2]) - set(parts[0]) == {"reranker"}
    assert parts[2]["reranker"] == f"lm_listwise/{rerankers.RERANKERS['lm_listwise'].revision}"


LEXICAL, STATIC = {"bm25s", "PyStemmer"}, {"encoder", "model2vec", "tokenizers"}


@pytest.mark.parametrize(
    ("retriever", "named", "more"),
    [
        ({"kind": "bm25"}, None, LEXICAL),
        ({"kind": "dense"}, BUILT_IN["wordllama-l2-256"], STATIC),
        ({"kind": "dense", "encoder": "mine"}, MINE, STATIC),
        ({"kind": "hybrid"}, BUILT_IN["wordllama-l2-256"], LEXICAL | STATIC),
        ({"kind": "hybrid", "encoder": "mine"}, MINE, LEXICAL | STATIC),
    ],
)
def test_a_retriever_alone_has_the_parts_that_decide_what_it_finds(tmp_path, retriever, named, more):
    """Neither adapter nor dspy: no model is asked."""
    encoders = {**BUILT_IN, "mine": MINE}
    submission = retriever_only(tmp_path, **retriever)
    assert encoder_of(submission, encoders) == named
    [found] = plan([submission], [tiny.benchmark("frames")], tmp_path / "results", encoders)
    assert set(found.parts) == {"submission", "questions", "program", "retriever", "corpus", *more}
    assert found.parts.get("encoder") == (named.sha256 if named else None)
    assert found.encoder == named
    assert (found.state, found.program.asks_model) == ("not run", False)


def test_another_model_under_an_encoders_name_is_another_fingerprint_and_another_place_is_none(tmp_path):
    submission = retriever_only(tmp_path, kind="dense", encoder="mine")

    def parts(encoder: Encoder) -> dict[str, str]:
        return fingerprint_parts(submission, tiny.benchmark(), encoder)

    other = parts(replace(MINE, sha256="d" * 64))
    assert {name for name in other if other[name] != parts(MINE)[name]} == {"encoder"}
    hub = replace(MINE, folder="", hub="a/b", revision="e" * 40)
    assert parts(hub) == parts(MINE)


def test_a_retriever_alone_does_not_apply_where_there_is_no_corpus(tmp_path):
    submission = retriever_only(tmp_path, kind="bm25")
    [found] = plan([submission], [tiny.benchmark("frames", documents=())], tmp_path / "results")
    assert found.state == "not applicable"


def test_a_system_that_is_not_compiled_yet_does_not_apply(tmp_path):
    declared = {"compile": {"optimizer": "bootstrap_few_shot"}}
    waiting = cell(tmp_path, **declared)
    path = (tmp_path / "mill.toml").as_posix()
    assert (waiting.state, waiting.inapplicable) == (
        "not applicable",
        f"not compiled yet: leaderboard compile {path}",
    )
    (tmp_path / "mill.state.json").write_text("{}\n")
    assert cell(tmp_path, **declared).state == "not run"


def test_of_a_compiled_system_the_state_counts_and_not_how_it_was_made(tmp_path):
    plain = cell(tmp_path / "plain")
    made = []
    for optimizer, state in (("copro", "{}\n"), ("simba", "{}\n"), ("simba", "[]\n")):
        (tmp_path / "mill.state.json").write_text(state)
        made.append(cell(tmp_path, compile={"optimizer": optimizer, "seed": len(made)}))
    assert made[0].parts == {**plain.parts, "state": sha256_bytes(b"{}\n")}
    assert made[1].fingerprint == made[0].fingerprint != made[2].fingerprint
    (tmp_path / "plain" / "mill.state.json").write_text(
        "{}\n"
    )  # no [compile]: check refuses it, no cell reads it
    assert cell(tmp_path / "plain").parts == plain.parts


def test_a_state_that_is_a_link_is_not_followed(tmp_path):
    (tmp_path / "mill.state.json").symlink_to("/dev/zero")
    with pytest.raises(StateErrors, match="expected a regular file, found a link"):
        cell(tmp_path, compile={"optimizer": "copro"})


@pytest.mark.parametrize("name", ["frames", "musique", "multihop_rag"])
def test_the_runs_recorded_before_are_as_they_would_be_recorded_now(name):
    """Encoders, rerankers, repeats and systems without a model changed no old fingerprint."""
    benchmark = load_benchmark(name, "sample")
    systems = [load_submission(ROOT / "submissions" / f"{key}.toml") for key in RECORDED_BEFORE_ENCODERS]
    cells = plan(systems, [benchmark], ROOT / "results")
    assert [(cell.system, cell.state, cell.stale_parts) for cell in cells] == [
        (key, "complete", ()) for key in RECORDED_BEFORE_ENCODERS
    ]
    assert [cell.fingerprint for cell in cells] == [cell.shown.run.fingerprint for cell in cells]
