"""The home table of a board built from real runs of a scripted model."""

import pytest

from leaderboard.manifest import KEYS
from leaderboard.models.providers import ProviderError
from leaderboard.scoring.declared import COMBINED, METRICS
from tests import tiny
from tests.board.boards import FRAMES, board, row

WRONG = {tiny.KEYS: "Cleo Reed"}
WORSE = {**WRONG, tiny.MILL: "Bo"}
GONE = {tiny.LOCK: ProviderError("gone")}


def test_the_home_table_has_a_row_a_system_in_order_and_references_apart(tmp_path):
    home = board(
        tmp_path,
        {
            "bee": {"frames": WRONG, "musique": WORSE},
            "ant": {"frames": WORSE, "musique": WRONG},
            "cat": {"frames": {}, "musique": WRONG},
            "part": {"frames": {}, "musique": GONE},
            "none": {},
            "gold": {"frames": {}, "musique": {}},
        },
        {"gold": tiny.GOLD, "cat": tiny.READER},
    ).home
    assert [(found.key, found.kind) for found in home.rows] == [
        ("cat", "ranked"),
        ("ant", "ranked"),
        ("bee", "ranked"),
        ("none", "unranked"),
        ("part", "unranked"),
        ("gold", "reference"),
        ("best-constant-answer", "reference"),
    ]
    assert [found.key for found in home.columns] == [
        *("overall", "frames", "musique", "evidence_complete", "tokens", "seconds")
    ]
    assert [row(home, key).values["overall"].value for key in ("cat", "ant", "bee", "gold")] == [
        *(0.875, 0.625, 0.625, 1.0)
    ]


def test_a_complete_row_has_overall_with_mover_and_benchmarks_with_wilson(tmp_path):
    values = row(board(tmp_path, {"mill": {"frames": WRONG, "musique": WORSE}}).home, "mill").values
    assert (values["frames"].value, values["musique"].value) == (0.75, 0.5)
    assert values["frames"].interval is not None
    assert values["frames"].interval.method == "Wilson"
    assert values["frames"].interval.low == pytest.approx(0.300642, abs=1e-6)
    overall = values["overall"]
    assert (overall.value, overall.n) == (0.625, 8)
    assert overall.interval is not None
    assert (overall.interval.method, overall.interval.low, overall.interval.high) == (
        "MOVER",
        pytest.approx(0.340221, abs=1e-6),
        pytest.approx(0.827643, abs=1e-6),
    )


def test_an_incomplete_row_has_bounds_no_value_and_a_mark(tmp_path):
    found = row(board(tmp_path, {"mill": {"frames": WRONG, "musique": {**WRONG, **GONE}}}).home, "mill")
    assert found.kind == "unranked"
    assert found.values["overall"].value is None
    assert found.values["overall"].note == "complete on 1 of 2 benchmarks"
    assert (found.values["musique"].value, found.values["musique"].bounds) == (None, (0.5, 0.75))
    assert found.values["frames"].value == 0.75
    assert found.marks == ("incomplete", "single run")


def test_a_row_without_a_run_says_what_to_do(tmp_path):
    found = row(board(tmp_path, {"mill": {"frames": WRONG}}).home, "mill")
    assert found.values["musique"].note == "not run: leaderboard build --only mill"
    assert found.marks == ("not run", "single run")
    nothing = row(board(tmp_path / "b", {"mill": {}}).home, "mill")
    assert nothing.values["evidence_complete"].note == "not run: leaderboard build --only mill"
    assert nothing.texts["date"] == ""


def test_a_system_that_was_not_submitted_for_a_benchmark_stands_below(tmp_path):
    one = {"mill": {"system": {"benchmarks": ["frames"]}}}
    found = row(board(tmp_path, {"mill": {"frames": {}}}, one).home, "mill")
    assert found.kind == "unranked"
    assert found.values["musique"].note == "not submitted for this benchmark"


def test_a_withdrawn_system_is_unranked_and_marked(tmp_path):
    answers = {"mill": {"frames": {}, "musique": {}}}
    found = row(board(tmp_path, answers, {"mill": {"system": {"withdrawn": "A mistake."}}}).home, "mill")
    assert found.kind == "unranked"
    assert found.marks[0] == "withdrawn: A mistake."


def test_the_home_table_means_evidence_and_tokens_over_the_benchmarks(tmp_path):
    home = board(
        tmp_path,
        {"mill": {"frames": {}, "musique": {}}, "closed": {"frames": {}, "musique": {}}},
        {"mill": tiny.READER},
    ).home
    values = row(home, "mill").values
    assert (values["evidence_complete"].value, values["evidence_complete"].n) == (pytest.approx(2 / 3), 6)
    assert (values["tokens"].value, values["seconds"].value) == (15, 0.5)
    closed = row(home, "closed").values["evidence_complete"]
    assert (closed.value, closed.note) == (None, "does not apply")


def test_an_incomplete_systems_evidence_is_incomplete_and_not_beside_the_point(tmp_path):
    home = board(tmp_path, {"mill": {"frames": {}, "musique": GONE}}, {"mill": tiny.READER}).home
    found = row(home, "mill").values["evidence_complete"]
    assert (found.value, found.note) == (None, "incomplete: 1 of 3 questions without a result")


def test_the_floor_is_the_constant_that_is_right_most_often(tmp_path):
    values = row(board(tmp_path, {"mill": {}}).home, "best-constant-answer").values
    # Every answer of the tiny benchmark is right on one of its four questions: the alphabet decides.
    assert (values["frames"].value, values["frames"].note) == (0.25, "the constant answer “Ada”")
    assert values["overall"].value == 0.25


def test_the_caption_says_what_stands_in_brackets(tmp_path):
    home = board(tmp_path, {"mill": {}}).home
    assert home.caption == "In brackets, the 95 % interval (Overall: MOVER, benchmarks: Wilson)."


def test_a_board_is_dated_by_its_newest_run_and_one_without_runs_by_no_clock(tmp_path):
    found = board(tmp_path, {"mill": {"frames": {}, "musique": {}}})
    assert found.built == row(found.home, "mill").texts["date"] != ""
    assert board(tmp_path / "b", {"mill": {}}).built == "1970-01-01"


def test_a_row_of_several_runs_has_the_deviation_of_their_means(tmp_path):
    varying = {tiny.KEYS: ("Cleo Marsh", "Cleo Reed", "Cleo Marsh")}
    found = row(
        board(tmp_path, {"mill": {"frames": varying, "musique": {}}}, repeats={"mill": 3}).home, "mill"
    )
    frames, musique = found.values["frames"], found.values["musique"]
    assert (frames.value, frames.deviation) == (pytest.approx(11 / 12), pytest.approx(0.144338, abs=1e-6))
    assert (musique.value, musique.deviation) == (1, 0)
    assert found.values["overall"].value == pytest.approx((11 / 12 + 1) / 2)


def test_every_metric_is_noted_with_its_range_and_what_it_applies_to(tmp_path):
    every = [tiny.benchmark(name) for name in KEYS]
    notes = {note.key: note for note in board(tmp_path, {"mill": {}}, benchmarks=every).metrics}
    assert list(notes) == [metric.key for metric in (*METRICS, *COMBINED)]
    fewer = {note.key for note in board(tmp_path / "fewer", {"mill": {}}, benchmarks=[FRAMES]).metrics}
    assert {*notes} - fewer > {"f1_hotpot", "support_f1", "word_overlap", "balanced_abstention"}
    assert all(note.label and note.definition and note.source for note in notes.values())
    told = {key: (notes[key].range, notes[key].applies_to) for key in notes}
    assert told["match"] == ("0 to 100", "all questions")
    assert told["contain"] == ("0 to 100", "answerable questions")
    assert told["abstention_recall"] == ("0 to 100", "null questions, MultiHop-RAG")
    assert told["balanced_abstention"] == ("0 to 100", "all questions, MultiHop-RAG")
    assert told["support_f1"] == ("0 to 100", "answerable questions, MuSiQue, HotpotQA, 2WikiMultiHopQA")
    assert told["f1_hotpot"] == ("0 to 100", "answerable questions, HotpotQA, 2WikiMultiHopQA")
    assert told["all_gold_10"] == ("0 to 100", "questions with gold evidence")
    assert told["tokens"] == ("from 0 tokens", "all questions")
    assert told["seconds"] == ("from 0 s", "all questions")


def test_the_metrics_of_rounds_are_noted_for_as_many_rounds_as_a_system_has(tmp_path):
    program = {**tiny.STEPS["program"], "rounds": 3}
    found = board(
        tmp_path, {"mill": {}, "bee": {}}, {"mill": {**tiny.STEPS, "program": program}, "bee": tiny.STEPS}
    )
    of_rounds = [note.key for note in found.metrics if note.key not in {m.key for m in (*METRICS, *COMBINED)}]
    assert of_rounds == [
        *("recall_after_1", "new_documents_1", "recall_after_2", "new_documents_2"),
        *("recall_after_3", "new_documents_3"),
    ]


def test_a_board_of_retrievers_alone_has_a_home_table_of_the_floor(tmp_path):
    found = board(tmp_path, {"bm": {"frames": {}}}, {"bm": tiny.RETRIEVER}, (FRAMES,))
    assert [one.key for one in found.home.rows] == ["best-constant-answer"]
    assert [one.key for one in found.systems] == ["bm"]


def test_a_benchmark_beside_overall_has_a_page_and_no_part_in_the_home_table(tmp_path):
    wrong = dict.fromkeys(tiny.RIGHT, "wrong")
    systems = {"both": {"frames": {}, "musique": wrong}, "one": {"frames": wrong}}
    made = board(tmp_path, systems, {"one": {"system": {"benchmarks": ["frames"]}}}, also=["musique"])
    assert [column.key for column in made.home.columns][:3] == ["overall", "frames", "evidence_complete"]
    row = next(row for row in made.home.rows if row.key == "both")
    assert row.values["overall"].value == row.values["frames"].value == 1.0
    floor = next(row for row in made.home.rows if row.kind == "reference")
    assert (
        set(floor.values) == {"overall", "frames"} and floor.values["overall"].n == floor.values["frames"].n
    )
    assert [(page.key, page.in_overall) for page in made.benchmarks] == [("frames", True), ("musique", False)]
    pages = {page.key: [row.key for row in page.main.rows] for page in made.systems}
    assert pages == {"both": ["frames", "musique"], "one": ["frames"]}
