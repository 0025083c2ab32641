"""What belongs to ``[compile]``: what it goes together with, and the state file beside a submission, as bytes.

A stranger wrote that file: here it is only opened with care. What its bytes say is ``checking.state``'s subject.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from leaderboard.catalog.optimizers import OPTIMIZERS
from leaderboard.catalog.programs import PROGRAMS
from leaderboard.manifest import KEYS
from leaderboard.submissions.errors import SubmissionError, SubmissionErrors, clipped, one_of, shown
from leaderboard.submissions.inheritance import get, holds
from leaderboard.submissions.translation import Fault

STATE_SUFFIX = ".state.json"
MOST_BYTES = 2 * 1024 * 1024


class StateErrors(SubmissionErrors):
    """All faults of a compiled state, in the order of their places."""


def state_path(submission: Path) -> Path:
    """Return where the compiled state of the submission in this file lies."""
    return submission.with_name(f"{submission.stem}{STATE_SUFFIX}")


def state_bytes(path: Path) -> bytes | None:
    """Return the bytes of a state file, None where there is nothing at ``path``.

    Raises ``StateErrors`` for another name than ``*.state.json``, a link (wherever it leads), what is no regular
    file, and more than 2 MiB. No more is ever read.
    """
    if not path.name.endswith(STATE_SUFFIX):
        raise _fault(path, f"a file named *{STATE_SUFFIX}", shown(path.name), "no pickle is ever read")
    try:
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            raise _fault(path, "a regular file", "a link", "put the file itself there")
        if not stat.S_ISREG(status.st_mode):
            found = "a folder" if stat.S_ISDIR(status.st_mode) else "a device, pipe or socket"
            raise _fault(path, "a regular file", found)
        if status.st_size > MOST_BYTES:
            hint = "compile with fewer demonstrations, or a smaller context_tokens"
            raise _fault(path, f"at most {MOST_BYTES:,} bytes", f"{status.st_size:,} bytes", hint)
        # Between the look and the opening the file may be another: neither a link is followed nor a pipe waited for.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(handle, "rb") as stream:
            return stream.read(MOST_BYTES)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _fault(path, "a file that can be read", clipped(error.strerror or str(error))) from None


def _fault(path: Path, expected: str, found: str, hint: str = "") -> StateErrors:
    return StateErrors([SubmissionError(path.as_posix(), 1, 1, "", expected, found, hint)])


def compile_faults(data: Mapping[str, Any]) -> Iterator[Fault]:
    """Yield what does not go together with a submission's ``[compile]`` table."""
    if not holds(data, ("compile",)):
        return
    program = get(data, ("program", "kind"))
    if isinstance(program, str) and program in PROGRAMS:
        about = PROGRAMS[program]
        why = (
            "it asks no model" if not about.asks_model else "it is a reference row" if about.reference else ""
        )
        if why:
            expected = f'no [compile] with the program "{program}": {why}'
            yield Fault(("compile",), expected, shown(get(data, ("compile",))), at_key=True)
    train = get(data, ("compile", "train"))
    if isinstance(train, str) and train in KEYS:
        from leaderboard.manifest.entries import entry

        if not entry(train).train_loader:
            trained = [key for key in KEYS if entry(key).train_loader]
            hint = f"this board has no train split of {entry(train).name}"
            yield Fault(("compile", "train"), one_of(trained), shown(train), hint)
    yield from _enough_examples(data)


def _enough_examples(data: Mapping[str, Any]) -> Iterator[Fault]:
    """Yield a batch of more questions than there are examples, and as many neighbours as there are."""
    optimizer = get(data, ("compile", "optimizer"))
    name, more = {"simba": ("bsize", 0), "knn_few_shot": ("k", 1)}.get(str(optimizer), ("", 0))
    if not name:
        return
    fields = OPTIMIZERS[str(optimizer)].parameters.model_fields
    given, path = get(data, ("compile", "max_examples")), ("compile", name)
    most = fields["max_examples"].default if given is None else given
    value = get(data, path) if holds(data, path) else fields[name].default
    if not isinstance(value, int) or not isinstance(most, int) or value + more <= most:
        return
    if holds(data, path):
        yield Fault(path, f"at most {most - more} with max_examples = {most}", shown(value))
    elif most >= 2:
        yield Fault(
            ("compile", "max_examples"), f"at least {value + more} with {name} = {value}", shown(most)
        )
