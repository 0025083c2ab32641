"""What has come of a download, and which version of the file it is a part of."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from leaderboard.files import write_json


@dataclass(frozen=True, slots=True)
class Version:
    """Which file a part is of: the digest of the address asked, the strong ETag, the whole size where it was told."""

    address_sha256: str
    etag: str
    total_bytes: int | None


@dataclass(frozen=True, slots=True)
class Part:
    """The first bytes of a file at ``path``, and beside it a note of the version that all of them belong to.

    There is no note where bytes of two versions might stand together.
    """

    path: Path

    @property
    def present_bytes(self) -> int:
        """The size of what has come, 0 for nothing."""
        return self.path.stat().st_size if self.path.exists() else 0

    def version(self) -> Version | None:
        """Return the noted version, None where there is none of use."""
        try:
            noted = json.loads(self._note_path.read_text(encoding="utf-8"))
            version = Version(**noted)
        except (OSError, ValueError, TypeError, RecursionError):
            return None
        whole = version.total_bytes is None or type(version.total_bytes) is int
        known = isinstance(version.etag, str) and isinstance(version.address_sha256, str)
        return version if whole and known and is_strong(version.etag) else None

    def begin(self, version: Version | None) -> None:
        """Empty the part and note the version that comes next."""
        self.forget_version()
        self.path.open("wb").close()  # before the note: a killed process leaves no old bytes under a new note
        if version is not None:
            self.note(version)

    def note(self, version: Version) -> None:
        """Note the version that all bytes of the part belong to."""
        write_json(self._note_path, asdict(version))

    def forget_version(self) -> None:
        """Delete the note alone."""
        self._note_path.unlink(missing_ok=True)

    def drop(self) -> None:
        """Delete the part and its note."""
        self._note_path.unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)

    @property
    def _note_path(self) -> Path:
        return self.path.with_name(f"{self.path.name}.json")


def is_strong(etag: str) -> bool:
    """Whether an ETag promises the same bytes, and so can stand in ``If-Range`` (RFC 9110 § 8.8.1, § 13.1.5)."""
    return (
        len(etag) >= 2
        and etag.startswith('"')
        and etag.endswith('"')
        and etag.isascii()
        and etag.isprintable()
    )
