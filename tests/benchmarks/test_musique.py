"""MuSiQue is loaded from its official JSON lines, with gold in decomposition order."""

import hashlib
import json
from collections import Counter

import pytest

from leaderboard.benchmarks.musique import load, load_train
from leaderboard.benchmarks.questions import BenchmarkError, paragraph_key

DEV = "musique_ans_v1.0_dev.jsonl"


def row(id="2hop__1_2", count=20, **changes):
    paragraphs = [
        {"idx": i, "title": f"T{i}", "paragraph_text": f"Text {i}.", "is_supporting": i in (3, 7)}
        for i in range(count)
    ]
    steps = [{"id": 1, "question": "a", "answer": "b", "paragraph_support_idx": i} for i in (7, 3)]
    base = {
        "id": id,
        "paragraphs": paragraphs,
        "question": f"Which of {id}?",
        "question_decomposition": steps,
        "answer": "Steve Hillage",
        "answer_aliases": ["Hillage"],
        "answerable": True,
    }
    return {**base, **changes}


def write(folder, *rows, name=DEV):
    text = "".join((item if isinstance(item, str) else json.dumps(item)) + "\n" for item in rows)
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_a_row_becomes_a_question_with_gold_in_decomposition_order(tmp_path):
    benchmark = load(write(tmp_path, row()), "full")
    (question,) = benchmark.questions
    assert question.golds == ("Steve Hillage", "Hillage")
    assert [(item.title, item.text, item.kind) for item in question.evidence] == [
        ("T7", "Text 7.", "paragraph"),
        ("T3", "Text 3.", "paragraph"),
    ]
    key = hashlib.sha1(b"T7\nText 7.").hexdigest()
    assert (question.evidence[0].key, question.evidence[0].document) == (key, key)
    assert question.groups == {"hops": ("2",), "shape": ("2hop: chain",)}
    assert (len(benchmark.documents), benchmark.chunked, benchmark.label) == (20, False, "MuSiQue")
    assert benchmark.defects == ()


def test_paragraphs_shared_by_questions_are_one_document(tmp_path):
    assert len(load(write(tmp_path, row(), row("2hop__3_4")), "full").documents) == 20


def test_a_pool_is_the_corpus_where_there_is_one(tmp_path):
    write(tmp_path, row())
    passages = [
        {"passage_id": "p0", "title": "T7", "text": "Text 7."},
        {"passage_id": "p1", "title": "T7", "text": "Text 7."},
        {"passage_id": "p2", "title": "Other", "text": "Else."},
    ]
    benchmark = load(write(tmp_path, *passages, name="passages_pool.jsonl"), "full")
    assert [document.title for document in benchmark.documents] == ["T7", "Other"]
    assert [bool(item.document) for item in benchmark.questions[0].evidence] == [True, False]
    assert [(defect.file, defect.row, defect.problem) for defect in benchmark.defects] == [
        ("passages_pool.jsonl", 2, "a passage that stands under another id too: p1"),
        (DEV, 1, f"a gold paragraph that the corpus lacks: {paragraph_key('T3', 'Text 3.')}"),
    ]


def test_the_questions_that_hipporag_samples_are_read_where_the_dev_file_is_not_there(tmp_path):
    (tmp_path / "musique.json").write_text(json.dumps([row(), row("2hop__3_4", question="When?")]))
    passages = [
        {"title": p["title"], "text": p["paragraph_text"], "idx": n}
        for n, p in enumerate(row()["paragraphs"])
    ]
    (tmp_path / "musique_corpus.json").write_text(json.dumps([*passages, {"title": "Else", "text": "More."}]))
    benchmark = load(tmp_path, "full")
    assert [question.id for question in benchmark.questions] == ["2hop__1_2", "2hop__3_4"]
    assert len(benchmark.documents) == len(passages) + 1 and benchmark.defects == ()
    assert all(item.document for question in benchmark.questions for item in question.evidence)
    assert set(benchmark.sources) == {"musique.json", "musique_corpus.json"}
    write(tmp_path, row("2hop__5_6"))
    assert [question.id for question in load(tmp_path, "full").questions] == ["2hop__5_6"], (
        "the dev file goes first"
    )


def test_a_pool_with_an_id_twice_is_refused(tmp_path):
    write(tmp_path, row())
    write(tmp_path, *[{"passage_id": "p", "title": t, "text": "x"} for t in "ab"], name="passages_pool.jsonl")
    with pytest.raises(
        BenchmarkError, match=r"passages_pool\.jsonl, line 2: expected a passage_id that stands once"
    ):
        load(tmp_path, "full")


def test_what_is_odd_in_a_row_is_loaded_and_reported(tmp_path):
    twin = row("2hop__9_2", question="which of  2hop__1_2 ?")
    benchmark = load(
        write(tmp_path, row(), twin, row("2hop__5_6", count=8, answer=" x", answer_aliases=[""])), "full"
    )
    assert benchmark.questions[2].golds == ("x",)
    assert [(defect.row, defect.problem) for defect in benchmark.defects] == [
        (2, "the question stands under another id too: 2hop__1_2"),
        (3, "white space around the answer"),
        (3, "an empty alias"),
        (3, "8 paragraphs where 20 are expected"),
    ]


def without(name):
    return {key: value for key, value in row("2hop__3_4").items() if key != name}


def with_paragraph(**changes):
    changed = row("2hop__3_4")
    changed["paragraphs"][3].update(changes)
    return changed


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (row(), "expected an id that stands once, found 2hop__1_2, which is on line 1 too"),
        (row("5hop__1_2"), "expected a MuSiQue id .* found text '5hop__1_2'"),
        (row("3hop1__1_2"), "expected a MuSiQue id"),
        (row("3hop1__1_2_3"), "expected 3 supporting paragraphs, one a hop, found 2"),
        (without("answer"), 'expected the field "answer"'),
        (row("2hop__3_4", answer=None), 'expected text as "answer", found null'),
        (row("2hop__3_4", answer=1e400), "found Infinity"),
        (row("2hop__3_4", answer=float("nan")), "expected JSON, found NaN"),
        (row("2hop__3_4", answer_aliases="Hillage"), 'expected a list as "answer_aliases", found text'),
        (row("2hop__3_4", answer_aliases=[3]), r'expected text as "answer_aliases\[0\]", found a number 3'),
        (row("2hop__3_4", answerable=False), "expected an answerable question"),
        (row("2hop__3_4", answerable="yes"), 'expected true or false as "answerable"'),
        (row("2hop__3_4", question="\ud800"), "half of a surrogate pair"),
        (row("2hop__3_4", paragraphs=["x"]), r"expected an object as paragraphs\[0\], found text 'x'"),
        (with_paragraph(idx=0), r"paragraphs\[3\]: expected an idx that stands once"),
        (with_paragraph(idx=True), 'expected a whole number as "idx", found a truth value True'),
        (with_paragraph(idx=19.0), 'expected a whole number as "idx", found a number 19.0'),
        (with_paragraph(is_supporting=False), "expected 2 supporting paragraphs, one a hop, found 1"),
        (with_paragraph(title="T7", paragraph_text="Text 7."), "expected 2 different supporting paragraphs"),
        (
            row("2hop__3_4", question_decomposition=[]),
            r"expected one step a supporting paragraph \(idx \[3, 7\]\)",
        ),
        ('{"id": "2hop__3_4", "paragraphs": [', "expected JSON, found a file that ends too early"),
        ("", "expected a JSON object, found a blank line"),
    ],
)
def test_a_row_that_cannot_be_used_is_refused_with_its_line(tmp_path, bad, message):
    with pytest.raises(BenchmarkError, match=message) as caught:
        load(write(tmp_path, row(), bad, row("2hop__7_8")), "full")
    assert f"{DEV}, line 2" in str(caught.value)


def test_invalid_utf8_is_refused_with_its_line(tmp_path):
    (tmp_path / DEV).write_bytes(json.dumps(row()).encode() + b"\n\xe9")
    with pytest.raises(BenchmarkError, match="line 2: expected UTF-8, found the byte 0xe9"):
        load(tmp_path, "full")


def test_a_line_separator_inside_a_text_is_no_new_line(tmp_path):
    text = json.dumps(row(question="One\u2028two?"), ensure_ascii=False)
    assert load(write(tmp_path, text), "full").questions[0].text == "One\u2028two?"


def test_a_part_of_the_split_serves_and_two_parts_are_refused(tmp_path):
    with pytest.raises(
        BenchmarkError, match=r"expected musique_ans_v1\.0_dev\.jsonl or one file .* found neither"
    ):
        load(tmp_path, "full")
    write(tmp_path, row(), name="musique_ans_v1.0_dev_1.jsonl")
    assert len(load(tmp_path, "full").questions) == 1
    write(tmp_path, row(), name="musique_ans_v1.0_dev_2.jsonl")
    with pytest.raises(
        BenchmarkError, match=r"found 2: musique_ans_v1\.0_dev_1\.jsonl, musique_ans_v1\.0_dev_2\.jsonl"
    ):
        load(tmp_path, "full")
    write(tmp_path, row(), row("2hop__3_4"))
    assert len(load(tmp_path, "full").questions) == 2


def test_the_published_rows(real_data):
    benchmark = load(real_data / "musique", "full")
    assert Counter(question.groups["hops"][0] for question in benchmark.questions) == {
        "2": 155,
        "3": 32,
        "4": 23,
    }
    shapes = Counter(question.groups["shape"][0].partition(":")[0] for question in benchmark.questions)
    assert shapes == {"2hop": 155, "3hop1": 28, "3hop2": 4, "4hop1": 18, "4hop2": 1, "4hop3": 4}
    assert len(benchmark.documents) == 7856
    assert all(item.document for question in benchmark.questions for item in question.evidence)
    assert benchmark.defects == ()


def test_the_published_train_rows(real_data):
    benchmark = load_train(real_data / "musique", "full")
    assert (len(benchmark.questions), len(benchmark.documents), benchmark.defects) == (100, 7856, ())
    dev = load(real_data / "musique", "full")
    assert not dev.by_id.keys() & benchmark.by_id.keys()
