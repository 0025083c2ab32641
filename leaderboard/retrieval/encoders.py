"""Text encoders: from texts to vectors of length 1."""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from leaderboard.catalog.encoders import Encoder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class EncoderError(Exception):
    """An encoder cannot be had, or is not what the board's list says. The text says what to do."""


class TextEncoder(Protocol):
    """Turns texts into vectors. ``encode`` may be called from several threads."""

    @property
    def sha256(self) -> str:
        """The digest that identifies the model, that of its catalog entry."""
        ...

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return an array of shape (number of texts, dimension): rows of length 1.

        A row is zero where the encoder knows nothing in the text. The texts are :func:`encodable`.
        """
        ...


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


def encodable(text: str) -> str:
    """Return ``text`` as encoders take it: NFC, so that equal texts are equal, each lone surrogate as U+FFFD."""
    valid = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return unicodedata.normalize("NFC", valid)


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
