"""Benchmarks are found by name, in the package or in a data folder."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import leaderboard
from leaderboard.benchmarks.questions import BenchmarkError
from leaderboard.benchmarks.registry import DATA_VARIABLE, load_benchmark, load_train
from leaderboard.manifest import KEYS
from leaderboard.manifest.entries import entry

SAMPLE = Path(leaderboard.__file__).parent / "sample"


def data_with_one_benchmark(folder):
    own = folder / "multihop_rag"
    own.mkdir(parents=True)
    rows = [
        {"query": f"Q{i}", "answer": "A", "question_type": "null_query", "evidence_list": []}
        for i in range(3)
    ]
    (own / "MultiHopRAG.json").write_text(json.dumps(rows), encoding="utf-8")
    (own / "corpus.json").write_text(json.dumps([{"title": "T", "url": "u", "body": "B"}]), encoding="utf-8")
    return folder


def test_the_registry_imports_no_loader_and_nothing_heavy():
    program = (
        "import sys, leaderboard.benchmarks.registry; "
        "print([m for m in ('leaderboard.benchmarks.frames', 'numpy', 'polars', 'dspy') if m in sys.modules])"
    )
    root = Path(leaderboard.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", KEYS)
def test_the_sample_of_the_package(name):
    benchmark = load_benchmark(name, "sample")
    assert benchmark.label == f"{entry(name).name}-like (sample)"
    assert benchmark.questions and benchmark.documents
    assert all(item.document for question in benchmark.questions for item in question.evidence)
    # No row is defective; links with a # part, which the published file has too, are noted for the whole file.
    assert [defect for defect in benchmark.defects if defect.row is not None] == []
    assert tuple(breakdown.name for breakdown in benchmark.breakdowns) == entry(name).breakdowns


def test_the_sample_has_questions_to_compile_on():
    train = load_train("musique", "sample")
    assert train.questions and train.defects == ()
    assert not train.by_id.keys() & load_benchmark("musique", "sample").by_id.keys()


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("frames", "FRAMES"),
        ("multihop_rag", "MultiHop-RAG"),
        ("hotpotqa", "HotpotQA"),
        ("two_wiki", "2WikiMultiHopQA"),
    ],
)
def test_of_the_other_benchmarks_there_is_nothing_to_compile_on(key, name):
    with pytest.raises(BenchmarkError) as caught:
        load_train(key, "sample")
    assert str(caught.value) == (
        f"{key}: expected a benchmark with a train split (musique); there is none of {name} here, and what is scored is "
        "never compiled on."
    )


def test_a_published_train_split_that_is_not_here_is_fetched_on_request(tmp_path):
    (tmp_path / "musique").mkdir()
    with pytest.raises(BenchmarkError, match=r"Fetch it with: leaderboard data fetch musique --optional$"):
        load_train("musique", "full", tmp_path)


def test_a_data_folder_is_named_by_argument_or_environment(tmp_path, monkeypatch):
    data = data_with_one_benchmark(tmp_path)
    assert load_benchmark("multihop_rag", "full", data).label == "MultiHop-RAG"
    monkeypatch.setenv(DATA_VARIABLE, str(data))
    assert len(load_benchmark("multihop_rag", "full").questions) == 3


def test_a_limit_keeps_the_first_questions_and_the_whole_corpus(tmp_path):
    data = data_with_one_benchmark(tmp_path)
    limited = load_benchmark("multihop_rag", "full", data, limit=2)
    assert ([question.text for question in limited.questions], len(limited.documents)) == (["Q0", "Q1"], 1)
    whole = load_benchmark("multihop_rag", "full", data)
    assert limited.questions_digest != whole.questions_digest
    assert limited.corpus_digest == whole.corpus_digest
    assert load_benchmark("multihop_rag", "full", data, limit=99).questions == whole.questions


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused(tmp_path, limit):
    with pytest.raises(BenchmarkError, match="expected a limit of at least 1"):
        load_benchmark("multihop_rag", "full", data_with_one_benchmark(tmp_path), limit=limit)


def test_an_unknown_name_is_refused():
    with pytest.raises(BenchmarkError, match=f"expected a benchmark of {', '.join(KEYS)}, found 'squad'"):
        load_benchmark("squad", "full")


def test_without_a_named_folder_the_users_own_is_used_and_the_error_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.delenv(DATA_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with pytest.raises(
        BenchmarkError, match=r"folder with test\.tsv and articles\.parquet.*data fetch frames"
    ):
        load_benchmark("frames", "full")
    data_with_one_benchmark(tmp_path / "multihop-rag-leaderboard")
    assert len(load_benchmark("multihop_rag", "full").questions) == 3


def test_a_missing_folder_is_refused_with_its_files(tmp_path):
    with pytest.raises(BenchmarkError, match=r"musique: expected a folder with musique_ans_v1\.0_dev\.jsonl"):
        load_benchmark("musique", "full", tmp_path)


def test_with_each_the_limit_counts_in_every_group():
    chosen = load_benchmark("musique", "sample", limit=2, each="hops")
    assert [question.groups["hops"] for question in chosen.questions] == [("2",)] * 2 + [("3",)] * 2 + [
        ("4",)
    ] * 2
    whole = load_benchmark("musique", "sample").questions
    assert chosen.questions == tuple(question for question in whole if question in chosen.questions), (
        "in file order"
    )
