"""Fetching an encoder's files from the model hub, of a size that is bounded; the caller verifies what came."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from leaderboard.catalog.encoders import Encoder
from leaderboard.fetching.hub import fetch_unpinned
from leaderboard.fetching.pinned import FetchError, HubPath
from leaderboard.retrieval.encoders import EncoderError

LARGEST_BYTES = 2_000_000_000
"""Of all files of one encoder together."""


def fetch(
    encoder: Encoder, names: Sequence[str], folder: Path, *, largest_bytes: int = LARGEST_BYTES
) -> None:
    """Write the files ``names`` of the encoder's repository at its revision into ``folder``.

    Raises ``EncoderError`` when the hub can't be reached, hasn't got one, or sends more than ``largest_bytes`` in
    all; ``OSError`` when ``folder`` can't be written.
    """
    left = largest_bytes
    for name in names:
        try:
            left -= fetch_unpinned(HubPath(encoder.hub, encoder.revision, name), folder / name, left)
        except FetchError as error:
            raise EncoderError(
                f"encoder {encoder.name}: {encoder.hub} at {encoder.revision}: {error}. A model of model2vec has "
                f"{', '.join(names)}: correct `hub` and `revision` in leaderboard.toml, or fetch the model elsewhere "
                "and name its `folder`"
            ) from error
