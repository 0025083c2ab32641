"""Static embeddings: a vector a token, and the mean of a text's tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from model2vec import StaticModel
from numpy.typing import NDArray
from tokenizers import Tokenizer

from leaderboard.retrieval.encoders import EncoderError

_PIECE_CHARACTERS = 4_096
_GROUP_CHARACTERS = 250_000
_PIECE = re.compile(rf"(?s)\S.{{0,{_PIECE_CHARACTERS - 1}}}(?<!\s)(?=\s|\Z)|\S{{1,{_PIECE_CHARACTERS}}}")


@dataclass(frozen=True, slots=True)
class StaticWeights:
    """What a static model is made of: a row a token, or a row a cluster of tokens (``mapping``: token → row).

    ``scales`` are factors a token. ``place`` names the model in errors.
    """

    place: str
    rows: NDArray[np.float32]
    scales: NDArray[np.float32] | None = None
    mapping: NDArray[np.int64] | None = None


class StaticEncoder:
    """The mean of the vectors of a text's tokens, brought to length 1 (model2vec, wordllama).

    Every token of a text counts: there is no longest text. A long one is tokenised in pieces of at most 4,096
    characters, cut at white space, so that memory doesn't grow with its length.
    """

    def __init__(self, sha256: str, weights: StaticWeights, tokenizer: Tokenizer) -> None:
        """Take a verified model. Raises ``EncoderError`` where weights and tokenizer don't fit each other."""
        _check(weights, tokenizer)
        self.sha256 = sha256
        self._model = StaticModel(
            weights.rows,
            tokenizer,
            weights=weights.scales,
            token_mapping=weights.mapping,
            normalize=True,
            max_length=None,
        )

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return int(self._model.embedding.shape[1])

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return an array of shape (number of texts, dimension): rows of length 1, zero without a known token."""
        sums = np.zeros((len(texts), self.dimension), np.float64)
        for group in _groups(texts):
            # Not the model's own encode: it sets the tokenizer's truncation anew, which fails in several threads.
            token_ids = self._model.tokenize([piece for _, piece in group])
            np.add.at(sums, [place for place, _ in group], self._sums(token_ids))
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        vectors: NDArray[np.float64] = np.divide(sums, lengths, out=np.zeros_like(sums), where=lengths > 0)
        return vectors.astype(np.float32)

    def _sums(self, token_ids: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Return the sum over each text's tokens, in their order; the mean has the same direction.

        A sparse matrix of which token stands where, times the tokens' rows: one product in place of a sum a text.
        """
        from scipy.sparse import csr_array

        model = self._model
        tokens = np.fromiter(chain.from_iterable(token_ids), np.int64)
        borders = np.cumsum([0, *map(len, token_ids)])
        used, places = np.unique(tokens, return_inverse=True)
        rows = model.embedding[used if model.token_mapping is None else model.token_mapping[used]]
        if model.weights is not None:
            rows = rows * model.weights[used][:, None]
        stands = csr_array((np.ones(len(tokens)), places, borders), shape=(len(token_ids), len(used)))
        sums: NDArray[np.float64] = stands @ rows.astype(np.float64)
        return sums


def _groups(texts: Sequence[str]) -> Iterator[list[tuple[int, str]]]:
    """Yield the texts' pieces, each with its text's place, in groups of a bounded number of characters."""
    group: list[tuple[int, str]] = []
    characters = 0
    for place, text in enumerate(texts):
        for piece in _pieces(text):
            if group and characters + len(piece) > _GROUP_CHARACTERS:
                yield group
                group, characters = [], 0
            group.append((place, piece))
            characters += len(piece)
    if group:
        yield group


def _pieces(text: str) -> Iterator[str]:
    """Yield ``text``, or its parts between white space; a run of that many other characters is cut through."""
    stripped = text.strip()
    if len(stripped) <= _PIECE_CHARACTERS:
        if stripped:
            yield stripped
        return
    for found in _PIECE.finditer(stripped):
        yield found.group()


def _check(weights: StaticWeights, tokenizer: Tokenizer) -> None:
    tokens = tokenizer.get_vocab_size(with_added_tokens=True)
    place, rows = weights.place, weights.rows
    if rows.ndim != 2 or not rows.size:
        raise EncoderError(
            f"{place}: expected a table of weights, a row a token, found the shape {rows.shape}; "
            "this is no model that model2vec saved"
        )
    per_token = len(rows) if weights.mapping is None else len(weights.mapping)
    highest = max(tokenizer.get_vocab(with_added_tokens=True).values(), default=-1)
    if not tokens:
        raise EncoderError(f"{place}: expected a tokenizer with tokens, found none")
    if per_token != tokens or highest != tokens - 1:
        raise EncoderError(
            f"{place}: expected a row of weights for each of the tokenizer's {tokens:,} tokens (highest number "
            f"{highest:,}), found {per_token:,} rows; weights and tokenizer are not of one model"
        )
    if weights.mapping is not None and (
        weights.mapping.ndim != 1 or weights.mapping.min() < 0 or weights.mapping.max() >= len(rows)
    ):
        raise EncoderError(f"{place}: the token mapping names rows that the {len(rows):,} rows don't have")
    if weights.scales is not None and weights.scales.shape != (tokens,):
        raise EncoderError(
            f"{place}: expected a factor for each of {tokens:,} tokens, found the shape {weights.scales.shape}"
        )
    for numbers in (rows, weights.scales):
        if numbers is not None and not np.isfinite(numbers).all():
            raise EncoderError(
                f"{place}: expected finite weights, found NaN or infinity; the file is damaged"
            )
