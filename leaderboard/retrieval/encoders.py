"""Text encoders: from texts to vectors of length 1."""

from __future__ import annotations


class EncoderError(Exception):
    """An encoder cannot be had, or is not what the board's list says. The text says what to do."""
