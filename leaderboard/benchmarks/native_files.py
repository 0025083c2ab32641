"""Reading the benchmarks' own files: JSON, JSON lines and TSV whose every value may be wrong."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NoReturn

from leaderboard.benchmarks.questions import BenchmarkError, Defect
from leaderboard.files import sha256_bytes

MAX_BYTES = 2 * 1024**3
"""A file beyond 2 GiB is none of these benchmarks."""


@dataclass(frozen=True, slots=True)
class NativeFile:
    """A file that was read whole: its text and the SHA-256 of its bytes."""

    path: Path
    text: str
    digest: str

    @property
    def name(self) -> str:
        """The file's name without its folder."""
        return self.path.name


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a file, or an object inside it, whose fields are checked when they are taken.

    ``number`` is the 1-based line, or the 1-based item of a JSON array (``unit`` says which); ``inside`` names
    the place within the row, such as "paragraphs[3]".
    """

    file: str
    number: int
    unit: Literal["line", "item"]
    values: Mapping[str, object]
    inside: str = ""

    def refuse(self, expected: str, found: str, advice: str = "") -> NoReturn:
        """Raise BenchmarkError for this row: what was expected, what was found, what to do."""
        place = f"{self.file}, {self.unit} {self.number}" + (f", {self.inside}" if self.inside else "")
        then = advice or "Correct the row, or fetch the published file again."
        raise BenchmarkError(f"{place}: expected {expected}, found {found}. {then}")

    def defect(self, problem: str, action: str) -> Defect:
        """Return a Defect of this row."""
        return Defect(self.file, self.number, problem, action)

    def value(self, name: str) -> object:
        """Return the field ``name``, which must be there."""
        if name not in self.values:
            self.refuse(
                f'the field "{name}"', f"only {', '.join(map(repr, self.values)) or 'an empty object'}"[:200]
            )
        return self.values[name]

    def text(self, name: str, *, empty: bool = False) -> str:
        """Return a string field as it stands; white space alone is refused unless ``empty`` is allowed."""
        return self.checked_text(name, self.value(name), empty=empty)

    def optional_text(self, name: str) -> str:
        """Return a string field, "" where it is absent or null."""
        value = self.values.get(name)
        return "" if value is None else self.checked_text(name, value, empty=True)

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a field that is a list of strings."""
        return tuple(
            self.checked_text(f"{name}[{i}]", item, empty=True) for i, item in enumerate(self._list(name))
        )

    def integer(self, name: str) -> int:
        """Return a whole number; true and false are none."""
        value = self.value(name)
        if isinstance(value, bool) or not isinstance(value, int):
            self.refuse(f'a whole number as "{name}"', shown(value))
        return value

    def boolean(self, name: str) -> bool:
        """Return a field that is true or false."""
        value = self.value(name)
        if not isinstance(value, bool):
            self.refuse(f'true or false as "{name}"', shown(value))
        return value

    def objects(self, name: str) -> tuple[Row, ...]:
        """Return a field that is a list of objects, each as a Row that knows its place."""
        rows = []
        for index, item in enumerate(self._list(name)):
            if not isinstance(item, dict):
                self.refuse(f"an object as {name}[{index}]", shown(item))
            rows.append(Row(self.file, self.number, self.unit, item, f"{name}[{index}]"))
        return tuple(rows)

    def pairs(self, name: str, first: str, second: str) -> tuple[Row, ...]:
        """Return a field that is a list of two-item lists, each as a Row with the fields ``first`` and ``second``."""
        rows = []
        for index, item in enumerate(self._list(name)):
            if not isinstance(item, list) or len(item) != 2:
                self.refuse(f"a list of {first} and {second} as {name}[{index}]", shown(item))
            fields = {first: item[0], second: item[1]}
            rows.append(Row(self.file, self.number, self.unit, fields, f"{name}[{index}]"))
        return tuple(rows)

    def checked_text(self, name: str, value: object, *, empty: bool = False) -> str:
        """Return ``value`` if it is a string that UTF-8 can hold, without NUL."""
        if not isinstance(value, str):
            self.refuse(f'text as "{name}"', shown(value))
        if not empty and not value.strip():
            self.refuse(f'text as "{name}"', "nothing but white space" if value else "an empty text")
        if "\0" in value:
            self.refuse(f'text without NUL as "{name}"', shown(value))
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            self.refuse(
                f'whole Unicode characters as "{name}"', f"half of a surrogate pair in {shown(value)}"
            )
        return value

    def _list(self, name: str) -> list[object]:
        value = self.value(name)
        if not isinstance(value, list):
            self.refuse(f'a list as "{name}"', shown(value))
        return value


def shown(value: object) -> str:
    """Return a value as an error prints it: its JSON type and at most 80 characters."""
    kinds = {
        str: "text",
        bool: "a truth value",
        int: "a number",
        float: "a number",
        list: "a list",
        dict: "an object",
    }
    if value is None:
        return "null"
    huge = isinstance(value, int) and value.bit_length() > 128  # printing one may itself be an error
    printed = "beyond 128 bits" if huge else ascii(value)
    return f"{kinds.get(type(value), type(value).__name__)} {printed if len(printed) <= 80 else printed[:79] + '…'}"


def read_native(path: Path, advice: str) -> NativeFile:
    """Read a UTF-8 file whole. ``advice`` tells what to do when the file is missing or damaged.

    Raises BenchmarkError for a missing file, one that isn't a regular file, one beyond ``MAX_BYTES``, an empty
    one, NUL bytes, a byte-order mark and invalid UTF-8.
    """
    try:
        if not path.is_file():
            found = "something that is no regular file" if path.exists() else "no file"
            raise BenchmarkError(f"{path}: expected the file {path.name}, found {found}. {advice}")
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise BenchmarkError(f"{path}: expected at most {MAX_BYTES:,} bytes, found {size:,}. {advice}")
        data = path.read_bytes()
    except OSError as error:
        raise BenchmarkError(
            f"{path}: expected a file that can be read, found: {error.strerror or error}. {advice}"
        ) from error
    if not data.strip():
        raise BenchmarkError(f"{path}: expected text, found an empty file. {advice}")
    if (place := data.find(b"\0")) >= 0:
        line = data.count(b"\n", 0, place) + 1
        raise BenchmarkError(
            f"{path}, line {line}: expected text, found a NUL byte at offset {place}. {advice}"
        )
    if data.startswith(b"\xef\xbb\xbf"):
        raise BenchmarkError(f"{path}, line 1: expected plain UTF-8, found a byte-order mark. {advice}")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BenchmarkError(
            f"{path}, line {line}: expected UTF-8, found the byte 0x{data[error.start]:02x} at offset {error.start}."
            f" {advice}"
        ) from error
    return NativeFile(path, text, sha256_bytes(data))


def only_file(folder: Path, name: str, pattern: str, advice: str) -> Path:
    """Return ``folder/name`` if it is there, else the one file that matches ``pattern``.

    Raises BenchmarkError where there is none, or where several match.
    """
    if not folder.is_dir():
        raise BenchmarkError(f"{folder}: expected a folder with {name}, found no folder. {advice}")
    if (whole := folder / name).exists():
        return whole
    parts = sorted(folder.glob(pattern))
    if len(parts) == 1:
        return parts[0]
    if parts:
        names = ", ".join(part.name for part in parts)
        raise BenchmarkError(
            f"{folder}: expected {name} or one file {pattern}, found {len(parts)}: {names}. Leave one of them."
        )
    raise BenchmarkError(f"{folder}: expected {name} or one file {pattern}, found neither. {advice}")


def json_items(file: NativeFile, advice: str) -> Iterator[Row]:
    """Yield the objects of a JSON array as rows, numbered from 1."""
    value = _parsed(file.text, f"{file.path}", advice)
    if not isinstance(value, list):
        raise BenchmarkError(f"{file.path}: expected a JSON array of objects, found {shown(value)}. {advice}")
    for number, item in enumerate(value, start=1):
        if not isinstance(item, dict):
            raise BenchmarkError(
                f"{file.path}, item {number}: expected an object, found {shown(item)}. {advice}"
            )
        yield Row(file.name, number, "item", item)


def json_lines(file: NativeFile, advice: str) -> Iterator[Row]:
    """Yield the objects of a JSON-lines file as rows, numbered from 1. A blank line inside is refused."""
    lines = file.text.split("\n")  # not splitlines(): a JSON string may hold U+2028 as it is
    if not lines[-1].strip():
        lines.pop()
    for number, line in enumerate(lines, start=1):
        place = f"{file.path}, line {number}"
        if not line.strip():
            raise BenchmarkError(f"{place}: expected a JSON object, found a blank line. {advice}")
        value = _parsed(line, place, advice)
        if not isinstance(value, dict):
            raise BenchmarkError(f"{place}: expected a JSON object, found {shown(value)}. {advice}")
        yield Row(file.name, number, "line", value)


def tsv_rows(file: NativeFile, header: tuple[str, ...], advice: str) -> Iterator[Row]:
    """Yield the rows of a tab-separated file with csv quoting, each with the number of its first line.

    Raises BenchmarkError unless the first line is exactly ``header`` and each row has as many cells.
    """
    reader = csv.reader(io.StringIO(file.text, newline=""), delimiter="\t", strict=True)
    line = 1
    try:
        for cells in reader:
            place = f"{file.path}, line {line}"
            if line == 1:
                for column, (expected, found) in enumerate(zip(header, cells, strict=False), start=1):
                    if expected != found:
                        raise BenchmarkError(
                            f'{place}: expected "{expected}" as column {column}, found {ascii(found)[:80]}. {advice}'
                        )
            if len(cells) != len(header):
                raise BenchmarkError(f"{place}: expected {len(header)} columns, found {len(cells)}. {advice}")
            if line > 1:
                yield Row(file.name, line, "line", dict(zip(header, cells, strict=True)))
            line = reader.line_num + 1
    except csv.Error as error:
        raise BenchmarkError(
            f"{file.path}, line {line}: expected quoted TSV, found: {error}. {advice}"
        ) from error


def _parsed(text: str, place: str, advice: str) -> object:
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_unrepeated)
    except json.JSONDecodeError as error:
        whole = "a file that ends too early" if error.pos >= len(text.rstrip()) else f"{error.msg}"
        where = (
            f"line {error.lineno} column {error.colno}" if "\n" in text.strip() else f"column {error.colno}"
        )
        raise BenchmarkError(f"{place}: expected JSON, found {whole} at {where}. {advice}") from error
    except (ValueError, RecursionError) as error:
        raise BenchmarkError(f"{place}: expected JSON, found {error}. {advice}") from error


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name}, which JSON doesn't know")


def _unrepeated(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the field {ascii(twice)[:80]} twice in one object")
    return fields
