"""``leaderboard data``: from nothing to verified files, over real HTTP to peers on this machine."""

import hashlib
import json

import pytest

from leaderboard.benchmarks.registry import load_benchmark
from leaderboard.wikipedia.corpus_file import read_corpus
from tests.data.conftest import MUSIQUE, QUESTIONS, REVISION

FILES = "frames/test.tsv", "frames/articles.parquet", "musique/musique_ans_v1.0_dev.jsonl"


def lock(folder):
    return json.loads((folder / "data.lock.json").read_text(encoding="utf-8"))


def test_one_command_brings_the_files_and_freezes_the_articles(manifest, hub, wiki, data, tmp_path):
    code, out, err = data("fetch", "frames", "musique")
    assert code == 0, err
    home = tmp_path / "users" / "multihop-rag-leaderboard"
    assert [line.partition(",")[0] for line in out.splitlines()[:3]] == [
        "frames/test.tsv: fetched",
        "frames/articles.parquet: made",
        "musique/musique_ans_v1.0_dev.jsonl: fetched",
    ]
    assert f"3 of 3 files in {home}" in out
    assert (home / "frames" / "test.tsv").read_text(encoding="utf-8") == QUESTIONS
    articles = home / "frames" / "articles.parquet"
    noted = lock(tmp_path)
    assert sorted(noted) == ["frames/articles.parquet", "musique/musique_ans_v1.0_dev.jsonl"], (
        "what the manifest pins needs no note"
    )
    assert (
        noted["musique/musique_ans_v1.0_dev.jsonl"]["sha256"] == hashlib.sha256(MUSIQUE.encode()).hexdigest()
    )
    assert noted["frames/articles.parquet"]["sha256"] == hashlib.sha256(articles.read_bytes()).hexdigest()
    assert not (articles.parent / "articles.fetching.jsonl").exists()

    corpus = read_corpus(articles)
    assert corpus.about["before"] == "2024-09-01T00:00:00Z"
    found = {article.key: article for article in corpus.articles}
    kem, orr = found["en.wikipedia.org|Kem"], found["en.wikipedia.org|River Orr"]
    assert (kem.text, kem.timestamp) == ("Kem is a town.", "2020-01-01T00:00:00Z")
    assert set(kem.links) == {"en.wikipedia.org|Kem", "en.wikipedia.org|Old Kem"}
    assert "Year | Miles\n1901 | 3" in orr.text and [part.title for part in orr.sections] == ["Course"]
    assert found["en.wikipedia.org|Lost Lake"].vanished and found["en.wikipedia.org|Lost Lake"].text == ""

    asked = len(hub.asked), len(wiki.asked)
    code, out, _ = data("fetch", "frames", "musique")
    assert code == 0 and [line.split(": ")[1].split(",")[0] for line in out.splitlines()[:3]] == ["there"] * 3
    assert (len(hub.asked), len(wiki.asked)) == asked, "what is there and verified is not asked for again"


def test_the_loader_marks_the_question_whose_page_has_vanished(manifest, hub, wiki, data, tmp_path):
    assert data("fetch", "frames", "--data-dir", "d")[0] == 0
    benchmark = load_benchmark("frames", "full", tmp_path / "d")
    [question] = benchmark.questions
    assert [(item.key, item.document) for item in question.evidence] == [
        ("en.wikipedia.org|Kem", "en.wikipedia.org|Kem"),
        ("en.wikipedia.org|River Orr", "en.wikipedia.org|River Orr"),
        ("en.wikipedia.org|Lost Lake", ""),
    ]
    assert question.groups["gold_in_corpus"] == ("some lacking",)
    assert benchmark.breakdowns[-1].name == "gold_in_corpus"
    told = [defect.problem for defect in benchmark.defects]
    assert "two links to one page: en.wikipedia.org|Kem" in told
    assert any("a gold page that has vanished: en.wikipedia.org|Lost Lake: " in problem for problem in told)
    assert len(benchmark.documents) == 2


def test_another_date_gives_another_corpus_and_never_takes_the_place_of_the_first(
    manifest, hub, wiki, data, tmp_path
):
    assert data("fetch", "frames", "--data-dir", "d", "--before", "2026-01-01")[0] == 0
    found = read_corpus(tmp_path / "d" / "frames" / "articles.parquet")
    assert {article.text for article in found.articles if article.title == "Kem"} == {"Gone."}
    code, _, err = data("fetch", "frames", "--data-dir", "d")
    assert code == 2
    assert "expected a corpus with before 2024-09-01T00:00:00Z, found one with before 2026-01-01" in err
    # the lock file knows the first corpus: one made elsewhere of other revisions is kept aside
    code, _, err = data("fetch", "frames", "--data-dir", "e")
    assert code == 2 and "The corpus made today is kept as" in err
    aside = [path.name for path in (tmp_path / "e" / "frames").glob("articles-*.parquet")]
    assert len(aside) == 1 and not (tmp_path / "e" / "frames" / "articles.parquet").exists()


def test_the_same_pages_give_the_same_bytes_anywhere(manifest, hub, wiki, data, tmp_path):
    assert data("fetch", "frames", "--data-dir", "d", "--lock", "one.json")[0] == 0
    wiki.wiki().add("Unrelated", ("2020-01-01T00:00:00Z", "x"))
    assert data("fetch", "frames", "--data-dir", "e", "--lock", "two.json")[0] == 0
    assert (tmp_path / "d/frames/articles.parquet").read_bytes() == (
        tmp_path / "e/frames/articles.parquet"
    ).read_bytes()


def test_distractors_come_beside_the_gold_pages(manifest, hub, wiki, data, tmp_path, monkeypatch):
    english = wiki.wiki()
    for number in range(6):
        english.add(f"Aside {number}", ("2021-01-01T00:00:00Z", f"Aside {number} is a hill."))
    monkeypatch.setattr("leaderboard.data.articles.NEWEST_PAGE_ID", 110)
    assert data("fetch", "frames", "--data-dir", "d", "--distractors", "2", "--seed", "7")[0] == 0
    corpus = read_corpus(tmp_path / "d" / "frames" / "articles.parquet")
    drawn = [article for article in corpus.articles if article.title.startswith("Aside")]
    assert len(drawn) == 2 and all(article.links == () for article in drawn)
    assert (corpus.about["distractors"], corpus.about["seed"]) == ("2", "7")
    assert len(load_benchmark("frames", "full", tmp_path / "d").documents) == 4
    assert data("fetch", "frames", "--data-dir", "d")[0] == 2, "a corpus with distractors is not one without"


def test_a_file_that_cannot_be_had_stops_no_other(manifest, hub, wiki, data, tmp_path):
    del hub.files[f"/datasets/x/frames/resolve/{REVISION}/test.tsv"]
    code, out, err = data("fetch", "frames", "musique", "--data-dir", "d")
    assert code == 2
    assert "musique/musique_ans_v1.0_dev.jsonl: fetched" in out and "1 of 3 files" in out
    assert "frames/test.tsv: not here" in err and "404" in err
    assert "frames/articles.parquet: not here" in err and "its links are needed first" in err
    assert not list((tmp_path / "d" / "frames").glob("test.tsv"))


def test_a_wiki_that_breaks_keeps_what_came_and_the_next_run_goes_on(manifest, hub, wiki, data, tmp_path):
    from tests.wikipedia.peer import Fault

    wiki.faults = [
        Fault(status=404, when=lambda asked: "rvstart" in asked and asked["pageids"] == "102")
    ] * 20
    code, _, err = data("fetch", "frames", "--data-dir", "d")
    assert code == 2 and "What has come is kept" in err
    assert (tmp_path / "d/frames/articles.fetching.jsonl").exists()
    assert not (tmp_path / "d/frames/articles.parquet").exists()
    wiki.faults = []
    before = len(wiki.asked)
    assert data("fetch", "frames", "--data-dir", "d")[0] == 0
    again = [asked.parameters.get("pageids") for asked in wiki.asked[before:]]
    assert "101" not in again, "the page that had come is not asked for again"


def test_offline_nothing_is_asked_and_all_that_is_missing_is_said(manifest, hub, wiki, data):
    code, _, err = data("fetch", "frames", "musique", "--offline", "--data-dir", "d")
    assert code == 2 and not hub.asked and not wiki.asked
    assert all(f"{name}: not here" in err for name in FILES)


def test_status_says_what_is_here_without_asking_anybody(manifest, hub, wiki, data, tmp_path):
    _, out, _ = data("status", "frames", "musique", "--data-dir", "d")
    assert out.splitlines()[1:] == [
        f"frames/test.tsv: not here; sha256 {hashlib.sha256(QUESTIONS.encode()).hexdigest()[:16]}…",
        "frames/articles.parquet: not here; no digest known yet",
        "musique/musique_ans_v1.0_dev.jsonl: not here; no digest known yet",
    ]
    data("fetch", "frames", "musique", "--data-dir", "d")
    code, out, _ = data("status", "--data-dir", "d", "--json")
    files = {file["name"]: file for file in json.loads(out)["files"]}
    assert code == 0 and files["frames/test.tsv"]["state"] == "verified"
    assert (
        files["musique/musique_ans_v1.0_dev.jsonl"]["digest"] == hashlib.sha256(MUSIQUE.encode()).hexdigest()
    )
    assert files["hotpotqa/hotpot_dev_distractor_v1.json"]["state"] == "missing"


def test_verify_holds_every_file_against_its_digest_and_reads_it(manifest, hub, wiki, data, tmp_path):
    data("fetch", "frames", "musique", "--data-dir", "d")
    code, out, _ = data("verify", "frames", "musique", "--data-dir", "d")
    assert code == 0 and all(f"{name}: right" in out for name in FILES)
    assert "FRAMES: 1 questions, 2 documents" in out and "MuSiQue: 1 questions, 20 documents" in out
    path = tmp_path / "d/musique/musique_ans_v1.0_dev.jsonl"
    path.write_text(MUSIQUE.replace("Ann", "Bob"), encoding="utf-8")
    code, out, _ = data("verify", "musique", "--data-dir", "d", "--json")
    [held] = json.loads(out)["files"]
    assert code == 2 and held["state"] == "wrong"
    assert held["found"] == hashlib.sha256(path.read_bytes()).hexdigest() != held["expected"]
    assert data("fetch", "musique", "--data-dir", "d")[0] == 2
    assert path.read_text(encoding="utf-8").count("Bob") == 1, "somebody's file is never overwritten"
    path.unlink()
    code, out, _ = data("verify", "musique", "--data-dir", "d")
    assert code == 2 and "missing; leaderboard data fetch musique" in out


def test_a_changed_file_upstream_is_refused(manifest, hub, wiki, data, tmp_path):
    data("fetch", "musique", "--data-dir", "d")
    hub.files[f"/datasets/x/musique/resolve/{REVISION}/dev.jsonl"] = MUSIQUE.replace("Ann", "Bob").encode()
    code, _, err = data("fetch", "musique", "--data-dir", "e")
    assert (
        code == 2
        and "expected" in err
        and lock(tmp_path)["musique/musique_ans_v1.0_dev.jsonl"]["sha256"][:16] in err
    )
    assert not (tmp_path / "e/musique/musique_ans_v1.0_dev.jsonl").exists()


@pytest.mark.parametrize("words", [["fetch", "frmes"], ["verify", "squad"], ["status", "musiqe"]])
def test_an_unknown_benchmark_is_told_with_the_known_ones(data, words, capsys):
    code, _, err = data(*words)
    assert code == 2 and "it has: frames, hotpotqa, multihop_rag, musique, two_wiki" in err
