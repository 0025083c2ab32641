"""Folders of compiles: ``results/compile/<system>/<fingerprint8>/``, their ``compile.json`` and their calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from leaderboard.calls.store import StoredCall
from leaderboard.files import sha256_file, write_text
from leaderboard.results.runs import Count, RunError, Sha256, TableFile, Time
from leaderboard.results.tables import read_calls, write_calls

FOLDER = "compile"
_RECORD, _CALLS = "compile.json", "calls.parquet"

Share = Annotated[float, Field(ge=0, le=1)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CandidateScore(_Part):
    """A program that an optimizer scored: SHA-256 of its predictors' canonical JSON, on how many questions, the share right."""

    predictors: Sha256
    questions: Count
    score: Share


class CompileRecord(_Part):
    """``compile.json``: what a compile was made from, what it asked, and what it came to."""

    schema_version: Literal["compile/1"] = "compile/1"
    system: str
    fingerprint: Sha256
    parts: dict[str, str]
    """The fingerprint's named parts; ``compile`` are the optimizer's settings as canonical JSON."""
    train: str
    train_digest: Sha256
    questions: tuple[str, ...]
    """The ids of the train questions, in the order in which the optimizer had them."""
    state_sha256: Sha256
    changed: tuple[str, ...]
    """The predictors whose instructions, fields or demonstrations are not the program's own."""
    ended: str
    """Why the optimizer ended early, "" if it did not."""
    score: Share | None
    candidates: tuple[CandidateScore, ...]
    calls: Count
    """Distinct calls; those ``made`` now and those ``replayed`` add up to them."""
    calls_made: Count
    calls_replayed: Count
    prompt_tokens: Count | None
    completion_tokens: Count | None
    started_at: Time
    finished_at: Time
    wall_s: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    platform: str
    libraries: dict[str, str]
    table: TableFile


def compile_folder(results: Path, system: str, fingerprint: str) -> Path:
    """Return the folder of a system's compile."""
    return results / FOLDER / system / fingerprint[:8]


def read_compile(folder: Path) -> CompileRecord | None:
    """Return the record in a folder, None where there is none. Raises ``RunError`` for what is no record."""
    path = folder / _RECORD
    try:
        return CompileRecord.model_validate_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise RunError(
            f"{path}: cannot be read ({error.strerror}); restore it, or remove the folder"
        ) from error
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'file'}: {e['msg']}" for e in error.errors()[:5])
        raise RunError(f"{path}: not a compile ({wrong}); restore the file, or remove the folder") from error


def recorded_calls(results: Path, system: str) -> Iterator[StoredCall]:
    """Yield the calls of all of a system's compiles: what another file asked may be asked again.

    Raises ``RunError`` for a record or a table that is damaged.
    """
    place = results / FOLDER / system
    folders = sorted(path for path in place.iterdir() if path.is_dir()) if place.is_dir() else []
    for folder in folders:
        record = read_compile(folder)
        if record is None:
            continue
        path = folder / _CALLS
        found = sha256_file(path) if path.is_file() else "nothing"
        if found != record.table.sha256:
            raise RunError(
                f"{path}: sha256 {found[:16]} found, {record.table.sha256[:16]}… expected by {_RECORD}; restore the file, or "
                "remove the folder"
            )
        yield from read_calls(path)


def write_compile_calls(folder: Path, calls: Iterable[StoredCall]) -> TableFile:
    """Write a compile's calls."""
    folder.mkdir(parents=True, exist_ok=True)
    return write_calls(folder / _CALLS, calls)


def write_compile(folder: Path, record: CompileRecord) -> None:
    """Write ``compile.json``."""
    write_text(folder / _RECORD, record.model_dump_json(indent=2) + "\n")
