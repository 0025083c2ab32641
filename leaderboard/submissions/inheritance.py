"""``based_on``: which files a submission is made of, and the data they make together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from leaderboard.catalog.programs import PROGRAMS
from leaderboard.submissions.errors import SubmissionError, SubmissionErrors, did_you_mean, dotted, quoted
from leaderboard.submissions.positions import START, Path
from leaderboard.submissions.reading import TomlFile, read_toml
from leaderboard.submissions.schema import STEM_PATTERN
from leaderboard.submissions.translation import Fault

INHERITED_OF_SYSTEM = ("authors", "paper", "benchmarks")
"""Name and description belong to one system alone; so do ``replaces``, ``based_on`` and ``withdrawn``."""

BASED_ON: Path = ("system", "based_on")


@dataclass(frozen=True, slots=True)
class Lineage:
    """A submission's own file, then the files it is based on, nearest first, and their data merged.

    ``broken``: a base is missing, so what the merged data lack may stand there.
    """

    files: tuple[TomlFile, ...]
    data: Mapping[str, Any]
    faults: tuple[Fault, ...] = ()
    broken: bool = False

    def locate(self, fault: Fault) -> SubmissionError:
        """Give ``fault`` the place, in the file that says it, of its value, its key or what is around it."""
        path = fault.path[:-1] if fault.missing else fault.path
        file, place = self.files[0], START
        while path:
            holder = next((one for one in self.files if holds(one.data, path)), None)
            if holder is not None:
                at_key = fault.at_key and path == fault.path
                file, place = holder, holder.positions.key(path) if at_key else holder.positions.value(path)
                break
            path = path[:-1]
        field = dotted(fault.path)
        return SubmissionError(file.file, *place, field, fault.expected, fault.found, fault.hint)


def lineage(own: TomlFile) -> Lineage:
    """Follow ``based_on`` from ``own`` to the last base and merge.

    Raises ``SubmissionErrors`` for a base that can't be read and for a circle. A base that doesn't exist is a fault
    of the result, so that it is reported with all others. Only names are followed: a path is never opened.
    """
    files = [own]
    faults: list[Fault] = []
    broken = False
    while (name := get(files[-1].data, BASED_ON)) is not None:
        if not isinstance(name, str) or not re.fullmatch(STEM_PATTERN, name):
            broken = True  # of the own file validation says so; of a base, the fault below
            if len(files) > 1:
                raise _at(files[-1], "the name of a submission in this folder", "something else")
            break
        path = own.path.with_name(f"{name}.toml")
        if path in [file.path for file in files]:
            names = [file.path.stem for file in files]
            circle = [*names[names.index(name) :], name]
            raise _at(files[-1], "a submission that isn't based on this one", " → ".join(map(_short, circle)))
        if not path.is_file() and not path.is_symlink():
            others = [
                p.stem for p in own.path.parent.glob("*.toml") if p not in [file.path for file in files]
            ]
            expected, hint = "a submission in this folder", did_you_mean(name, others)
            if len(files) > 1:
                raise _at(files[-1], expected, quoted(name), hint)
            faults.append(Fault(BASED_ON, expected, quoted(name), hint))
            broken = True
            break
        files.append(read_toml(path))
    data: dict[str, Any] = {}
    for file in reversed(files):
        data = merged(data, file.data)
    return Lineage(tuple(files), data, tuple(faults), broken)


def merged(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``own`` with the tables and keys it leaves out taken from ``base``.

    A table whose ``kind`` changes takes nothing from the base: those parameters belong to the old kind. For the
    same reason ``unit = "article"`` takes no ``chunk_tokens`` and no ``overlap_tokens``, and a program that asks no
    model no ``[lm]``. ``[compile]`` is never taken: its result, the compiled state, belongs to one system.
    """
    result = dict(own)
    silent = [kind for kind, entry in PROGRAMS.items() if not entry.asks_model]
    for name, table in base.items():
        if name == "compile":
            continue
        mine = own.get(name, {})
        if name == "lm" and name not in own and get(own, ("program", "kind")) in silent:
            continue
        if not isinstance(table, dict) or not isinstance(mine, dict):
            result.setdefault(name, table)
            continue
        inherited = {
            key: value for key, value in table.items() if name != "system" or key in INHERITED_OF_SYSTEM
        }
        if "kind" in mine and mine["kind"] != table.get("kind"):
            inherited = {}
        if mine.get("unit") == "article":
            inherited.pop("chunk_tokens", None)
            inherited.pop("overlap_tokens", None)
        result[name] = {**inherited, **mine}
    return result


def get(data: object, path: Path) -> object:
    """Return the value at ``path``, or ``None``: TOML has no null."""
    for part in path:
        if isinstance(data, Mapping):
            data = data.get(part)
        elif isinstance(data, list) and isinstance(part, int) and part < len(data):
            data = data[part]
        else:
            return None
    return data


def holds(data: object, path: Path) -> bool:
    """Tell whether ``data`` has something at ``path``."""
    return get(data, path) is not None


def _at(file: TomlFile, expected: str, found: str, hint: str = "") -> SubmissionErrors:
    place = file.positions.value(BASED_ON)
    return SubmissionErrors([SubmissionError(file.file, *place, dotted(BASED_ON), expected, found, hint)])


def _short(name: str) -> str:
    return name if len(name) <= 24 else name[:23] + "…"
