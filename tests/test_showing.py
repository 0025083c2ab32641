"""A question as a system answered it, from a run that a scripted model answered: what is found, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from leaderboard.results.records import Outcome, Returned
from leaderboard.showing import ShowError, Trace, find_question, messages, read_trace
from tests import tiny
from tests.scripted import said


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    """A cell of a system that reads two articles; it answers q1 rightly and q4 wrongly."""
    home = tmp_path_factory.mktemp("reader")
    submission = tiny.submit(home / "submissions", "reader", **tiny.READER)
    return tiny.run(home, submission, answers={tiny.KEYS: "Nobody"})


def trace(cell, id: str) -> Trace:
    return read_trace(cell, cell.benchmark.by_id[id])


def test_a_trace_has_the_search_with_its_passages_the_answer_and_its_call(reader):
    read = trace(reader, "q1")
    step, cut = read.steps
    assert (step.name, step.notes) == ("search", {"round": 1, "query": tiny.MILL})
    assert (cut.name, cut.passages, cut.notes["passage"]) == ("context_truncated", (), "plans")
    assert [passage.rank for passage in step.passages] == [1, 2]
    assert step.passages == read.record.returned
    assert (read.record.final_answer, read.matches) == ("Ada", True)
    [call] = read.calls
    assert (read.tokens, call.latency_s) == (15, 0.5)
    sent = messages(call)
    assert [message["role"] for message in sent] == ["system", "user"]
    assert tiny.MILL in sent[1]["content"]
    assert trace(reader, "q4").matches is False


def test_gold_that_was_found_shown_and_missing_are_told_apart(reader):
    read = trace(reader, "q1")
    # Both articles are found; of the second one only the beginning fits, and its fact stands at the end.
    assert [(item.evidence.document, item.found, item.shown) for item in read.gold] == [
        ("mill", True, True),
        ("plans", True, False),
    ]
    assert read.evidence_complete is False
    lone = replace(read, record=replace(read.record, returned=(), shown=()))
    assert [(item.found, item.shown) for item in lone.gold] == [(False, False)] * 2
    assert trace(reader, "q2").evidence_complete is True
    assert trace(reader, "q3").evidence_complete is None, "nothing is needed"


def test_what_is_not_the_systems_own_doing_is_neither_right_nor_wrong(reader):
    read = trace(reader, "q1")
    failed = replace(read, record=replace(read.record, outcome=Outcome.FAILED))
    assert failed.matches is None
    assert replace(read, asks_model=False).matches is None


def test_a_system_that_only_searches_is_complete_when_all_is_found(reader):
    read = trace(reader, "q1")
    assert (read.evidence_complete, replace(read, asks_model=False).evidence_complete) == (False, True)
    assert replace(read, retrieves=False).evidence_complete is None


def passage(id: str, query: str = "q") -> Returned:
    return Returned(id, id.upper(), query, 1, 1, 1.0, ())


def test_passages_stand_with_the_step_that_brought_them_and_none_is_lost(reader):
    record = replace(
        trace(reader, "q1").record,
        returned=(passage("a"), passage("b"), passage("a"), passage("late")),
        trace=(
            {"step": "plan", "text": "first this"},
            {"step": "search", "query": "q", "round": 1, "passages": ["a", "b"]},
            {"step": "rerank", "passages": ["a"]},
            {"step": "search", "query": "q", "round": 2, "passages": ["a"]},
            {"step": "search", "query": "empty", "round": 2, "passages": []},
            {"step": "search", "query": "forged", "round": 3, "passages": ["elsewhere"]},
            {"passages": 7},
        ),
    )
    steps = replace(trace(reader, "q1"), record=record).steps
    assert [(step.name, [one.passage for one in step.passages]) for step in steps] == [
        ("plan", []),
        ("search", ["a", "b"]),
        ("rerank", []),
        ("search", ["a"]),
        ("search", []),
        ("search", []),
        ("step", []),
        ("returned", ["late"]),
    ]
    assert steps[2].notes == {"passages": ["a"]}, "only searches bring passages"
    assert steps[5].notes["passages"] == ["elsewhere"]


def test_the_json_holds_everything_and_prompts_only_on_request(reader):
    read = trace(reader, "q1")
    plain = json.loads(json.dumps(read.as_json(), allow_nan=False))
    assert (plain["system"], plain["question"]["id"], plain["match"]) == ("reader", "q1", True)
    assert plain["run"] == reader.shown.path.name
    assert [gold["shown"] for gold in plain["gold"]] == [True, False]
    assert plain["steps"][0]["passages"][0]["title"] == "The mill"
    assert "messages" not in plain["calls"][0]
    [call] = read.as_json(prompts=True)["calls"]
    assert call["messages"][1]["role"] == "user"
    assert call["response"].startswith("[[ ## answer ## ]]")


def test_a_call_that_the_run_does_not_hold_is_said_to_be_missing(reader):
    lost = replace(trace(reader, "q1"), calls=(None,))
    [call] = lost.as_json(prompts=True)["calls"]
    assert (call["recorded"], len(call["key"])) == (False, 64)


def test_a_question_is_named_by_id_place_or_the_beginning_of_an_id(reader):
    asked = replace(reader.benchmark, questions=(*reader.benchmark.questions[:2], *numbered("2hop__5", "10")))
    cell = replace(reader, benchmark=asked)

    def found(wanted):
        return find_question([cell], wanted)[1].id

    assert [found(wanted) for wanted in ("q2", "1", "2h", "10", "3")] == ["q2", "q2", "2hop__5", "10", "10"]


def numbered(*ids: str):
    return tuple(replace(tiny.QUESTIONS[0], id=id) for id in ids)


def test_a_name_that_fits_several_questions_or_none_is_answered_with_what_there_is(reader):
    with pytest.raises(ShowError, match="4 questions begin with 'q': q1, q2, q3, q4"):
        find_question([reader], "q")
    with pytest.raises(ShowError, match=r"no question is called 'Q1'; near it: .*q1"):
        find_question([reader], "Q1")
    with pytest.raises(
        ShowError, match=r"no question is called '99'; there are: multihop_rag \(4 questions, such as q1\)"
    ):
        find_question([reader], "99")
    with pytest.raises(ShowError, match="no question is called ''"):
        find_question([reader], "")
    with pytest.raises(ShowError) as long:
        find_question([reader], "x" * 10_000)
    assert len(str(long.value)) < 300


def test_a_question_of_several_benchmarks_asks_for_one(reader):
    other = replace(reader, benchmark=tiny.benchmark("frames"))
    with pytest.raises(ShowError, match="'q1' is in multihop_rag and frames: say which one with --benchmark"):
        find_question([reader, other], "q1")
    assert find_question([reader, other], "q1", "frames")[0].benchmark.name == "frames"


def test_a_cell_without_a_run_and_a_repeat_that_is_not_there_are_refused(reader):
    with pytest.raises(
        ShowError, match="not run; to run it: leaderboard run reader --benchmark multihop_rag"
    ):
        read_trace(replace(reader, runs=()), reader.benchmark.by_id["q1"])
    with pytest.raises(ShowError, match="has no repeat 1 of question q1; it has: 0"):
        read_trace(reader, reader.benchmark.by_id["q1"], repeat=1)
    with pytest.raises(ShowError, match="expected one record of question q9, found 0"):
        read_trace(reader, replace(reader.benchmark.by_id["q1"], id="q9"))
    with pytest.raises(ShowError, match="expected one record of question q1, found 0"):
        read_trace(reader, replace(reader.benchmark.by_id["q1"], text="Another wording?"))


def test_tokens_are_unknown_where_the_endpoint_does_not_tell(tmp_path):
    submission = tiny.submit(tmp_path / "submissions", "silent")
    untold = said("[[ ## answer ## ]]\nAda", prompt_tokens=None)
    cell = tiny.run(tmp_path, submission, answers={tiny.MILL: untold})
    assert trace(cell, "q1").tokens is None
