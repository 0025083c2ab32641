"""A trace on a terminal: what stands there, that 80 columns hold it, and that no stranger's text acts."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from leaderboard.cli.traces import LONGEST_ANSWER, print_short, print_trace
from leaderboard.results.records import Returned, Shown
from leaderboard.showing import read_trace
from tests import tiny

HOSTILE = "\x1b]0;owned\x07\x1b[2J\rover\x08 \u202egnitset\u2066 [bold]markup[/] :smile: \x9b31m \x00"
SGR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    home = tmp_path_factory.mktemp("reader")
    cell = tiny.run(home, tiny.submit(home / "submissions", "reader", **tiny.READER))
    return read_trace(cell, cell.benchmark.by_id["q1"])


def printed(trace, *, terminal=False, width=80, short=False, prompts=False) -> str:
    out = io.StringIO()
    console = Console(
        file=out, width=width, force_terminal=terminal, color_system="standard" if terminal else None,
        markup=False, emoji=False, highlight=False,
    )  # fmt: skip
    if short:
        print_short(console, trace)
    else:
        print_trace(console, trace, prompts=prompts)
    return out.getvalue()


def lines(trace, **how) -> list[str]:
    return [line.rstrip() for line in printed(trace, **how).splitlines()]


def test_a_trace_shows_question_gold_answer_search_context_evidence_and_calls(read):
    told = lines(read)
    text = "\n".join(told)
    assert told[0].startswith("reader · multihop_rag label · question q1 · run 20")
    assert " question  Who built the mill?" in told
    assert "     gold  Ada" in told
    assert "   answer  Ada  match" in told
    assert re.search(r"  1  search  round 1  with the question\n +\* 1 +\d+\.\d{3} The mill\n", text)
    assert re.search(
        r"context  2 passages, 50 tokens, as the model saw them\n +\* 12 The mill\n +38 Plans  cut off", text
    )
    assert "evidence  shown   mill  “Ada built the mill.”" in text
    assert "found   plans  “Ada drew the plans.”" in text
    assert re.search(r"calls  [0-9a-f]{12} 10 \+ 5 tokens, 0.5 s, stop, 20\d\d-", text)
    assert "1 call, 15 tokens, 0.5 s" in text
    assert "[[ ## question ## ]]" not in text, "prompts only on request"


def test_prompts_show_every_message_and_the_response(read):
    text = printed(read, prompts=True)
    for heading in ("call 1: system", "call 1: user", "call 1: response"):
        assert heading in text
    assert "[[ ## question ## ]]" in text and "[1] The mill" in text
    assert text.index("call 1: user") < text.index("call 1: response") < text.index("[[ ## answer ## ]]\nAda")


def test_a_wrong_answer_an_error_and_an_outcome_are_told(read):
    record = replace(
        read.record,
        outcome=read.record.outcome.__class__.FAILED,
        final_answer="",
        raw_answer="",
        error="endpoint 'x': gone",
    )
    text = "\n".join(lines(replace(read, record=record)))
    assert "answer  (empty)  not scored" in text
    assert "outcome  failed" in text
    assert "error  endpoint 'x': gone" in text
    wrong = replace(read, record=replace(read.record, final_answer="Bo", raw_answer="Bo\nbecause"))
    text = "\n".join(lines(wrong))
    assert "answer  Bo  no match" in text
    assert "raw  Bo\n           because" in text


def test_a_step_that_no_one_knows_yet_is_shown_with_its_notes(read):
    steps = (
        {"step": "skill_route", "skill": "rewrite", "round": 2, "scores": {"a": 0.5}, "why": "x\ny"},
        {"step": "search", "query": "nothing like it", "round": 2, "passages": []},
    )
    text = "\n".join(lines(replace(read, record=replace(read.record, returned=(), trace=steps))))
    assert "1  skill_route  round 2\n           skill: rewrite\n" in text
    assert 'scores: {"a": 0.5}' in text and "why: x y" in text
    assert "2  search  round 2\n           “nothing like it”\n           nothing found" in text


GATE = {
    "step": "gate",
    "round": 1,
    "gate": "after_retrieval",
    "answer": "Ada",
    "features": {"abstained": 0.0, "supported": 2 / 3},
    "probability": 0.61803,
    "threshold": 0.5,
    "accepted": True,
}


def test_a_gate_is_told_with_what_it_saw_and_decided(read):
    def told(**changed):
        trace = ({**GATE, **changed},)
        return "\n".join(lines(replace(read, record=replace(read.record, returned=(), trace=trace))))

    indent = " " * 11
    assert (
        "1  gate  round 1\n"
        f"{indent}probability 0.618, threshold 0.5: accepted\n"
        f"{indent}abstained 0.000, supported 0.667\n"
        f"{indent}gate: after_retrieval\n"
        f"{indent}answer: Ada\n"
    ) in told()
    assert "probability 0.618, threshold 0.5: not accepted" in told(accepted=False)
    # What another program means by a gate is shown as it is.
    assert f"features:\n{indent}  x\n" in told(features=["x"])
    assert "probability: high" in told(probability="high") and "accepted: true" in told(probability="high")


def test_sentences_follow_up_questions_and_parts_of_a_question_are_shown(read):
    steps = (
        {"step": "sentence", "round": 2, "written": ["Ada drew the plans."]},
        {"step": "follow_up", "round": 1, "written": ["Who drew the plans?"]},
        {"step": "intermediate_answer", "round": 1, "answer": "Ada"},
        {"step": "chain_ended", "because": "answer is", "sentence": "So the answer is Ada."},
        {"step": "sub_questions", "written": ["Which mill?"], "asked": ["Which mill?"]},
        {"step": "merge", "by": "rrf", "found": 12, "kept": 10},
    )
    text = "\n".join(lines(replace(read, record=replace(read.record, returned=(), trace=steps))))
    for step in (
        "1  sentence  round 2\n           Ada drew the plans.\n",
        "2  follow_up  round 1\n           Who drew the plans?\n",
        "3  intermediate_answer  round 1\n           answer: Ada\n",
        "4  chain_ended\n           because: answer is\n           sentence: So the answer is Ada.\n",
        "5  sub_questions\n           written:\n             Which mill?\n           asked:\n             Which mill?\n",
        "6  merge\n           by: rrf\n           found: 12\n           kept: 10\n",
    ):
        assert step in text


def test_a_register_is_shown_a_line_a_requirement_and_a_change(read):
    requirements = [
        {
            "id": "req_0", "text": "who built it", "status": "answered", "evidence_notes": "Ada",
            "evidence": [{"passage": "mill", "quote": "Ada built the mill."}], "depends_on": [],
        },
        {"id": "req_1", "text": "where she lived", "status": "active", "evidence_notes": "", "evidence": []},
    ]  # fmt: skip
    changes = [
        {"item": "req_0", "from": "active", "to": "answered"},
        {"item": "req_1", "from": None, "to": "active"},
        {"item": "req_2", "from": "active", "to": "active"},
    ]
    trace = (
        {"step": "update", "round": 2, "changes": changes, "requirements": requirements},
        {"step": "register", "requirements": [], "changes": "of another form"},
    )
    told = lines(replace(read, record=replace(read.record, returned=(), trace=trace)))
    start = next(n for n, line in enumerate(told) if "update  round 2" in line)
    assert [line.strip() for line in told[start + 1 : start + 12]] == [
        "changes:",
        "req_0: active → answered",
        "req_1: new, active",
        "req_2: noted",
        "requirements:",
        "answered req_0  who built it",
        "Ada",
        "from mill  “Ada built the mill.”",
        "active   req_1  where she lived",
        "2  register",
        "requirements: none",
    ]
    assert told[start + 12].strip() == "changes: of another form"


@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize("terminal", [False, True])
def test_no_hostile_text_reaches_the_terminal(read, terminal, short):
    [call] = read.calls
    told = object.__new__(type(call))  # a call is checked against its key: here its texts are to be hostile
    values = {name: getattr(call, name) for name in call.__slots__}
    values["response"] = {**call.response, "text": HOSTILE, "finish_reason": HOSTILE}
    values["recorded_at"] = HOSTILE
    values["request"] = {"body": {"messages": [{"role": HOSTILE, "content": HOSTILE}]}}
    for name, value in values.items():
        object.__setattr__(told, name, value)
    evidence = tuple(replace(one, title=HOSTILE, text=HOSTILE) for one in read.question.evidence)
    question = replace(
        read.question, id=HOSTILE, text=HOSTILE, answer=HOSTILE, aliases=(HOSTILE,), evidence=evidence
    )
    record = replace(
        read.record,
        run=HOSTILE,
        raw_answer=HOSTILE,
        final_answer=HOSTILE.strip(),
        finish_reason=HOSTILE,
        parse_repairs=1,
        error=HOSTILE,
        returned=(Returned(HOSTILE + "#" + HOSTILE, HOSTILE, HOSTILE, 1, 1, 1.0, (0,)),),
        shown=(Shown(HOSTILE, HOSTILE, 3, True, (0,)),),
        trace=(
            {"step": HOSTILE, "round": HOSTILE, "query": [HOSTILE], HOSTILE: HOSTILE},
            {**GATE, "gate": HOSTILE, "features": {HOSTILE: 1.0}},
            {"step": "sentence", "round": 1, "written": [HOSTILE]},
            {"step": "search", "round": 1, "query": HOSTILE + "?", "passages": [HOSTILE + "#" + HOSTILE]},
            {
                "step": "update",
                "changes": [{"item": HOSTILE, "from": HOSTILE, "to": HOSTILE}],
                "requirements": [
                    {
                        **dict.fromkeys(("id", "text", "status", "evidence_notes"), HOSTILE),
                        "evidence": [
                            {"passage": HOSTILE, "quote": HOSTILE},
                            {"quote": 3},
                            HOSTILE,
                        ],
                    }
                ],
            },
        ),
    )
    worst = replace(
        read, system=HOSTILE, label=HOSTILE, question=question, record=record, calls=(told,), repeats=2
    )
    text = printed(worst, terminal=terminal, short=short, prompts=True)
    assert bool(SGR.search(text)) == terminal, "colour only on a terminal"
    left = SGR.sub("", text)
    assert {character for character in left if not character.isprintable()} == {"\n"}
    assert "\\x1b]0;owned\\x07" in left and "\\u202egnitset" in left.replace("\n", "")
    assert "[bold]markup[/]" in re.sub(r"\s+", " ", left) and "\N{SMILING FACE WITH OPEN MOUTH}" not in left


def test_nothing_is_wider_than_the_terminal(read):
    long = replace(
        read,
        question=replace(read.question, text="word " * 60 + "x" * 200, answer="y" * 300),
        record=replace(
            read.record, returned=tuple(replace(one, title="t" * 150) for one in read.record.returned)
        ),
    )
    for width in (80, 40):
        assert max(map(len, printed(long, width=width, prompts=True).splitlines())) <= width


def test_an_endless_answer_is_cut_and_says_so(read):
    endless = replace(read, record=replace(read.record, raw_answer="z" * 100_000))
    text = printed(endless)
    assert f"({100_000 - LONGEST_ANSWER:,} more characters; --json has all)" in re.sub(r"\s+", " ", text)
    assert text.count("z") < LONGEST_ANSWER + 100


def test_the_short_form_keeps_the_answer_the_searches_and_the_counts(read):
    told = lines(read, short=True)
    assert " question  Who built the mill?  q1" in told
    assert "   answer  Ada  match" in told
    assert " evidence  2 of 2 found, 1 of 2 before the model" in told
    assert "    calls  1 call, 15 tokens, 0.5 s" in told
    assert len(told) < 12


def test_a_system_that_searches_nothing_is_not_said_to_have_missed_the_evidence(read):
    closed = replace(read, retrieves=False, record=replace(read.record, returned=(), shown=(), trace=()))
    text = "\n".join(lines(closed))
    assert " evidence  nothing is searched for; it stands in: mill; plans" in text
    assert "missing" not in text
    assert "evidence" not in "\n".join(lines(closed, short=True))
    needless = replace(read, question=replace(read.question, evidence=(), null=True))
    text = "\n".join(lines(replace(needless, record=replace(read.record, final_answer="", raw_answer=""))))
    assert "gold  the question cannot be answered" in text and "evidence  none is needed" in text
