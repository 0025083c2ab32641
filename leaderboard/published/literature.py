"""The systems of the literature: what our program of a kind reproduces, what it doesn't, what others published of it.

``systems/<kind>.toml`` is a system, named after the program's kind in the catalog. Figures that stand in a benchmark's
file already are referred to as ``"<benchmark>/<table key>"``, never repeated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field, Strict

from leaderboard.published.reference import (
    FOLDER,
    Frozen,
    Line,
    Prose,
    PublishedError,
    ReferenceTable,
    read_published,
    references,
    refuse,
    table_faults,
)

SYSTEMS = "systems"
"""The folder of the systems' files, below the one of the benchmarks'."""

Sentences = Annotated[tuple[Prose, ...], Strict(False), Field(min_length=1)]
Place = Annotated[str, Field(pattern=r"\A[a-z0-9_]{1,40}/[a-z0-9][a-z0-9_-]{1,60}\z")]


class Paper(Frozen):
    """A work that describes the system: authors and title, year, address where known."""

    work: Line
    year: Annotated[int, Field(ge=1950, le=2100)]
    address: Annotated[str, Field(pattern=r"\Ahttps://[^\s]+\z", max_length=300)] | None = None


class Parameter(Frozen):
    """A parameter of our program's kind, or of its submissions, and what it is called or set to in the paper."""

    ours: Annotated[str, Field(pattern=r"\A[a-z][a-z0-9_]{0,60}\z")]
    theirs: Prose


class _SystemFile(Frozen):
    title: Line
    summary: Prose
    reproduces: Sentences
    leaves_out: Sentences
    second_hand: Annotated[str, Field(max_length=1500)] = ""
    no_figures: Annotated[str, Field(max_length=1500)] = ""
    shown: Annotated[tuple[Place, ...], Strict(False)] = ()
    paper: Annotated[tuple[Paper, ...], Strict(False), Field(min_length=1)]
    parameter: Annotated[tuple[Parameter, ...], Strict(False)] = ()
    table: Annotated[tuple[ReferenceTable, ...], Strict(False)] = ()


@dataclass(frozen=True)
class LiteratureSystem:
    """A system of the literature. ``kind`` is its program's in the catalog; every text is ours, none is quoted.

    ``reproduces`` and ``leaves_out`` are sentences. ``second_hand`` says what rests on a third party's text alone,
    ``no_figures`` why there is no table where there is none; else both are "". ``figures`` are the tables of the
    benchmarks' files that the file refers to, as benchmark and table, then the file's own, whose benchmark is "".
    """

    kind: str
    title: str
    papers: tuple[Paper, ...]
    summary: str
    reproduces: tuple[str, ...]
    leaves_out: tuple[str, ...]
    second_hand: str
    parameters: tuple[Parameter, ...]
    no_figures: str
    figures: tuple[tuple[str, ReferenceTable], ...]


def kinds(folder: Path = FOLDER) -> tuple[str, ...]:
    """Return the kinds that have a file in ``folder / "systems"``, in alphabetical order."""
    return tuple(sorted(path.stem for path in (folder / SYSTEMS).glob("*.toml")))


def literature_system(kind: str, folder: Path = FOLDER) -> LiteratureSystem:
    """Return what the file of a kind says.

    Raises PublishedError that names the file and each wrong field, among them a reference to no table.
    """
    path = folder / SYSTEMS / f"{kind}.toml"
    file = read_published(path, _SystemFile)
    found: dict[str, ReferenceTable] = {}
    for benchmark in dict.fromkeys(place.partition("/")[0] for place in file.shown):
        found |= {f"{benchmark}/{table.key}": table for table in references(benchmark, folder)}
    refuse(path, _faults(file, found))
    return LiteratureSystem(
        kind=kind,
        title=file.title,
        papers=file.paper,
        summary=file.summary,
        reproduces=file.reproduces,
        leaves_out=file.leaves_out,
        second_hand=file.second_hand,
        parameters=file.parameter,
        no_figures=file.no_figures,
        figures=(
            *((place.partition("/")[0], found[place]) for place in file.shown),
            *(("", table) for table in file.table),
        ),
    )


def _faults(file: _SystemFile, found: dict[str, ReferenceTable]) -> Iterator[str]:
    yield from table_faults(file.table)
    for index, place in enumerate(file.shown):
        if place not in found:
            yield f"shown[{index}]: expected <benchmark>/<key of a table in its file>, found {place!r}"
        elif place in file.shown[:index]:
            yield f"shown[{index}]: expected each once, found {place!r} again"
        elif any(_comes_later(other, place, found) for other in file.shown[:index]):
            # A table's caveat may say that another one stands above or below it.
            yield f"shown[{index}]: expected the order of the benchmark's file, found {place!r} after a later one"
    names = [parameter.ours for parameter in file.parameter]
    for index, name in enumerate(names):
        if name in names[:index]:
            yield f"parameter[{index}].ours: expected each once, found {name!r} again"
    if bool(file.no_figures) is bool(file.shown or file.table):
        yield "no_figures: expected a sentence where there is no table, and none where there is one"


def _comes_later(other: str, place: str, found: dict[str, ReferenceTable]) -> bool:
    order = list(found)
    together = other.partition("/")[0] == place.partition("/")[0]
    return together and other in found and order.index(other) > order.index(place)


__all__ = ["LiteratureSystem", "Paper", "Parameter", "PublishedError", "kinds", "literature_system"]
