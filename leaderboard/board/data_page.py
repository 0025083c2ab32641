"""The Data page: where each benchmark's files come from, what pins them, what is wrong with them, what was read here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from leaderboard.benchmarks.errata import KINDS, Erratum, listed
from leaderboard.benchmarks.questions import Benchmark
from leaderboard.board.tables import DataBenchmark, DataErratum, DataFileNote, DataPage
from leaderboard.manifest.entries import DataFile, Entry, HubSource, entry

_UNPUBLISHED = "nobody published one; noted in the lock file when first fetched"


def data_page(benchmarks: Sequence[Benchmark]) -> DataPage:
    """Return the page of the board's benchmarks, in the board's order."""
    return DataPage(
        benchmarks=tuple(_benchmark(benchmark, entry(benchmark.name)) for benchmark in benchmarks)
    )


def _benchmark(benchmark: Benchmark, about: Entry) -> DataBenchmark:
    return DataBenchmark(
        key=benchmark.name,
        name=about.name,
        licence=about.licence,
        home=about.home,
        citation=about.citation,
        read_words=_read_words(benchmark),
        read=tuple(_read(benchmark, about)),
        files=tuple(_file(file, about) for file in about.files),
        defects=tuple((defect.problem, defect.repair) for defect in about.defects),
        errata=tuple(map(_erratum, listed(benchmark.name))),
    )


def _erratum(erratum: Erratum) -> DataErratum:
    """Return an erratum without the golds that it corrects: a page of answers would be found by those who train on it."""
    corrected = "gold added" if erratum.answer is None else "gold replaced"
    return DataErratum(
        question=erratum.id,
        kind=KINDS[erratum.kind],
        action=erratum.action if erratum.exclude else corrected,
        reason=erratum.reason,
        source=erratum.source,
    )


def _read_words(benchmark: Benchmark) -> str:
    counts = {
        "question": len(benchmark.questions),
        "document": len(benchmark.documents),
        "defect": len(benchmark.defects),
    }
    words = ", ".join(f"{count:,} {word}{'' if count == 1 else 's'}" for word, count in counts.items())
    return f"{benchmark.label}: {words} handled"


def _read(benchmark: Benchmark, about: Entry) -> Iterator[tuple[str, str]]:
    """Yield the name and digest of each file that was read here, and what is known of that digest."""
    pins = {file.sha256: file.path for file in about.files if file.sha256}
    for name, digest in benchmark.sources.items():
        if benchmark.track == "sample":
            kind = "written for this project"
        elif digest in pins:
            kind = "the published file, by its digest"
        else:
            kind = "no published digest to hold it against"
        yield name, f"sha256 {digest} ({kind})"


def _file(file: DataFile, about: Entry) -> DataFileNote:
    return DataFileNote(
        name=file.path,
        role=file.role,
        sources=tuple(
            f"{source.path} of {source.hub.removeprefix('datasets/')} on the model hub, revision {source.revision}"
            if isinstance(source, HubSource)
            else source.url + (f", {source.member} in it" if source.member else "")
            for source in file.sources
        )
        or ("made by leaderboard data fetch",),
        size=f"{file.bytes:,} bytes" if file.bytes else "not published",
        sha256=file.sha256 or _UNPUBLISHED,
        licence=file.licence or about.licence,
        note=file.note or "",
        optional=file.optional,
    )
