"""Dense search: right cosines, one order, vectors kept on disk and never believed unchecked."""

import json
import logging
import time
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.catalog.encoders import BUILT_IN, DEFAULT_ENCODER
from leaderboard.retrieval.dense import DenseRetriever
from leaderboard.retrieval.encoder_opening import open_encoder
from leaderboard.retrieval.encoders import EncoderError
from leaderboard.retrieval.passages import Passage, RetrievalError


class Letters:
    """An encoder whose vectors can be worked out by hand: how often each letter of a small alphabet stands there."""

    sha256 = "a" * 64

    def __init__(self, alphabet="abcd"):
        self.alphabet = alphabet
        self.texts = []

    @property
    def dimension(self):
        return len(self.alphabet)

    def encode(self, texts):
        self.texts.extend(texts)
        counts = np.array([[text.count(letter) for letter in self.alphabet] for text in texts], np.float32)
        counts = counts.reshape(len(texts), self.dimension)
        lengths = np.linalg.norm(counts, axis=1, keepdims=True)
        return np.divide(counts, lengths, out=np.zeros_like(counts), where=lengths > 0)


class Given(Letters):
    """An encoder that returns whatever array it was given."""

    def __init__(self, vectors):
        super().__init__()
        self.vectors = vectors

    def encode(self, texts):
        return self.vectors


def passage(passage_id, text, title=""):
    return Passage(passage_id, passage_id, title, text)


A, AB, B = passage("1", "a"), passage("2", "ab"), passage("3", "b")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def words():
    return open_encoder(BUILT_IN[DEFAULT_ENCODER])


def found(retriever, query, k=10):
    return [(hit.passage.id, hit.score) for hit in retriever.search(query, k)]


def test_scores_are_cosines_with_six_decimals_best_first():
    assert found(DenseRetriever([B, AB, A], Letters()), "aab") == [
        ("2", 0.948683),  # (2 + 1)/(√5 · √2)
        ("1", 0.894427),  # 2/√5
        ("3", 0.447214),  # 1/√5
    ]


def test_the_title_is_indexed_with_the_text():
    assert found(DenseRetriever([passage("t", "bb", title="aa")], Letters()), "a") == [("t", 0.707107)]


def test_a_ranking_goes_on_at_and_below_zero():
    away = Given(np.array([[-1.0, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0]], np.float32))
    retriever = DenseRetriever([A, AB, B], away)
    away.vectors = np.array([[1, 0, 0, 0]], np.float32)
    assert found(retriever, "q") == [("3", 1.0), ("2", 0.0), ("1", -1.0)]


def test_ties_come_by_id_whatever_the_last_bits_say():
    nearly = np.full((50, 4), 0.5, np.float32)
    nearly[:, 0] += np.linspace(0, 3e-8, 50, dtype=np.float32)
    encoder = Given(nearly)
    retriever = DenseRetriever([passage(f"{number:02}", "") for number in range(50)], encoder)
    encoder.vectors = np.full((1, 4), 0.5, np.float32)
    assert found(retriever, "q", 3) == [("00", 1.0), ("01", 1.0), ("02", 1.0)]


def test_passages_and_queries_in_which_nothing_is_known_are_never_found():
    retriever = DenseRetriever([passage("0", "zzz"), A, B], Letters())
    assert found(retriever, "a") == [("1", 1.0), ("3", 0.0)]
    assert found(retriever, "zzz") == []
    assert list(retriever.passages) == ["0", "1", "3"]


def test_a_corpus_without_passages_or_without_anything_known_finds_nothing():
    assert DenseRetriever([], Letters()).search("a", 5) == []
    assert DenseRetriever([passage("0", "zzz")], Letters()).search("a", 5) == []


def test_two_passages_with_one_id_are_refused():
    with pytest.raises(RetrievalError, match="'1' stands twice"):
        DenseRetriever([A, B, A], Letters())


def test_decomposed_text_is_composed_before_it_is_encoded():
    encoder = Letters("é")
    retriever = DenseRetriever([passage("1", unicodedata.normalize("NFD", "é"))], encoder)
    assert found(retriever, unicodedata.normalize("NFD", "é")) == found(retriever, "é") == [("1", 1.0)]


@pytest.mark.parametrize(
    "vectors",
    [np.zeros((2, 4), np.float32), np.zeros((3, 5), np.float32), np.full((3, 4), np.nan, np.float32)],
    ids=["too few rows", "another dimension", "NaN"],
)
def test_an_encoder_that_gives_something_else_is_an_error(vectors, cache):
    with pytest.raises(EncoderError, match="expected to give 3 × 4 finite numbers"):
        DenseRetriever([A, AB, B], Given(vectors))
    assert not (cache / "vectors").exists()


def test_the_second_opening_encodes_nothing():
    first = DenseRetriever([A, AB, B], Letters())
    encoder = Letters()
    second = DenseRetriever([B, A, AB], encoder)
    assert encoder.texts == []
    assert second.digest == first.digest
    assert found(second, "aab") == found(first, "aab")


@pytest.mark.parametrize("change", [{"id": "9"}, {"title": "t"}, {"text": "b"}], ids=str)
def test_the_digest_follows_the_passages(change):
    changed = Passage(**({"id": "1", "document": "1", "title": "", "text": "a"} | change))
    assert DenseRetriever([changed], Letters()).digest != DenseRetriever([A], Letters()).digest


def test_the_digest_follows_the_encoder():
    other = Letters()
    other.sha256 = "b" * 64
    digests = {DenseRetriever([A], encoder).digest for encoder in (Letters(), other, Letters("abcde"))}
    assert len(digests) == 3


def test_only_an_array_and_its_digest_are_kept(cache):
    digest = DenseRetriever([A, AB, B], Letters()).digest
    assert sorted(path.name for path in (cache / "vectors").iterdir()) == [f"{digest}.json", f"{digest}.npy"]
    vectors = np.load(cache / "vectors" / f"{digest}.npy", allow_pickle=False)
    assert vectors.tolist()[::2] == [[1, 0, 0, 0], [0, 1, 0, 0]]


def _saved(change):
    def damage(npy, manifest):
        from leaderboard.files import sha256_file

        with npy.open("wb") as stream:
            np.save(stream, change(np.zeros((3, 4), np.float32)), allow_pickle=True)
        manifest.write_text(json.dumps({"sha256": sha256_file(npy)}))

    return damage


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda npy, manifest: npy.write_bytes(npy.read_bytes()[:-4]), "SHA-256"),
        (lambda npy, manifest: npy.write_bytes(npy.read_bytes()[:-1] + b"\x01"), "SHA-256"),
        (lambda npy, manifest: npy.write_bytes(b""), "SHA-256"),
        (lambda npy, manifest: manifest.unlink(), "No such file"),
        (lambda npy, manifest: manifest.write_text("{"), "Expecting"),
        (lambda npy, manifest: manifest.write_text("[]"), "expected None"),
        (lambda npy, manifest: manifest.write_bytes(b"\xff"), "decode"),
        (_saved(lambda zeros: zeros[:, :3]), "expected 3 × 4 numbers of type float32, found 3 × 3"),
        (_saved(lambda zeros: zeros.astype(np.float64)), "found 3 × 4 of float64"),
        (_saved(lambda zeros: zeros + np.float32("inf")), "not all numbers are finite"),
        (_saved(lambda zeros: np.array([{"a": 1}], dtype=object)), "are unusable"),
    ],
    ids=[
        "truncated",
        "flipped",
        "empty",
        "no digest",
        "half",
        "list",
        "bytes",
        "dimension",
        "type",
        "inf",
        "pickle",
    ],
)
def test_damaged_vectors_are_made_again_with_a_warning(cache, caplog, damage, said):
    expected = found(first := DenseRetriever([A, AB, B], Letters()), "aab")
    stem = cache / "vectors" / first.digest
    damage(stem.with_suffix(".npy"), stem.with_suffix(".json"))
    encoder = Letters()
    with caplog.at_level(logging.WARNING):
        again = DenseRetriever([A, AB, B], encoder)
    assert "are unusable and are made again" in caplog.text and said in caplog.text
    assert encoder.texts == ["\na", "\nab", "\nb"]
    assert found(again, "aab") == expected
    after = Letters()
    DenseRetriever([A, AB, B], after)
    assert after.texts == []


def test_a_cache_that_cannot_be_written_is_only_a_warning(tmp_path, monkeypatch, caplog):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert found(DenseRetriever([A, B], Letters()), "a", 1) == [("1", 1.0)]
    assert "can't be saved and stay in memory" in caplog.text


def test_many_passages_are_encoded_in_batches():
    class Counting(Letters):
        largest = 0

        def encode(self, texts):
            self.largest = max(self.largest, len(texts))
            return super().encode(texts)

    encoder = Counting()
    retriever = DenseRetriever(
        [passage(f"{number:04}", "a" * (number % 3 + 1)) for number in range(600)], encoder
    )
    assert len(encoder.texts) == 600
    assert encoder.largest <= 256
    assert found(retriever, "a", 1) == [("0000", 1.0)]


def test_each_batch_fills_its_own_rows_whichever_is_done_first(cache):
    class Uneven(Letters):
        def encode(self, texts):
            time.sleep(0.05 if texts[0].endswith("a") else 0)  # the first batch, and every other
            return super().encode(texts)

    texts = ["abcd"[(number // 256) % 2 + number % 2] for number in range(1_000)]
    DenseRetriever([passage(f"{number:04}", text) for number, text in enumerate(texts)], Uneven())
    (file,) = (cache / "vectors").glob("*.npy")
    assert np.array_equal(np.load(file), Letters().encode(texts))


def test_an_error_in_a_later_batch_is_raised_and_nothing_is_kept(cache):
    class Breaking(Letters):
        def encode(self, texts):
            if "d" in texts[0]:
                raise EncoderError("no more")
            return super().encode(texts)

    passages = [passage(f"{number:04}", "abcd"[number // 256]) for number in range(1_000)]
    with pytest.raises(EncoderError, match="no more"):
        DenseRetriever(passages, Breaking())
    assert not (cache / "vectors").exists()


def test_the_default_encoder_finds_what_is_meant_without_a_common_word(words):
    retriever = DenseRetriever(
        [
            passage("cat", "The kitten slept on the sofa."),
            passage("car", "The automobile needs new tyres."),
            passage("sea", "Sailors crossed the ocean."),
        ],
        words,
    )
    assert found(retriever, "Which vehicle?", 1)[0][0] == "car"
    assert found(retriever, "a ship at sea", 1)[0][0] == "sea"
    assert found(retriever, "cats", 1)[0][0] == "cat"


@given(st.text(max_size=100), st.integers(-1, 5))
def test_any_query_gives_ordered_hits(words, text, k):
    hits = DenseRetriever(
        [passage("1", "red fox"), passage("2", "red fox"), passage("3", "whale")], words
    ).search(text, k)
    assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.passage.id))
    assert len(hits) in (0, max(0, min(k, 3)))
    assert all(-1 <= hit.score <= 1 for hit in hits)
