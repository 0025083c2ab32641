"""An embedded model's weights on this machine: fetched once, resumable, verified by SHA-256."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from leaderboard.fetching.keeping import State, ensure_file, file_status
from leaderboard.fetching.pinned import FetchError
from leaderboard.files import cache_dir
from leaderboard.models.embedded_models import WeightsError, embedded_model

__all__ = ["WeightsError", "WeightsStatus", "ensure_weights", "weights_path", "weights_status"]


@dataclass(frozen=True, slots=True)
class WeightsStatus:
    """What is there of a model's weights, told without hashing or fetching anything; ``state`` as in ``FileStatus``."""

    name: str
    state: State
    path: Path
    present_bytes: int
    expected_bytes: int
    sha256: str
    licence: str


def weights_path(name: str) -> Path:
    """Return where the weights of ``name`` lie, or would lie."""
    return _folder() / embedded_model(name).file_name


def weights_status(name: str) -> WeightsStatus:
    """Return what is there of the weights of ``name``. Raises ``WeightsError`` for an unknown name."""
    model = embedded_model(name)
    status = file_status(model.weights, _folder())
    return WeightsStatus(
        name=model.name,
        state=status.state,
        path=status.path,
        present_bytes=status.present_bytes,
        expected_bytes=model.size_bytes,
        sha256=model.sha256,
        licence=model.licence,
    )


def ensure_weights(name: str, *, progress: bool = True, offline: bool = False) -> Path:
    """Return the path of the verified weights of ``name``, fetching what is missing.

    ``offline`` fetches nothing. Raises ``WeightsError``, whose text says what to do.
    """
    model = embedded_model(name)
    try:
        return ensure_file(model.weights, _folder(), progress=progress, offline=offline)
    except FetchError as error:
        raise WeightsError(str(error)) from error


def _folder() -> Path:
    return cache_dir() / "weights"
