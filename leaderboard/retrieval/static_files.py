"""Reading a static model from files: identified by digest first, then parsed; nothing in them can run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load
from tokenizers import Tokenizer

from leaderboard.files import digest_json, sha256_bytes
from leaderboard.retrieval.encoders import EncoderError
from leaderboard.retrieval.static_encoder import StaticEncoder, StaticWeights

_ROWS = ("embeddings", "embedding.weight")
_POINTER = b"version https://git-lfs"


@dataclass(frozen=True, slots=True)
class StaticFiles:
    """The files of a static model: name → path.

    ``place`` says in errors whose files they are, ``repair`` what to do where one is missing or another one.
    """

    place: str
    files: Mapping[str, Path]
    repair: str

    def read(self, expected: str) -> dict[str, bytes]:
        """Return name → contents, if their digest is ``expected``.

        The digest is SHA-256 over the canonical JSON of {file name: SHA-256 of its bytes}. Raises ``EncoderError``
        naming what is missing, or both digests.
        """
        missing = [name for name, path in self.files.items() if not path.is_file()]
        if missing:
            raise EncoderError(
                f"{self.place}: expected the files {', '.join(self.files)}; {' and '.join(missing)} "
                f"{'is' if len(missing) == 1 else 'are'} missing: {self.repair}"
            )
        contents = {name: self._contents(name) for name in self.files}
        found = digest_json({name: sha256_bytes(data) for name, data in contents.items()})
        if found != expected:
            raise EncoderError(
                f"{self.place}: expected a model with the digest {expected}, found {found}: {self.repair}"
            )
        return contents

    def encoder(self, sha256: str, weights: bytes, tokenizer: bytes) -> StaticEncoder:
        """Return the encoder made of the contents of a safetensors file and a tokenizer's JSON file.

        Raises ``EncoderError`` where one of them is something else, or they don't fit each other.
        """
        return StaticEncoder(sha256, self._weights(weights), self._tokenizer(tokenizer))

    def _contents(self, name: str) -> bytes:
        try:
            data = self.files[name].read_bytes()
        except OSError as error:
            raise EncoderError(f"{self.place}: {name} can't be read: {error.strerror}") from error
        if data.startswith(_POINTER):
            raise EncoderError(
                f"{self.place}: {name} is not the file but a Git LFS pointer to it: fetch it with `git lfs pull`"
            )
        return data

    def _weights(self, data: bytes) -> StaticWeights:
        try:
            tensors = load(data)
        except (SafetensorError, KeyError, ValueError, TypeError) as error:
            raise EncoderError(
                f"{self.place}: expected weights in a safetensors file, found something else: {error}"
            ) from error
        name = next((name for name in _ROWS if name in tensors), None)
        if name is None:
            found = ", ".join(sorted(tensors)) or "none"
            raise EncoderError(f"{self.place}: expected weights named {' or '.join(_ROWS)}, found {found}")
        mapping = tensors.get("mapping")
        if mapping is not None and not np.issubdtype(mapping.dtype, np.integer):
            raise EncoderError(f"{self.place}: expected a token mapping of integers, found {mapping.dtype}")
        return StaticWeights(
            self.place,
            _single(tensors[name]),
            None if "weights" not in tensors else _single(tensors["weights"]),
            None if mapping is None else mapping.astype(np.int64),
        )

    def _tokenizer(self, data: bytes) -> Tokenizer:
        try:
            tokenizer = Tokenizer.from_str(data.decode("utf-8"))
        except Exception as error:  # the library raises nothing narrower
            raise EncoderError(
                f"{self.place}: expected a tokenizer as JSON, found something else: {error}"
            ) from error
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer


def _single(numbers: NDArray[np.generic]) -> NDArray[np.float32]:
    """Return the numbers in single precision; half precision and small integers are exact in it."""
    return np.ascontiguousarray(numbers, dtype=np.float32)
