"""FRAMES is loaded from its official TSV, and bad files are refused by line."""

import json
from collections import Counter

import pytest

from leaderboard.benchmarks.frames import HEADER, LINK_COLUMNS, load
from leaderboard.benchmarks.native_files import MAX_BYTES
from leaderboard.benchmarks.questions import BenchmarkError

A, B, C = (f"https://en.wikipedia.org/wiki/{letter}" for letter in "ABC")


def line(index="0", prompt="Who?", answer="Ann", links=(A, B), types="Post processing", literal=None):
    columns = [*links, *[""] * (len(LINK_COLUMNS) - len(links))]
    return [index, prompt, answer, *columns, types, repr(list(links)) if literal is None else literal]


def write(folder, *lines, header=HEADER, articles=None):
    text = "".join("\t".join(cells) + "\n" for cells in (header, *lines))
    (folder / "test.tsv").write_text(text, encoding="utf-8")
    if articles is not None:
        rows = "".join(json.dumps(article) + "\n" for article in articles)
        (folder / "articles.jsonl").write_text(rows, encoding="utf-8")
    return folder


def problems(benchmark):
    return [(defect.row, defect.problem) for defect in benchmark.defects]


def test_a_row_becomes_a_question_with_gold_articles(tmp_path):
    articles = [{"title": "A", "url": A, "text": "About A."}, {"title": "b", "text": "About B."}]
    benchmark = load(
        write(tmp_path, line(types="Post processing | Tabular reasoning"), articles=articles), "sample"
    )
    (question,) = benchmark.questions
    assert (question.id, question.text, question.answer, question.null) == ("0", "Who?", "Ann", False)
    assert [(item.key, item.kind, item.title, item.document) for item in question.evidence] == [
        ("en.wikipedia.org|A", "article", "A", "en.wikipedia.org|A"),
        ("en.wikipedia.org|B", "article", "B", "en.wikipedia.org|B"),
    ]
    assert question.groups == {
        "reasoning_type": ("Post processing", "Tabular reasoning"),
        "single_type": (),
        "gold_articles": ("2",),
    }
    assert [(document.id, document.text) for document in benchmark.documents] == [
        ("en.wikipedia.org|A", "About A."),
        ("en.wikipedia.org|B", "About B."),
    ]
    assert (benchmark.label, benchmark.chunked, benchmark.defects) == ("FRAMES-like (sample)", True, ())
    assert set(benchmark.sources) == {"test.tsv", "articles.jsonl"}


def test_a_question_of_exactly_one_type_counts_in_a_group_of_single_types(tmp_path):
    rows = [
        line(types="Temporal reasoning"),
        line(index="1", types="Temporal reasoning | Post processing"),
        line(index="2", types="Numerical reasoning"),
    ]
    benchmark = load(write(tmp_path, *rows), "full")
    assert [question.groups["single_type"] for question in benchmark.questions] == [
        ("Temporal reasoning",),
        (),
        ("Numerical reasoning",),
    ]
    all_types, single, _ = benchmark.breakdowns
    assert (single.name, single.label, single.labels) == (
        "single_type",
        "Single reasoning type",
        all_types.labels,
    )
    assert (all_types.overlapping, single.overlapping) == (True, False)
    assert "exactly one reasoning type" in single.hint


def test_how_a_page_splits_the_questions_is_no_part_of_what_was_run(tmp_path):
    first = load(write(tmp_path, line(types="Temporal reasoning")), "full")
    second = load(write(tmp_path, line(types="Temporal reasoning | Post processing")), "full")
    assert first.questions[0].groups != second.questions[0].groups
    assert first.questions_digest == second.questions_digest


def test_without_a_corpus_there_are_no_documents_and_a_defect_says_so(tmp_path):
    benchmark = load(write(tmp_path, line()), "full")
    assert benchmark.documents == ()
    assert [item.document for item in benchmark.questions[0].evidence] == ["", ""]
    assert problems(benchmark) == [
        (None, "no corpus: none of articles.parquet, articles.jsonl, articles_partial.jsonl is there")
    ]


def test_a_corpus_elsewhere_can_be_named(tmp_path):
    elsewhere = tmp_path / "pages.jsonl"
    elsewhere.write_text(json.dumps({"title": "A", "text": "x"}) + "\n", encoding="utf-8")
    benchmark = load(write(tmp_path, line()), "full", elsewhere)
    assert [document.title for document in benchmark.documents] == ["A"]
    assert problems(benchmark) == [(None, "lacks 1 of 2 gold pages, of 1 of 1 questions")]
    with pytest.raises(BenchmarkError, match=r"expected the file gone\.jsonl, found no file"):
        load(tmp_path, "full", tmp_path / "gone.jsonl")


def test_what_is_odd_in_a_row_is_loaded_and_reported(tmp_path):
    many = f"{A}, {B}, {C}, "
    rows = [
        line(prompt="Who? ", answer=" Ann"),
        line(index="1", links=(many, A + "#top", "https://w.wiki/x")),
        line(index="2", links=(A,), types="Post processing | Post processing"),
        line(index="3", literal=repr([A, C])),
    ]
    benchmark = load(write(tmp_path, *rows, articles=[{"title": "A", "text": " "}]), "full")
    assert [question.text for question in benchmark.questions] == ["Who?"] * 4
    assert [item.key for item in benchmark.questions[1].evidence] == [
        "en.wikipedia.org|A",
        "en.wikipedia.org|B",
        "en.wikipedia.org|C",
        "https://w.wiki/x",
    ]
    assert benchmark.questions[2].groups == {
        "reasoning_type": ("Post processing",),
        "single_type": ("Post processing",),  # twice the same is one type
        "gold_articles": (),
        "gold_in_corpus": ("all there",),
    }
    assert [item.title for item in benchmark.questions[3].evidence] == ["A", "C"]
    assert problems(benchmark) == [
        (1, "an article without text"),
        (2, "white space around the prompt"),
        (2, "white space around the answer"),
        (3, "white space around a link item"),
        (3, "several links in one item"),
        (3, "two links to one page: en.wikipedia.org|A"),
        (3, "a short link: its page isn't known"),
        (4, "a single gold article"),
        (4, "a reasoning type twice"),
        (5, "wiki_links differs from the link columns"),
        (None, "a link with a # part: 1 link items"),
        (None, "lacks 3 of 4 gold pages, of 3 of 4 questions"),
    ]


def test_a_quoted_cell_over_two_lines_keeps_the_line_numbers_right(tmp_path):
    rows = [line(answer='"two\nlines"'), line(index="1", answer="")]
    with pytest.raises(
        BenchmarkError, match=r'test\.tsv, line 4: expected text as "Answer", found an empty text'
    ):
        load(write(tmp_path, *rows), "full")


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (line(index="0")[:-1], "line 3: expected 16 columns, found 15"),
        (line(index="0"), "line 3: expected an index that stands once, found 0, which is on line 2 too"),
        (line(index="one"), "expected a row index as first column, found text 'one'"),
        (line(index="1", prompt=" "), 'expected text as "Prompt", found nothing but white space'),
        (line(index="1", types="Post-processing"), "expected reasoning types of Multiple constraints"),
        (line(index="1", literal="['https://en.wiki"), "expected a list of quoted links in wiki_links"),
        (
            line(index="1", literal="__import__('os').getcwd()"),
            "expected a list of quoted links in wiki_links",
        ),
        (
            line(index="1", literal="{'a': 1}"),
            "expected a list of quoted links in wiki_links, found an object",
        ),
        (line(index="1", literal="[1]"), r'expected text as "wiki_links\[0\]", found a number 1'),
        (line(index="1", literal="[nan]"), "expected a list of quoted links in wiki_links"),
        (line(index="1", literal=r"['\ud800']"), "half of a surrogate pair"),
        (line(index="1", literal=r"['\0']"), "text without NUL"),
        (line(index="1", literal="[]"), "expected at least one link in wiki_links, found none"),
        (line(index="1", literal="[" * 5000), "expected a list of quoted links in wiki_links"),
        (line(index="1", literal=repr([A * 4000])), "expected at most 100,000 characters of wiki_links"),
        (line(index="1", answer='"open'), "expected quoted TSV, found: unexpected end of data"),
    ],
)
def test_a_row_that_cannot_be_used_is_refused_with_its_line(tmp_path, bad, message):
    with pytest.raises(BenchmarkError, match=message) as caught:
        load(write(tmp_path, line(), bad), "full")
    assert "test.tsv, line 3" in str(caught.value)


def test_another_header_is_refused_by_column(tmp_path):
    wrong = (*HEADER[:1], "Question", *HEADER[2:])
    with pytest.raises(BenchmarkError, match=r"line 1: expected \"Prompt\" as column 2, found 'Question'"):
        load(write(tmp_path, line(), header=wrong), "full")


def test_a_header_alone_is_refused(tmp_path):
    with pytest.raises(BenchmarkError, match="expected questions below the header, found none"):
        load(write(tmp_path), "full")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "found an empty file"),
        (b"\tPrompt\n0\t\xff", "line 2: expected UTF-8, found the byte 0xff"),
        (b"\tPrompt\n0\t\0", "line 2: expected text, found a NUL byte"),
        (b"\xef\xbb\xbf\tPrompt", "found a byte-order mark"),
    ],
)
def test_bytes_that_are_no_text_are_refused(tmp_path, data, message):
    (tmp_path / "test.tsv").write_bytes(data)
    with pytest.raises(BenchmarkError, match=message):
        load(tmp_path, "full")


def test_a_missing_file_an_odd_file_and_an_absurd_size_are_refused(tmp_path):
    with pytest.raises(BenchmarkError, match=r"expected the file test\.tsv, found no file\. Fetch test\.tsv"):
        load(tmp_path, "full")
    with (tmp_path / "test.tsv").open("wb") as stream:
        stream.truncate(MAX_BYTES + 1)  # sparse: it takes no room
    with pytest.raises(BenchmarkError, match="expected at most 2,147,483,648 bytes"):
        load(tmp_path, "full")
    (tmp_path / "test.tsv").unlink()
    (tmp_path / "test.tsv").mkdir()
    with pytest.raises(BenchmarkError, match="found something that is no regular file"):
        load(tmp_path, "full")


@pytest.mark.parametrize(
    ("article", "message"),
    [
        ('{"title": "A", "text": "x"}', "line 2: expected each article once, found a second article"),
        ('{"title": "B"}', "line 2: expected the field \"text\", found only 'title'"),
        ('{"title": "B", "text": NaN}', "line 2: expected JSON, found NaN"),
        ('{"title": "B", "title": "C", "text": ""}', "the field 'title' twice in one object"),
        ('{"title": 7, "text": ""}', 'expected text as "title", found a number 7'),
        ('{"title": "B", "text": "tr', "line 2: expected JSON, found"),
        ('["B"]', "line 2: expected a JSON object, found a list"),
        ("[" * 100_000, "line 2: expected JSON, found"),
        ('{"title": "B", "text": ' + "9" * 5000 + "}", "line 2: expected JSON, found"),
        (json.dumps({"title": "B", "text": "", "url": f"{A}, {B}"}), 'expected one link as "url"'),
    ],
)
def test_an_article_that_cannot_be_used_is_refused_with_its_line(tmp_path, article, message):
    write(tmp_path, line(), articles=[{"title": "A", "text": "x"}])
    with (tmp_path / "articles.jsonl").open("a", encoding="utf-8") as stream:
        stream.write(article + "\n")
    with pytest.raises(BenchmarkError, match=message) as caught:
        load(tmp_path, "full")
    assert "articles.jsonl, line 2" in str(caught.value)


def test_the_published_file(real_data):
    benchmark = load(real_data / "frames", "full")
    assert (benchmark.label, len(benchmark.questions), len(benchmark.documents)) == ("FRAMES", 824, 41)
    assert [question.id for question in benchmark.questions] == [str(index) for index in range(824)]
    assert benchmark.sources["test.tsv"].startswith("4255093c93b595b5")
    labels = Counter(label for question in benchmark.questions for label in question.groups["reasoning_type"])
    assert [labels[label] for label in benchmark.breakdowns[0].labels] == [549, 293, 278, 236, 107]
    single = Counter(label for question in benchmark.questions for label in question.groups["single_type"])
    assert [breakdown.name for breakdown in benchmark.breakdowns] == [
        "reasoning_type", "single_type", "gold_articles", "gold_in_corpus",
    ]  # fmt: skip
    there = Counter(question.groups["gold_in_corpus"] for question in benchmark.questions)
    assert there == {("all there",): 2, ("some lacking",): 822}
    assert set(single) == set(benchmark.breakdowns[1].labels)
    assert single.total() == 421
    # Elements say 310 / 288: the row whose two links name one page (line 605) has 2 distinct articles, not 3.
    articles = Counter(question.groups["gold_articles"][0] for question in benchmark.questions)
    assert articles == {"2": 311, "3": 287, "4": 134, "5+": 92}
    assert max(len(question.evidence) for question in benchmark.questions) == 23
    sizes = {
        question.id: len(question.evidence) for question in benchmark.questions if len(question.evidence) > 11
    }
    assert sizes == {"199": 15, "230": 12, "231": 19, "444": 23, "537": 17, "540": 20, "615": 13}


def test_distinct_pages_of_the_published_file(real_data):
    # 2,523 = 2,522 pages with a key and the short link, which stays gold under its own address. The list of
    # cleaned links has 2,520 page titles: it keeps the search page, the index.php page and the short link apart,
    # and decodes the doubly encoded "Men%2527s" only once (the same page, so no difference in number).
    benchmark = load(real_data / "frames", "full")
    gold = {item.key for question in benchmark.questions for item in question.evidence}
    assert len(gold) == 2523
    assert [key for key in gold if "|" not in key] == ["https://w.wiki/ASFv"]
    with (real_data / "frames" / "links_clean.jsonl").open(encoding="utf-8") as stream:
        listed = {link["page"] for row in map(json.loads, stream) for link in row["links"]}
    titles = {key.partition("|")[2] for key in gold if "|" in key}
    assert titles - listed == {"Bronco", "Polytrichum piliferum", "2021 French Open – Men's singles"}
    assert listed - titles == {None, "2021 French Open – Men%27s singles"}


def test_defects_of_the_published_file(real_data):
    benchmark = load(real_data / "frames", "full")
    rows = {}
    for defect in benchmark.defects:
        rows.setdefault(defect.problem, []).append(defect.row and defect.row - 2)
    assert len(rows.pop("white space around the prompt")) == 67
    assert len(rows.pop("white space around the answer")) == 23
    assert rows == {
        "several links in one item": [90, 199, 230, 231, 444, 537, 540, 615],
        "white space around a link item": [44, 90, 208, 435, 503, 540, 644, 747],
        "not an article: a search": [88],
        "a script address (index.php) in place of a page": [98],
        "not an article: a Module page": [179],
        "a link without scheme": [226, 226],
        "a short link: its page isn't known": [495],
        "two links to one page: en.wikipedia.org|Blyde River Canyon Nature Reserve": [603],
        "prose after a link: (NOT REQUIRED, BUT HELPFUL)": [644],
        "not an article: a Category page": [650],
        "percent-encoding more than once": [764],
        "a link to the mobile host: 28 link items": [None],
        "a link with a # part: 242 link items": [None],
        "lacks 2,482 of 2,523 gold pages, of 822 of 824 questions": [None],
    }
    complete = [
        question.id for question in benchmark.questions if all(item.document for item in question.evidence)
    ]
    assert complete == ["2", "725"]
