"""The sample's world is invented: a model without documents cannot know it."""

from pathlib import Path

import pytest

from leaderboard.benchmarks.registry import load_benchmark
from leaderboard.metrics.match import match
from leaderboard.metrics.normalise import normalise_match
from leaderboard.results.runs import runs_of
from leaderboard.results.tables import read_records

RESULTS = Path(__file__).parents[2] / "results"


@pytest.mark.parametrize("name", ["frames", "musique", "multihop_rag"])
def test_the_closed_book_embedded_model_gets_no_non_yes_no_question_right(name):
    complete = [run for run in runs_of(RESULTS, "sample", name, "closed-book") if run.run.complete]
    assert complete, f"no complete run of closed-book on {name} in {RESULTS}"
    records = {record.question: record for record in read_records(complete[0].table("records"))}
    # A coin gets half of the yes/no questions right. Null questions count: the model did not abstain on one.
    questions = [
        question
        for question in load_benchmark(name, "sample").questions
        if normalise_match(question.answer) not in ("yes", "no")
    ]
    assert len(questions) >= 6
    assert [records[q.id].question_digest for q in questions] == [q.digest for q in questions]
    right = [q.id for q in questions if match(records[q.id].raw_answer, q.golds, null_question=q.null)]
    assert right == []
