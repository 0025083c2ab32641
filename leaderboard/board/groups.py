"""Which questions of a benchmark count in a group of a breakdown."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from leaderboard.benchmarks.questions import Benchmark, Breakdown

Mask = npt.NDArray[np.bool_]


def group_mask(benchmark: Benchmark, breakdown: Breakdown, label: str) -> Mask:
    """Return which questions count in a group, shape (questions,)."""
    return np.array(
        [label in question.groups.get(breakdown.name, ()) for question in benchmark.questions], dtype=np.bool_
    )


def group_masks(benchmark: Benchmark, breakdown: Breakdown) -> dict[str, Mask]:
    """Return the groups that have questions, in display order: label → which questions count."""
    masks = {label: group_mask(benchmark, breakdown, label) for label in breakdown.labels}
    return {label: mask for label, mask in masks.items() if mask.any()}
