"""What checking one file costs, against importing the validation library alone in the same run."""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CHECK = "from pathlib import Path; from leaderboard.checking.check import check_paths; check_paths([Path({path!r})])"


def seconds(code: str, bytecode: Path) -> float:
    """Run ``code`` in a fresh interpreter that keeps compiled modules in ``bytecode``, as an installed one would."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(bytecode)
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True)
    return time.perf_counter() - start


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
    both = ("import pydantic", CHECK.format(path=str(path)))
    for code in both:
        seconds(code, tmp_path / "bytecode")  # compiles
    runs = [[seconds(code, tmp_path / "bytecode") for code in both] for _ in range(7)]
    peer, own = (statistics.median(column) for column in zip(*runs, strict=True))
    print(f"check {own * 1000:.0f} ms, import pydantic {peer * 1000:.0f} ms, ratio {own / peer:.2f}")
    assert own / peer <= 3
