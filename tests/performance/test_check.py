"""What checking one file costs, against importing the validation library alone in the same run."""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def seconds(arguments: list[str], bytecode: Path, code: int = 0) -> float:
    """Run a fresh interpreter that keeps compiled modules in ``bytecode``, as an installed one would."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(bytecode)
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, check=False, capture_output=True
    )
    elapsed = time.perf_counter() - start
    assert done.returncode == code, done.stderr
    return elapsed


@pytest.mark.performance
@pytest.mark.parametrize("valid", [True, False], ids=["valid", "with errors"])
def test_checking_a_file_costs_at_most_three_imports_of_pydantic(tmp_path, valid):
    path = ROOT / "submissions" / "bm25-4-articles.toml"
    if not valid:
        bad = tmp_path / "bad-one.toml"
        bad.write_text(
            path.with_name("bm25-2-articles.toml").read_text().replace("temperature", "temprature")
        )
        path = bad
    both = ((["-c", "import pydantic"], 0), (["-m", "leaderboard", "check", str(path)], 0 if valid else 2))
    for arguments, code in both:
        seconds(arguments, tmp_path / "bytecode", code)  # compiles
    runs = [[seconds(arguments, tmp_path / "bytecode", code) for arguments, code in both] for _ in range(9)]
    peer, own = (statistics.median(column) for column in zip(*runs, strict=True))
    print(f"check {own * 1000:.0f} ms, import pydantic {peer * 1000:.0f} ms, ratio {own / peer:.2f}")
    assert own / peer <= 3
