"""``[compile]``: what it needs, what it does not go together with, and that nobody inherits it."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter

from leaderboard.catalog.optimizers import OPTIMIZERS, Compile, Simba
from leaderboard.submissions.load import load_submission
from tests.submissions.faulty import errors_in, errors_of

SYSTEM = '[system]\nname = "A"\nauthors = ["B"]\ndescription = "C."\n\n'
TAIL = '\n[lm]\nmodel = "embedded/m"\n\n[retriever]\nkind = "bm25"\n\n[program]\nkind = "single_step"\n'


def text(compile: str, tail: str = TAIL) -> str:
    return f"{SYSTEM}[compile]\n{compile}\n{tail}"


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_each_optimizer_is_valid_by_its_name_alone(optimizer):
    made = TypeAdapter(Compile).validate_python({"optimizer": optimizer})
    assert type(made) is OPTIMIZERS[optimizer].parameters
    assert (made.train, made.max_examples, made.seed) == ("musique", 24, 0)
    assert made.max_calls == (80 if optimizer.endswith("few_shot") else 400)


@pytest.mark.parametrize(
    ("compile", "tail", "error"),
    [
        ('optimizer = "mipro"', TAIL, '7:13: compile.optimizer: expected one of "bootstrap_few_shot", "bootstrap_few_shot_with_random_search", "copro", "gepa", "knn_few_shot", "labeled_few_shot", "mipro_v2", "simba", found "mipro" (did you mean "mipro_v2"?)'),
        ('optimizer = "gepa"\nmax_call = 9', TAIL, '8:1: compile.max_call: expected one of "train", "max_examples", "seed", "max_calls", "optimizer", "max_metric_calls", "reflection_minibatch_size", found "max_call" (did you mean "max_calls"?)'),
        ('optimizer = "copro"\nbreadth = 1', TAIL, "8:11: compile.breadth: expected a whole number from 2 to 32, found 1"),
        ('optimizer = "copro"\nseed = 0.5', TAIL, "8:8: compile.seed: expected a whole number from 0 to 2147483647, found 0.5"),
        ('optimizer = "copro"\ntrain = "hotpotqa"', TAIL, '8:9: compile.train: expected "musique", found "hotpotqa" (this board has no train split of HotpotQA)'),
        ('optimizer = "copro"\ntrain = "squad"', TAIL, '8:9: compile.train: expected one of "frames", "musique", "multihop_rag", "hotpotqa", "two_wiki", found "squad"'),
        ('optimizer = "simba"\nbsize = 25', TAIL, "8:9: compile.bsize: expected at most 24 with max_examples = 24, found 25"),
        ('optimizer = "simba"\nmax_examples = 5', TAIL, "8:16: compile.max_examples: expected at least 8 with bsize = 8, found 5"),
        ('optimizer = "knn_few_shot"\nk = 4\nmax_examples = 4', TAIL, "8:5: compile.k: expected at most 3 with max_examples = 4, found 4"),
        ('optimizer = "copro"', '[retriever]\nkind = "bm25"\n\n[program]\nkind = "retrieval_only"\n', '6:2: compile: expected no [compile] with the program "retrieval_only": it asks no model, found a table'),
        ('optimizer = "copro"', TAIL.replace("bm25", "gold").replace("single_step", "gold_context"), '6:2: compile: expected no [compile] with the program "gold_context": it is a reference row, found a table'),
    ],
)  # fmt: skip
def test_each_error_has_its_place(folder, compile, tail, error):
    assert errors_in(folder, text(compile, tail)) == [f"s/xx.toml:{error}"]


def test_a_child_does_not_inherit_how_its_parent_was_compiled(folder):
    (folder / "parent.toml").write_text(text('optimizer = "simba"\nmax_steps = 2'))
    child = f"{SYSTEM.replace('C.', 'D.')}".replace("\n\n", '\nbased_on = "parent"\n\n')
    (folder / "child.toml").write_text(child)
    assert load_submission(folder / "parent.toml").document.compile == Simba(optimizer="simba", max_steps=2)
    assert load_submission(folder / "child.toml").document.compile is None
    assert load_submission(folder / "child.toml").state_path == folder / "child.state.json"
    (folder / "child.toml").write_text(f"{child}[compile]\nmax_steps = 3\n")
    assert errors_of(folder / "child.toml") == [
        's/child.toml:7:1: compile.optimizer: expected one of "bootstrap_few_shot", '
        '"bootstrap_few_shot_with_random_search", "copro", "gepa", "knn_few_shot", "labeled_few_shot", "mipro_v2", '
        '"simba", found nothing'
    ]
