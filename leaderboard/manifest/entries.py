"""A benchmark's entry in the manifest: what it is, who made it, and each of its files with its sources and digest."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, Strict, ValidationError, model_validator

from leaderboard.manifest import FOLDER

Line = Annotated[str, Field(min_length=1, max_length=300)]
Prose = Annotated[str, Field(min_length=1, max_length=1500)]
FileName = Annotated[str, Field(pattern=r"\A[A-Za-z0-9][A-Za-z0-9._-]{0,99}\z")]
Digest = Annotated[str, Field(pattern=r"\A[0-9a-f]{64}\z")]
Address = Annotated[str, Field(pattern=r"\Ahttps?://[A-Za-z0-9.-]+/[!-~]*\z", max_length=500)]


class ManifestError(Exception):
    """An entry of the manifest cannot be used. The text names the file and, a line each, the wrong fields."""


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class HubSource(_Frozen):
    """A file of a repository of the model hub. ``revision`` is a commit, or a branch where the digest alone pins it."""

    hub: Annotated[str, Field(pattern=r"\A(datasets/)?[A-Za-z0-9._-]+/[A-Za-z0-9._-]+\z")]
    revision: Annotated[str, Field(pattern=r"\A[A-Za-z0-9._-]{1,64}\z")]
    path: Annotated[str, Field(pattern=r"\A[A-Za-z0-9][A-Za-z0-9._/-]{0,199}\z")]


class WebSource(_Frozen):
    """A file at an address, or with ``member`` inside the zip archive there."""

    url: Address
    member: Annotated[str, Field(max_length=200)] = ""


class DataFile(_Frozen):
    """A file of a benchmark, under ``<data folder>/<key>/path``.

    ``sha256`` is None where nobody published a digest: the first fetch notes it in the lock file. ``made`` tells how
    this program makes the file where none is published. ``optional`` files are fetched on request only.
    """

    path: FileName
    role: Line
    bytes: Annotated[int, Field(ge=1)] | None = None
    sha256: Digest | None = None
    licence: Line | None = None
    note: Prose | None = None
    optional: bool = False
    made: Literal["wikipedia"] | None = None
    sources: Annotated[tuple[HubSource | WebSource, ...], Strict(False)] = ()

    @model_validator(mode="after")
    def _has_an_origin(self) -> DataFile:
        if bool(self.sources) == bool(self.made):
            raise ValueError(f"{self.path}: either sources or made")
        return self


class KnownDefect(_Frozen):
    """Something wrong in a published file, and what the loader does about it."""

    problem: Prose
    repair: Prose


class Entry(_Frozen):
    """A benchmark. ``loader`` is "module:function", ``train_loader`` that of its train split, "" where there is none here; ``breakdowns`` are the names of the loader's breakdowns.

    ``sample_corpus`` is the sample track's corpus file, from the sample folder, where it isn't the benchmark's own.
    """

    name: Line
    summary: Prose
    citation: Prose
    arxiv: Annotated[str, Field(pattern=r"\A[0-9]{4}\.[0-9]{4,5}\z")]
    licence: Line
    home: Address
    loader: Annotated[str, Field(pattern=r"\Aleaderboard\.benchmarks\.[a-z_]+:[a-z_]+\z")]
    train_loader: Annotated[str, Field(pattern=r"\A(leaderboard\.benchmarks\.[a-z_]+:[a-z_]+)?\z")] = ""
    breakdowns: Annotated[tuple[str, ...], Strict(False)]
    sample_corpus: str = ""
    files: Annotated[tuple[DataFile, ...], Strict(False), Field(min_length=1)]
    defects: Annotated[tuple[KnownDefect, ...], Strict(False)] = ()

    @property
    def needed_files(self) -> tuple[str, ...]:
        """The names of the files that the loader asks for."""
        return tuple(file.path for file in self.files if not file.optional)


@cache
def entry(key: str) -> Entry:
    """Return a benchmark's entry by its key; raise ``KeyError`` for an unknown one."""
    path = FOLDER / f"{key}.toml"
    if "/" in key or not path.is_file():
        raise KeyError(key)
    return read_entry(path)


def read_entry(path: Path) -> Entry:
    """Return the entry in a file. Raises ``ManifestError`` that names the file and each wrong field."""
    try:
        return Entry.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        wrong = "\n".join(
            f"{path}: {'.'.join(map(str, item['loc']))}: {item['msg']}, found {ascii(item['input'])[:80]}"
            for item in error.errors(include_url=False)
        )
        raise ManifestError(wrong) from error
    except (OSError, ValueError, RecursionError) as error:
        raise ManifestError(f"{path}: expected TOML in UTF-8, found: {error}") from error
