"""A BM25 index as a folder of arrays and JSON, complete or absent, checked before it is believed."""

from __future__ import annotations

import contextlib
import json
import logging
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import bm25s

from leaderboard.files import sha256_file, write_json

MANIFEST = "manifest.json"
_log = logging.getLogger(__name__)


class _CorruptIndexError(Exception):
    """The folder doesn't hold the index that its manifest describes."""


@dataclass(frozen=True, slots=True)
class IndexStore:
    """The index kept in ``folder`` (named by digest) over ``passages`` passages. Nothing in it is a pickle.

    The folder holds the library's own files (three ``.npy`` arrays, vocabulary and parameters as JSON) and
    ``manifest.json``, file name → SHA-256. Passages are not in it.
    """

    folder: Path
    passages: int

    def load(self) -> bm25s.BM25 | None:
        """Return the saved index; None where there is none, or, with a warning, where it is damaged."""
        try:
            if not self.folder.exists():
                return None
            self._check()
            index = bm25s.BM25.load(
                self.folder, backend="numpy", csc_backend="numpy", allow_pickle=False, show_progress=False
            )
            if index.scores["num_docs"] != self.passages:
                raise _CorruptIndexError(
                    f"{self.passages} passages expected, {index.scores['num_docs']} found"
                )
        except (_CorruptIndexError, OSError, ValueError, TypeError, KeyError) as error:
            _log.warning("index %s is unusable and is built again: %s", self.folder, error)
            self._discard()
            return None
        return index

    def save(self, index: bm25s.BM25) -> None:
        """Put the index in its place in one step. A cache folder that can't be written is only a warning.

        Where another process was quicker, its index, which is the same, stays.
        """
        try:
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            temporary = Path(tempfile.mkdtemp(dir=self.folder.parent, prefix=f".{self.folder.name[:16]}."))
        except OSError as error:
            self._warn_unsaved(error)
            return
        try:
            index.save(temporary, allow_pickle=False, show_progress=False)
            write_json(temporary / MANIFEST, {path.name: sha256_file(path) for path in temporary.iterdir()})
            temporary.chmod(0o755)
            temporary.rename(self.folder)
        except OSError as error:
            if not self.folder.is_dir():
                self._warn_unsaved(error)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)

    def _check(self) -> None:
        manifest = json.loads((self.folder / MANIFEST).read_text(encoding="utf-8"))
        if not isinstance(manifest, dict) or not manifest:
            raise _CorruptIndexError(f"{MANIFEST} lists no files")
        for name, expected in manifest.items():
            found = sha256_file(self.folder / Path(name).name)
            if found != expected:
                raise _CorruptIndexError(f"{name} has SHA-256 {found}, expected {expected}")

    def _discard(self) -> None:
        """Move the damaged folder aside before deleting it, so that no other process sees half of it."""
        with contextlib.suppress(OSError):
            aside = Path(tempfile.mkdtemp(dir=self.folder.parent, prefix=".damaged."))
            try:
                self.folder.rename(aside / self.folder.name)
            finally:
                shutil.rmtree(aside, ignore_errors=True)

    def _warn_unsaved(self, error: OSError) -> None:
        _log.warning("index %s can't be saved and stays in memory: %s", self.folder, error)
