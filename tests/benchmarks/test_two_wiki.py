"""2WikiMultiHopQA is loaded from its official rows, from HippoRAG's files, and from questions with titles alone."""

import json
import shutil
from collections import Counter

import pytest

from leaderboard.benchmarks.questions import BenchmarkError, paragraph_key
from leaderboard.benchmarks.two_wiki import ALIASES_FILE, FILE, HIPPORAG_CORPUS, HIPPORAG_FILE, load

LISTED, LISTED_CORPUS = "questions_1000.jsonl", "corpus_6119.jsonl"


def row(id="a1", **changes):
    """An official row."""
    base = {
        "_id": id,
        "type": "compositional",
        "question": f"Who is the father of {id}?",
        "context": [[f"T{i}", [f"Text {i}.", f"More of {i}."]] for i in range(10)],
        "supporting_facts": [["T7", 0], ["T3", 1]],
        "evidences": [["a", "father", "b"]],
        "answer": "Detroit",
    }
    return {**base, **changes}


def listed(id="a1", **changes):
    """A row that names its supporting paragraphs by title alone."""
    base = {
        "id": id,
        "question": f"Who is the father of {id}?",
        "answer": "Detroit",
        "answer_aliases": ["Motor City", "Detroit"],
        "supporting_titles": ["T7", "T3"],
        "type": "inference",
        "evidences": None,
    }
    return {**base, **changes}


PASSAGES = [{"title": f"T{i}", "text": f"Text {i}. More of {i}."} for i in range(12)]


def write(folder, *rows, name=FILE):
    lines = name.endswith(".jsonl") or name == ALIASES_FILE
    text = "".join(json.dumps(item) + "\n" for item in rows) if lines else json.dumps(list(rows))
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def hipporag(folder, *rows, passages=PASSAGES):
    write(folder, *rows, name=HIPPORAG_FILE)
    return write(folder, *passages, name=HIPPORAG_CORPUS)


def titles_alone(folder, *rows, passages=PASSAGES):
    write(folder, *rows, name=LISTED)
    return write(folder, *passages, name=LISTED_CORPUS)


def problems(benchmark):
    return [(defect.file, defect.row, defect.problem, defect.action) for defect in benchmark.defects]


def test_an_official_row_becomes_a_question_and_its_paragraphs_are_the_corpus(tmp_path):
    benchmark = load(write(tmp_path, row(), row("a2")), "full")
    question = benchmark.questions[0]
    assert (question.id, question.text, question.golds) == ("a1", "Who is the father of a1?", ("Detroit",))
    key = paragraph_key("T7", "Text 7. More of 7.")  # sentences are published without a space between them
    first = question.evidence[0]
    assert (first.key, first.kind, first.document) == (key, "paragraph", key)
    assert [(item.title, item.text) for item in question.evidence] == [
        ("T7", "Text 7. More of 7."),
        ("T3", "Text 3. More of 3."),
    ]
    assert (benchmark.name, benchmark.label) == ("two_wiki", "2WikiMultiHopQA")
    assert (len(benchmark.documents), benchmark.chunked, benchmark.defects) == (10, False, ())
    assert list(benchmark.sources) == [FILE]


@pytest.mark.parametrize(
    ("kind", "label"),
    [
        ("compositional", "compositional"),
        ("comparison", "comparison"),
        ("bridge_comparison", "bridge-comparison"),
        ("inference", "inference"),
    ],
)
def test_a_type_is_shown_in_the_words_of_the_paper(tmp_path, kind, label):
    benchmark = load(write(tmp_path, row(type=kind)), "full")
    assert benchmark.questions[0].groups == {"question_type": (label,)}
    assert benchmark.breakdowns[0].labels == (
        "compositional",
        "comparison",
        "bridge-comparison",
        "inference",
    )


def test_questions_without_a_type_are_in_no_group_and_one_defect_counts_them(tmp_path):
    benchmark = load(
        titles_alone(tmp_path, listed(), listed("a2", type=None), listed("a3", type=None)), "full"
    )
    assert [question.groups["question_type"] for question in benchmark.questions] == [("inference",), (), ()]
    assert problems(benchmark) == [
        (LISTED, None, "2 of 3 questions have no type", "in no group of question types")
    ]


def test_aliases_and_demonyms_of_the_answers_id_are_golds(tmp_path):
    write(tmp_path, row(answer_id="Q1"), row("a2", answer_id="Q2"), row("a3", answer_id=None))
    write(
        tmp_path,
        {"Q_id": "Q9", "aliases": None, "demonyms": 7},  # of no answer here, so never looked at
        {"Q_id": "Q1", "aliases": ["Motor City", "Detroit", ""], "demonyms": ["Detroiter", " The D"]},
        {"Q_id": "Q2", "aliases": ["One"]},
        {"Q_id": "Q2", "aliases": ["Two"], "demonyms": ["One"]},
        name=ALIASES_FILE,
    )
    benchmark = load(tmp_path, "full")
    assert [question.golds for question in benchmark.questions] == [
        ("Detroit", "Motor City", "Detroiter", "The D"),
        ("Detroit", "One", "Two"),
        ("Detroit",),
    ]
    assert sorted(benchmark.sources) == [FILE, ALIASES_FILE]
    assert problems(benchmark) == [
        (ALIASES_FILE, 2, "an empty alias", "left out: it would match every empty answer"),
        (ALIASES_FILE, 2, "white space around an alias", "trimmed"),
        (ALIASES_FILE, 4, "a Q_id that stands twice: 'Q2'", "both count"),
    ]


def test_without_the_file_of_aliases_the_answers_stand_alone_and_one_defect_says_so(tmp_path):
    benchmark = load(write(tmp_path, row(answer_id="Q1"), row("a2", answer_id="Q2")), "full")
    assert [question.aliases for question in benchmark.questions] == [(), ()]
    assert problems(benchmark) == [
        (
            FILE,
            None,
            "answers have ids, and there is no id_aliases.json",
            "without aliases, unlike the official script",
        )
    ]


def test_hipporags_questions_have_a_corpus_of_their_own(tmp_path):
    benchmark = load(hipporag(tmp_path, row()), "full")
    assert [document.title for document in benchmark.documents] == [f"T{i}" for i in range(12)]
    assert [item.document for item in benchmark.questions[0].evidence] == [
        paragraph_key("T7", "Text 7. More of 7."),
        paragraph_key("T3", "Text 3. More of 3."),
    ]
    assert (sorted(benchmark.sources), benchmark.defects) == ([HIPPORAG_FILE, HIPPORAG_CORPUS], ())
    (tmp_path / HIPPORAG_CORPUS).unlink()
    with pytest.raises(
        BenchmarkError, match=r"expected the file 2wikimultihopqa_corpus\.json, found no file"
    ):
        load(tmp_path, "full")


def test_the_official_file_is_read_where_several_forms_are_there(tmp_path):
    hipporag(titles_alone(tmp_path, listed()), row(), row("a2"))
    assert list(load(tmp_path, "full").sources) == [HIPPORAG_FILE, HIPPORAG_CORPUS]
    assert list(load(write(tmp_path, row()), "full").sources) == [FILE]


def test_a_folder_without_any_of_the_forms_is_refused_with_their_names(tmp_path):
    with pytest.raises(BenchmarkError, match=r"dev\.json or one file questions_\*\.jsonl.*HippoRAG's 2wiki"):
        load(tmp_path, "full")
    write(tmp_path, listed(), name=LISTED)
    with pytest.raises(BenchmarkError, match=r"expected corpus\.jsonl or one file corpus_\*\.jsonl"):
        load(tmp_path, "full")


def test_a_corpus_that_is_named_replaces_the_one_beside_the_questions(tmp_path):
    write(tmp_path, *PASSAGES[:8], name="other.jsonl")
    benchmark = load(write(tmp_path, row()), "full", tmp_path / "other.jsonl")
    assert (len(benchmark.documents), sorted(benchmark.sources)) == (8, [FILE, "other.jsonl"])
    assert all(item.document for item in benchmark.questions[0].evidence)


def test_titles_alone_find_their_passages_in_the_corpus(tmp_path):
    benchmark = load(titles_alone(tmp_path, listed()), "full")
    (question,) = benchmark.questions
    assert question.golds == ("Detroit", "Motor City")
    assert [(item.title, item.text) for item in question.evidence] == [
        ("T7", "Text 7. More of 7."),
        ("T3", "Text 3. More of 3."),
    ]
    assert all(item.document == item.key for item in question.evidence)
    assert benchmark.defects == ()


def test_what_is_odd_in_a_row_of_titles_is_loaded_and_reported(tmp_path):
    benchmark = load(
        titles_alone(
            tmp_path,
            listed(question="Who? ", answer_aliases=None, supporting_titles=["T7", "Gone"]),
            listed("a2", question="WHO", supporting_titles=["T7", "T3", "T7"]),
            listed("a3", supporting_titles=["t7"], answer_aliases=[" x", " "]),
        ),
        "full",
    )
    assert [[(item.title, bool(item.document)) for item in one.evidence] for one in benchmark.questions] == [
        [("T7", True), ("Gone", False)],
        [("T7", True), ("T3", True)],
        [("T7", True)],
    ]
    assert [question.aliases for question in benchmark.questions] == [(), ("Motor City",), ("x",)]
    assert [defect[1:] for defect in problems(benchmark)] == [
        (1, "a gold paragraph that the corpus lacks: 'Gone'", "stays gold"),
        (1, "white space around the question", "trimmed"),
        (2, "a supporting title that stands twice: 'T7'", "counted once"),
        (3, "the corpus writes the supporting title 't7' in other letter case", "taken as the same"),
        (3, "supporting paragraphs: 1, where 2 or 4 are known", "loaded with those that are there"),
        (3, "an empty alias", "left out: it would match every empty answer"),
        (3, "white space around an alias", "trimmed"),
        (2, "the question stands under another id too: a1", "loaded under both"),
    ]


OTHER = {"title": "T7", "text": "Another text."}
LONGER = {"title": "T7", "text": "Text 7. More of 7. And more."}


@pytest.mark.parametrize(
    ("passages", "chosen", "problem", "action"),
    [
        # The text of the context is there: no doubt, whatever else has the title.
        ([OTHER, *PASSAGES], "Text 7. More of 7.", None, None),
        (
            [OTHER, PASSAGES[3]],
            "Another text.",
            "the corpus has another text under the supporting title 'T7'",
            "the corpus's text is gold",
        ),
        (
            [OTHER, LONGER, PASSAGES[3]],
            "Text 7. More of 7. And more.",
            "2 passages of the corpus have the supporting title 'T7'",
            "the first that holds the supporting sentences is gold",
        ),
        (
            [OTHER, {**OTHER, "text": "A third."}, PASSAGES[3]],
            "Another text.",
            "2 passages of the corpus have the supporting title 'T7'",
            "the first is gold",
        ),
    ],
)
def test_a_title_that_stands_twice_in_the_corpus_is_decided_by_content(
    tmp_path, passages, chosen, problem, action
):
    benchmark = load(hipporag(tmp_path, row(), passages=passages), "full")
    gold = benchmark.questions[0].evidence[0]
    assert (gold.text, gold.document) == (chosen, paragraph_key("T7", chosen))
    assert problems(benchmark) == ([] if problem is None else [(HIPPORAG_FILE, 1, problem, action)])


def test_of_titles_alone_the_first_passage_is_gold(tmp_path):
    benchmark = load(titles_alone(tmp_path, listed(), passages=[*PASSAGES, OTHER]), "full")
    assert benchmark.questions[0].evidence[0].text == "Text 7. More of 7."
    assert problems(benchmark) == [
        (LISTED, 1, "2 passages of the corpus have the supporting title 'T7'", "the first is gold")
    ]


def test_a_passage_that_stands_twice_is_kept_once_and_one_without_text_for_its_title(tmp_path):
    passages = [*PASSAGES, PASSAGES[7], {"title": "Empty", "text": ""}]
    benchmark = load(titles_alone(tmp_path, listed(), passages=passages), "full")
    assert len(benchmark.documents) == 13
    assert problems(benchmark) == [
        (LISTED_CORPUS, 13, "a passage that stands twice: 'T7'", "kept once"),
        (LISTED_CORPUS, 14, "a passage without text: 'Empty'", "kept for its title"),
    ]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (listed(), "expected an id that stands once, found text 'a1', which is on line 1 too"),
        (listed(None), 'expected text as "id", found null'),
        (listed("a2", type="bridge"), "expected a type of compositional, .*, or null, found text 'bridge'"),
        (listed("a2", type=4), 'expected text as "type", found a number 4'),
        (listed("a2", answer=""), 'expected text as "answer", found an empty text'),
        (listed("a2", answer_aliases="Detroit"), 'expected a list as "answer_aliases", found text'),
        (listed("a2", answer_aliases=[None]), r'expected text as "answer_aliases\[0\]", found null'),
        (listed("a2", answer_id=4), 'expected text as "answer_id", found a number 4'),
        (listed("a2", supporting_titles=[]), "expected supporting titles, found an empty list"),
        (listed("a2", supporting_titles=["T7", " "]), r'text as "supporting_titles\[1\]", found nothing but'),
        (listed("a2", supporting_titles="T7"), 'expected a list as "supporting_titles", found text'),
        (row("a2"), 'expected the field "supporting_titles"'),
    ],
)
def test_a_row_that_cannot_be_used_is_refused_with_its_line(tmp_path, bad, message):
    with pytest.raises(BenchmarkError, match=message) as caught:
        load(titles_alone(tmp_path, listed(), bad), "full")
    assert f"{LISTED}, line 2" in str(caught.value)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"title": "T"}, r"line 2: expected the field \"text\""),
        ({"title": "", "text": "x"}, 'line 2: expected text as "title", found an empty text'),
        ({"title": "T", "text": None}, 'line 2: expected text as "text", found null'),
        ("T", "line 2: expected a JSON object, found text 'T'"),
    ],
)
def test_a_passage_that_cannot_be_used_is_refused_with_its_line(tmp_path, bad, message):
    with pytest.raises(BenchmarkError, match=message):
        load(titles_alone(tmp_path, listed(), passages=[PASSAGES[0], bad]), "full")


def test_aliases_that_cannot_be_used_are_refused_with_their_line(tmp_path):
    write(write(tmp_path, row(answer_id="Q1")), {"Q_id": "Q1", "aliases": "x"}, name=ALIASES_FILE)
    with pytest.raises(BenchmarkError, match=r'id_aliases\.json, line 1: expected a list as "aliases"'):
        load(tmp_path, "full")


@pytest.fixture(scope="module")
def published(real_data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "two_wiki"
    if not (source := real_data / "2wikimultihopqa").is_dir():
        pytest.skip(f"the 1,000 questions of 2WikiMultiHopQA aren't in {source}")
    shutil.copytree(source, folder)
    return load(folder, "full")


def test_the_thousand_questions_and_their_corpus(published):
    assert (len(published.questions), len(published.documents)) == (1000, 6119)
    types = Counter(label for question in published.questions for label in question.groups["question_type"])
    assert types == {"compositional": 128, "comparison": 66, "bridge-comparison": 71, "inference": 41}
    assert Counter(len(question.evidence) for question in published.questions) == {2: 765, 4: 235}
    evidence = [item for question in published.questions for item in question.evidence]
    assert (len(evidence), len({item.key for item in evidence})) == (2470, 2339)
    assert all(item.document == item.key for item in evidence)
    assert sum(len(question.aliases) for question in published.questions) == 2062
    assert sum(not question.aliases for question in published.questions) == 424


def test_the_defects_of_the_thousand_questions(published):
    trimmed = [20, 117, 338, 460, 465, 501, 520, 607, 724, 806, 830, 972]
    kinds = Counter(defect.problem for defect in published.defects)
    assert kinds == {
        "white space around the question": 12,
        "white space around an alias": 1,
        "694 of 1,000 questions have no type": 1,
    }
    assert [one.row for one in published.defects if one.problem.endswith("the question")] == trimmed
    assert [one.row for one in published.defects if one.problem.endswith("alias")] == [404]


def test_the_corpus_of_the_thousand_questions_in_hipporags_form_has_the_same_keys(published, tmp_path):
    """Official rows whose sentences make up the published passages find those passages by their text."""
    question = published.questions[0]
    context = [[item.title, item.text.split(". ", 1)] for item in question.evidence]
    context = [
        [title, [f"{parts[0]}.", *parts[1:]]] if len(parts) > 1 else [title, parts]
        for title, parts in context
    ]
    facts = [[title, 0] for title, _ in context]
    passages = [{"title": one.title, "text": one.text} for one in published.documents]
    rows = row(context=context, supporting_facts=facts)
    again = load(hipporag(tmp_path, rows, passages=passages), "full")
    assert [item.key for item in again.questions[0].evidence] == [item.key for item in question.evidence]
    assert again.corpus_digest == published.corpus_digest
