"""The commands that only read: show, systems, benchmarks, doctor."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from leaderboard.cli import STRICT_FAILED, WRONG_INPUT
from leaderboard.cli.stages import places
from leaderboard.cli.terminal import console, print_json, safe

if TYPE_CHECKING:
    from leaderboard.doctor import Finding


def show(options: argparse.Namespace) -> int:
    """Show a question's trace from the run that the board shows."""
    from leaderboard.build import read_cells, require_known
    from leaderboard.showing import find_question, read_trace

    _, benchmarks, cells = read_cells(places(options), quiet=True)
    require_known("system", [options.system], {cell.system for cell in cells})
    wanted = [options.benchmark] if options.benchmark else []
    require_known("benchmark", wanted, [benchmark.name for benchmark in benchmarks])
    mine = [cell for cell in cells if cell.system == options.system]
    cell, question = find_question(mine, options.question, options.benchmark or "")
    trace = read_trace(cell, question, options.repeat)
    if options.json:
        print_json(trace.as_json(prompts=options.prompts))
        return 0
    from leaderboard.cli.traces import print_trace

    print_trace(console(), trace, prompts=options.prompts)
    return 0


def systems(options: argparse.Namespace) -> int:
    """List the systems."""
    from leaderboard.build import read_cells
    from leaderboard.cli.listing import system_line, system_values

    _, _, cells = read_cells(places(options), quiet=True)
    values = system_values(cells)
    if options.json:
        print_json(values)
        return 0
    for value in values:
        print(safe(system_line(value)))
    return 0


def benchmarks(options: argparse.Namespace) -> int:
    """List the benchmarks; with ``--strict`` fail where a chunking cuts too many facts."""
    from leaderboard.build import read_cells
    from leaderboard.cli.listing import benchmark_lines, benchmark_value, too_low

    _, loaded, cells = read_cells(places(options), quiet=True)
    values = [benchmark_value(benchmark, cells) for benchmark in loaded]
    if options.json:
        print_json(values)
    else:
        for value in values:
            for line in benchmark_lines(value):
                print(safe(line))
    warnings = [warning for value in values for warning in too_low(value)]
    for warning in warnings:
        print(f"warning: {safe(warning)}", file=sys.stderr)
    return STRICT_FAILED if options.strict and warnings else 0


def doctor(options: argparse.Namespace) -> int:
    """Say what is there and what is missing."""
    from leaderboard.doctor import examine

    findings = examine(options.config, options.submissions, options.data_dir, ask=options.ask)
    able = all(finding.ok or not finding.needed for finding in findings)
    if options.json:
        print_json({"can_build": able, "findings": [finding.as_json() for finding in findings]})
    else:
        _print_findings(findings, able)
    return 0 if able else WRONG_INPUT


def _print_findings(findings: Sequence[Finding], able: bool) -> None:
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold", ratio=1)
    for finding in findings:
        style = "green" if finding.ok else "bold red" if finding.needed else "yellow"
        said = Text(safe(finding.said))
        if finding.advice:
            said.append(f"\n{safe(finding.advice)}", style="dim")
        grid.add_row(Text("ok" if finding.ok else "missing", style=style), said)
    out = console()
    out.print(grid)
    out.print(Text("This board can be built." if able else "This board cannot be built yet."))
