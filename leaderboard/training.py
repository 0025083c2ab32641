"""Train the prober of a Skill-RAG (surrogate prober) submission: ``python -m leaderboard.training FILE``.

It asks the submission's model the questions of MuSiQue's train split, which are never scored, by heart and with one search
each (spec § 4.6), and prints the ``[program.prober]`` tables to put into the file. The numbers that stand there before
play no part; a new submission has zeros, and any scale. Its calls are kept, so a second training costs nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from leaderboard.benchmarks.questions import Benchmark, BenchmarkError
from leaderboard.benchmarks.registry import load_train
from leaderboard.calls.spending import Spent
from leaderboard.calls.store import CallStore
from leaderboard.catalog.encoders import BUILT_IN, Encoder
from leaderboard.catalog.skill_rag import AfterRetrieval, BeforeRetrieval, SkillRag, SurrogateProber
from leaderboard.compiling.prober import (
    GateReport,
    TrainingError,
    gate_examples,
    score_scale,
    toml,
    train_gate,
)
from leaderboard.files import cache_dir
from leaderboard.models.embedded_models import WeightsError
from leaderboard.plan import Cell, plan
from leaderboard.results.records import Record
from leaderboard.retrieval.encoders import EncoderError
from leaderboard.retrieval.keyword_sentence import KeywordSentenceIndex
from leaderboard.retrieval.opening import open_retriever
from leaderboard.running.cells import open_bench
from leaderboard.running.session import Bench, open_session
from leaderboard.submissions.config import load_config
from leaderboard.submissions.errors import SubmissionErrors
from leaderboard.submissions.load import Submission, load_submission


@dataclass(frozen=True, slots=True)
class Trained:
    """A trained prober, and how each gate does."""

    prober: SurrogateProber
    before: GateReport
    after: GateReport
    calls: int


def train(
    submission: Submission,
    benchmark: Benchmark,
    bench: Bench,
    encoders: Mapping[str, Encoder] = BUILT_IN,
) -> Trained:
    """Return the prober of a submission, trained on a benchmark's questions.

    Each question is answered by heart and, in one round, from what it finds by itself: the gates take no answer, and
    no skill is tried. Raises ``TrainingError`` when a question has no result of the system's own doing, or the submission is of
    another program.
    """
    parameters = submission.document.program
    if not isinstance(parameters, SkillRag):
        raise TrainingError(
            f'{submission.path}: expected program.kind "skill_rag", found "{parameters.kind}"'
        )
    [cell] = plan([submission], [benchmark], Path("results"), encoders)
    scale = score_scale(_first_scores(cell, parameters.passages))
    cell = _opened(cell, parameters, scale)
    records = []
    with open_session(cell, bench) as session:
        for question in benchmark.questions:
            record = session.answer(question).record
            if not record.outcome.scored:
                raise TrainingError(f"question {question.id}: {record.outcome.value}: {record.error}")
            records.append(record)
            print(f"{len(records)}/{len(benchmark.questions)}", file=sys.stderr, flush=True)
    return _trained(records, benchmark, scale)


def _trained(records: list[Record], benchmark: Benchmark, scale: float) -> Trained:
    questions = benchmark.by_id
    before = train_gate(gate_examples(records, questions, "before_retrieval"), "before_retrieval")
    after = train_gate(gate_examples(records, questions, "after_retrieval"), "after_retrieval")
    assert isinstance(before.weights, BeforeRetrieval)
    assert isinstance(after.weights, AfterRetrieval)
    prober = SurrogateProber(
        kind="black_box",
        score_scale=scale,
        before_retrieval=before.weights,
        after_retrieval=after.weights,
    )
    return Trained(prober, before, after, sum(len(record.calls) for record in records))


def _first_scores(cell: Cell, passages: int) -> list[list[float]]:
    retriever = open_retriever(cell.submission.document.retriever, cell.benchmark, cell.encoder)
    assert retriever is not None, "the catalog gives the program only retrievers that search"
    assert not isinstance(retriever, KeywordSentenceIndex), "nor one that is used as tools"
    return [
        [hit.score for hit in retriever.search(question.text, passages)]
        for question in cell.benchmark.questions
    ]


def _opened(cell: Cell, parameters: SkillRag, scale: float) -> Cell:
    """Return the cell of the submission with gates that take nothing, and one round."""
    zeros = SurrogateProber(
        kind="black_box",
        score_scale=scale,
        before_retrieval=BeforeRetrieval.model_validate(dict.fromkeys(BeforeRetrieval.model_fields, 0.0)),
        after_retrieval=AfterRetrieval.model_validate(dict.fromkeys(AfterRetrieval.model_fields, 0.0)),
    )
    program = parameters.model_copy(update={"prober": zeros, "threshold": 1.0, "max_rounds": 1})
    document = cell.submission.document.model_copy(update={"program": program})
    return replace(cell, submission=replace(cell.submission, document=document), runs=())


def report(trained: Trained) -> str:
    """Return how the gates do, in a line each."""
    return "\n".join(
        f"# {gate.gate}: {gate.right} of {gate.examples} right; leaving one out: accuracy {gate.accuracy:.3f} "
        f"(one answer for all {gate.majority:.3f}), Brier {gate.brier:.3f} (base rate {gate.base_brier:.3f})"
        for gate in (trained.before, trained.after)
    )


def main(arguments: list[str] | None = None) -> int:
    """Train and print; 1 with the reason when that can't be done."""
    parser = argparse.ArgumentParser(prog="python -m leaderboard.training", description=__doc__)
    parser.add_argument("file", type=Path, help="the submission's TOML file")
    parser.add_argument(
        "--config", type=Path, default=Path("leaderboard.toml"), help="the board's configuration"
    )
    parser.add_argument("--data-dir", type=Path, help="folder of the published files, for the full track")
    parser.add_argument("--questions", type=int, help="train on the first so many questions only")
    options = parser.parse_args(arguments)
    try:
        config = load_config(options.config)
        submission = load_submission(options.file, config.names)
        benchmark = load_train("musique", config.board.track, options.data_dir)
        benchmark = replace(benchmark, questions=benchmark.questions[: options.questions])
        with (
            closing(CallStore(cache_dir() / "calls")) as store,
            open_bench(config, submission.document.model, store, Spent()) as bench,
        ):
            trained = train(submission, benchmark, bench, config.encoder_list)
    except (TrainingError, BenchmarkError, SubmissionErrors, WeightsError, EncoderError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{report(trained)}\n# {trained.calls} calls\n\n{toml(trained.prober)}", end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
