"""The prompts of the bundled board are frozen: what each submission sends first, byte for byte.

Recorded calls are found by what is sent. When one of these files has to change, so does a revision in the catalog, and
the rows recorded before are marked. Write them anew with ``LEADERBOARD_WRITE_GOLDEN=1 pytest tests/golden``.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from leaderboard.benchmarks.registry import load_benchmark
from leaderboard.calls.spending import Ledger, Spent
from leaderboard.calls.store import CallStore
from leaderboard.plan import plan
from leaderboard.results.tables import read_calls
from leaderboard.running.cell import run_cell
from leaderboard.running.session import Bench
from leaderboard.submissions.load import load_folder, load_submission
from tests.programs.played import fields, said
from tests.scripted import ScriptedProvider, answer

ROOT = Path(__file__).parents[2]
SUBMISSIONS = load_folder(ROOT / "submissions").submissions
ASKED = [
    (submission.key, benchmark)
    for submission in SUBMISSIONS
    if submission.document.lm
    for benchmark in submission.document.system.benchmarks
]

CALLING = {
    "tool_call": 'keyword_search("of") semantic_search("the first") read_chunk(1)',
    "action": 'search("of")',
    "requirements": '{"req_0": {"text": "the first fact", "status": "active"}}',
    "changes": '{"req_1": {"text": "the second fact", "status": "pending"}}',
}
"""What the scripted model says in the fields that call tools: a loop is followed to its end."""


def script(request: dict[str, Any]) -> str:
    asked = fields(request)
    calling = CALLING.get(asked[-1])
    return said(**dict.fromkeys(asked, "scripted") | {asked[-1]: calling}) if calling else answer("scripted")


@pytest.mark.parametrize(("system", "benchmark_name"), ASKED)
def test_first_question_sends_exactly_this(system, benchmark_name, tmp_path, monkeypatch):
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path / "cache"))
    benchmark = load_benchmark(benchmark_name, "sample", limit=1)
    [cell] = plan(
        [load_submission(ROOT / "submissions" / f"{system}.toml")], [benchmark], tmp_path / "results"
    )
    bench = Bench(ScriptedProvider(script), CallStore(tmp_path / "calls"), Ledger(None, Spent()))
    run = run_cell(cell, bench, tmp_path / "results")
    requests = [call.request for call in read_calls(run.table("calls"))]
    found = json.dumps(requests, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    path = Path(__file__).parent / benchmark_name / f"{system}.json"
    if os.environ.get("LEADERBOARD_WRITE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(found, encoding="utf-8")
    assert found == path.read_text(encoding="utf-8")


def test_every_golden_file_belongs_to_a_submission():
    files = {(path.stem, path.parent.name) for path in Path(__file__).parent.glob("*/*.json")}
    assert files == set(ASKED)
