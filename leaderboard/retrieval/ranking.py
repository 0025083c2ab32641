"""The best places of an array of scores, in one order whatever the CPU."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def best_places(scores: NDArray[np.floating], k: int) -> NDArray[np.intp]:
    """Return the indexes of the ``k`` highest scores (all, where there are fewer), best first, ties by index.

    ``scores`` has one dimension and no NaN; ``k`` is at least 1. A partial sort alone would leave ties at the cut
    in an order that depends on the CPU.
    """
    places = np.arange(len(scores))
    if len(scores) > k:
        cut = len(scores) - k
        places = np.flatnonzero(scores >= np.partition(scores, cut)[cut])
    ranked: NDArray[np.intp] = places[np.argsort(-scores[places], kind="stable")][:k]
    return ranked
