"""Small static models, saved by model2vec itself, for tests of whoever reads them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from model2vec import StaticModel
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from leaderboard.files import digest_json, sha256_file

WORDS = ("[UNK]", "red", "blue", "fox", "whale", "é")
FILES = ("config.json", "model.safetensors", "tokenizer.json")


def tokenizer(words: tuple[str, ...] = WORDS) -> Tokenizer:
    """A tokenizer with a token a word; an unknown word is the first token."""
    made = Tokenizer(WordLevel({word: number for number, word in enumerate(words)}, unk_token=words[0]))
    made.pre_tokenizer = Whitespace()
    return made


def rows(count: int = len(WORDS), dimension: int = 8, kind: type = np.float32) -> np.ndarray:
    """The same random numbers every time."""
    return np.random.default_rng(7).standard_normal((count, dimension)).astype(kind)


def saved(folder: Path, model: StaticModel | None = None) -> StaticModel:
    """Save a model, a small one unless another is given, into ``folder``, and return it."""
    model = model or StaticModel(rows(), tokenizer(), normalize=True)
    model.save_pretrained(folder)
    return model


def digest_of(folder: Path) -> str:
    """The digest that leaderboard.toml has to name, worked out from the rule."""
    return digest_json({name: sha256_file(folder / name) for name in FILES})
