"""Where things lie on disk, and writing them so that nothing half-written is ever seen."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CACHE_VARIABLE = "LEADERBOARD_CACHE_DIR"


def cache_dir() -> Path:
    """Return the working folder for weights, indexes and calls in progress.

    ``LEADERBOARD_CACHE_DIR`` decides; else the user's cache folder. It may be deleted at any time: nothing in
    it is published, and all of it can be made again.
    """
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    import platformdirs

    return Path(platformdirs.user_cache_dir("multihop-rag-leaderboard"))


def sha256_bytes(data: bytes) -> str:
    """Return the SHA-256 of ``data`` as 64 hex digits."""
    return hashlib.sha256(data).hexdigest()


def sha256_file(path: Path) -> str:
    """Return the SHA-256 of a file's bytes as 64 hex digits, read in blocks of 1 MiB."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def canonical_json(value: Any) -> bytes:
    """Return the RFC 8785 form of a JSON value: equal values give equal bytes.

    Raises ``rfc8785.CanonicalizationError`` for what JSON cannot hold (NaN, integers beyond 2^53).
    """
    import rfc8785

    return rfc8785.dumps(value)


def digest_json(value: Any) -> str:
    """Return the SHA-256 of ``value``'s canonical JSON as 64 hex digits."""
    return sha256_bytes(canonical_json(value))


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; on success it takes ``path``'s place in one step.

    On any error the temporary file is removed and ``path`` stays as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write ``text`` as UTF-8, atomically."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(path: Path, value: Any) -> None:
    """Write ``value`` as indented JSON with sorted keys and a final newline, atomically."""
    write_text(path, json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n")
