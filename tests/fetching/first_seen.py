"""A file of no known digest at an address of the loopback, its lock file, and what must hold after a failure."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from leaderboard.fetching.keeping import ensure_file
from leaderboard.fetching.lockfile import Lockfile
from leaderboard.fetching.pinned import FetchError, PinnedFile, WebPath

NAME = "hotpotqa/dev.json"
CONTENT = b'[{"question": "Which of the two came first?"}]' + b" " * 300_000 + b"\n"
OTHER = b'[{"question": "Which of the two came last?"}]' + b"\t" * 299_000 + b"\n"
SHA256 = hashlib.sha256(CONTENT).hexdigest()
UNKNOWN = PinnedFile(
    owner="HotpotQA",
    role="questions and paragraphs",
    file_name="dev.json",
    sha256=None,
    size_bytes=None,
    licence="CC BY-SA 4.0",
)
SECRETS = ("s3cret", "t0ken", "maria")
"""What the addresses of these tests hold that no text may hold."""


def at(url: str, member: str = "") -> PinnedFile:
    """Return the file, to be had at ``url``, with secrets put into the address."""
    scheme, _, rest = url.partition("://")
    address = f"{scheme}://maria:s3cret@{rest}?key=t0ken#t0ken"
    return replace(UNKNOWN, web=WebPath(address, member))


@dataclass
class Folder:
    """A folder of data and its lock file, in which something else is noted already."""

    path: Path
    lockfile: Lockfile

    @classmethod
    def new(cls, root: Path) -> Folder:
        lockfile = Lockfile(root / "data.lock.json")
        lockfile.note(
            "frames/test.tsv", sha256="0" * 64, size_bytes=1, source="https://host.example/test.tsv"
        )
        return cls(root / "hotpotqa", lockfile)

    @property
    def final(self) -> Path:
        return self.path / "dev.json"

    @property
    def part(self) -> Path:
        return self.path / "dev.json.web.part"

    def names(self) -> list[str]:
        """What lies there, but for locks."""
        return sorted(path.name for path in self.path.iterdir() if path.suffix != ".lock")

    def noted(self) -> dict[str, object] | None:
        found = json.loads(self.lockfile.path.read_text())
        return found.get(NAME)

    def ensure(self, file: PinnedFile, **options) -> Path:
        return ensure_file(file, self.path, lockfile=self.lockfile, name=NAME, **options)

    def refused(self, file: PinnedFile, capsys, *, kind: type[FetchError] = FetchError, **options) -> str:
        """Return the error's text: nothing lies under the final name, the lock file is as it was, no secret is told."""
        before = self.lockfile.path.read_bytes()
        with pytest.raises(kind) as caught:
            self.ensure(file, **options)
        assert not self.final.exists()
        assert self.lockfile.path.read_bytes() == before
        said = f"{caught.value}\n{capsys.readouterr().err}"
        assert not [secret for secret in SECRETS if secret in said]
        return str(caught.value)
