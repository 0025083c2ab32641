"""``leaderboard data``: the published benchmark files, fetched, listed and verified."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leaderboard.cli import WRONG_INPUT, completion, options
from leaderboard.cli.command import Paragraphs, add
from leaderboard.cli.terminal import print_json, safe

if TYPE_CHECKING:
    from leaderboard.data.fetch import Fetched
    from leaderboard.data.status import Status
    from leaderboard.data.verify import Held, Read

_EARLIEST = datetime(2001, 1, 15, tzinfo=UTC)
"""Wikipedia's first day."""


def declare(commands: Any, name: str) -> None:
    """Declare the command and its parts."""
    parser = commands.add_parser(
        name,
        help="fetch the published benchmark data, and verify it",
        description="Fetch the published benchmark data, and verify it.",
        epilog="Example:\n  leaderboard data fetch all",
        formatter_class=Paragraphs,
    )
    parts = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    fetch = add(
        parts,
        "fetch",
        "fetch the published files of a benchmark, once, verified",
        "data:fetch",
        "leaderboard data fetch frames",
        "Interrupt it at any time: the same command goes on where it stopped. A digest that nobody published is noted in "
        "the lock file when it is first seen; commit that file, and every later fetch has to bring the same bytes.\n"
        "FRAMES' articles are asked of Wikipedia one by one, some 2,600 requests; set LEADERBOARD_CONTACT to an "
        "address under which its operators can reach you.",
    )
    _shared(fetch)
    fetch.add_argument(
        "--optional", action="store_true", help="also the files that no benchmark needs, such as subsets"
    )
    fetch.add_argument("--offline", action="store_true", help="fetch nothing; say what is missing")
    fetch.add_argument(
        "--before",
        type=_moment,
        metavar="DATE",
        help="FRAMES: take each article's last revision before this date (default: 2024-09-01)",
    )
    fetch.add_argument(
        "--distractors",
        type=options.count(1_000_000, least=0),
        default=0,
        metavar="N",
        help="FRAMES: N further articles, drawn at random, that no question needs (default: 0)",
    )
    fetch.add_argument(
        "--seed",
        type=options.count(999_999_999, least=0),
        default=0,
        metavar="N",
        help="FRAMES: the draw of the distractors (default: 0)",
    )
    status = add(
        parts,
        "status",
        "say which files are here, without reading them",
        "data:status",
        "leaderboard data status",
    )
    _shared(status)
    options.as_json(status)
    verify = add(
        parts,
        "verify",
        "hold every file against its digest, and read each benchmark",
        "data:verify",
        "leaderboard data verify musique --json",
        "Exits 2 when a file is missing, or is another than its digest says.",
    )
    _shared(verify)
    options.as_json(verify)


def _shared(parser: argparse.ArgumentParser) -> None:
    names = parser.add_argument(
        "benchmarks",
        metavar="BENCHMARK",
        nargs="*",
        help="of these benchmarks (default, and all: all of them)",
    )
    options.completes(names, completion.benchmarks)
    options.data_dir(parser)
    lock = parser.add_argument(
        "--lock",
        type=Path,
        default=Path("data.lock.json"),
        metavar="FILE",
        help="where digests that nobody published are noted (default: data.lock.json)",
    )
    options.completes(lock, completion.folders)


def _moment(text: str) -> str:
    """Read a date (or a moment in UTC) as the API takes it."""
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}Z)?", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"expected a date such as 2024-09-01, found {text[:40]!r}")
    try:
        moment = datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"expected a day of the calendar, found {text!r}") from error
    if not _EARLIEST < moment <= datetime.now(UTC):
        raise argparse.ArgumentTypeError(f"expected a day from 2001-01-16 to today, found {text!r}")
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _chosen(given: Sequence[str]) -> tuple[str, ...]:
    from leaderboard.build import require_known
    from leaderboard.manifest import KEYS

    if not given or "all" in given:
        return KEYS
    require_known("benchmark", given, KEYS)
    return tuple(key for key in KEYS if key in given)


def fetch(given: argparse.Namespace) -> int:
    """Fetch what is missing."""
    from leaderboard.benchmarks.registry import chosen_data_dir
    from leaderboard.data.articles import BEFORE, Pages
    from leaderboard.data.fetch import fetch
    from leaderboard.fetching.lockfile import Lockfile

    folder = chosen_data_dir(given.data_dir)
    outcomes = fetch(
        _chosen(given.benchmarks),
        folder,
        Lockfile(given.lock),
        optional=given.optional,
        offline=given.offline,
        pages=Pages(given.before or BEFORE, given.distractors, given.seed),
        tell=_print_outcome,
    )
    failed = [outcome for outcome in outcomes if outcome.state == "failed"]
    print(f"{len(outcomes) - len(failed)} of {len(outcomes)} files in {safe(str(folder))}")
    if not failed:
        print(
            'Build on them with track = "full" in leaderboard.toml; leaderboard data verify checks them all.'
        )
    return WRONG_INPUT if failed else 0


def _print_outcome(outcome: Fetched) -> None:
    if outcome.state == "failed":
        print(f"{outcome.name}: not here", file=sys.stderr)
        print("\n".join(f"  {safe(line)}" for line in outcome.said.splitlines()), file=sys.stderr, flush=True)
    else:
        print(f"{outcome.name}: {outcome.state}, {outcome.size_bytes:,} bytes", flush=True)


def status(given: argparse.Namespace) -> int:
    """Say what is here."""
    from dataclasses import asdict

    from leaderboard.benchmarks.registry import chosen_data_dir
    from leaderboard.data.status import status
    from leaderboard.fetching.lockfile import Lockfile

    folder = chosen_data_dir(given.data_dir)
    found = status(_chosen(given.benchmarks), folder, Lockfile(given.lock))
    if given.json:
        print_json({"folder": str(folder), "files": [asdict(file) for file in found]})
        return 0
    print(f"in {safe(str(folder))}")
    for file in found:
        print(safe(_status_line(file)))
    return 0


def _status_line(file: Status) -> str:
    whole = f" of {file.expected_bytes:,}" if file.expected_bytes else ""
    words = {
        "verified": f"here and verified, {file.present_bytes:,} bytes",
        "unverified": f"here, {file.present_bytes:,} bytes; leaderboard data verify reads it",
        "partial": f"begun, {file.present_bytes:,}{whole} bytes",
        "missing": f"not here{', on request only (--optional)' if file.optional else ''}",
    }[file.state]
    digest = f"sha256 {file.digest[:16]}…" if file.digest else "no digest known yet"
    return f"{file.name}: {words}; {digest}"


def verify(given: argparse.Namespace) -> int:
    """Hold what is here against its digests, and read it."""
    from dataclasses import asdict

    from leaderboard.benchmarks.registry import chosen_data_dir
    from leaderboard.data.verify import hold, read
    from leaderboard.fetching.lockfile import Lockfile

    folder, chosen = chosen_data_dir(given.data_dir), _chosen(given.benchmarks)
    held = []
    for file in hold(chosen, folder, Lockfile(given.lock)):
        held.append(file)
        if not given.json:
            print(safe(_held_line(file)), flush=True)
    loaded = []
    for one in read(chosen, folder):
        loaded.append(one)
        if not given.json:
            print("\n".join(safe(line) for line in _read_lines(one)), flush=True)
    if given.json:
        files, benchmarks = ([asdict(one) for one in found] for found in (held, loaded))
        print_json({"folder": str(folder), "files": files, "benchmarks": benchmarks})
    sound = all(file.state in ("right", "unknown") for file in held) and not any(one.error for one in loaded)
    return 0 if sound else WRONG_INPUT


def _held_line(file: Held) -> str:
    match file.state:
        case "right":
            return f"{file.name}: right, {file.size_bytes:,} bytes, sha256 {file.found[:16]}…"
        case "unknown":
            said = f"{file.size_bytes:,} bytes, sha256 {file.found}"
            return f"{file.name}: no digest to hold it against (leaderboard data fetch notes one); {said}"
        case "wrong":
            said = f"expected sha256 {file.expected}, found {file.found}"
            return f"{file.name}: WRONG: {said}; move it away, and fetch it again"
        case "missing":
            return f"{file.name}: missing; leaderboard data fetch {file.name.partition('/')[0]}"


def _read_lines(one: Read) -> Sequence[str]:
    if one.error:
        return [f"{one.benchmark}: cannot be read: {one.error}"]
    defects = sum(count for _, count in one.defects)
    return [
        f"{one.benchmark}: {one.questions:,} questions, {one.documents:,} documents; {defects:,} defects handled",
        *(f"  {count:,} × {problem}" for problem, count in one.defects),
    ]
