"""What the lists of systems and benchmarks hold, as values and as lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from leaderboard.benchmarks.errata import Errata, errata_for
from leaderboard.benchmarks.questions import Benchmark
from leaderboard.catalog.retrievers import Indexed, Unit
from leaderboard.cli.terminal import plural
from leaderboard.plan import Cell

LOWEST_FACT_CEILING = 0.95
"""Below it a chunking is warned of (spec § 2.7)."""


def system_values(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """Return a value a system, in the order of the cells: what it is, and its state on each benchmark."""
    systems: dict[str, dict[str, Any]] = {}
    for cell in cells:
        document = cell.submission.document
        system = systems.setdefault(
            cell.system,
            {
                "key": cell.system,
                "name": document.system.name,
                "model": document.model,
                "retriever": document.retriever.kind,
                "program": document.program.kind,
                "reference": cell.program.reference,
                "benchmarks": {},
            },
        )
        run = cell.shown
        system["benchmarks"][cell.benchmark.name] = {
            "state": cell.state,
            "reason": document.system.withdrawn or cell.inapplicable,
            "run": run.path.name if run else None,
            "repeats": run.run.repeats if run else None,
            "stale_parts": list(cell.stale_parts),
        }
    return list(systems.values())


def system_line(system: dict[str, Any]) -> str:
    """Return a system on one line."""
    states: dict[str, list[str]] = {}
    for benchmark, on in system["benchmarks"].items():
        repeats = f", {on['repeats']} repeats" if (on["repeats"] or 1) > 1 else ""
        stale = f", stale: {', '.join(on['stale_parts'])}" if on["stale_parts"] else ""
        reason = f" ({on['reason']})" if on["reason"] else ""
        states.setdefault(f"{on['state']}{reason}{repeats}{stale}", []).append(benchmark)
    told = "; ".join(f"{state} on {', '.join(benchmarks)}" for state, benchmarks in states.items())
    what = f"{system['model'] or 'no model'}, {system['retriever']}, {system['program']}"
    return f"{system['key']}: {system['name']}; {what}; {told}"


def benchmark_value(benchmark: Benchmark, cells: Sequence[Cell]) -> dict[str, Any]:
    """Return what a benchmark holds, with the fact ceiling of each chunking that a submission uses on it."""
    return {
        "name": benchmark.name,
        "label": benchmark.label,
        "track": benchmark.track,
        "questions": len(benchmark.questions),
        "documents": len(benchmark.documents),
        "groups": {
            breakdown.name: {
                label: sum(
                    label in question.groups.get(breakdown.name, ()) for question in benchmark.questions
                )
                for label in breakdown.labels
            }
            for breakdown in benchmark.breakdowns
        },
        "files": dict(benchmark.sources),
        "defects": len(benchmark.defects),
        "errata": _errata_value(errata_for(benchmark)),
        "fact_ceilings": list(_ceilings(benchmark, cells)),
    }


def benchmark_lines(value: dict[str, Any]) -> Iterator[str]:
    """Yield a benchmark's line, and below it its groups, files and fact ceilings."""
    yield (
        f"{value['name']}: {value['label']}; {plural(value['questions'], 'question')}, "
        f"{plural(value['documents'], 'document')}, {plural(value['defects'], 'defect')} handled"
    )
    for name, groups in value["groups"].items():
        yield f"  {name}: {', '.join(f'{label} {count}' for label, count in groups.items())}"
    for name, digest in value["files"].items():
        yield f"  file: {name} sha256 {digest[:16]}…"
    errata = value["errata"]
    if errata["excluded"] or errata["corrected"] or errata["not_applied"]:
        told = f"{errata['excluded']} excluded, {errata['corrected']} corrected"
        yield f"  errata: {told}" + (
            f", {len(errata['not_applied'])} not applied" if errata["not_applied"] else ""
        )
    for defect in errata["not_applied"]:
        yield f"    {defect}"
    for ceiling in value["fact_ceilings"]:
        yield f"  fact ceiling: {_chunking(ceiling)}: {ceiling['share']:.3f} ({ceiling['held']} of {ceiling['facts']})"


def _errata_value(errata: Errata) -> dict[str, Any]:
    return {
        "excluded": len(errata.excluded),
        "corrected": len(errata.corrected),
        "excluded_kinds": errata.kinds(excluded=True),
        "corrected_kinds": errata.kinds(excluded=False),
        "not_applied": [
            f"{defect.file}, entry {defect.row}: {defect.problem}; {defect.action}"
            for defect in errata.defects
        ],
    }


def too_low(value: dict[str, Any]) -> Iterator[str]:
    """Yield a warning for each chunking that cuts too many facts."""
    for ceiling in value["fact_ceilings"]:
        if ceiling["share"] < LOWEST_FACT_CEILING:
            yield (
                f"{value['name']}: {_chunking(ceiling)}: {ceiling['facts'] - ceiling['held']} of {ceiling['facts']} "
                f"gold items stand whole in no passage, and no retriever can find them; expected a share of at least "
                f"{LOWEST_FACT_CEILING}, found {ceiling['share']:.3f}; raise chunk_tokens or overlap_tokens"
            )


def _chunking(ceiling: dict[str, Any]) -> str:
    if ceiling["unit"] == "article":
        return "whole documents"
    overlap = f", {ceiling['overlap_tokens']} of them shared" if ceiling["overlap_tokens"] else ""
    return f"passages of {ceiling['chunk_tokens']} tokens{overlap}"


def _ceilings(benchmark: Benchmark, cells: Sequence[Cell]) -> Iterator[dict[str, Any]]:
    from leaderboard.retrieval.ceiling import fact_ceiling

    retrievers = (
        cell.submission.document.retriever for cell in cells if cell.benchmark.name == benchmark.name
    )
    indexed = (retriever for retriever in retrievers if isinstance(retriever, Indexed))
    chunkings: set[tuple[Unit, int, int]] = {
        (r.unit, r.chunk_tokens, r.overlap_tokens)
        if r.unit == "passage" and benchmark.chunked
        else ("article", 0, 0)
        for r in indexed
    }
    for unit, chunk_tokens, overlap_tokens in sorted(chunkings):
        ceiling = fact_ceiling(benchmark, unit, chunk_tokens, overlap_tokens)
        if ceiling is not None:
            yield {
                "unit": unit,
                "chunk_tokens": chunk_tokens,
                "overlap_tokens": overlap_tokens,
                "held": ceiling.held,
                "facts": ceiling.facts,
                "share": ceiling.share,
            }
