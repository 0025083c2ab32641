"""The files of the manifest, each with its place on this machine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from leaderboard.fetching.pinned import HubPath, PinnedFile, WebPath
from leaderboard.manifest.entries import DataFile, HubSource, WebSource, entry


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file of a benchmark's entry, and the folder it belongs in."""

    benchmark: str
    file: DataFile
    folder: Path

    @property
    def name(self) -> str:
        """The name that output and the lock file use: ``frames/test.tsv``."""
        return f"{self.benchmark}/{self.file.path}"

    @property
    def path(self) -> Path:
        """Where the file is, or would be."""
        return self.folder / self.file.path

    @property
    def licence(self) -> str:
        """The file's licence, else its benchmark's."""
        return self.file.licence or entry(self.benchmark).licence

    @property
    def pinned(self) -> PinnedFile:
        """The file as the fetcher takes it: its source of each kind, its size and digest where known."""
        hub = next((source for source in self.file.sources if isinstance(source, HubSource)), None)
        web = next((source for source in self.file.sources if isinstance(source, WebSource)), None)
        return PinnedFile(
            owner=entry(self.benchmark).name,
            role=self.file.role,
            file_name=self.file.path,
            sha256=self.file.sha256,
            size_bytes=self.file.bytes,
            licence=self.licence,
            hub=HubPath(hub.hub, hub.revision, hub.path) if hub else None,
            web=WebPath(web.url, web.member) if web else None,
        )


def wanted(benchmarks: Iterable[str], data_dir: Path, *, optional: bool = False) -> tuple[Wanted, ...]:
    """Return the files of the benchmarks in the manifest's order, with ``optional`` those too that nobody has to have."""
    return tuple(
        Wanted(benchmark, file, data_dir / benchmark)
        for benchmark in benchmarks
        for file in entry(benchmark).files
        if optional or not file.optional
    )
