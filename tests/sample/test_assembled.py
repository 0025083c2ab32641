"""The native files that are made from the encyclopedia, and what the loaders find in them."""

import shutil

import pytest

from leaderboard.benchmarks.registry import load_benchmark
from leaderboard.retrieval.chunking import passages_of
from leaderboard.sample import assemble
from tests.sample.corpora import SAMPLE, read_json, read_lines

MADE = (
    "frames/test.tsv",
    "musique/musique_ans_v1.0_dev.jsonl",
    "musique/musique_ans_v1.0_train.jsonl",
    "hotpotqa/hotpot_dev_distractor_v1.json",
    "two_wiki/dev.json",
    "two_wiki/id_aliases.json",
)


def asked(benchmark: str, split: str = "dev") -> list[dict]:
    questions = read_json("encyclopedia/questions.json")
    return [q for q in questions if (q["benchmark"], q["split"]) == (benchmark, split)]


def test_the_native_files_are_what_assemble_writes_now(tmp_path, monkeypatch):
    copy = tmp_path / "sample"
    shutil.copytree(SAMPLE / "encyclopedia", copy / "encyclopedia")
    monkeypatch.setattr(assemble, "SAMPLE", copy)
    assemble.main()
    assert [name for name in MADE if (copy / name).read_bytes() != (SAMPLE / name).read_bytes()] == []


@pytest.mark.parametrize("name", ["frames", "musique", "multihop_rag"])
def test_every_bundled_file_loads_as_24_questions_without_a_defect_that_loses_gold(name):
    benchmark = load_benchmark(name, "sample")
    assert len(benchmark.questions) == 24
    assert [e.key for q in benchmark.questions for e in q.evidence if not e.document] == []


def test_frames_has_the_questions_answers_types_and_articles_of_the_encyclopedia():
    benchmark, source = load_benchmark("frames", "sample"), asked("frames")
    assert [(q.id, q.text, q.answer) for q in benchmark.questions] == [
        (q["id"], q["question"], q["answer"]) for q in source
    ]
    assert [q.groups["reasoning_type"] for q in benchmark.questions] == [
        tuple(q["reasoning_types"]) for q in source
    ]
    assert [len(q.evidence) for q in benchmark.questions] == [len(q["links"]) for q in source]
    assert len(benchmark.documents) == len(read_lines("encyclopedia/articles.jsonl"))


def test_musique_has_the_questions_answers_and_aliases_of_the_encyclopedia():
    benchmark, source = load_benchmark("musique", "sample"), asked("musique")
    assert [(q.id, q.text, q.golds) for q in benchmark.questions] == [
        (q["id"], q["question"], (q["answer"], *q["aliases"])) for q in source
    ]
    assert [len(q.evidence) for q in benchmark.questions] == [len(q["steps"]) for q in source]


def test_multihop_rag_has_the_queries_of_its_file():
    benchmark, source = load_benchmark("multihop_rag", "sample"), read_json("multihop_rag/MultiHopRAG.json")
    assert [(q.text, q.answer, q.null) for q in benchmark.questions] == [
        (q["query"], q["answer"], q["question_type"] == "null_query") for q in source
    ]
    assert len(benchmark.documents) == len(read_json("multihop_rag/corpus.json"))


@pytest.mark.parametrize("split", ["dev", "train"])
def test_a_musique_question_comes_with_20_paragraphs_of_which_one_supports_each_hop(split):
    rows = read_lines(f"musique/musique_ans_v1.0_{split}.jsonl")
    assert [row["id"] for row in rows] == [question["id"] for question in asked("musique", split)]
    assert len(rows) == 24
    for row in rows:
        assert [paragraph["idx"] for paragraph in row["paragraphs"]] == list(range(20))
        assert len({(p["title"], p["paragraph_text"]) for p in row["paragraphs"]}) == 20
        supporting = {p["idx"] for p in row["paragraphs"] if p["is_supporting"]}
        hops = [hop["paragraph_support_idx"] for hop in row["question_decomposition"]]
        assert len(hops) == len(set(hops))
        assert set(hops) == supporting


def test_the_musique_corpus_is_every_distinct_paragraph_of_its_file():
    rows = read_lines("musique/musique_ans_v1.0_dev.jsonl")
    distinct = {(p["title"], p["paragraph_text"]) for row in rows for p in row["paragraphs"]}
    documents = load_benchmark("musique", "sample").documents
    assert {(document.title, document.text) for document in documents} == distinct
    assert len(documents) == len(distinct)


def test_no_training_question_is_asked_in_the_dev_split():
    dev, train = (
        {row["question"].casefold() for row in read_lines(f"musique/musique_ans_v1.0_{split}.jsonl")}
        for split in ("dev", "train")
    )
    assert len(train) == 24
    assert dev & train == set()


@pytest.mark.parametrize("name", ["frames", "multihop_rag"])
def test_passages_of_64_tokens_cut_the_average_article_at_least_in_two(name):
    benchmark = load_benchmark(name, "sample")
    passages = passages_of(benchmark.documents, "passage", 64, benchmark.chunked)
    assert len(passages) / len(benchmark.documents) >= 2
