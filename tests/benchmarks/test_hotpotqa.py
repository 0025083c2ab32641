"""HotpotQA is loaded from its official rows, with the supporting paragraphs as gold."""

import hashlib
import json
from collections import Counter

import pytest

from leaderboard.benchmarks.hotpotqa import FILE, load
from leaderboard.benchmarks.questions import BenchmarkError, paragraph_key


def row(id="a1", **changes):
    context = [[f"T{i}", [f"Text {i}.", f" More of {i}.", "<br>"]] for i in range(10)]
    base = {
        "_id": id,
        "type": "bridge",
        "level": "hard",
        "question": f"Which of {id}?",
        "answer": "Rush",
        "supporting_facts": [["T7", 1], ["T3", 0], ["T7", 0]],
        "context": context,
    }
    return {**base, **changes}


def write(folder, *rows, name=FILE):
    if name.endswith(".jsonl"):
        text = "".join((item if isinstance(item, str) else json.dumps(item)) + "\n" for item in rows)
    else:
        text = json.dumps(list(rows))
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def changed_context(*paragraphs):
    """The context of a row whose first paragraphs are others."""
    return [*paragraphs, *row()["context"][len(paragraphs) :]]


def problems(benchmark):
    return [(defect.row, defect.problem, defect.action) for defect in benchmark.defects]


def test_a_row_becomes_a_question_with_gold_in_the_order_of_its_supporting_facts(tmp_path):
    benchmark = load(write(tmp_path, row(), row("a2", type="comparison", answer="yes")), "full")
    question, comparison = benchmark.questions
    assert (question.id, question.text, question.golds) == ("a1", "Which of a1?", ("Rush",))
    assert [(item.title, item.text, item.kind) for item in question.evidence] == [
        ("T7", "Text 7. More of 7.<br>", "paragraph"),
        ("T3", "Text 3. More of 3.<br>", "paragraph"),
    ]
    key = hashlib.sha1(b"T7\nText 7. More of 7.<br>").hexdigest()
    assert (question.evidence[0].key, question.evidence[0].document) == (key, key)
    assert (question.groups, comparison.groups) == (
        {"question_type": ("bridge",)},
        {"question_type": ("comparison",)},
    )
    assert (benchmark.name, benchmark.label, benchmark.chunked) == ("hotpotqa", "HotpotQA", False)
    assert benchmark.defects == ()
    assert list(benchmark.sources) == [FILE]


def test_the_corpus_is_every_distinct_paragraph_of_the_file_once(tmp_path):
    other = changed_context(["T0", ["Another text."]])
    benchmark = load(write(tmp_path, row(), row("a2", context=other)), "full")
    assert [document.title for document in benchmark.documents] == [*(f"T{i}" for i in range(10)), "T0"]
    assert benchmark.documents[-1].id == paragraph_key("T0", "Another text.")
    assert all(
        document.id == paragraph_key(document.title, document.text) for document in benchmark.documents
    )


def test_sentences_are_joined_as_published_for_each_has_its_own_space(tmp_path):
    sentences = ['He read "', 'Rolling Stone".', " It was", "", " good. "]
    benchmark = load(write(tmp_path, row(context=changed_context(["T0", sentences]))), "full")
    assert benchmark.documents[0].text == 'He read "Rolling Stone". It was good. '


def test_rows_a_line_serve_where_the_published_file_is_not_there(tmp_path):
    with pytest.raises(
        BenchmarkError, match=r"expected hotpot_dev_distractor_v1\.json or one file .* neither"
    ):
        load(tmp_path, "full")
    write(tmp_path, row(), name="distractor_dev_1.jsonl")
    assert len(load(tmp_path, "full").questions) == 1
    write(tmp_path, row(), row("a2"))
    assert len(load(tmp_path, "full").questions) == 2


def test_what_is_odd_in_a_row_is_loaded_and_reported(tmp_path):
    benchmark = load(
        write(
            tmp_path,
            row(question=" Which of  a1 ?", answer="Rush "),
            row("a2", question="which OF a1?"),
            row("a3", context=row()["context"][2:8]),
            row("a4", context=changed_context(["A &amp; B", ["x"]])),
        ),
        "full",
    )
    assert benchmark.questions[0].golds == ("Rush",)
    assert problems(benchmark) == [
        (3, "6 paragraphs where 10 are expected", "loaded with those that are there"),
        (1, "white space around the question", "trimmed"),
        (1, "white space around the answer", "trimmed"),
        (2, "the question stands under another id too: a1", "loaded under both"),
        (None, "titles with an HTML entity such as &amp;: 1 of 11", "left as published"),
    ]


def test_a_supporting_sentence_beyond_its_paragraph_is_reported_and_the_paragraph_stays_gold(tmp_path):
    facts = [["T7", 902], ["T3", -1], ["T3", 0]]
    benchmark = load(write(tmp_path, row(supporting_facts=facts)), "full")
    assert [item.title for item in benchmark.questions[0].evidence] == ["T7", "T3"]
    assert all(item.document for item in benchmark.questions[0].evidence)
    assert problems(benchmark) == [
        (1, "supporting sentences 902 of 'T7', which has 3", "the paragraph stays gold"),
        (1, "supporting sentences -1, 0 of 'T3', which has 3", "the paragraph stays gold"),
    ]


def test_a_supporting_title_that_the_context_lacks_stays_gold(tmp_path):
    benchmark = load(write(tmp_path, row(supporting_facts=[["Gone", 0], ["T3", 0]])), "full")
    gone, there = benchmark.questions[0].evidence
    assert (gone.title, gone.text, gone.document) == ("Gone", "", "")
    assert there.title == "T3"
    assert problems(benchmark) == [
        (1, "the supporting title 'Gone' isn't in the context", "looked for in the corpus"),
        (1, "a gold paragraph that the corpus lacks: 'Gone'", "stays gold"),
    ]


def test_a_supporting_title_of_another_question_is_found_in_the_corpus(tmp_path):
    other = changed_context(["Elsewhere", ["Here it is."]])
    benchmark = load(
        write(tmp_path, row(supporting_facts=[["Elsewhere", 0], ["T3", 0]]), row("a2", context=other)), "full"
    )
    key = paragraph_key("Elsewhere", "Here it is.")
    assert (benchmark.questions[0].evidence[0].key, benchmark.questions[0].evidence[0].document) == (key, key)
    assert [problem for _, problem, _ in problems(benchmark)] == [
        "the supporting title 'Elsewhere' isn't in the context"
    ]


def test_a_supporting_title_in_other_letter_case_is_found_where_none_is_as_written(tmp_path):
    benchmark = load(write(tmp_path, row(supporting_facts=[["t7", 0], ["T3", 0]])), "full")
    assert benchmark.questions[0].evidence[0].title == "T7"
    assert problems(benchmark) == [
        (1, "the supporting title 't7' isn't in the context", "the title in other letter case is taken")
    ]
    both = changed_context(["t7", ["The small one."]])
    benchmark = load(write(tmp_path, row(supporting_facts=[["t7", 0], ["T7", 0]], context=both)), "full")
    assert [item.title for item in benchmark.questions[0].evidence] == ["t7", "T7"]
    assert benchmark.defects == ()


@pytest.mark.parametrize(
    ("facts", "chosen", "action"),
    [
        ([["T7", 0]], "Short.", "the first that has the supporting sentences is gold"),
        ([["T7", 2]], "Text 7. More of 7.<br>", "the first that has the supporting sentences is gold"),
        (
            [["T7", 0], ["T7", 2]],
            "Text 7. More of 7.<br>",
            "the first that has the supporting sentences is gold",
        ),
        ([["T7", 9]], "Short.", "the first is gold"),
    ],
)
def test_of_two_paragraphs_of_a_supporting_title_the_sentences_decide(tmp_path, facts, chosen, action):
    twice = changed_context(["T7", ["Short."]])
    benchmark = load(write(tmp_path, row(supporting_facts=[*facts, ["T3", 0]], context=twice)), "full")
    assert benchmark.questions[0].evidence[0].text == chosen
    problem = "2 paragraphs of the context have the supporting title 'T7'"
    assert problems(benchmark)[0] == (1, problem, action)


def test_paragraphs_and_facts_that_stand_twice_count_once(tmp_path):
    same = changed_context(row()["context"][7])
    facts = [["T7", 0], ["T7", 0], ["T3", 0]]
    benchmark = load(write(tmp_path, row(supporting_facts=facts, context=same)), "full")
    assert [item.title for item in benchmark.questions[0].evidence] == ["T7", "T3"]
    assert len(benchmark.documents) == 9
    assert problems(benchmark) == [
        (1, "a paragraph that stands twice in its question: 'T7'", "kept once"),
        (1, "a supporting fact that stands twice: sentence 0 of 'T7'", "counted once"),
    ]


def test_another_number_of_supporting_paragraphs_and_one_without_text_are_reported(tmp_path):
    empty = changed_context(["T0", [""]], ["T1", []])
    benchmark = load(write(tmp_path, row(supporting_facts=[["T0", 0]], context=empty)), "full")
    (item,) = benchmark.questions[0].evidence
    assert (item.title, item.text, item.document) == ("T0", "", paragraph_key("T0", ""))
    assert problems(benchmark) == [
        (1, "a paragraph without text: 'T0'", "kept for its title"),
        (1, "a paragraph without text: 'T1'", "kept for its title"),
        (1, "supporting paragraphs: 1, where 2 are known", "loaded with those that are there"),
    ]


def without(name):
    return {key: value for key, value in row("a2").items() if key != name}


HOSTILE = [
    (row(), "expected an id that stands once, found text 'a1', which is on {unit} 1 too"),
    (row(["a"]), 'expected text as "_id", found a list'),
    (row("a2", type="fake"), "expected a type of bridge, comparison, found text 'fake'"),
    (row("a2", type=None), 'expected text as "type", found null'),
    (without("answer"), 'expected the field "answer"'),
    (row("a2", answer=" "), 'expected text as "answer", found nothing but white space'),
    (row("a2", answer=12), 'expected text as "answer", found a number 12'),
    (row("a2", question="\ud800"), "half of a surrogate pair"),
    (row("a2", question="a\0b"), "expected text without NUL"),
    (row("a2", supporting_facts=[]), "expected supporting facts, found an empty list. The test set has none"),
    (without("supporting_facts"), 'expected the field "supporting_facts"'),
    (row("a2", supporting_facts={"title": ["T7"], "sent_id": [0]}), 'expected a list as "supporting_facts"'),
    (row("a2", supporting_facts=[["T7"]]), r"expected a list of title and sentence as supporting_facts\[0\]"),
    (row("a2", supporting_facts=["T7"]), r"as supporting_facts\[0\], found text 'T7'"),
    (
        row("a2", supporting_facts=[[7, 0]]),
        r'supporting_facts\[0\]: expected text as "title", found a number 7',
    ),
    (row("a2", supporting_facts=[["T7", "0"]]), 'expected a whole number as "sentence", found text'),
    (
        row("a2", supporting_facts=[["T7", True]]),
        'expected a whole number as "sentence", found a truth value',
    ),
    (row("a2", context=None), 'expected a list as "context", found null'),
    (row("a2", context=[{"title": "T"}]), r"expected a list of title and sentences as context\[0\]"),
    (row("a2", context=[["T", "Text."]]), r'context\[0\]: expected a list as "sentences", found text'),
    (row("a2", context=[["T", [None]]]), r'expected text as "sentences\[0\]", found null'),
    (row("a2", context=[["", ["Text."]]]), 'expected text as "title", found an empty text'),
]


@pytest.mark.parametrize(("bad", "message"), HOSTILE)
@pytest.mark.parametrize(("name", "unit"), [(FILE, "item"), ("distractor_dev_3.jsonl", "line")])
def test_a_row_that_cannot_be_used_is_refused_with_its_place(tmp_path, bad, message, name, unit):
    with pytest.raises(BenchmarkError, match=message.replace("{unit}", unit)) as caught:
        load(write(tmp_path, row(), bad, row("a3"), name=name), "full")
    assert f"{name}, {unit} 2" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "item 1: expected an object, found an empty array"),
        ("{}", "expected a JSON array of objects, found an object"),
        ('[{"_id": "a1"', "found a file that ends too early"),
        ('[{"_id": "a1", "_id": "a2"}]', "the field '_id' twice in one object"),
        ("[" * 100_000, "expected JSON"),
        ("[NaN]", "NaN, which JSON doesn't know"),
    ],
)
def test_a_file_that_is_no_array_of_rows_is_refused(tmp_path, text, message):
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    with pytest.raises(BenchmarkError, match=message):
        load(tmp_path, "full")


def test_long_titles_and_huge_numbers_are_reported_short(tmp_path):
    facts = [["<script>" + "x" * 100_000, 0], ["T3", 10**60], ["T7", 0]]
    benchmark = load(write(tmp_path, row(supporting_facts=facts)), "full")
    assert [len(defect.problem) < 250 for defect in benchmark.defects] == [True] * 4
    assert "beyond 128 bits of 'T3', which has 3" in benchmark.defects[2].problem


def test_the_published_rows(real_data):
    benchmark = load(real_data / "hotpotqa", "full")
    types = Counter(question.groups["question_type"] for question in benchmark.questions)
    assert types == {("bridge",): 134, ("comparison",): 66}
    assert len(benchmark.documents) == 1971
    evidence = [item for question in benchmark.questions for item in question.evidence]
    assert (len(evidence), len({item.key for item in evidence})) == (400, 399)
    assert all(item.document == item.key for item in evidence)
    assert {len(question.evidence) for question in benchmark.questions} == {2}
    assert Counter(question.answer for question in benchmark.questions if len(question.answer) < 4)["no"] == 9
    assert problems(benchmark) == [
        (188, "2 paragraphs where 10 are expected", "loaded with those that are there"),
        *((line, "white space around the question", "trimmed") for line in (14, 90, 110, 148, 158)),
        (None, "titles with an HTML entity such as &amp;: 10 of 1,971", "left as published"),
    ]
