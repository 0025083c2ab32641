"""What ``leaderboard check`` says a question can cost at most is what it does cost at most."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from leaderboard.calls.spending import Ledger, Spent
from leaderboard.calls.store import CallStore
from leaderboard.catalog.programs import PROGRAMS
from leaderboard.catalog.rerankers import RERANKERS
from leaderboard.catalog.retrievers import INDEXED
from leaderboard.checking.check import most_calls
from leaderboard.plan import plan
from leaderboard.results.records import Outcome, Record
from leaderboard.running.session import Bench, open_session
from leaderboard.submissions.load import Submission, load_submission
from tests import tiny
from tests.programs.played import fields, said
from tests.scripted import ScriptedProvider

FURTHER: Mapping[str, list[dict[str, Any]]] = {
    "single_step": [{"passages": 1}],
    "skill_rag": [{"max_rounds": 1}, {"max_rounds": 3, "samples": 2, "sub_questions": 2}],
    "execution_rag": [{"max_loops": 2, "initialise": False}, {"max_loops": 2, "progress": False}],
    "multi_step": [
        {"planning": True},
        {"rounds": 1, "queries_per_round": 1},
        {"rounds": 3, "queries_per_round": 4, "planning": True},
        {"rounds": 3, "queries_per_round": 2, "passages_per_query": 1},
    ],
    "ircot": [{"max_steps": 1}, {"max_steps": 6, "most_passages": 1}],
    "self_ask": [{"max_follow_ups": 1}, {"max_follow_ups": 5}],
    "decomposition": [{"sub_questions": 1}, {"sub_questions": 6, "merge": "rrf"}],
}
"""Parameters of a program beside its defaults."""

NEEDED: Mapping[str, dict[str, Any]] = {"skill_rag": {"prober": tiny.PROBER}}
"""Parameters without a default. This prober takes no answer, so that every round is made."""
ALWAYS: Mapping[str, dict[str, Any]] = {"execution_rag": {"max_loops": 2}}
"""Parameters in place of defaults: of four chunks the first search reads one, and each other brings an update."""


ENDED_BY_THE_MODEL = ("ircot", "self_ask", "a_rag", "execution_rag", "react", "skill_rag")
"""Programs that go on until the model ends them: one that never does is stopped, and its answer forced."""

CALLING = {
    "tool_call": 'keyword_search("lock", "{}")',
    "action": 'search("{}")',
    "skill": "question_decomposition",
}
"""How a busy model fills the fields that call tools."""


def systems() -> Iterator[Any]:
    """Yield every program of the catalog with every reranker that goes with it."""
    for program, reranker in itertools.product(PROGRAMS, RERANKERS):
        entry = PROGRAMS[program]
        if reranker != "none" and not (entry.asks_model and entry.retrievers[0] in INDEXED):
            continue
        for given in (ALWAYS.get(program, {}), *FURTHER.get(program, [])):
            name = "-".join([program, reranker, *(f"{key}={value}" for key, value in given.items())])
            yield pytest.param(program, reranker, given, id=name)


SYSTEMS = list(systems())


def submission(
    folder: Path, program: str, reranker: str, given: Mapping[str, Any], limit: int | None
) -> Submission:
    entry = PROGRAMS[program]
    tables: dict[str, dict[str, Any]] = {
        "system": {"name": "A", "authors": ["B"], "description": "C."},
        "retriever": {"kind": entry.retrievers[0]},
        "reranker": {"kind": reranker},
        "program": {"kind": program, **NEEDED.get(program, {}), **given},
    }
    if entry.asks_model:
        tables["lm"] = {"model": "embedded/tiny"}
    if limit is not None:
        tables["limits"] = {"calls_per_question": limit}
    text = "".join(
        f"[{table}]\n" + "".join(f"{key} = {tiny.toml(value)}\n" for key, value in values.items())
        for table, values in tables.items()
    )
    path = folder / "system.toml"
    path.write_text(text)
    return load_submission(path)


def busy():
    """A model that never writes the same query twice, and each one brings several documents; it reads all chunks."""
    numbers = itertools.count(10)
    chunks = itertools.count(1)

    def write(request: dict[str, Any]) -> str:
        return said(
            **{
                field: (f"read_chunk({next(chunks)})\n" if field == "tool_call" else "")
                + "\n".join(CALLING.get(field, "{}").format(f"built lock {next(numbers)}") for _ in range(12))
                for field in fields(request)
            }
        )

    return write


def lazy():
    return lambda _: ""


def ask(system: Submission, home: Path, model) -> Record:
    """Ask a system one question that brings several documents by itself too."""
    [cell] = plan([system], [tiny.benchmark()], home / "results")
    store = CallStore(home / "calls")
    provider = ScriptedProvider(model) if system.document.lm else None
    with open_session(cell, Bench(provider, store, Ledger(None, Spent()))) as session:
        record = session.answer(tiny.QUESTIONS[0]).record
    store.close()
    return record


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path / "cache"))


@pytest.mark.parametrize(("program", "reranker", "given"), SYSTEMS)
def test_a_model_that_keeps_a_system_busy_is_called_exactly_that_often(program, reranker, given, tmp_path):
    system = submission(tmp_path, program, reranker, given, None)
    record = ask(system, tmp_path, busy())
    assert record.outcome == (Outcome.FORCED if program in ENDED_BY_THE_MODEL else Outcome.ANSWERED)
    assert len(record.calls) == most_calls(system)
    if PROGRAMS[program].in_rounds:
        assert record.rounds == PROGRAMS[program].rounds(system.document.program)
    searches = [step for step in record.trace if step["step"] == "search"]
    assert len(searches) == PROGRAMS[program].searches(system.document.program)


@pytest.mark.parametrize(("program", "reranker", "given"), SYSTEMS)
def test_a_model_that_says_nothing_is_called_no_more_often(program, reranker, given, tmp_path):
    system = submission(tmp_path, program, reranker, given, None)
    record = ask(system, tmp_path, lazy())
    assert record.outcome == (Outcome.UNPARSED if system.document.lm else Outcome.ANSWERED)
    assert len(record.calls) <= most_calls(system)


@pytest.mark.parametrize(("program", "reranker", "given"), SYSTEMS)
def test_a_limit_below_holds_and_one_above_changes_nothing(program, reranker, given, tmp_path):
    unlimited = most_calls(submission(tmp_path, program, reranker, given, None))
    above = submission(tmp_path, program, reranker, given, unlimited + 1)
    assert most_calls(above) == unlimited
    if unlimited > 1:
        below = submission(tmp_path, program, reranker, given, unlimited - 1)
        assert most_calls(below) == unlimited - 1
        record = ask(below, tmp_path, busy())
        assert record.outcome == Outcome.FORCED
        assert 0 < len(record.calls) < unlimited


@pytest.mark.parametrize(
    ("program", "reranker", "given", "bound"),
    [
        ("closed_book", "none", {}, 1),
        ("single_step", "lm_listwise", {}, 2),
        ("retrieval_only", "none", {}, 0),
        ("skill_rag", "none", {}, 7),
        ("skill_rag", "none", {"max_rounds": 3, "samples": 5}, 12),
        ("skill_rag", "lm_listwise", {}, 11),
        ("multi_step", "none", {}, 3),
        ("multi_step", "none", {"rounds": 5, "queries_per_round": 5}, 6),
        ("multi_step", "lm_listwise", {"rounds": 5, "queries_per_round": 5}, 31),
        ("a_rag", "none", {"max_loops": 4}, 5),
        ("execution_rag", "none", {"max_loops": 4}, 11),
        ("execution_rag", "none", {"max_loops": 4, "initialise": False}, 9),
        ("execution_rag", "none", {"max_loops": 4, "progress": False}, 7),
        ("react", "lm_listwise", {"max_loops": 4}, 21),
        ("ircot", "none", {"max_steps": 6}, 7),
        ("ircot", "lm_listwise", {"max_steps": 6}, 14),
        ("self_ask", "none", {"max_follow_ups": 4}, 9),
        ("self_ask", "lm_listwise", {"max_follow_ups": 4}, 13),
        ("decomposition", "none", {"sub_questions": 6}, 2),
        ("decomposition", "lm_listwise", {"sub_questions": 6}, 9),
    ],
)
def test_bounds_by_hand(program, reranker, given, bound, tmp_path):
    assert most_calls(submission(tmp_path, program, reranker, given, None)) == bound


def test_the_answers_script_asks_for_every_field():
    """The scripted model reads the fields out of the prompt, so that a new program needs no script of its own."""
    prompt = "… starting with the field `[[ ## a ## ]]`, then `[[ ## b ## ]]`, and … `[[ ## completed ## ]]`."
    written = busy()({"messages": [{"content": prompt}]})
    assert re.findall(r"## (\w+) ##", written) == ["a", "b", "completed"]
