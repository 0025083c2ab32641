"""From an encoder of the board's list to the encoder itself: one a process, each kind imported when it is needed."""

from __future__ import annotations

import threading

from leaderboard.catalog.encoders import Encoder
from leaderboard.retrieval.encoders import TextEncoder

_opened: dict[tuple[str, str], TextEncoder] = {}
_opening = threading.Lock()


def open_encoder(encoder: Encoder) -> TextEncoder:
    """Return the encoder, verified by its digest; opened once a process.

    Raises ``EncoderError`` when it cannot be had or is another than the digest says.
    """
    key = (encoder.kind, encoder.sha256)
    with _opening:
        if key not in _opened:
            _opened[key] = _open(encoder)
        return _opened[key]


def _open(encoder: Encoder) -> TextEncoder:
    match encoder.kind:
        case "wordllama":
            from leaderboard.retrieval.wordllama import open_wordllama

            return open_wordllama(encoder)
        case "model2vec":
            from leaderboard.retrieval.static_folder import open_static

            return open_static(encoder)
        case "minilm":
            from leaderboard.retrieval.minilm import open_minilm

            return open_minilm(encoder)
