"""The lists of systems and benchmarks, from cells and benchmarks made here."""

from __future__ import annotations

from dataclasses import replace

import pytest

from leaderboard.cli.listing import (
    benchmark_lines,
    benchmark_value,
    system_line,
    system_values,
    too_low,
)
from tests import tiny
from tests.overlay import erratum, use


@pytest.fixture(scope="module")
def cell(tmp_path_factory):
    home = tmp_path_factory.mktemp("reader")
    return tiny.run(home, tiny.submit(home / "submissions", "reader", **tiny.READER))


def test_a_system_has_a_line_with_its_state_on_each_benchmark(cell):
    other = replace(cell, benchmark=tiny.benchmark("frames", label="F"))
    [value] = system_values([cell, other])
    run = {"state": "complete", "reason": "", "run": cell.shown.path.name, "repeats": 1, "stale_parts": []}
    assert value["benchmarks"] == {"multihop_rag": run, "frames": run}
    assert (
        system_line(value)
        == "reader: Reader; embedded/tiny, bm25, single_step; complete on multihop_rag, frames"
    )


def test_what_is_stale_not_run_or_not_applicable_is_named(cell):
    stale = replace(cell, parts={**cell.parts, "program": "single_step/2", "dspy": "9"})
    without = replace(cell, runs=(), benchmark=tiny.benchmark("musique"))
    never = replace(cell, inapplicable="no corpus here", benchmark=tiny.benchmark("frames"))
    [value] = system_values([stale, without, never])
    assert value["benchmarks"]["multihop_rag"]["stale_parts"] == ["dspy", "program"]
    assert value["benchmarks"]["musique"]["run"] is None
    assert system_line(value).endswith(
        "; complete, stale: dspy, program on multihop_rag; not run on musique; "
        "not applicable (no corpus here) on frames"
    )


CEILING = {"unit": "passage", "chunk_tokens": 64, "overlap_tokens": 0, "held": 19, "facts": 20, "share": 0.95}
BENCHMARK = {
    "name": "news",
    "label": "News (sample)",
    "questions": 1,
    "documents": 1200,
    "defects": 2,
    "errata": {"excluded": 0, "corrected": 0, "not_applied": []},
    "groups": {"kind": {"person": 1, "null": 0}},
    "files": {"corpus.json": "ab" * 32},
    "fact_ceilings": [CEILING],
}


def test_a_benchmark_has_a_line_and_its_groups_files_and_ceilings_below_it():
    assert list(benchmark_lines(BENCHMARK)) == [
        "news: News (sample); 1 question, 1,200 documents, 2 defects handled",
        "  kind: person 1, null 0",
        "  file: corpus.json sha256 abababababababab…",
        "  fact ceiling: passages of 64 tokens: 0.950 (19 of 20)",
    ]


@pytest.mark.parametrize(
    ("held", "overlap", "warned"),
    [(19, 0, []), (18, 8, ["news: passages of 64 tokens, 8 of them shared: 2 of 20 "])],
)
def test_a_ceiling_below_95_per_cent_is_warned_of_and_one_at_it_is_not(held, overlap, warned):
    low = {**CEILING, "held": held, "share": held / 20, "overlap_tokens": overlap}
    found = list(too_low({**BENCHMARK, "fact_ceilings": [low]}))
    assert [line[: len(start)] for line, start in zip(found, warned, strict=True)] == warned
    assert all("found 0.900" in line for line in found)


def test_errata_that_apply_are_counted_and_those_of_another_version_are_named(tmp_path, monkeypatch):
    lock, *_, keys = tiny.QUESTIONS[1:]
    use(
        monkeypatch,
        tmp_path,
        erratum(lock, kind="dated"),
        erratum(keys, exclude=None, kind="debris", aliases=["C. Marsh"]),
        erratum(tiny.QUESTIONS[0], digest="0" * 12),
    )
    value = benchmark_value(tiny.benchmark("frames", track="full"), [])
    told = (
        "errata/frames.toml, entry 3: the erratum of question q1 is of another wording or gold; not applied"
    )
    assert value["errata"] == {
        "excluded": 1,
        "corrected": 1,
        "excluded_kinds": {"dated": 1},
        "corrected_kinds": {"debris": 1},
        "not_applied": [told],
    }
    lines = list(benchmark_lines(value))
    assert lines[-2:] == ["  errata: 1 excluded, 1 corrected, 1 not applied", f"    {told}"]
    sample = benchmark_lines(benchmark_value(tiny.benchmark("frames"), []))
    assert not any("errata" in line for line in sample)
