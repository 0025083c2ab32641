"""Compiles in a process of its own, so that a test can choose its hash seed; prints what was asked and learnt."""

from __future__ import annotations

from pathlib import Path

from leaderboard.files import digest_json
from tests import tiny
from tests.compiling.school import School, submit

SETTINGS = {
    "bootstrap_few_shot": {"rounds": 2},
    "gepa": {"max_metric_calls": 24, "reflection_minibatch_size": 2},
    "simba": {"bsize": 3, "num_candidates": 2, "max_steps": 1},
    "mipro_v2": {"num_candidates": 2, "num_trials": 2},
}


def main(folder: Path) -> None:
    """Compile a program of two predictors with each optimizer."""
    folder.mkdir()
    school = School(folder)
    for name, settings in SETTINGS.items():
        learnt, _ = school.compile(submit(folder, name, tiny.STEPS, **settings))
        print(name, digest_json(list(learnt.calls.calls)), digest_json(learnt.predictors))
