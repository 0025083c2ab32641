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
    assert words[:2] == ["leaderboard", name]
    for made in (parser(), parser(name)):
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
    ],
)
def test_a_number_out_of_its_range_is_a_usage_error_that_says_what_is_expected(line, capsys):
    with pytest.raises(SystemExit) as ended:
        parser().parse_args(shlex.split(line))
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert "expected a" in told or "choose from" in told


def test_a_parser_of_one_command_says_the_same_of_it_as_the_whole():
    for name, command in COMMANDS.items():
        [(alone, only)] = subparsers(parser(name)).items()
        assert (alone, only.format_help()) == (name, command.format_help())
    assert list(subparsers(parser("chekc"))) == list(COMMANDS), "an unknown one is answered with all"


def test_numbers_are_read():
    read = parser().parse_args
    assert read(["run", "--repeats", "3"]).repeats == 3
    assert read(["run"]).repeats is None
    assert read(["show", "one", "1", "--repeat", "0"]).repeat == 0
    assert read(["serve", "--port", "0"]).port == 0
    assert read(["run", "a", "b", "--benchmark", "frames"]).systems == ["a", "b"]
