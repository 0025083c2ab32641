"""One file out of a zip archive that may be broken or malicious."""

from __future__ import annotations

import errno
import stat
import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from leaderboard.fetching.content import what_else
from leaderboard.fetching.pinned import FetchError
from leaderboard.fetching.progress import Report
from leaderboard.fetching.space import require_space

_BLOCK_BYTES = 1 << 20
_ENCRYPTED = 0x1
_METHODS = {zipfile.ZIP_STORED: "stored", zipfile.ZIP_DEFLATED: "deflated"}

_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    ValueError,
    LookupError,
    OverflowError,
    OSError,
)
"""What ``zipfile`` raises for archives that are damaged, in one way or another."""


class ArchiveError(FetchError):
    """An archive doesn't hold what it should. The text says what was expected and what was found."""


class MemberSize(ArchiveError):
    """The file in the archive has another size than the one that was declared or first seen."""


def extract_member(
    archive: Path, member: str, target: Path, report: Report, *, size_bytes: int | None, most_bytes: int
) -> None:
    """Write the file ``member`` of the zip ``archive`` to ``target``, no byte more than ``size_bytes``.

    ``most_bytes`` bounds it where ``size_bytes`` is None. Nothing else of the archive is read, and no name in it is
    used as a path. Raises ``ArchiveError`` when the archive is damaged, or when the member is missing, there twice,
    encrypted, no plain file, of another size, or named so that it leads out of a folder; ``OSError`` when ``target``
    can't be written. ``target`` is then gone.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            info = _only(opened, member)
            _refuse_other(info, member, size_bytes, most_bytes)
            require_space(target.parent, info.file_size)
            report.expect(info.file_size)
            _copy(opened, info, target, report)
    except _DAMAGE as error:
        target.unlink(missing_ok=True)
        # of the system's errors this one alone is the archive's: a place before its beginning was named in it
        if isinstance(error, OSError) and error.errno != errno.EINVAL:
            raise
        found = what_else(archive) or f"one that is damaged or cut off ({str(error)[:200]})"
        raise ArchiveError(f"expected a zip archive with {member!r}, found {found}") from error
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def _only(opened: zipfile.ZipFile, member: str) -> zipfile.ZipInfo:
    found = [info for info in opened.infolist() if info.filename == member]
    if len(found) == 1:
        return found[0]
    if found:
        raise ArchiveError(f"the archive has {member!r} {len(found)} times; expected it once")
    others = [info.filename for info in opened.infolist() if not info.is_dir()]
    alike = sorted(others, key=lambda name: (PurePosixPath(name).name != PurePosixPath(member).name, name))
    named = ", ".join(ascii(name[:80]) for name in alike[:3])
    more = f" and {len(alike) - 3:,} more" if len(alike) > 3 else ""
    raise ArchiveError(f"the archive has no {member!r}; found {named or 'no file'}{more}")


def _refuse_other(info: zipfile.ZipInfo, member: str, size_bytes: int | None, most_bytes: int) -> None:
    leads_out = member.startswith("/") or "\\" in member or ":" in member or ".." in member.split("/")
    kind = stat.S_IFMT(info.external_attr >> 16)
    if leads_out:
        raise ArchiveError(f"{member!r} leads out of its folder; expected a plain relative path")
    if info.is_dir() or kind not in (0, stat.S_IFREG):
        raise ArchiveError(f"{member!r} is no plain file in the archive, but a folder, a link or a device")
    if info.flag_bits & _ENCRYPTED:
        raise ArchiveError(
            f"{member!r} is encrypted in the archive; expected it to be readable without a password"
        )
    if info.compress_type not in _METHODS:
        raise ArchiveError(
            f"{member!r} is compressed by method {info.compress_type}; expected it stored or deflated"
        )
    if size_bytes is not None and info.file_size != size_bytes:
        raise MemberSize(f"{member!r}: expected {size_bytes:,} bytes, found {info.file_size:,}")
    if size_bytes is None and info.file_size > most_bytes:
        raise ArchiveError(f"{member!r} has {info.file_size:,} bytes, more than the {most_bytes:,} allowed")


def _copy(opened: zipfile.ZipFile, info: zipfile.ZipInfo, target: Path, report: Report) -> None:
    done = 0
    # zipfile gives no more than the size told above, and checks the sum (CRC-32) at the end of it
    with opened.open(info) as stream, target.open("wb") as out:
        while block := stream.read(_BLOCK_BYTES):
            out.write(block)
            done += len(block)
            report.at(done)
    if done != info.file_size:
        raise EOFError(f"{info.filename!r} ends after {done:,} of {info.file_size:,} bytes")
