"""Static encoders: the vectors of model2vec, for texts of any length, from any thread."""

import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model2vec import StaticModel

from leaderboard.retrieval.encoders import EncoderError
from leaderboard.retrieval.static_encoder import StaticEncoder, StaticWeights, _groups, _pieces
from tests.retrieval.static_models import rows, tokenizer

DIGEST = "a" * 64
TEXTS = ["red fox", "blue blue whale", "red unknown fox", "", "unknown", "fox " * 3_000]


def encoder(**weights):
    return StaticEncoder(DIGEST, StaticWeights("here", **({"rows": rows()} | weights)), tokenizer())


def test_vectors_are_those_of_the_library():
    expected = StaticModel(rows(), tokenizer(), normalize=True, max_length=None).encode(TEXTS)
    assert encoder().encode(TEXTS) == pytest.approx(expected, abs=3e-5)  # it adds up in single precision


def test_a_model_of_clustered_tokens_gives_the_vectors_of_the_library():
    scales = np.array([0, 1, 2, 0.5, 1, 1], np.float32)
    mapping = np.array([0, 1, 1, 2, 3, 3])
    library = StaticModel(
        rows(4), tokenizer(), weights=scales, token_mapping=mapping, normalize=True, max_length=None
    )
    ours = encoder(rows=rows(4), scales=scales, mapping=mapping)
    assert ours.encode(TEXTS) == pytest.approx(library.encode(TEXTS), abs=3e-5)


def test_rows_have_length_one_or_are_zero_where_nothing_is_known():
    lengths = np.linalg.norm(encoder().encode(["red", "red whale", "", " \n", "unknown words"]), axis=1)
    assert lengths.tolist() == pytest.approx([1, 1, 0, 0, 0], abs=1e-6)


def test_a_vector_is_the_mean_of_its_tokens():
    table = np.zeros((6, 2), np.float32)
    table[1:3] = [[3, 0], [0, 1]]  # red, blue
    vector = encoder(rows=table).encode(["red blue blue"])[0]
    assert vector.tolist() == pytest.approx([3 / 13**0.5, 2 / 13**0.5])


def test_no_texts_give_no_rows():
    vectors = encoder().encode([])
    assert vectors.shape == (0, 8)
    assert vectors.dtype == np.float32


def test_every_part_of_a_long_text_counts():
    vector = encoder().encode(["red " * 100_000 + "whale " * 100_000])[0]
    assert vector == pytest.approx(encoder().encode(["red whale"])[0], abs=1e-4)


def test_a_million_characters_take_a_bounded_amount_of_memory():
    ours = encoder(rows=rows(dimension=256))
    text = "red fox " * 125_000
    tracemalloc.start()
    try:
        ours.encode([text])
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 30_000_000


def test_texts_are_tokenised_in_groups_of_a_bounded_length_and_none_is_left_out():
    texts = ["red " * 250_000, "", "fox", "whale " * 50_000]
    groups = list(_groups(texts))
    assert all(sum(len(piece) for _, piece in group) <= 250_000 for group in groups)
    joined = ["", "", "", ""]
    for group in groups:
        for place, piece in group:
            joined[place] += piece + " "
    assert [text.split() for text in joined] == [text.split() for text in texts]


def test_threads_get_the_same_vectors():
    ours = encoder()
    texts = [[text] for text in TEXTS] * 50
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ours.encode, texts))
    assert all(np.array_equal(one, ours.encode(text)) for one, text in zip(found, texts, strict=True))


@given(st.text(alphabet=st.sampled_from("ab \n"), max_size=30).map(lambda text: text * 1_000))
def test_pieces_lose_only_white_space_and_cut_words_only_where_they_must(text):
    pieces = list(_pieces(text))
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(0 < len(piece) <= 4_096 and piece == piece.strip() for piece in pieces)
    if all(len(word) <= 4_096 for word in text.split()):
        assert " ".join(pieces).split() == text.split()


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"rows": rows(5)}, r"each of the tokenizer's 6 tokens .* found 5 rows"),
        ({"rows": rows(7)}, "found 7 rows"),
        ({"rows": np.zeros(6, np.float32)}, r"a row a token, found the shape \(6,\)"),
        ({"rows": np.zeros((6, 0), np.float32)}, r"found the shape \(6, 0\)"),
        ({"rows": np.where(rows() > 1, np.nan, rows())}, "finite weights, found NaN or infinity"),
        ({"rows": rows() * np.float32("inf")}, "finite weights"),
        ({"scales": np.ones(5, np.float32)}, r"a factor for each of 6 tokens, found the shape \(5,\)"),
        ({"scales": np.full(6, np.nan, np.float32)}, "finite weights"),
        ({"mapping": np.array([0, 1, 2, 3, 4, 6])}, "rows that the 6 rows don't have"),
        ({"mapping": np.array([0, 1, 2, 3, 4, -1])}, "rows that the 6 rows don't have"),
        ({"mapping": np.zeros((6, 1), np.int64)}, "the token mapping"),
        ({"mapping": np.array([0, 1])}, "found 2 rows"),
    ],
)
def test_weights_that_do_not_fit_the_tokenizer_are_refused(weights, said):
    with pytest.raises(EncoderError, match=said) as caught:
        encoder(**weights)
    assert str(caught.value).startswith("here: ")


def test_a_tokenizer_with_gaps_in_its_numbers_is_refused():
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel

    with pytest.raises(EncoderError, match="highest number 9"):
        StaticEncoder(
            DIGEST, StaticWeights("here", rows(2)), Tokenizer(WordLevel({"a": 0, "b": 9}, unk_token="a"))
        )
