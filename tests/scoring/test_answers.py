"""The metrics of answers, of declining and of cost, each on records written by hand."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.catalog.programs import PROGRAMS
from leaderboard.metrics.abstention import abstention_figures, is_abstention, is_explicit_abstention
from leaderboard.scoring.answers import ANSWERS, BALANCED_ABSTENTION
from leaderboard.scoring.declared import BY_KEY, applies, metrics_of
from tests import tiny
from tests.scoring.cases import case, fact, null_question, paragraph, question
from tests.tiny import run, submit

NAMES = (
    "match",
    "em",
    "f1",
    "contain",
    "contain_token",
    "word_overlap",
    "abstained",
    "abstention_recall",
    "false_abstention",
    "abstention_precision",
    "abstention_accuracy",
    "answer_tokens",
    "overlong",
)
N = None


def value(key, one):
    metric = BY_KEY[key]
    return metric.compute(one) if metric.applies(one.question) else None


def row(one):
    return tuple(value(key, one) for key in NAMES)


def test_the_table_below_has_every_metric_of_answers_but_support_and_that_of_hotpotqa():
    assert {*NAMES, "support_f1", "f1_hotpot"} == {metric.key for metric in ANSWERS}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        #                            match em f1 cont tok over abst rec false prec acc len long
        ("Ada Fenn", (1, 1, 1, 1, 1, 1, 0, N, 0, N, 1, 2, 0)),
        ("Fenn", (1, 1, 1, 1, 1, 1, 0, N, 0, N, 1, 1, 0)),  # an alias; its word is in the gold too
        ("It was Ada Fenn.", (1, 0, pytest.approx(2 / 3), 1, 1, 1, 0, N, 0, N, 1, 5, 0)),
        ("Ada Fennimore", (0, 0, 0.5, 1, 0, 1, 0, N, 0, N, 1, 2, 0)),  # characters, not tokens
        ("Bo", (0, 0, 0, 0, 0, 0, 0, N, 0, N, 1, 1, 0)),
        ("", (0, 0, 0, 0, 0, 0, 1, N, 1, 0, 0, 0, 0)),  # silent: declines, and is wrong
        ("I cannot determine this.", (0, 0, 0, 0, 0, 0, 1, N, 1, 0, 0, 5, 0)),
    ],
)  # fmt: skip
def test_an_answerable_question(said, expected):
    assert row(case(question("Ada Fenn", "Fenn"), said)) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Insufficient information.", (1, 1, 1, N, N, 1, 1, 1, N, 1, 1, 3, 0)),
        ("I do not know.", (1, 1, 1, N, N, 0, 1, 1, N, 1, 1, 5, 0)),  # another wording: no word in common
        ("", (0, 0, 0, N, N, 0, 1, 0, N, N, 0, 0, 0)),  # silent: earns nothing
        ("Ada Fenn", (0, 0, 0, N, N, 0, 0, 0, N, N, 0, 2, 0)),
    ],
)
def test_a_null_question(said, expected):
    assert row(case(null_question(), said)) == expected


def test_an_answer_that_equals_its_gold_never_declines():
    one = case(question("None"), "None")
    assert [value(key, one) for key in ("abstained", "false_abstention", "abstention_accuracy")] == [0, 0, 1]


def test_word_overlap_reads_the_whole_answer_and_the_first_gold_alone():
    assert value("word_overlap", case(question("Ada", "Fenn"), "Fenn")) == 0
    assert value("word_overlap", case(question("Ada"), "Bo, or\nperhaps ada")) == 1
    assert value("word_overlap", case(question("Ada"), 'The answer to the question is "Bo". Not Ada')) == 0


def test_a_final_answer_of_more_than_forty_words_is_overlong_and_counted_as_it_was_cut():
    long = case(question(), " ".join(["word"] * 41))
    assert (value("overlong", long), value("answer_tokens", long)) == (1, 40)
    assert value("overlong", case(question(), " ".join(["word"] * 40))) == 0


@pytest.mark.parametrize(
    ("golds", "said", "hotpot", "musique"),
    [
        (["yes"], "Yes.", 1, 1),
        (["yes"], "yes, it is", 0, 0.5),
        (["yes"], "no", 0, 0),
        (["no"], "no one", 0, pytest.approx(2 / 3)),
        (
            ["Yes Sir"],
            "yes",
            0,
            pytest.approx(2 / 3),
        ),  # the answer's own word counts too, not only the gold's
        (["No Answer Records"], "noanswer", 0, 0),
        (["Ada Fenn"], "It was Ada Fenn.", pytest.approx(2 / 3), pytest.approx(2 / 3)),
        (["Ada", "Ada Fenn"], "Ada Fenn", 1, 1),  # best of the answer and its aliases
        (["yes", "yes it is"], "yes it is", 1, 1),  # an alias decides where the answer gives 0
        (["Ada Fenn"], "", 0, 0),
    ],
)
def test_f1_of_hotpotqa_knows_no_half_right_yes_or_no(golds, said, hotpot, musique):
    one = case(question(*golds), said)
    assert (value("f1_hotpot", one), value("f1", one)) == (hotpot, musique)


def test_f1_of_hotpotqa_says_nothing_of_null_questions():
    assert value("f1_hotpot", case(null_question(), "Insufficient information.")) is None


@pytest.mark.parametrize("key", ["f1_hotpot", "support_f1"])
def test_what_hotpotqa_and_two_wiki_share_is_declared_for_both(key):
    metric = BY_KEY[key]
    assert [metric.on(name) for name in ("hotpotqa", "two_wiki")] == [True, True]
    assert [metric.on(name) for name in ("frames", "multihop_rag")] == [False, False]
    assert metric.on("musique") is (key == "support_f1")
    assert not metric.binary


def test_the_support_of_hotpotqa_says_that_it_is_of_paragraphs_where_the_official_one_is_of_sentences():
    assert "HotpotQA's and 2WikiMultiHopQA's is on sentences" in BY_KEY["support_f1"].hint


@pytest.mark.parametrize(
    ("cited", "f1"),
    [
        (("p1", "p2"), 1),
        (("p1", "p3", "p1"), 0.5),  # one of two found, one of two right: a paragraph cited twice counts once
        (("p1",), pytest.approx(2 / 3)),
        (("p3",), 0),
        ((), 0),
    ],
)
def test_support_is_the_f1_of_the_cited_paragraphs(cited, f1):
    of = question(evidence=[paragraph("p1"), paragraph("p2")])
    assert value("support_f1", case(of, cited=cited)) == f1


def test_support_counts_gold_paragraphs_that_the_corpus_lacks_one_by_one():
    of = question(evidence=[paragraph("p1"), paragraph("p2", document=""), paragraph("p3", document="")])
    assert value("support_f1", case(of, cited=("p1",))) == 0.5  # 2·1 / (1 + 3)


def test_support_says_nothing_of_null_questions_and_other_evidence():
    assert value("support_f1", case(null_question(), cited=("p1",))) is None
    assert value("support_f1", case(question(evidence=[fact("x")]), cited=("d",))) is None


def test_only_systems_that_cite_have_support_and_only_on_musique(tmp_path, monkeypatch):
    submission = submit(tmp_path, "mill")
    cells = {name: run(tmp_path, submission, tiny.benchmark(name)) for name in ("musique", "frames")}
    assert not any(applies("citation", cell) for cell in cells.values())
    monkeypatch.setitem(PROGRAMS, "closed_book", replace(PROGRAMS["closed_book"], cites=True))
    assert [BY_KEY["support_f1"] in metrics_of(cells[name]) for name in ("musique", "frames")] == [
        True,
        False,
    ]


@pytest.mark.parametrize("name", ["frames", "musique", "multihop_rag"])
def test_word_overlap_and_the_figures_of_abstention_belong_to_multihop_rag(tmp_path, name):
    keys = {
        metric.key for metric in metrics_of(run(tmp_path, submit(tmp_path, "mill"), tiny.benchmark(name)))
    }
    own = {
        "word_overlap",
        "abstention_recall",
        "false_abstention",
        "abstention_precision",
        "abstention_accuracy",
    }
    assert keys & own == (own if name == "multihop_rag" else set())
    assert {"match", "em", "f1", "contain", "contain_token", "abstained", "answer_tokens", "overlong"} <= keys


SAID = (
    "Ada Fenn",
    "Bo",
    "",
    "...",
    "Insufficient information.",
    "I cannot find it.",
    "none",
    "No, not enough",
)


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(SAID)), min_size=1, max_size=12))
def test_the_five_figures_of_abstention_are_those_of_the_counts(asked):
    cases = [case(null_question() if null else question("Ada Fenn"), said) for null, said in asked]
    finals = [(one.question.null, one.record.final_answer) for one in cases]
    figures = abstention_figures(
        null_abstained=sum(is_explicit_abstention(said) for null, said in finals if null),
        null_total=sum(null for null, _ in finals),
        answerable_abstained=sum(is_abstention(said, ["Ada Fenn"]) for null, said in finals if not null),
        answerable_total=sum(not null for null, _ in finals),
    )

    def mean(key):
        known = [found for one in cases if (found := value(key, one)) is not None]
        return fmean(known) if known else None

    parts = {key: mean(key) for key, _ in BALANCED_ABSTENTION.parts}
    balanced = (
        None
        if None in parts.values()
        else BALANCED_ABSTENTION.offset
        + sum(parts[key] * weight for key, weight in BALANCED_ABSTENTION.parts)
    )
    assert (mean("abstention_recall"), mean("false_abstention"), mean("abstention_precision")) == (
        figures.recall,
        figures.false_abstention,
        figures.precision,
    )
    assert mean("abstention_accuracy") == pytest.approx(figures.accuracy)
    assert balanced == (None if figures.balanced is None else pytest.approx(figures.balanced))


def test_cost_is_counted_over_all_calls_and_unknown_usage_stays_unknown():
    one = case(question(), calls=("k1", "k2", "k3"), prompt_tokens=120, completion_tokens=30, latency_s=1.25)
    assert [value(key, one) for key in ("tokens", "calls", "seconds")] == [150, 3, 1.25]
    assert [value(key, one) for key in ("prompt_tokens", "completion_tokens")] == [120, 30]
    for unknown in ({"prompt_tokens": None}, {"completion_tokens": None}):
        assert value("tokens", case(question(), calls=("k1",), **unknown)) is None
        assert [value(key, case(question(), **unknown)) for key in unknown] == [None]
    assert value("cached_tokens", case(question(), cached_tokens=None)) is None
