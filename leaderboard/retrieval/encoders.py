"""Text encoders: from texts to vectors of length 1."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

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


def encodable(text: str) -> str:
    """Return ``text`` as encoders take it: NFC, so that equal texts are equal, each lone surrogate as U+FFFD."""
    valid = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return unicodedata.normalize("NFC", valid)
