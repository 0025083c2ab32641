"""Run folders: ``results/<track>/<benchmark>/<system>/<UTC timestamp>-<fingerprint8>/`` and their ``run.json``."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from leaderboard.files import digest_json, sha256_file, write_text
from leaderboard.results.records import Outcome

_FOLDER = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{8}")
_UNFINISHED = ".run-"
_ABANDONED_S = 24 * 3600
TABLES = ("records", "calls", "retrievals")


def _iso_time(text: str) -> str:
    datetime.fromisoformat(text)
    return text


Count = Annotated[int, Field(ge=0, le=2**53 - 1)]
"""How many there are of something: no more than JSON holds exactly."""
Sha256 = Annotated[str, Field(pattern=r"\A[0-9a-f]{64}\z")]
Time = Annotated[str, AfterValidator(_iso_time)]


class RunError(Exception):
    """A run folder cannot be read or written. The text names it and what is wrong."""


class TableFile(BaseModel):
    """A run's parquet file: its place relative to the run folder, its SHA-256, its number of rows."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    place: str
    sha256: Sha256
    rows: Count


class Run(BaseModel):
    """``run.json``: where a run came from and what it holds. No scores: they are computed from the records."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_version: Literal["run/1"] = "run/1"
    system: str
    benchmark: str
    track: Literal["sample", "full"]
    fingerprint: Sha256
    parts: dict[str, str]
    """The fingerprint's named parts, each with its digest or value."""
    submission: str
    """The submission as it was run, inheritance resolved, as canonical JSON."""
    questions: Count
    repeats: Annotated[int, Field(ge=1, le=1000)]
    started_at: Time
    finished_at: Time
    wall_s: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    calls_made: Count
    calls_replayed: Count
    outcomes: dict[Outcome, Count]
    platform: str
    libraries: dict[str, str]
    corpus_documents: Count
    tables: dict[str, TableFile] = {}

    @property
    def complete(self) -> bool:
        """Whether every question's outcome is the system's own doing (rule R4)."""
        return sum(self.outcomes.values()) == self.questions * self.repeats and all(
            outcome.scored or not count for outcome, count in self.outcomes.items()
        )


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A run on disk."""

    path: Path
    run: Run

    def file(self, name: str) -> TableFile:
        """Return what ``run.json`` says of a table."""
        file = self.run.tables.get(name)
        if file is None:
            raise RunError(
                f"{self.path}/run.json: names no table {name!r}; the run is damaged, remove its folder"
            )
        return file

    def table(self, name: str) -> Path:
        """Return the path of a table after checking that its bytes are those that ``run.json`` names."""
        file = self.file(name)
        path = self.path / Path(file.place).name
        try:
            if not path.is_file():
                raise RunError(
                    f"{path}: missing; restore it from the repository's history, or remove the run's folder"
                )
            found = sha256_file(path)
        except OSError as error:
            raise RunError(
                f"{path}: cannot be read ({error.strerror}); restore it, or remove the run's folder"
            ) from error
        if found != file.sha256:
            raise RunError(
                f"{path}: sha256 {found[:16]}… found, {file.sha256[:16]}… expected by run.json; restore the file, or "
                "remove the run's folder"
            )
        return path


def cell_folder(results: Path, track: str, benchmark: str, system: str) -> Path:
    """Return the folder that holds a cell's runs."""
    return results / track / benchmark / system


def read_run(folder: Path) -> Run:
    """Read ``run.json`` and check that it is the run of this folder: its cell, its fingerprint, its three tables.

    Raises ``RunError`` that names the file and each wrong field.
    """
    path = folder / "run.json"
    try:
        run = Run.model_validate_json(path.read_bytes(), strict=True)
    except OSError as error:
        raise RunError(
            f"{path}: cannot be read ({error.strerror}); remove the folder or restore the file"
        ) from error
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'file'}: {e['msg']}" for e in error.errors()[:5])
        raise RunError(f"{path}: not a run ({wrong}); restore the file, or remove the folder") from error
    faults = _faults(run, folder)
    if faults:
        raise RunError(
            f"{path}: not the run of this folder ({'; '.join(faults)}); restore the file, or remove the folder"
        )
    return run


def _faults(run: Run, folder: Path) -> list[str]:
    cell, place = (run.track, run.benchmark, run.system), folder.parts[-4:-1]
    digest = digest_json(run.parts)
    faults = []
    if cell != place:
        faults.append(f"it is a run of {'/'.join(cell)} and lies in {'/'.join(place)}")
    if digest != run.fingerprint:
        faults.append(f"fingerprint: its parts give {digest[:16]}…, found {run.fingerprint[:16]}…")
    if folder.name[-8:] != run.fingerprint[:8]:
        faults.append(
            f"the folder's name ends with {folder.name[-8:]}, the fingerprint begins {run.fingerprint[:8]}"
        )
    if run.submission != run.parts.get("submission"):
        faults.append("submission: another one than among the fingerprint's parts")
    faults += [f"tables: names no {name}" for name in TABLES if name not in run.tables]
    return faults


def runs_of(results: Path, track: str, benchmark: str, system: str) -> list[RunFolder]:
    """Return a cell's runs, newest first. Folders with other names are not runs and are passed over."""
    folder = cell_folder(results, track, benchmark, system)
    if not folder.is_dir():
        return []
    names = sorted(
        (path for path in folder.iterdir() if path.is_dir() and _FOLDER.fullmatch(path.name)), reverse=True
    )
    return [RunFolder(path, read_run(path)) for path in names]


def shown_run(runs: list[RunFolder]) -> RunFolder | None:
    """Return the run that the board shows: the newest complete one, else the newest."""
    return next((folder for folder in runs if folder.run.complete), runs[0] if runs else None)


@contextmanager
def new_run_folder(
    results: Path, cell: tuple[str, str, str], fingerprint: str
) -> Iterator[tuple[Path, Path]]:
    """Yield a hidden folder to fill, and the place it takes in one step on success; on error it goes.

    ``cell`` is (track, benchmark, system). The place's name is the run's, and is this run's alone from the start.
    Hidden folders of the cell that a killed process left a day ago or longer are removed.
    """
    folder = cell_folder(results, *cell)
    folder.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(folder)
    temporary, target = _reserve(folder, fingerprint)
    try:
        yield temporary, target
        temporary.chmod(0o755)
        temporary.rename(target)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def _reserve(folder: Path, fingerprint: str) -> tuple[Path, Path]:
    """Return a new hidden folder and the place that it alone may take: the first second from now that is free.

    A run that only replays can end within the second of the one before, and another process can be as fast. Whoever
    made the hidden folder of a name holds the name; only then does it show whether a run has it already.
    """
    moment = datetime.now(UTC)
    while True:
        target = folder / f"{moment:%Y%m%dT%H%M%SZ}-{fingerprint[:8]}"
        temporary = folder / f"{_UNFINISHED}{target.name}"
        try:
            temporary.mkdir(mode=0o700)
        except FileExistsError:
            pass
        else:
            if not target.exists():
                return temporary, target
            temporary.rmdir()
        moment += timedelta(seconds=1)


def _remove_abandoned(folder: Path) -> None:
    oldest = time.time() - _ABANDONED_S
    for path in folder.glob(f"{_UNFINISHED}*"):
        with suppress(FileNotFoundError):  # another process takes them away as well, or finishes its own
            if path.stat().st_mtime < oldest:
                shutil.rmtree(path, ignore_errors=True)


def write_run(folder: Path, run: Run) -> None:
    """Write ``run.json``."""
    write_text(folder / "run.json", run.model_dump_json(indent=2) + "\n")
