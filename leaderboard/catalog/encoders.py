"""The text encoders that a dense retriever can name: which model each is, and the digest that identifies it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

EncoderKind = Literal["wordllama", "minilm", "model2vec"]

DEFAULT_ENCODER = "wordllama-l2-256"


@dataclass(frozen=True, slots=True)
class Encoder:
    """An encoder that the board knows. ``sha256`` identifies the model whatever its source; it is in fingerprints.

    ``kind`` says how it is opened: "wordllama" and "minilm" are built in, "model2vec" is a static model in a local
    ``folder`` or at ``revision`` of the ``hub`` repository.
    """

    name: str
    kind: EncoderKind
    sha256: str
    folder: str = ""
    hub: str = ""
    revision: str = ""


BUILT_IN: Mapping[str, Encoder] = {
    encoder.name: encoder
    for encoder in (
        Encoder(
            DEFAULT_ENCODER, "wordllama", "8054019c5aec01f5127002e111bb987e34327546e661cd5ebe23fd0f594b5e6a"
        ),
        Encoder(
            "all-minilm-l6-v2", "minilm", "1135d303dd3a3c4baae7e949eb011a7265b0b848647c821d0c25fbf67c9eb95f"
        ),
    )
}
"""Encoders that need no entry in ``leaderboard.toml``."""
