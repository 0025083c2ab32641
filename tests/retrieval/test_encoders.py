"""Opening an encoder: verified by its digest, and what is said when it cannot be had."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from model2vec import StaticModel
from safetensors.numpy import save_file

from leaderboard.catalog.encoders import BUILT_IN, DEFAULT_ENCODER, Encoder
from leaderboard.retrieval import wordllama
from leaderboard.retrieval.encoder_opening import open_encoder
from leaderboard.retrieval.encoders import EncoderError, encodable
from leaderboard.retrieval.static_folder import open_static
from leaderboard.retrieval.wordllama import open_wordllama
from tests.retrieval.static_models import FILES, digest_of, rows, saved, tokenizer


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def folder(tmp_path):
    saved(tmp_path / "model")
    return tmp_path / "model"


def local(folder, sha256=None):
    return Encoder("mine", "model2vec", sha256 or digest_of(folder), folder=str(folder))


# The default


def test_the_default_encoder_knows_that_a_kitten_is_a_cat():
    encoder = open_encoder(BUILT_IN[DEFAULT_ENCODER])
    kitten, cat, car = encoder.encode(["a kitten", "a cat", "a motor car"])
    assert encoder.dimension == 256
    assert kitten @ cat > kitten @ car + 0.2


def test_an_encoder_is_opened_once_a_process():
    assert open_encoder(BUILT_IN[DEFAULT_ENCODER]) is open_encoder(
        replace(BUILT_IN[DEFAULT_ENCODER], name="x")
    )


def test_the_package_is_read_as_data_and_never_imported():
    program = (
        "import sys\n"
        "from leaderboard.catalog.encoders import BUILT_IN, DEFAULT_ENCODER\n"
        "from leaderboard.retrieval.encoder_opening import open_encoder\n"
        "open_encoder(BUILT_IN[DEFAULT_ENCODER])\n"
        "print('wordllama' in sys.modules, 'torch' in sys.modules, 'dspy' in sys.modules)\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout == "False False False\n"


def test_another_version_of_the_package_is_refused():
    with pytest.raises(EncoderError, match=f"expected a model with the digest {'0' * 64}, found 8054019c"):
        open_wordllama(replace(BUILT_IN[DEFAULT_ENCODER], sha256="0" * 64))


def test_a_missing_package_is_said_with_what_to_install(monkeypatch):
    monkeypatch.setattr(wordllama, "PACKAGE", "no-such-package-here")
    with pytest.raises(EncoderError, match=r"needs the package .*pip install .*wordllama==0.4.0.post1"):
        open_wordllama(BUILT_IN[DEFAULT_ENCODER])


def test_lone_surrogates_and_decomposed_letters_become_encodable():
    assert encodable("e\u0301 \ud800x \ud83d\ude42 \udc00") == "é \ufffdx 🙂 \ufffd"
    assert encodable("plain") == "plain"


# A folder


def test_a_folder_that_model2vec_saved_gives_its_vectors(folder):
    texts = ["red fox", "blue whale", ""]
    expected = StaticModel(rows(), tokenizer(), normalize=True).encode(texts)
    assert open_static(local(folder)).encode(texts) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("kind", [np.float16, np.float64, np.int8])
def test_other_number_formats_are_read(tmp_path, kind):
    table = (rows() * 40).astype(kind)
    model = saved(tmp_path / "model", StaticModel(table, tokenizer(), normalize=True))
    found = open_static(local(tmp_path / "model")).encode(["red whale"])
    assert found == pytest.approx(model.encode(["red whale"]).astype(np.float32), abs=2e-3)


def test_clustered_tokens_and_their_factors_are_read(tmp_path):
    model = StaticModel(
        rows(3),
        tokenizer(),
        weights=np.array([0, 1, 2, 3, 4, 5], np.float32),
        token_mapping=np.array([0, 1, 1, 2, 2, 0]),
        normalize=True,
    )
    saved(tmp_path / "model", model)
    texts = ["red blue", "fox whale é"]
    assert open_static(local(tmp_path / "model")).encode(texts) == pytest.approx(
        model.encode(texts), abs=1e-6
    )


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(EncoderError, match=r"encoder mine: the folder .* isn't there: correct `folder`"):
        open_static(local(tmp_path / "none", "0" * 64))


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(folder, name):
    encoder = local(folder)
    (folder / name).unlink()
    with pytest.raises(EncoderError, match=f"{name} is missing: name a model that model2vec saved"):
        open_static(encoder)


def test_a_folder_without_a_model_names_all_three(tmp_path):
    with pytest.raises(
        EncoderError, match=r"model\.safetensors and tokenizer\.json and config\.json are missing"
    ):
        open_static(local(tmp_path, "0" * 64))


@pytest.mark.parametrize("name", FILES)
def test_any_changed_byte_changes_the_digest_and_both_are_told(folder, name):
    encoder = local(folder)
    (folder / name).write_bytes((folder / name).read_bytes() + b" ")
    with pytest.raises(EncoderError) as caught:
        open_static(encoder)
    assert f"expected a model with the digest {encoder.sha256}, found {digest_of(folder)}" in str(
        caught.value
    )
    assert "as `sha256` in leaderboard.toml" in str(caught.value)


def _weights(**tensors):
    return lambda folder: save_file(tensors, folder / "model.safetensors")


def _written(name, data):
    return lambda folder: (folder / name).write_bytes(data)


def _headed(header):
    return len(header).to_bytes(8, "little") + header


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (_weights(embeddings=rows(5)), "each of the tokenizer's 6 tokens"),
        (_weights(embeddings=rows() * np.float32("nan")), "finite weights"),
        (_weights(other=rows()), "expected weights named embeddings or embedding.weight, found other"),
        (
            _weights(embeddings=rows(), mapping=np.ones(6, np.float32)),
            "token mapping of integers, found float32",
        ),
        (_written("model.safetensors", b""), "expected weights in a safetensors file"),
        (_written("model.safetensors", b"\x80\x04\x95pickle."), "expected weights in a safetensors file"),
        (_written("model.safetensors", b"\xff" * 64), "expected weights in a safetensors file"),
        (
            _written(
                "model.safetensors",
                _headed(b'{"embeddings":{"dtype":"F32","shape":[6,99999999],"data_offsets":[0,32]}}')
                + b"\0" * 32,
            ),
            "expected weights in a safetensors file",
        ),
        (
            _written(
                "model.safetensors",
                _headed(b'{"embeddings":{"dtype":"F4","shape":[6,2],"data_offsets":[0,6]}}') + b"\0" * 6,
            ),
            "expected weights in a safetensors file",
        ),
        (_written("model.safetensors", b"version https://git-lfs.github.com/spec/v1\n"), "a Git LFS pointer"),
        (_written("tokenizer.json", b"{}"), "expected a tokenizer as JSON"),
        (_written("tokenizer.json", b"\xff\xfe"), "expected a tokenizer as JSON"),
        (_written("tokenizer.json", b"[" * 100_000), "expected a tokenizer as JSON"),
        (_written("config.json", b"{"), "config.json is not JSON"),
        (_written("config.json", b"[" * 100_000), "config.json is not JSON"),
        (_written("config.json", b"[1]"), "expected an object in config.json, found list"),
    ],
)
def test_a_folder_that_is_no_model_says_what_is_wrong(folder, damage, said):
    damage(folder)
    with pytest.raises(EncoderError, match=said) as caught:
        open_static(local(folder))
    assert str(caught.value).startswith(f"encoder mine (folder {folder})")


def test_nothing_beside_the_three_files_is_read(folder):
    (folder / "modeling.py").write_text("raise SystemExit('ran')")
    (folder / "README.md").write_text("---\n!!python/object/apply:os.abort []\n---")
    (folder / "pytorch_model.bin").write_bytes(b"\x80\x04.")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"auto_map": {"AutoModel": "modeling.Model"}}))
    assert open_static(local(folder)).dimension == 8
