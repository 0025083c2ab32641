"""Document vectors as one array on disk, complete or absent, checked before they are believed."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from leaderboard.files import replacing, sha256_file, write_json

_log = logging.getLogger(__name__)


class _CorruptVectorsError(Exception):
    """The file doesn't hold the vectors that are looked for."""


@dataclass(frozen=True, slots=True)
class VectorStore:
    """``texts`` vectors of ``dimension`` single-precision numbers in ``file``, its SHA-256 in a JSON file beside it."""

    file: Path
    texts: int
    dimension: int

    def load(self) -> NDArray[np.float32] | None:
        """Return the saved vectors, mapped from disk; None where there are none, or, with a warning, damaged ones."""
        try:
            if not self.file.exists():
                return None
            return self._checked()
        except (_CorruptVectorsError, OSError, ValueError, EOFError) as error:
            _log.warning("vectors %s are unusable and are made again: %s", self.file, error)
            return None

    def save(self, vectors: NDArray[np.float32]) -> None:
        """Put the vectors in their place in one step. A cache folder that can't be written is only a warning."""
        try:
            with replacing(self.file) as temporary:
                with temporary.open("wb") as stream:
                    np.save(stream, vectors, allow_pickle=False)
                # The digest first: vectors are never seen without theirs, at worst with another's, and made again.
                write_json(self._manifest, {"sha256": sha256_file(temporary)})
        except OSError as error:
            _log.warning("vectors %s can't be saved and stay in memory: %s", self.file, error)

    @property
    def _manifest(self) -> Path:
        return self.file.with_suffix(".json")

    def _checked(self) -> NDArray[np.float32]:
        manifest = json.loads(self._manifest.read_text(encoding="utf-8"))
        expected = manifest.get("sha256") if isinstance(manifest, dict) else None
        found = sha256_file(self.file)
        if found != expected:
            raise _CorruptVectorsError(f"SHA-256 {found}, expected {expected}")
        vectors = np.asarray(np.load(self.file, mmap_mode="r", allow_pickle=False))
        if vectors.dtype != np.float32 or vectors.shape != (self.texts, self.dimension):
            raise _CorruptVectorsError(
                f"expected {self.texts} × {self.dimension} numbers of type float32, "
                f"found {' × '.join(map(str, vectors.shape))} of {vectors.dtype}"
            )
        if not np.isfinite(vectors).all():
            raise _CorruptVectorsError("not all numbers are finite")
        return vectors
