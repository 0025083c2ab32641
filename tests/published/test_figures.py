"""Our files hold the figures of ``tests/vectors/published.json``: each of them, and no other."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

from leaderboard.board.published import published_tables
from leaderboard.published.reference import references
from leaderboard.site.numbers import printed

BENCHMARKS = ("frames", "musique", "multihop_rag")
VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "published.json").read_text(encoding="utf-8"))

IN_PER_CENT = ("musique_executionrag", "musique_arag_paper", "skillrag")
"""Sections that hold 44.9 where ours hold 0.449."""
NO_SHARES = ("tokens_per_q", "cost_per_q", "n")

SECTIONS = {
    "execution-rag-minilm": ("musique_executionrag", "minilm"),
    "execution-rag-qwen": ("musique_executionrag", "qwen3-embedding-0.6b"),
    "execution-rag-baselines": ("musique_executionrag", "baselines"),
    "a-rag-gpt-4o-mini": ("musique_arag_paper", "gpt-4o-mini"),
    "a-rag-gpt-5-mini": ("musique_arag_paper", "gpt-5-mini"),
    "official-answerable": ("musique_official_baselines", "answerable"),
    "official-full": ("musique_official_baselines", "full"),
    "skill-rag-mean": ("skillrag", "avg"),
    "retrieval": ("multihoprag_retrieval", "no_rerank"),
    "retrieval-reranked": ("multihoprag_retrieval", "rerank"),
    "generation": ("multihoprag_generation", "rows"),
}
"""Where the figures of a table stand in the vectors; below that come system and column."""
COLUMNS = {
    "mrr_at_10": "MRR@10",
    "map_at_10": "MAP@10",
    "hits_at_10": "Hits@10",
    "hits_at_4": "Hits@4",
    "retrieved": "retrieved (all 2556)",
    "gold": "ground truth (2255 non-null)",
}
ODD = {
    ("scorecard", "baseline dense", "all_gold_at_10"): ("multihoprag_retrieval", "seed3", "baseline dense AllGold@10"),
    **{
        ("skill-rag-out-of-distribution", system, column): ("skillrag", "ood_acc", name, system)
        for system in ("Probing-RAG", "Skill-RAG")
        for column, name in (("musique", "MuSiQue"), ("two_wiki", "2Wiki"))
    },
    **{
        ("execution-rag-hops", f"{hops} hops", f"{metric}_{ours}"): (
            "musique_executionrag", f"by_hop_{theirs}_executionrag", hops, metric,
        )
        for hops in ("2", "3", "4")
        for metric in ("llm", "contain")
        for ours, theirs in (("minilm", "minilm"), ("qwen", "qwen"))
    },
}  # fmt: skip


def walk(node, path=()):
    """Every figure of the vectors: path → value. Lists are read with the section's own columns."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield from walk(value, (*path, key))
    elif isinstance(node, list) and path == ("frames",):
        for entry in node:
            yield from walk(entry, (*path, entry["system"]))
    elif isinstance(node, list) and path[-1] != "columns":
        for name, value in zip(VECTORS[path[0]]["columns"], node, strict=True):
            yield from walk(value, (*path, name))
    elif isinstance(node, (int, float)) and not isinstance(node, bool):
        share = Decimal(100) if path[0] in IN_PER_CENT and path[-1] not in NO_SHARES else Decimal(1)
        yield path, Decimal(str(node)) / share


def figures(node):
    """The number of figures, whatever they are of: so that the walk leaves none out."""
    if isinstance(node, dict):
        return sum(map(figures, node.values()))
    if isinstance(node, list):
        return sum(map(figures, node))
    return isinstance(node, (int, float)) and not isinstance(node, bool)


def ours():
    """Every figure of our files, under the path of the vectors that it should have."""
    for benchmark in BENCHMARKS:
        for table in references(benchmark):
            for row in table.rows:
                for column, value in row.values.items():
                    prefix = ("frames",) if benchmark == "frames" else SECTIONS.get(table.key, (table.key,))
                    path = ODD.get(
                        (table.key, row.system, column), (*prefix, row.system, COLUMNS.get(column, column))
                    )
                    yield path, Decimal(repr(value))
                if row.questions and table.key == "execution-rag-hops":
                    for embedding in ("minilm", "qwen"):
                        hops = row.system.removesuffix(" hops")
                        path = ("musique_executionrag", f"by_hop_{embedding}_executionrag", hops, "n")
                        yield path, Decimal(row.questions)


def test_every_figure_of_the_vectors_is_ours_and_none_of_ours_is_invented():
    found, expected = list(ours()), dict(walk(VECTORS))
    assert len(expected) == figures(VECTORS) == 234
    assert len(found) == len(dict(found))
    assert {path: value.normalize() for path, value in found} == {
        path: value.normalize() for path, value in expected.items()
    }


def test_every_system_of_the_vectors_has_the_same_set_of_values():
    def by_system(pairs):
        sets = {}
        for path, value in pairs:
            sets.setdefault(path[:-1], set()).add(value.normalize())
        return sets

    assert by_system(ours()) == by_system(walk(VECTORS))


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_nothing_is_rounded_when_it_is_printed(benchmark):
    for table in published_tables(benchmark):
        for column in table.columns:
            for row in table.rows:
                value = row.values[column.key].value
                if value is not None:
                    shown = Decimal(printed(value, column).replace(",", ""))
                    assert shown == Decimal(repr(value)) * (100 if column.percent else 1), (
                        table.key,
                        row.key,
                    )


@pytest.mark.parametrize(
    ("key", "system", "column", "text"),
    [
        ("frames-published-one-step", "Gemini-Pro-1.5-0514 naive", "accuracy", "40.8"),
        ("frames-published-one-step", "Gemini-Pro-1.5-0514 BM25-R n_doc=2", "gold_article_recall", "12"),
        ("frames-published-multi-step", "Gemini-Pro-1.5-0514 multi-step + search planning (5,5,10)", "accuracy", "66"),
        ("frames-published-optillm", "gpt-4o-mini (same harness)", "accuracy", "50.61"),
        ("frames-published-llm-stats", "Kimi K2-Thinking-0905", "accuracy", "87.0"),
        ("multihop_rag-published-retrieval", "text-embedding-ada-002", "mrr_at_10", "42.03"),
        ("multihop_rag-published-retrieval", "text-embedding-ada-002", "hits_at_4", "50.40"),
        ("multihop_rag-published-generation", "GPT-4", "gold", "89"),
        ("multihop_rag-published-scorecard", "baseline dense", "all_gold_at_10", "18.6"),
        ("musique-published-execution-rag-minilm", "ExecutionRAG", "llm", "50.2"),
        ("musique-published-execution-rag-minilm", "ExecutionRAG", "tokens_per_q", "7,161"),
        ("musique-published-execution-rag-qwen", "A-RAG", "cost_per_q", "0.0040"),
        ("musique-published-official-full", "End2End", "group_answer_sufficiency_f1", "22.0"),
    ],
)  # fmt: skip
def test_a_figure_prints_as_in_its_source(key, system, column, text):
    [table] = [table for table in published_tables(key.split("-")[0]) if table.key == key]
    [shape] = [found for found in table.columns if found.key == column]
    [row] = [row for row in table.rows if row.key == system]
    assert printed(row.values[column].value, shape) == text


def test_approximate_self_reported_and_second_hand_figures_are_marked():
    notes = {row.system: row.note for table in references("frames") for row in table.rows}
    for entry in VECTORS["frames"]:
        note = notes[entry["system"]]
        assert ("approximate" in note) is entry.get("approximate", False)
        assert ("self-reported" in note) is ("self-reported" in entry["status"])
        assert ("second-hand" in note) is ("secondary" in entry["status"])
    for table in references("musique"):
        if table.key.startswith("skill-rag"):
            assert {row.note for row in table.rows} == {"second-hand"}
    [table] = [table for table in references("musique") if table.key == "a-rag-gpt-5-mini"]
    assert [row.system for row in table.rows if row.note == "second-hand"] == [
        *("w/o keyword", "w/o semantic", "w/o chunk read")
    ]


@pytest.mark.parametrize(
    ("benchmark", "key", "said"),
    [
        ("frames", "one-step", "76 % or 24 %"),
        ("frames", "one-step", "gives the naive prompt 0.40"),
        ("frames", "multi-step", "Two variables change at once"),
        ("frames", "optillm", "gold links are given"),
        ("frames", "open-deep-search", "no fixed corpus"),
        ("musique", "execution-rag-minilm", "533 wrong answers"),
        ("musique", "execution-rag-minilm", "two names"),
        ("musique", "execution-rag-minilm", "the tables don't mix"),
        ("musique", "execution-rag-qwen", "is a tie"),
        ("musique", "execution-rag-hops", "226, 175 and 132"),
        ("musique", "execution-rag-baselines", "several points higher"),
        ("musique", "a-rag-gpt-4o-mini", "doesn't see the question"),
        ("musique", "official-full", "Another task"),
        ("musique", "skill-rag-out-of-distribution", "surrogate"),
        ("musique", "skill-rag-mean", "Not a score on MuSiQue"),
        ("multihop_rag", "retrieval", "Metric implementation unknown"),
        ("multihop_rag", "retrieval-reranked", "Metric implementation unknown"),
        ("multihop_rag", "generation", "different denominators"),
        ("multihop_rag", "scorecard", "exact substring"),
    ],
)
def test_a_known_fault_is_told_where_the_figures_stand(benchmark, key, said):
    [table] = [table for table in references(benchmark) if table.key == key]
    assert said in table.caveat


def test_the_two_columns_of_the_answer_table_say_their_denominators():
    [table] = [table for table in references("multihop_rag") if table.key == "generation"]
    assert [column.questions for column in table.columns] == [2556, 2255]


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_a_title_says_that_its_numbers_are_published_and_of_what(benchmark):
    name = {"frames": "FRAMES", "musique": "MuSiQue", "multihop_rag": "MultiHop-RAG"}[benchmark]
    titles = [table.title for table in references(benchmark)]
    assert len(set(titles)) == len(titles)
    others = [title for title in titles if not title.startswith(f"Published {name}: ")]
    assert others == (
        ["Skill-RAG: mean over several data sets (Wei et al. 2026)"] if benchmark == "musique" else []
    )
