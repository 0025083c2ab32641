"""Run folders: ``results/<track>/<benchmark>/<system>/<UTC timestamp>-<fingerprint8>/`` and their ``run.json``."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from leaderboard.files import sha256_file, write_text
from leaderboard.results.records import Outcome

_FOLDER = re.compile(r"^(\d{8}T\d{6}Z)-([0-9a-f]{8})$")
TABLES = ("records", "calls", "retrievals")


class RunError(Exception):
    """A run folder cannot be read or written. The text names it and what is wrong."""


class TableFile(BaseModel):
    """A run's parquet file: its place relative to the run folder, its SHA-256, its number of rows."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    place: str
    sha256: str
    rows: int


class Run(BaseModel):
    """``run.json``: where a run came from and what it holds. No scores: they are computed from the records."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_version: Literal["run/1"] = "run/1"
    system: str
    benchmark: str
    track: Literal["sample", "full"]
    fingerprint: str
    parts: dict[str, str]
    """The fingerprint's named parts, each with its digest or value."""
    submission: str
    """The submission as it was run, inheritance resolved, as canonical JSON."""
    questions: int
    repeats: int
    started_at: str
    finished_at: str
    wall_s: float
    calls_made: int
    calls_replayed: int
    outcomes: dict[Outcome, int]
    platform: str
    libraries: dict[str, str]
    corpus_documents: int
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

    def table(self, name: str) -> Path:
        """Return the path of a table after checking that its bytes are those that ``run.json`` names."""
        file = self.run.tables.get(name)
        if file is None:
            raise RunError(
                f"{self.path}/run.json: names no table {name!r}; the run is damaged, remove its folder"
            )
        path = self.path / Path(file.place).name
        if not path.is_file():
            raise RunError(
                f"{path}: missing; restore it from the repository's history, or remove the run's folder"
            )
        found = sha256_file(path)
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
    """Read and check ``run.json``. Raises ``RunError`` that names the file and each wrong field."""
    path = folder / "run.json"
    try:
        return Run.model_validate_json(path.read_bytes())
    except OSError as error:
        raise RunError(
            f"{path}: cannot be read ({error.strerror}); remove the folder or restore the file"
        ) from error
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'file'}: {e['msg']}" for e in error.errors()[:5])
        raise RunError(f"{path}: not a run ({wrong}); restore the file, or remove the folder") from error


def runs_of(results: Path, track: str, benchmark: str, system: str) -> list[RunFolder]:
    """Return a cell's runs, newest first. Folders with other names are not runs and are passed over."""
    folder = cell_folder(results, track, benchmark, system)
    if not folder.is_dir():
        return []
    names = sorted(
        (path for path in folder.iterdir() if path.is_dir() and _FOLDER.match(path.name)), reverse=True
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

    ``cell`` is (track, benchmark, system).
    """
    folder = cell_folder(results, *cell)
    folder.mkdir(parents=True, exist_ok=True)
    moment = datetime.now(UTC)
    while (target := folder / f"{moment:%Y%m%dT%H%M%SZ}-{fingerprint[:8]}").exists():
        moment += timedelta(seconds=1)  # a run that only replays can end within the second of the one before
    temporary = Path(tempfile.mkdtemp(dir=folder, prefix=".run-"))
    try:
        yield temporary, target
        temporary.chmod(0o755)
        temporary.rename(target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def write_run(folder: Path, run: Run) -> None:
    """Write ``run.json``."""
    write_text(folder / "run.json", run.model_dump_json(indent=2) + "\n")
