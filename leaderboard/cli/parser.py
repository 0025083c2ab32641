"""The commands: what each is called, takes and says of itself. One function a command."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from leaderboard.cli import EXIT_CODES, completion, data, options
from leaderboard.cli.command import Paragraphs, add

_SHELLS = ("bash", "zsh", "fish")


def parser(wanted: str = "") -> argparse.ArgumentParser:
    """Return the parser of the command line: of the command ``wanted`` alone where it is one, else of all.

    What it parses names what to run as ``command``, "module:function" in this package. A start is shorter when only
    the one command is declared, and no module of another is imported.
    """
    codes = "\n".join(f"  {code:<5}{meaning}" for code, meaning in EXIT_CODES.items())
    made = argparse.ArgumentParser(
        prog="leaderboard",
        description="A leaderboard of multi-hop RAG systems, recomputed from recorded calls.",
        epilog=f"Exit codes:\n{codes}\nExample:\n  leaderboard new my-system",
        formatter_class=Paragraphs,
    )
    commands = made.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name, declare in _COMMANDS.items():
        if wanted == name or wanted not in _COMMANDS:
            declare(commands, name)
    return made


def subparsers(made: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parser of each command, in the order of the help; none for a command that has none of its own."""
    return next((dict(action.choices) for action in made._actions if isinstance(action.choices, dict)), {})


def _new(commands: Any, name: str) -> None:
    new = add(
        commands,
        name,
        "write a commented submission to start from",
        "submissions:new",
        "leaderboard new my-system",
    )
    new.add_argument("name", metavar="NAME", help="the file's stem: small letters, digits, hyphens")
    options.submissions(new)


def _check(commands: Any, name: str) -> None:
    check = add(
        commands,
        name,
        "say everything that is wrong with submissions, and where",
        "submissions:check",
        "leaderboard check submissions/my-system.toml",
    )
    paths = check.add_argument(
        "paths", metavar="FILE", nargs="*", type=Path, help="files or folders (default: submissions)"
    )
    options.completes(paths, completion.toml_files)
    options.config(check)
    options.data_dir(check)
    options.as_json(check)


def _try(commands: Any, name: str) -> None:
    tried = add(
        commands,
        name,
        "run a submission on a few questions of the sample, answers and traces at once",
        "submissions:try_",
        "leaderboard try submissions/my-system.toml --questions 3 --benchmark musique",
        "Live, under the board's ceilings. Nothing is written under results; calls are kept, and a later run replays "
        "them. At the end it says what the whole board would take.",
    )
    file = tried.add_argument("file", metavar="FILE", type=Path, help="the submission")
    options.completes(file, completion.toml_files)
    tried.add_argument(
        "--questions",
        type=options.count(100_000),
        default=5,
        metavar="N",
        help="the first N questions of each benchmark (default: 5)",
    )
    options.benchmark(tried, "try only on this benchmark; may be repeated")
    options.replay(tried)
    options.config(tried)
    options.results(tried)
    options.data_dir(tried)


def _compile(commands: Any, name: str) -> None:
    compiled = add(
        commands,
        name,
        "learn a submission's prompts on train questions, and write its state",
        "compiling:compile_",
        "leaderboard compile submissions/my-system.toml",
        "Writes my-system.state.json beside the file, and the calls under results/compile. Interrupt it at any time: the "
        "same command goes on. A second compile of the same file makes no call and writes the same state.",
    )
    file = compiled.add_argument("file", metavar="FILE", type=Path, help="the submission")
    options.completes(file, completion.toml_files)
    options.replay(compiled)
    options.config(compiled)
    options.results(compiled)
    options.data_dir(compiled)


def _run(commands: Any, name: str) -> None:
    run = add(
        commands,
        name,
        "run what has no run, and stop there",
        "stages:run",
        "leaderboard run my-system --benchmark musique --repeats 3",
        "Interrupt it at any time: the same command goes on.",
    )
    systems = run.add_argument(
        "systems", metavar="SYSTEM", nargs="*", help="run only these systems (default: all)"
    )
    options.completes(systems, completion.systems)
    options.running(run)
    options.config(run)
    options.submissions(run)
    options.results(run)
    options.data_dir(run)


def _score(commands: Any, name: str) -> None:
    score = add(
        commands,
        name,
        "score the runs that are there, and print the ranking",
        "stages:score",
        "leaderboard score --json",
        "Writes board.json, from which leaderboard site renders.",
    )
    options.as_json(score)
    options.places(score)
    options.out(score)


def _site(commands: Any, name: str) -> None:
    site = add(
        commands,
        name,
        "render the site from board.json, without scoring again",
        "stages:site",
        "leaderboard site --out build",
    )
    options.out(site)


def _build(commands: Any, name: str) -> None:
    build = add(
        commands,
        name,
        "run what has no run, score, and render the site",
        "stages:build",
        "leaderboard build --only my-system",
        "Interrupt it at any time: the next build goes on.",
    )
    only = build.add_argument(
        "--only", action="append", default=[], metavar="SYSTEM", help="run only this system; may be repeated"
    )
    options.completes(only, completion.systems)
    options.running(build)
    build.add_argument("--no-run", action="store_true", help="score and render what is there")
    options.places(build)
    options.out(build)


def _serve(commands: Any, name: str) -> None:
    serve = add(
        commands,
        name,
        "show the built site on this machine",
        "stages:serve",
        "leaderboard serve --port 8080",
    )
    options.out(serve)
    serve.add_argument(
        "--port",
        type=options.count(65535, least=0),
        default=8000,
        help="port on 127.0.0.1 (default: 8000; 0: any free one)",
    )


def _show(commands: Any, name: str) -> None:
    show = add(
        commands,
        name,
        "show what a system did with a question: searches, passages, answer, calls",
        "reading:show",
        "leaderboard show bm25-top3-passages 3 --benchmark frames",
        "Reads the run that the board shows. A * marks passages that hold gold evidence.",
    )
    system = show.add_argument("system", metavar="SYSTEM", help="the stem of the submission's file")
    options.completes(system, completion.systems)
    show.add_argument(
        "question",
        metavar="QUESTION",
        help="the question's id, the beginning of one, or its place in the benchmark's file counted from 0",
    )
    benchmark = show.add_argument(
        "--benchmark", metavar="NAME", help="the benchmark, where several have such a question"
    )
    options.completes(benchmark, completion.benchmarks)
    show.add_argument(
        "--repeat",
        type=options.count(options.MOST_REPEATS, least=0),
        default=0,
        metavar="N",
        help="which of the run's repeats, counted from 0 as in its records (default: 0)",
    )
    show.add_argument(
        "--prompts", action="store_true", help="also each call's messages and response, in full"
    )
    options.as_json(show)
    options.places(show)


def _systems(commands: Any, name: str) -> None:
    systems = add(
        commands,
        name,
        "list the systems: model, retriever, program, state on each benchmark",
        "reading:systems",
        "leaderboard systems --json",
    )
    options.as_json(systems)
    options.places(systems)


def _benchmarks(commands: Any, name: str) -> None:
    benchmarks = add(
        commands,
        name,
        "list the benchmarks: questions, documents, groups, files, defects, fact ceilings",
        "reading:benchmarks",
        "leaderboard benchmarks --strict",
        "A fact ceiling is the share of gold items that stand whole in a passage: no retriever can find more.",
    )
    options.as_json(benchmarks)
    benchmarks.add_argument("--strict", action="store_true", help="exit 3 when a fact ceiling is below 0.95")
    options.places(benchmarks)


def _doctor(commands: Any, name: str) -> None:
    doctor = add(
        commands,
        name,
        "say what is there, what is missing, and what to do about it",
        "reading:doctor",
        "leaderboard doctor",
        "Exits 2 when something is missing that a build of this board needs.",
    )
    doctor.add_argument(
        "--ask",
        action="store_true",
        help="also ask each endpoint for its list of models, which costs nothing",
    )
    options.as_json(doctor)
    options.config(doctor)
    options.submissions(doctor)
    options.data_dir(doctor)


def _completion(commands: Any, name: str) -> None:
    command = add(
        commands,
        name,
        "print a shell's completion script",
        "completion:print_script",
        "leaderboard completion bash > ~/.local/share/bash-completion/completions/leaderboard",
        "It completes commands, options, systems, benchmarks and files.\n"
        "bash: as in the example; needs the package bash-completion, or source the file in ~/.bashrc.\n"
        "zsh: leaderboard completion zsh > DIR/_leaderboard, with DIR on $fpath before compinit.\n"
        "fish: leaderboard completion fish > ~/.config/fish/completions/leaderboard.fish",
    )
    command.add_argument("shell", metavar="SHELL", choices=_SHELLS, help=f"one of {', '.join(_SHELLS)}")


_COMMANDS: Mapping[str, Callable[[Any, str], None]] = {
    "new": _new,
    "check": _check,
    "compile": _compile,
    "try": _try,
    "run": _run,
    "score": _score,
    "site": _site,
    "build": _build,
    "serve": _serve,
    "show": _show,
    "systems": _systems,
    "benchmarks": _benchmarks,
    "data": data.declare,
    "doctor": _doctor,
    "completion": _completion,
}
"""Command → what declares it, in the order of the help."""
