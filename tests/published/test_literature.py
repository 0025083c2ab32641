"""The files of the systems of the literature: read as they stand, with their sources' figures, or refused by field."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

from leaderboard.board.published import published_table
from leaderboard.published.literature import kinds, literature_system
from leaderboard.published.reference import PublishedError
from leaderboard.site.numbers import printed

VECTORS = Path(__file__).parents[1] / "vectors" / "failure_taxonomy.json"
TABLES = """
[[table]]
key = "paper"
title = "A paper"
read_from = "The paper."
setting = "A model."
caveat = "Another corpus."
source = { work = "A, On B", where = "Table 3" }
columns = [{ key = "accuracy", label = "Accuracy", hint = "Right." }]
rows = [{ system = "One", values = { accuracy = 0.408 } }]
"""
OTHER = TABLES.replace('"paper"', '"other"')
FILE = f"""
title = "Steps"
summary = "Searches twice."
reproduces = ["The loop."]
leaves_out = ["The model."]
shown = ["frames/paper", "frames/other"]

[[paper]]
work = "A, On B"
year = 2024

[[parameter]]
ours = "rounds"
theirs = "n"
{TABLES}
"""


def read(folder, text):
    (folder / "frames.toml").write_text(TABLES + OTHER, encoding="utf-8")
    (folder / "systems").mkdir(exist_ok=True)
    (folder / "systems" / "steps.toml").write_text(text, encoding="utf-8")
    return literature_system("steps", folder)


def test_figures_are_those_referred_to_and_then_the_files_own(tmp_path):
    found = read(tmp_path, FILE)
    assert [(benchmark, table.key) for benchmark, table in found.figures] == [
        *(("frames", "paper"), ("frames", "other"), ("", "paper")),
    ]
    assert (found.kind, found.title, found.reproduces) == ("steps", "Steps", ("The loop.",))
    assert [(one.ours, one.theirs) for one in found.parameters] == [("rounds", "n")]
    assert found.papers[0].address is None and (found.second_hand, found.no_figures) == ("", "")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('summary = "Searches twice."', "", "summary: Field required"),
        ('reproduces = ["The loop."]', "reproduces = []", "reproduces: "),
        ('leaves_out = ["The model."]', 'leaves_out = [""]', "leaves_out[0]: "),
        ('title = "Steps"', 'title = "Steps"\nrank = 1', "rank: Extra inputs are not permitted, found 1"),
        ("year = 2024", "year = 2024\ndoi = 1", "paper[0].doi: Extra inputs are not permitted"),
        ("year = 2024", 'year = 2024\naddress = "javascript:x()"', "paper[0].address: "),
        ('ours = "rounds"', 'ours = "Rounds of it"', "parameter[0].ours: "),
        ('theirs = "n"', 'theirs = "n"\n[[parameter]]\nours = "rounds"\ntheirs = "k"', "parameter[1].ours: expected each once, found 'rounds' again"),
        ('"frames/other"]', '"frames/gone"]', "shown[1]: expected <benchmark>/<key of a table in its file>, found 'frames/gone'"),
        ('"frames/other"]', '"nowhere/other"]', "shown[1]: expected <benchmark>/<key of a table in its file>"),
        ('"frames/other"]', '"frames/paper"]', "shown[1]: expected each once, found 'frames/paper' again"),
        ('"frames/paper", "frames/other"', '"frames/other", "frames/paper"', "shown[1]: expected the order of the benchmark's file"),
        ('"frames/other"]', '"../x/other"]', "shown[1]: "),
        ('title = "Steps"', 'title = "Steps"\nno_figures = "None."', "no_figures: expected a sentence where there is no table"),
        ("accuracy = 0.408", "accuracy = 40.8", "table[0].rows[0].values.accuracy: expected a share from 0 to 1, found 40.8"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_refused_with_file_and_field(tmp_path, old, new, told):
    assert FILE.count(old) == 1
    with pytest.raises(PublishedError) as caught:
        read(tmp_path, FILE.replace(old, new))
    place = f"{tmp_path / 'systems' / 'steps.toml'}: {told}"
    assert any(line.startswith(place) for line in str(caught.value).splitlines()), caught.value


def test_a_system_without_any_table_has_to_say_why(tmp_path):
    bare = FILE.replace(TABLES, "").replace('shown = ["frames/paper", "frames/other"]', "")
    with pytest.raises(PublishedError, match=r"steps\.toml: no_figures: expected a sentence"):
        read(tmp_path, bare)
    assert read(tmp_path, 'no_figures = "None was read."\n' + bare).figures == ()


def test_every_file_of_the_package_is_read_and_names_its_sources():
    found = {kind: literature_system(kind) for kind in kinds()}
    assert [kind for kind, one in found.items() if not one.figures] == ["self_ask"]
    for kind, one in found.items():
        titles = [table.title for _, table in one.figures]
        assert len(set(titles)) == len(titles), kind
        assert all("Published" in title for title in titles if "mean over" not in title), kind
    second_hand = {kind for kind, one in found.items() if one.second_hand}
    assert second_hand == {"a_rag", "decomposition", "ircot", "react", "self_ask", "skill_rag"}
    assert found["skill_rag"].title == "Skill-RAG (surrogate prober)"


def test_second_hand_figures_are_marked_so():
    for kind in ("skill_rag", "decomposition"):
        for _, table in literature_system(kind).figures:
            assert {row.note for row in table.rows} == {"second-hand"}


def own(kind, key):
    [table] = [
        table for benchmark, table in literature_system(kind).figures if (benchmark, table.key) == ("", key)
    ]
    return table


@pytest.mark.parametrize(("key", "retriever"), [("failures-minilm", "MiniLM"), ("failures-qwen", "Qwen")])
def test_the_failures_are_those_of_the_vectors_in_all_and_by_hops(key, retriever):
    seed = json.loads(VECTORS.read_text(encoding="utf-8"))["seed_tables"]["reconstruction"]
    overall, by_hops = own("execution_rag", key), own("execution_rag", f"{key}-hops")
    for name, column in (("A-RAG", "a_rag"), ("ExecutionRAG", "execution_rag")):
        vector = seed[f"{retriever}/{name}"]
        total, classes = vector["total_failures"], vector["overall_counts"]
        counts = {row.system: row.values[column] for row in overall.rows}
        expected = {"Total failures": total}
        expected |= {label.replace("_", " ").title(): count for label, count in classes.items()}
        assert counts == expected and sum(classes.values()) == total
        assert [at.questions for at in overall.columns if at.key == f"{column}_share"] == [total]
        for row in overall.rows:
            assert row.values[f"{column}_share"] == round(row.values[column] / total, 3)
        for hops, group in vector["by_hop"].items():
            [row] = [row for row in by_hops.rows if row.system == f"{hops} hops, {name}"]
            shares = [Decimal(repr(row.values[label])) * 100 for label in classes]
            assert shares == [Decimal(str(share)) for share in group["pct_seed"]], row.system
    assert len(overall.rows) == 5 and len(by_hops.rows) == 6
    told = {table.source.where for table in (overall, by_hops)}
    assert told == ({"Table 12", "Table 13"} if retriever == "MiniLM" else {"Table 14", "Table 15"})


@pytest.mark.parametrize(
    ("kind", "key", "system", "column", "text"),
    [
        ("execution_rag", "failures-minilm", "Missing Evidence", "execution_rag_share", "43.9"),
        ("execution_rag", "hotpotqa-2wiki-minilm", "ExecutionRAG, 2Wiki", "tokens_per_q", "3,966"),
        ("execution_rag", "hotpotqa-2wiki-qwen", "A-RAG, HotpotQA", "cost_per_q", "0.0026"),
        ("a_rag", "hotpotqa-2wiki-gpt-5-mini", "A-RAG full", "llm_hotpotqa", "94.5"),
        ("closed_book", "direct-hotpotqa-2wiki", "direct zero-shot GPT-4o-mini", "contain_two_wiki", "29.0"),
        ("single_step", "vanilla-hotpotqa-2wiki", "vanilla RAG top-5", "llm_hotpotqa", "56.8"),
        ("ircot", "gains", "IRCoT with GPT-3, over one step", "retrieval", "21"),
        ("decomposition", "multihop-rag", "Question decomposition + reranker", "mrr_at_10", "63.5"),
        ("react", "hotpotqa", "ReAct, GPT-3", "em", "30.4"),
    ],
)  # fmt: skip
def test_a_figure_prints_as_in_its_source(kind, key, system, column, text):
    table = published_table(key, own(kind, key))
    [shape] = [found for found in table.columns if found.key == column]
    [row] = [row for row in table.rows if row.key == system]
    assert printed(row.values[column].value, shape) == text
