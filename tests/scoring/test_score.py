"""Scores of real runs of a scripted model: a row a question, the right value in each."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from leaderboard.models.providers import ProviderError
from leaderboard.plan import plan
from leaderboard.results.records import Outcome
from leaderboard.results.runs import RunError, RunFolder, write_run
from leaderboard.results.tables import read_records, write_records
from leaderboard.scoring import score
from leaderboard.scoring.declared import BY_KEY, METRICS
from leaderboard.scoring.score import score_cell
from tests import tiny
from tests.scripted import answer, said

ANSWERS = {tiny.LOCK: "Yes, it is.", tiny.KEYS: "Cleo Reed"}


def scored(home, answers=ANSWERS, key="mill", **tables):
    cell = tiny.run(home, tiny.submit(home, key, **(tables or tiny.READER)), answers=answers)
    found = score_cell(cell, home / "scores")
    assert found is not None
    return found


def planned(home, on=None):
    return plan([tiny.submit(home, "mill", **tiny.READER)], [on or tiny.benchmark()], home / "results")


def values(scores, metric):
    """Return a metric's values, None where there is none."""
    return [None if math.isnan(value) else value for value in scores.of(BY_KEY[metric]).tolist()]


def test_answers_are_scored_question_by_question(tmp_path):
    scores = scored(tmp_path)
    assert scores.scored.tolist() == [True] * 4
    assert values(scores, "match") == [1, 1, 1, 0]
    assert values(scores, "em") == [1, 0, 1, 0]
    assert values(scores, "f1") == [1, 0.5, 1, 0.5]
    assert values(scores, "contain") == [1, 1, None, 0]
    assert values(scores, "contain_token") == [1, 1, None, 0]
    assert values(scores, "abstained") == [0, 0, 1, 0]
    assert values(scores, "answer_tokens") == [1, 5, 3, 2]
    assert values(scores, "tokens") == [15, 15, 15, 15]
    assert values(scores, "seconds") == [0.5, 0.5, 0.5, 0.5]


def test_an_alias_is_as_good_as_the_answer(tmp_path):
    scores = scored(tmp_path, {tiny.KEYS: "Marsh"})
    assert [values(scores, metric)[3] for metric in ("match", "em", "f1", "contain")] == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("reply", "right", "abstained"),
    [
        (answer("I cannot determine this from the documents."), 1, 1),
        (answer("Ada"), 0, 0),
        (said("", "length"), 0, 1),
    ],
)
def test_a_null_question_is_right_by_an_explicit_abstention_alone(tmp_path, reply, right, abstained):
    scores = scored(tmp_path, {tiny.HARBOUR: said(reply) if isinstance(reply, str) else reply})
    assert [values(scores, metric)[2] for metric in ("match", "em", "f1")] == [right] * 3
    assert values(scores, "abstained")[2] == abstained
    assert values(scores, "contain")[2] is None


def test_an_abstention_from_an_answerable_question_is_wrong(tmp_path):
    scores = scored(tmp_path, {tiny.MILL: "I don't know."})
    assert (values(scores, "match")[0], values(scores, "abstained")[0]) == (0, 1)


def test_evidence_is_told_apart_by_what_came_back_and_what_stood_before_the_model(tmp_path):
    scores = scored(tmp_path)
    [record, *_] = read_records(scores.run.table("records"))
    # Both articles came back; the second was cut to the budget, and its last sentence, a gold fact, with it.
    assert [(shown.passage, shown.truncated) for shown in record.shown] == [("mill", False), ("plans", True)]
    assert values(scores, "evidence_recall") == [1, 1, None, 1]
    assert values(scores, "evidence_shown") == [0.5, 1, None, 1]
    assert values(scores, "evidence_complete") == [0, 1, None, 1]
    assert values(scores, "retrieved_tokens")[0] == 50


def test_gold_context_shows_all_evidence_and_nothing_for_a_null_question(tmp_path):
    scores = scored(tmp_path, **tiny.GOLD)
    for metric in ("evidence_recall", "evidence_shown", "evidence_complete"):
        assert values(scores, metric) == [1, 1, None, 1]
    assert values(scores, "retrieved_tokens")[2] == 0


def test_evidence_says_nothing_about_a_system_that_never_retrieves(tmp_path):
    scores = scored(tmp_path, **tiny.CLOSED_BOOK)
    for metric in ("evidence_recall", "evidence_shown", "evidence_complete", "retrieved_tokens"):
        assert values(scores, metric) == [None] * 4
        assert not scores.knows(BY_KEY[metric])
    assert values(scores, "match") == [1, 1, 1, 0]


def test_a_question_that_got_no_result_of_the_systems_own_has_no_score_at_all(tmp_path):
    scores = scored(tmp_path, {**ANSWERS, tiny.LOCK: ProviderError("gone")})
    assert scores.scored.tolist() == [True, False, True, True]
    assert {metric.key: values(scores, metric.key)[1] for metric in METRICS} == dict.fromkeys(
        (metric.key for metric in METRICS), None
    )
    assert values(scores, "match") == [1, None, 1, 0]


def test_a_truncated_answer_is_the_systems_doing_and_wrong(tmp_path):
    scores = scored(tmp_path, {tiny.MILL: said("", "length")})
    [record, *_] = read_records(scores.run.table("records"))
    assert record.outcome is Outcome.TRUNCATED
    assert (scores.scored[0], values(scores, "match")[0]) == (True, 0)


def test_tokens_are_unknown_where_the_endpoint_does_not_tell(tmp_path):
    scores = scored(tmp_path, {tiny.MILL: said(answer("Ada"), completion_tokens=None)})
    assert values(scores, "tokens") == [None, 15, 15, 15]


def test_a_cell_without_a_run_has_no_scores(tmp_path):
    [cell] = planned(tmp_path)
    assert score_cell(cell, tmp_path / "scores") is None
    assert not (tmp_path / "scores").exists()


# The kept scores


def kept(home):
    return sorted(path.name for path in (home / "scores").rglob("*") if path.is_file())


def test_scores_are_kept_and_not_computed_again(tmp_path, monkeypatch):
    first = scored(tmp_path)
    monkeypatch.setattr(score, "read_records", None)
    again = score_cell(first.cell, tmp_path / "scores")
    assert again is not None
    assert list(again.repeats) == list(first.repeats)
    for key, repeats in first.repeats.items():
        np.testing.assert_array_equal(again.repeats[key], repeats)
    assert again.scored.tolist() == first.scored.tolist()
    assert len(kept(tmp_path)) == 1


@pytest.mark.parametrize("table", ["records", "calls", "retrievals"])
def test_a_run_that_was_damaged_after_it_was_scored_is_refused(tmp_path, table):
    first = scored(tmp_path)
    path = first.run.path / f"{table}.parquet"
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(RunError, match=f"{table}.parquet: sha256"):
        score_cell(first.cell, tmp_path / "scores")
    path.unlink()
    with pytest.raises(RunError, match=f"{table}.parquet: missing"):
        score_cell(first.cell, tmp_path / "scores")


def test_scores_are_computed_again_when_the_revision_was_raised(tmp_path, monkeypatch):
    first = scored(tmp_path)
    before = kept(tmp_path)
    monkeypatch.setattr(score, "REVISION", score.REVISION + 1)
    score_cell(first.cell, tmp_path / "scores")
    after = kept(tmp_path)
    assert len(after) == 1
    assert after != before
    (first.run.path / "records.parquet").unlink()
    monkeypatch.setattr(score, "REVISION", score.REVISION + 1)
    with pytest.raises(RunError, match=r"records\.parquet: missing"):
        score_cell(first.cell, tmp_path / "scores")


def test_scores_are_computed_again_when_there_are_other_records(tmp_path):
    assert values(scored(tmp_path), "match") == [1, 1, 1, 0]
    # Another request, since the answers to the same ones are replayed from the run before.
    newer = scored(tmp_path, {tiny.MILL: "Bo"}, lm={"max_tokens": 65}, **tiny.READER)
    assert values(newer, "match") == [0, 1, 1, 1]
    assert len(kept(tmp_path)) == 1


def test_kept_scores_that_are_damaged_or_lack_a_metric_are_computed_again(tmp_path):
    first = scored(tmp_path)
    [file] = (tmp_path / "scores").rglob("*.parquet")
    frame = pl.read_parquet(file)
    file.write_bytes(b"PAR1")
    assert values(score_cell(first.cell, tmp_path / "scores"), "match") == [1, 1, 1, 0]
    for other in (
        frame.drop("f1").with_columns(match=pl.lit(0.0)),
        frame.drop("scored"),
        frame.head(3),
        frame.with_columns(match=pl.lit("0")),
        frame.with_columns(scored=pl.lit(None, dtype=pl.Boolean)),
    ):
        other.write_parquet(file)
        assert values(score_cell(first.cell, tmp_path / "scores"), "match") == [1, 1, 1, 0]


# Records of other questions


def with_run(scores, **changes):
    """Return the cell with a run whose run.json was changed."""
    path = scores.run.path
    run = scores.run.run.model_copy(update=changes)
    write_run(path, run)
    return replace(scores.cell, runs=(RunFolder(path, run),))


def with_records(scores, change, **changes):
    """Return the cell with a run whose records were changed, and named and counted anew in its run.json."""
    path = scores.run.path / "records.parquet"
    records = change(list(read_records(path)))
    tables = {**scores.run.run.tables, "records": write_records(path, records)}
    counts = Counter(record.outcome for record in records)
    return with_run(scores, **{"questions": len(records), "outcomes": counts, "tables": tables, **changes})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda records: records[:-1], "has no record of question q4"),
        (
            lambda records: [*records, replace(records[0], question="q5")],
            "has records of 1 questions that multihop_rag label does not have, such as q5",
        ),
        (
            lambda records: [replace(records[0], question_digest="0" * 64), *records[1:]],
            "was made with another wording or gold of question q1",
        ),
        (lambda records: [*records, records[0]], "has 2 records of question q1"),
    ],
)
def test_records_of_other_questions_are_refused_with_what_to_do(tmp_path, change, said):
    cell = with_records(scored(tmp_path), change)
    with pytest.raises(
        RunError, match=rf"{said}.*; run the cell again \(leaderboard build --refresh --only mill\)"
    ):
        score_cell(cell, tmp_path / "scores")


def test_a_run_made_on_another_wording_is_not_scored(tmp_path):
    scored(tmp_path)
    first, *others = tiny.QUESTIONS
    [cell] = planned(tmp_path, tiny.benchmark(questions=(replace(first, answer="Bo"), *others)))
    assert score_cell(cell, tmp_path / "scores") is None


def test_records_in_another_order_are_put_in_the_order_of_the_questions(tmp_path):
    cell = with_records(scored(tmp_path), lambda records: records[::-1])
    assert values(score_cell(cell, tmp_path / "scores"), "match") == [1, 1, 1, 0]


# What run.json tells of the records


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"outcomes": {Outcome.ANSWERED: 3, Outcome.FAILED: 1}},
            r"answered: 3 told, 4 in the records; failed: 1 told, 0 in the records",
        ),
        ({"outcomes": {Outcome.ANSWERED: 4, Outcome.LIMIT: 1}}, "limit: 1 told, 0 in the records"),
        ({"outcomes": {}}, "answered: 0 told, 4 in the records"),
        ({"outcomes": {Outcome.ANSWERED: 2**40}}, f"answered: {2**40} told, 4 in the records"),
        ({"questions": 3}, "questions times repeats: 3 told, 4 in the records"),
    ],
)
@pytest.mark.parametrize("kept", [False, True])
def test_a_run_json_that_counts_other_outcomes_than_the_records_have_is_refused(
    tmp_path, changes, said, kept
):
    cell = with_run(scored(tmp_path), **changes)
    with pytest.raises(
        RunError, match=rf"run\.json: not what the records say \(.*{said}.*\); restore .*, or remove"
    ):
        score_cell(cell, tmp_path / ("scores" if kept else "new"))


def test_a_failure_in_the_records_that_run_json_hides_is_refused(tmp_path):
    scores = scored(tmp_path, {tiny.LOCK: ProviderError("gone")})
    cell = with_run(scores, outcomes={Outcome.ANSWERED: 4})
    assert cell.state == "complete"
    with pytest.raises(RunError, match="failed: 0 told, 1 in the records"):
        score_cell(cell, tmp_path / "scores")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"repeat": 1}, "of run '.*', repeat 1, expected this folder's run, repeats 0 to 0"),
        ({"run": "20260101T000000Z-00000000"}, "question q1 is of run '20260101T000000Z-00000000'"),
    ],
)
def test_records_of_another_run_or_repeat_are_refused(tmp_path, changes, said):
    cell = with_records(scored(tmp_path), lambda records: [replace(records[0], **changes), *records[1:]])
    with pytest.raises(RunError, match=rf"records\.parquet: .*{said}"):
        score_cell(cell, tmp_path / "scores")


def finding(record, index):
    """Return the record with its first passage holding another gold item."""
    first, *others = record.returned
    return replace(record, returned=(replace(first, evidence=(index,)), *others))


@pytest.mark.parametrize("index", [2, 10**6])
def test_a_record_that_found_evidence_which_its_question_does_not_have_is_refused(tmp_path, index):
    cell = with_records(scored(tmp_path), lambda records: [finding(records[0], index), *records[1:]])
    with pytest.raises(
        RunError,
        match=rf"records\.parquet: question q1 names gold item {index}, counted from 0, of 2; restore",
    ):
        score_cell(cell, tmp_path / "scores")


def test_a_run_without_records_is_refused_with_what_to_do(tmp_path):
    cell = with_run(scored(tmp_path), tables={})
    with pytest.raises(RunError, match=r"run\.json: names no table 'records'; .*remove its folder"):
        score_cell(cell, tmp_path / "scores")
