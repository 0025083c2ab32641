"""Numbers that others published on a benchmark: what a file of them holds, and reading one.

``<benchmark>.toml`` has a ``[[table]]`` a source. Shares are stored from 0 to 1 and print with as many decimals as
their source gives: a value with more digits than its column prints is refused, so that nothing is rounded here.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, Strict, ValidationError

FOLDER = Path(__file__).parent
"""Where the package's own files are."""

Line = Annotated[str, Field(min_length=1, max_length=200)]
Prose = Annotated[str, Field(min_length=1, max_length=1500)]
Key = Annotated[str, Field(pattern=r"\A[a-z0-9][a-z0-9_-]{1,60}\z")]
Count = Annotated[int, Field(ge=1)]
Model = TypeVar("Model", bound=BaseModel)


class PublishedError(Exception):
    """A file of published numbers cannot be used. The text names the file and, a line each, the wrong fields."""


class Frozen(BaseModel):
    """What every part of such a file is: unknown keys are errors, and nothing is converted."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Source(Frozen):
    """Where the numbers stand: the work, the place in it (table, section, README), its year and address where known."""

    work: Line
    where: Line
    year: Annotated[int, Field(ge=1950, le=2100)] | None = None
    address: Annotated[str, Field(pattern=r"\Ahttps://[^\s]+\z", max_length=300)] | None = None


class ReferenceColumn(Frozen):
    """A column. ``questions`` is the number of questions behind its values, None where the source doesn't say."""

    key: Key
    label: Line
    hint: Prose
    percent: bool = True
    decimals: Annotated[int, Field(ge=0, le=6)] = 1
    unit: Annotated[str, Field(max_length=60)] = ""
    higher_is_better: bool = True
    questions: Count | None = None


class ReferenceRow(Frozen):
    """A system, or a group of questions, with its values by column; a column that the source leaves out is left out.

    ``note`` is a short mark such as "approximate" or "self-reported". ``questions`` goes before the column's.
    """

    system: Line
    values: Annotated[dict[str, float], Field(min_length=1)]
    note: Annotated[str, Field(max_length=60)] = ""
    questions: Count | None = None


class ReferenceTable(Frozen):
    """The numbers of one source in one setting.

    ``read_from`` says in words what they were copied from (the paper, a repository, somebody's summary), ``setting``
    model, questions, corpus and judge, ``caveat`` why they can't be compared with rows measured here.
    """

    key: Key
    title: Line
    row_heading: Line = "System"
    source: Source
    read_from: Prose
    setting: Prose
    caveat: Prose
    columns: Annotated[tuple[ReferenceColumn, ...], Strict(False), Field(min_length=1)]
    rows: Annotated[tuple[ReferenceRow, ...], Strict(False), Field(min_length=1)]

    def questions(self, row: ReferenceRow, column: ReferenceColumn) -> int | None:
        """Return the number of questions behind a value, None where the source doesn't say."""
        return row.questions or column.questions


class _File(Frozen):
    table: Annotated[tuple[ReferenceTable, ...], Strict(False), Field(min_length=1)]


def references(benchmark: str, folder: Path = FOLDER) -> tuple[ReferenceTable, ...]:
    """Return what is published on a benchmark, in the order of ``<folder>/<benchmark>.toml``; nothing without a file.

    Raises PublishedError that names the file and each wrong field.
    """
    path = folder / f"{benchmark}.toml"
    if not path.exists():
        return ()
    tables = read_published(path, _File).table
    refuse(path, table_faults(tables))
    return tables


def read_published(path: Path, model: type[Model]) -> Model:
    """Return the TOML file at ``path`` as ``model``. Raises PublishedError that names the file and each wrong field."""
    try:
        return model.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise PublishedError(
            f"{path}: cannot be read ({error.strerror}); install the package again"
        ) from error
    except ValidationError as error:
        items = error.errors(include_url=False)
        # A list is said to be too short when its items are wrong: they are the error, and stand in it already.
        items = [item for item in items if not (item["type"] == "too_short" and item["input"])]
        wrong = [
            f"{_dotted(item['loc'])}: {item['msg']}, found {ascii(item['input'])[:80]}" for item in items
        ]
        raise _error(path, wrong) from error
    except (ValueError, RecursionError) as error:  # not UTF-8, not TOML, or nested too deep to read
        raise PublishedError(f"{path}: expected TOML in UTF-8, found: {error}") from error


def refuse(path: Path, faults: Iterable[str]) -> None:
    """Raise PublishedError with a line a fault, if there are any."""
    if found := list(faults):
        raise _error(path, found)


def _error(path: Path, faults: list[str]) -> PublishedError:
    return PublishedError("\n".join(f"{path}: {fault}" for fault in faults))


def _dotted(location: tuple[int | str, ...]) -> str:
    parts = (f"[{part}]" if isinstance(part, int) else f".{_word(part)}" for part in location)
    return "".join(parts).removeprefix(".")


def _word(key: str) -> str:
    """Return a key of the file as an error shows it: short, without control characters."""
    return ascii(key[:80])[1:-1]


def table_faults(tables: tuple[ReferenceTable, ...]) -> Iterator[str]:
    """Yield what is wrong between the fields: keys used twice, values without a column, values a column can't print."""
    yield from _twice("table[{}].key", [table.key for table in tables])
    for number, table in enumerate(tables):
        place = f"table[{number}]"
        yield from _twice(place + ".columns[{}].key", [column.key for column in table.columns])
        yield from _twice(place + ".rows[{}].system", [row.system for row in table.rows])
        columns = {column.key: column for column in table.columns}
        for index, row in enumerate(table.rows):
            for key, value in row.values.items():
                at = f"{place}.rows[{index}].values.{_word(key)}"
                if key not in columns:
                    yield f"{at}: expected a column of {', '.join(columns)}, found {ascii(key)[:80]}"
                elif fault := _misfit(value, columns[key]):
                    yield f"{at}: {fault}"
        for index, key in enumerate(columns):
            if not any(key in row.values for row in table.rows):
                yield f"{place}.columns[{index}].key: expected a value in some row, found none under {key!r}"


def _twice(place: str, names: list[str]) -> Iterator[str]:
    for index, name in enumerate(names):
        if name in names[:index]:
            yield f"{place.format(index)}: expected each once, found {ascii(name)[:80]} again"


def _misfit(value: float, column: ReferenceColumn) -> str:
    """Say why a value doesn't fit its column, "" where it does."""
    if not math.isfinite(value) or value < 0 or (column.percent and value > 1):
        wanted = "a share from 0 to 1" if column.percent else "a number that isn't negative"
        return f"expected {wanted}, found {value!r}"
    exponent = Decimal(repr(value)).normalize().as_tuple().exponent
    decimals = max(0, -int(exponent) - (2 if column.percent else 0))
    if decimals > column.decimals:
        return f"expected at most {column.decimals} printed decimals, as the column says, found {value!r} with {decimals}"
    return ""
