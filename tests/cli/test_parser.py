"""What each command says of itself, and what its arguments may be."""

from __future__ import annotations

import argparse
import shlex
from importlib import import_module

import pytest

from leaderboard.cli.parser import parser, subparsers
from leaderboard.cli.reference import arguments, commands, example

COMMANDS = commands()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_a_description_and_an_example_that_it_can_be_called_with(name):
    command = COMMANDS[name]
    assert len(command.description) > 20
    words = shlex.split(example(command))
    if ">" in words:  # a shell's redirection
        words = words[: words.index(">")]
    assert " ".join(words).startswith(f"leaderboard {name}")
    for made in (parser(), parser(name.split()[0])):
        module, _, function = made.parse_args(words[1:]).command.partition(":")
        assert callable(getattr(import_module(f"leaderboard.cli.{module}"), function))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_argument_of_a_command_is_explained(name):
    for action in arguments(COMMANDS[name]):
        assert action.help not in (None, "", argparse.SUPPRESS), action.dest


@pytest.mark.parametrize(
    "line",
    [
        "serve --port 65536",
        "serve --port ٣",
        "run --repeats 0",
        "run --repeats 1001",
        "run --repeats 1e3",
        "try x.toml --questions -1",
        "show one 1 --repeat x",
        "completion tcsh",
        "data fetch --before 1999-01-01",
        "data fetch --before 2024-02-30",
        "data fetch --before yesterday",
        "data fetch --distractors -1",
    ],
)
def test_a_number_out_of_its_range_is_a_usage_error_that_says_what_is_expected(line, capsys):
    with pytest.raises(SystemExit) as ended:
        parser().parse_args(shlex.split(line))
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert "expected a" in told or "choose from" in told


def test_a_parser_of_one_command_says_the_same_of_it_as_the_whole():
    whole = subparsers(parser())
    for name, command in whole.items():
        [(alone, only)] = subparsers(parser(name)).items()
        assert (alone, only.format_help()) == (name, command.format_help())
        for part, own in subparsers(only).items():
            assert own.format_help() == COMMANDS[f"{name} {part}"].format_help()
    assert list(subparsers(parser("chekc"))) == list(whole), "an unknown one is answered with all"


def test_numbers_are_read():
    read = parser().parse_args
    assert read(["run", "--repeats", "3"]).repeats == 3
    assert read(["run"]).repeats is None
    assert read(["data", "fetch", "--before", "2024-09-01"]).before == "2024-09-01T00:00:00Z"
    assert read(["data", "fetch"]).before is None
    assert read(["show", "one", "1", "--repeat", "0"]).repeat == 0
    assert read(["serve", "--port", "0"]).port == 0
    assert read(["run", "a", "b", "--benchmark", "frames"]).systems == ["a", "b"]
