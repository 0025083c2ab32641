"""The README's command reference: complete, and never behind the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from leaderboard.cli import EXIT_CODES
from leaderboard.cli.reference import BEGIN, END, arguments, commands, main, reference, updated

ROOT = Path(__file__).parents[2]


def test_the_readme_is_current():
    assert main(["--check", str(ROOT / "README.md")]) == 0


def test_every_command_option_and_exit_code_is_in_the_readme():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, command in commands().items():
        assert f"| `{name}" in readme, name
        for action in arguments(command):
            for option in action.option_strings:
                row = next(line for line in readme.splitlines() if line.startswith(f"| `{option}"))
                assert row, option
    for code in EXIT_CODES:
        assert f"**{code}** " in readme


def test_a_readme_behind_the_program_fails_the_check_and_is_written_anew(tmp_path, capsys):
    path = tmp_path / "README.md"
    path.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    assert main(["--check", str(path)]) == 1
    assert "run python -m leaderboard.cli.reference" in capsys.readouterr().err
    assert path.read_text() == f"before\n{BEGIN}\nold\n{END}\nafter\n"
    assert main([str(path)]) == 0
    assert path.read_text() == f"before\n{reference()}\nafter\n"
    assert main(["--check", str(path)]) == 0


def test_a_readme_without_its_markers_is_left_alone(tmp_path, capsys):
    path = tmp_path / "README.md"
    path.write_text("nothing here\n")
    assert main([str(path)]) == 1
    assert BEGIN in capsys.readouterr().err
    assert path.read_text() == "nothing here\n"
    with pytest.raises(ValueError, match="expected the lines"):
        updated(f"{END} {BEGIN}")


def test_an_option_that_several_commands_share_has_one_row_and_another_meaning_one_of_its_own():
    rows = [line for line in reference().splitlines() if line.startswith("| `--strict`")]
    assert [row.split(" | ")[1] for row in rows] == ["run, build", "benchmarks"]
