"""FRAMES reads the frozen corpus: links lead to pages, and what is lacking is said and shown."""

import json

import pytest

from leaderboard.benchmarks.frames import BREAKDOWNS, HEADER, LINK_COLUMNS, load
from leaderboard.benchmarks.frames_articles import GOLD_IN_CORPUS
from leaderboard.benchmarks.questions import BenchmarkError
from leaderboard.files import sha256_file
from leaderboard.wikipedia.corpus_file import Article, article_digest, write_corpus

WIKI = "https://en.wikipedia.org/wiki/"
SHORT = "https://w.wiki/lamp"


def key(title):
    return f"en.wikipedia.org|{title}"


def page(title, *links, text=None, vanished=""):
    text = ("" if vanished else f"About {title}.") if text is None else text
    return Article(
        key=key(title),
        title=title,
        page_id=None if vanished else 7,
        revision=None if vanished else 70,
        timestamp="" if vanished else "2024-07-31T00:00:00Z",
        url=WIKI + title,
        text=text,
        sections=(),
        digest=article_digest(title, text),
        links=links or (key(title),),
        vanished=vanished,
    )


def write(folder, *questions, pages=None):
    lines = ["\t".join(HEADER)]
    for index, links in enumerate(questions):
        columns = [*links, *[""] * (len(LINK_COLUMNS) - len(links))]
        lines.append("\t".join([str(index), "Who?", "Ann", *columns, "Post processing", repr(list(links))]))
    (folder / "test.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    if pages is not None:
        write_corpus(folder / "articles.parquet", pages, {"before": "2024-08-01T00:00:00Z"})
    return folder


def gold(question):
    return [(item.key, item.title, item.document) for item in question.evidence]


def test_a_complete_corpus_gives_each_link_its_page(tmp_path):
    pages = [page("Mill"), page("Orrin", key("Orrin"), key("River Orrin")), page("Lamp", SHORT)]
    benchmark = load(
        write(tmp_path, (WIKI + "Mill", WIKI + "River_Orrin"), (WIKI + "Mill", SHORT), pages=pages), "full"
    )
    assert [gold(question) for question in benchmark.questions] == [
        [(key("Mill"), "Mill", key("Mill")), (key("River Orrin"), "River Orrin", key("Orrin"))],
        [(key("Mill"), "Mill", key("Mill")), (SHORT, SHORT, key("Lamp"))],
    ]
    assert [
        (document.id, document.title, document.text, document.url) for document in benchmark.documents
    ] == [(key(title), title, f"About {title}.", WIKI + title) for title in ("Lamp", "Mill", "Orrin")]
    assert benchmark.breakdowns is BREAKDOWNS
    assert "gold_in_corpus" not in benchmark.questions[0].groups
    assert [(defect.row, defect.problem, defect.action) for defect in benchmark.defects] == [
        (3, "a short link: its page isn't known", f"the page it leads to is used: {key('Lamp')}")
    ]
    assert benchmark.sources["articles.parquet"] == sha256_file(tmp_path / "articles.parquet")


def test_two_links_that_lead_to_one_page_are_one_gold_page_under_the_first_link(tmp_path):
    pages = [page("Mill"), page("Orrin", key("Orrin"), key("River Orrin"))]
    links = (WIKI + "River_Orrin", WIKI + "Mill", WIKI + "Orrin")
    benchmark = load(write(tmp_path, links, pages=pages), "full")
    (question,) = benchmark.questions
    assert gold(question) == [
        (key("River Orrin"), "River Orrin", key("Orrin")),
        (key("Mill"), "Mill", key("Mill")),
    ]
    assert question.groups["gold_articles"] == ("2",)
    assert [(defect.row, defect.problem, defect.action) for defect in benchmark.defects] == [
        (2, f"two links to one page: {key('Orrin')}", "counted once")
    ]


def test_a_page_that_has_vanished_stays_gold_and_marks_its_question(tmp_path):
    pages = [page("Mill"), page("Orrin"), page("Gone", vanished="deleted in 1901")]
    questions = (WIKI + "Mill", WIKI + "Orrin"), (WIKI + "Mill", WIKI + "Gone")
    benchmark = load(write(tmp_path, *questions, pages=pages), "full")
    assert gold(benchmark.questions[1]) == [(key("Mill"), "Mill", key("Mill")), (key("Gone"), "Gone", "")]
    assert [document.title for document in benchmark.documents] == ["Mill", "Orrin"]
    assert [(defect.file, defect.row, defect.problem, defect.action) for defect in benchmark.defects] == [
        ("test.tsv", 3, f"a gold page that has vanished: {key('Gone')}: deleted in 1901", "kept as gold, without a document"),
        ("articles.parquet", None, "lacks 1 of 3 gold pages, of 1 of 2 questions", "these stay gold, without a document"),
    ]  # fmt: skip
    assert benchmark.breakdowns == (*BREAKDOWNS, GOLD_IN_CORPUS)
    assert [question.groups["gold_in_corpus"] for question in benchmark.questions] == [
        ("all there",),
        ("some lacking",),
    ]


def test_a_link_that_the_corpus_does_not_know_is_lacking(tmp_path):
    benchmark = load(write(tmp_path, (WIKI + "Mill", WIKI + "New"), pages=[page("Mill")]), "full")
    assert gold(benchmark.questions[0])[1] == (key("New"), "New", "")
    assert benchmark.questions[0].groups["gold_in_corpus"] == ("some lacking",)


def test_a_corpus_of_lines_that_lacks_a_page_groups_the_questions_too(tmp_path):
    write(tmp_path, (WIKI + "Mill", WIKI + "Orrin"))
    (tmp_path / "articles.jsonl").write_text(
        json.dumps({"title": "Mill", "text": "x"}) + "\n", encoding="utf-8"
    )
    benchmark = load(tmp_path, "full")
    assert benchmark.breakdowns[-1] is GOLD_IN_CORPUS
    assert benchmark.questions[0].groups["gold_in_corpus"] == ("some lacking",)


def test_the_frozen_corpus_is_preferred_and_gives_the_digests_of_the_same_articles_in_lines(tmp_path):
    write(tmp_path, (WIKI + "Mill", WIKI + "Orrin"))
    rows = [{"title": title, "url": WIKI + title, "text": f"About {title}."} for title in ("Mill", "Orrin")]
    (tmp_path / "articles.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
    )
    lines = load(tmp_path, "full")
    write_corpus(tmp_path / "articles.parquet", [page("Orrin"), page("Mill")], {})
    frozen = load(tmp_path, "full")
    assert (set(lines.sources), set(frozen.sources)) == (
        {"test.tsv", "articles.jsonl"},
        {"test.tsv", "articles.parquet"},
    )
    assert (frozen.questions_digest, frozen.corpus_digest) == (lines.questions_digest, lines.corpus_digest)
    named = load(tmp_path, "full", tmp_path / "articles.jsonl")
    assert "articles.jsonl" in named.sources


def test_an_article_without_text_is_reported_by_row(tmp_path):
    benchmark = load(
        write(tmp_path, (WIKI + "Mill", WIKI + "Orrin"), pages=[page("Mill"), page("Orrin", text=" ")]),
        "full",
    )
    assert [(defect.file, defect.row, defect.problem) for defect in benchmark.defects] == [
        ("articles.parquet", 2, "an article without text")
    ]


def test_a_corpus_file_that_cannot_be_used_is_an_error_of_the_benchmark(tmp_path):
    write(tmp_path, (WIKI + "Mill",))
    (tmp_path / "articles.parquet").write_bytes(b"{}")
    with pytest.raises(
        BenchmarkError, match=r"articles\.parquet: expected a whole parquet file, found one that cannot"
    ):
        load(tmp_path, "full")
