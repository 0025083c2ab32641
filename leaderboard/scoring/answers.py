"""The metrics of answers, and of declining to answer."""

from __future__ import annotations

from leaderboard.metrics.abstention import is_abstention, is_explicit_abstention
from leaderboard.metrics.answers import contain, contain_token, exact_match, f1, f1_hotpot
from leaderboard.metrics.match import match
from leaderboard.metrics.support import support_score
from leaderboard.metrics.tokens import NAME as TOKENIZER
from leaderboard.metrics.tokens import count_tokens
from leaderboard.metrics.word_overlap import word_overlap
from leaderboard.scoring.metric import Case, Combined, Metric, answerable, null

_NULLS = ("multihop_rag",)
"""The benchmarks with questions that the corpus does not answer."""

_SENTENCES = ("hotpotqa", "two_wiki")
"""The benchmarks whose official scripts are HotpotQA's: F1 with its rule for yes and no, support by sentence."""


def _match(case: Case) -> float:
    return float(match(case.record.raw_answer, case.question.golds, null_question=case.question.null))


def _match_errata(case: Case) -> float | None:
    if case.question.id in case.errata.excluded:
        return None
    golds = case.errata.golds(case.question)
    return float(match(case.record.raw_answer, golds, null_question=case.question.null))


def _exact_match(case: Case) -> float:
    if case.question.null:
        return float(is_explicit_abstention(case.record.final_answer))
    return float(exact_match(case.record.final_answer, case.question.golds))


def _f1(case: Case) -> float:
    if case.question.null:
        return float(is_explicit_abstention(case.record.final_answer))
    return f1(case.record.final_answer, case.question.golds)


def _f1_hotpot(case: Case) -> float | None:
    return None if case.question.null else f1_hotpot(case.record.final_answer, case.question.golds)


def _contain(case: Case) -> float | None:
    return None if case.question.null else contain(case.record.final_answer, case.question.golds)


def _contain_token(case: Case) -> float | None:
    return None if case.question.null else contain_token(case.record.final_answer, case.question.golds)


def _word_overlap(case: Case) -> float:
    return float(word_overlap(case.record.raw_answer, case.question.answer))


def _abstained(case: Case) -> float:
    # The gold of a null question is itself an abstention: it is no answer that could be mistaken for one.
    return float(is_abstention(case.record.final_answer, () if case.question.null else case.question.golds))


def _declined(case: Case) -> bool:
    """Whether the answer counts as an abstention in the five figures: an empty one to a null question earns nothing."""
    return is_explicit_abstention(case.record.final_answer) if case.question.null else bool(_abstained(case))


def _support(case: Case) -> float | None:
    if case.question.null or any(evidence.kind != "paragraph" for evidence in case.question.evidence):
        return None
    return support_score(case.record.cited, [evidence.key for evidence in case.question.evidence]).f1


ANSWERS: tuple[Metric, ...] = (
    Metric(
        "match",
        "Match",
        "Share of all questions answered correctly: the first thing said is the gold answer. A null question is right "
        "when the system says that it cannot be answered.",
        "spec § 0, rule R2",
        _match,
        binary=True,
    ),
    Metric(
        "em",
        "EM",
        "Exact match of the final answer after the official MuSiQue normalisation, best of all golds; for a null "
        "question the abstention counts.",
        "MuSiQue's official script; spec § 1.2",
        _exact_match,
        binary=True,
    ),
    Metric(
        "f1",
        "F1",
        "Token F1 of the final answer after the official MuSiQue normalisation, best of all golds; for a null question "
        "the abstention counts.",
        "MuSiQue's official script; spec § 1.2",
        _f1,
    ),
    Metric(
        "f1_hotpot",
        "Official F1",
        "Token F1 by the official rule of HotpotQA and 2WikiMultiHopQA, best of all golds: as F1, but 0 where the "
        "answer or the gold is “yes”, “no” or “noanswer” and the other is anything else.",
        "HotpotQA's and 2WikiMultiHopQA's official scripts; spec § 1.1",
        _f1_hotpot,
        applies=answerable,
        benchmarks=_SENTENCES,
    ),
    Metric(
        "contain",
        "Contain",
        "The normalised gold (any alias) is a run of characters of the answer. Rewards long answers: read it beside "
        "the answer's length. Answerable questions only.",
        "A-RAG's script, extended to aliases; spec § 1.6",
        _contain,
        applies=answerable,
        binary=True,
    ),
    Metric(
        "contain_token",
        "Contain (tokens)",
        "As Contain, but whole tokens: “us” is not in “russia”. Answerable questions only.",
        "spec § 1.6",
        _contain_token,
        applies=answerable,
        binary=True,
    ),
    Metric(
        "word_overlap",
        "Word overlap",
        "MultiHop-RAG's official rule, for comparison: the answer and the gold share one word, letter case aside. "
        "Lenient: “no” is right for any sentence with that word in it.",
        "MultiHop-RAG's qa_evaluate.py; spec § 2.5",
        _word_overlap,
        benchmarks=_NULLS,
        binary=True,
    ),
    Metric(
        "support_f1",
        "Support F1",
        "F1 of the set of paragraphs that the system cited against the gold paragraphs. Ours: MuSiQue's official score "
        "knows paragraph numbers, an open corpus does not; HotpotQA's and 2WikiMultiHopQA's is on sentences, this one "
        "on their paragraphs. For systems that cite.",
        "spec § 1.3",
        _support,
        kind="citation",
        applies=answerable,
        benchmarks=("musique", *_SENTENCES),
    ),
    Metric(
        "abstained",
        "Abstained",
        "Share of all questions on which the final answer says that it cannot be answered, or is empty.",
        "spec § 5.2",
        _abstained,
        binary=True,
        higher_is_better=None,
    ),
    Metric(
        "abstention_recall",
        "Abstention recall",
        "Share of the null questions on which the system says that they cannot be answered. An empty answer earns "
        "nothing.",
        "spec § 2.6",
        lambda case: float(_declined(case)) if case.question.null else None,
        applies=null,
        benchmarks=_NULLS,
        binary=True,
    ),
    Metric(
        "false_abstention",
        "False abstention",
        "Share of the answerable questions on which the system declines to answer.",
        "spec § 2.6",
        lambda case: None if case.question.null else float(_declined(case)),
        applies=answerable,
        benchmarks=_NULLS,
        binary=True,
        higher_is_better=False,
    ),
    Metric(
        "abstention_precision",
        "Abstention precision",
        "Share of null questions among those on which the system declines. Unknown for one that never declines.",
        "spec § 2.6",
        lambda case: float(case.question.null) if _declined(case) else None,
        benchmarks=_NULLS,
        binary=True,
    ),
    Metric(
        "abstention_accuracy",
        "Abstention accuracy",
        "Share of all questions on which declining, or not, was right. Null questions are rare, so never declining "
        "already scores high.",
        "spec § 2.6",
        lambda case: float(_declined(case) == case.question.null),
        benchmarks=_NULLS,
        binary=True,
    ),
    Metric(
        "answer_tokens",
        "Answer length",
        f"Mean length of the final answer in {TOKENIZER} tokens.",
        "spec § 1.6",
        lambda case: float(count_tokens(case.record.final_answer)),
        percent=False,
        higher_is_better=None,
        unit="tokens",
        range=(0.0, None),
    ),
    Metric(
        "overlong",
        "Overlong",
        "Share of final answers that were longer than 40 words, and were cut there.",
        "spec § 0, rule R1",
        lambda case: float(case.record.overlong),
        binary=True,
        higher_is_better=False,
    ),
)

MATCH_ERRATA = Metric(
    "match_errata",
    "Match with errata",
    "As Match, with the excluded questions left out and the others scored against their golds as corrected. Ranks use "
    "the published questions always.",
    "the benchmark's errata",
    _match_errata,
    binary=True,
)
"""Only of benchmarks to which errata apply: elsewhere it would repeat Match."""

BALANCED_ABSTENTION = Combined(
    "balanced_abstention",
    "Balanced abstention",
    "Mean of abstention recall and 1 − false abstention: 50 for a system that always declines, or never.",
    "spec § 2.6",
    parts=(("abstention_recall", 0.5), ("false_abstention", -0.5)),
    offset=0.5,
    benchmarks=_NULLS,
)
