"""A damaged results folder, met through the command line: exit code 2, the file's name, what to do, no traceback."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from leaderboard.files import sha256_file

ROOT = Path(__file__).parents[1]
CELL = Path("sample", "frames", "closed-book")
NEIGHBOUR = Path("sample", "frames", "gold-context")


def run_of(results: Path, cell: Path = CELL) -> Path:
    [run] = (results / cell).iterdir()
    return run


def edit(run: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Change run.json as an editor could."""
    path = run / "run.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")


def rewrite(run: Path, table: str, **columns: Any) -> None:
    """Give a table other values and run.json the digest of the new bytes, as someone does who means it."""
    path = run / f"{table}.parquet"
    pl.read_parquet(path).with_columns(**columns).write_parquet(path)
    edit(run, lambda data: data["tables"][table].update(sha256=sha256_file(path)))


def truncated(run: Path) -> None:
    content = (run / "records.parquet").read_bytes()
    (run / "records.parquet").write_bytes(content[: len(content) // 2])


def truncated_with_its_digest(run: Path) -> None:
    truncated(run)
    edit(run, lambda data: data["tables"]["records"].update(sha256=sha256_file(run / "records.parquet")))


def altered(run: Path) -> None:
    content = bytearray((run / "records.parquet").read_bytes())
    content[len(content) // 2] ^= 1
    (run / "records.parquet").write_bytes(content)


def without_records(run: Path) -> None:
    (run / "records.parquet").unlink()


def without_run_json(run: Path) -> None:
    (run / "run.json").unlink()


def run_json_of(content: bytes) -> Callable[[Path], None]:
    def overwrite(run: Path) -> None:
        (run / "run.json").write_bytes(content)

    return overwrite


def run_json_with(**fields: Any) -> Callable[[Path], None]:
    return lambda run: edit(run, lambda data: data.update(fields))


def foreign(run: Path) -> None:
    neighbour = run_of(run.parents[3], NEIGHBOUR)
    shutil.copytree(neighbour, run.parent / neighbour.name)


def nulls(run: Path) -> None:
    rewrite(run, "records", raw_answer=pl.lit(None, dtype=pl.String))


def another_answer(run: Path) -> None:
    rewrite(run, "records", final_answer=pl.lit("Ada"))


def evidence_that_no_question_has(run: Path) -> None:
    frame = pl.read_parquet(run / "records.parquet")
    item = {"passage": "p", "title": "", "tokens": 1, "truncated": False, "evidence": [99]}
    rewrite(run, "records", shown=pl.Series("shown", [[item]] * frame.height, dtype=frame.schema["shown"]))


def a_failure_told(run: Path) -> None:
    edit(run, lambda data: data["outcomes"].update(answered=data["outcomes"]["answered"] - 1, failed=1))


FAULTS = [
    (truncated, "records.parquet", "sha256"),
    (truncated_with_its_digest, "records.parquet", "not a readable parquet file"),
    (altered, "records.parquet", "sha256"),
    (without_records, "records.parquet", "missing"),
    (without_run_json, "run.json", "cannot be read"),
    (run_json_of(b"not JSON"), "run.json", "not a run"),
    (run_json_of(b"[" * 100_000), "run.json", "not a run"),
    (run_json_with(system="gold-context"), "run.json", "a run of sample/frames/gold-context"),
    (run_json_with(track="full"), "run.json", "a run of full/frames/closed-book"),
    (run_json_with(fingerprint="0" * 64), "run.json", "fingerprint"),
    (run_json_with(tables={}), "run.json", "names no records"),
    (run_json_with(outcomes={"answered": -24, "failed": 48}), "run.json", "outcomes.answered"),
    (run_json_with(outcomes={"answered": 10**40}), "run.json", "outcomes.answered"),
    (run_json_with(questions=10**6), "run.json", "questions times repeats: 1000000 told, 24 in the records"),
    (run_json_with(repeats=2), "run.json", "questions times repeats: 48 told, 24 in the records"),
    (a_failure_told, "run.json", "failed: 1 told, 0 in the records"),
    (foreign, "run.json", "a run of sample/frames/gold-context and lies in sample/frames/closed-book"),
    (nulls, "records.parquet", "raw_answer: expected a value"),
    (evidence_that_no_question_has, "records.parquet", "names gold item 99"),
    (another_answer, "records.parquet", "is not that of the raw answer"),
]


@pytest.mark.parametrize(("damage", "file", "said"), FAULTS)
def test_a_damaged_run_ends_the_build_with_the_files_name_and_what_to_do(tmp_path, damage, file, said):
    shutil.copytree(ROOT / "results", tmp_path / "results")
    run = run_of(tmp_path / "results")
    damage(run)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "leaderboard", "build", "--no-run"),
            *("--results", tmp_path / "results", "--out", tmp_path / "build"),
        ],
        cwd=ROOT,
        env={**os.environ, "LEADERBOARD_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    line = done.stderr.splitlines()[-1]
    assert line.startswith(f"leaderboard: {tmp_path}/results/{CELL}/"), line
    assert f"/{file}: " in line and said in line
    assert "restore" in line and "remove the" in line, line
    assert not (tmp_path / "build" / "site").exists()
