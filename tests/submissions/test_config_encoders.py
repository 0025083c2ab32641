"""The encoders of ``leaderboard.toml``: where each comes from, and what identifies it."""

from pathlib import Path

import pytest

from leaderboard.catalog.encoders import BUILT_IN, Encoder
from leaderboard.submissions.config import load_config
from leaderboard.submissions.errors import SubmissionErrors

BOARD = """\
[board]
title = "T"
track = "sample"

[[models]]
name = "embedded/m"
kind = "embedded"
endpoint = "embedded"
context_tokens = 32768

"""
DIGEST, COMMIT = "0a" * 32, "b1" * 20
FOLDER = f"""\
[[encoders]]
name = "mine"
kind = "model2vec"
folder = "models/mine"
sha256 = "{DIGEST}"
"""
HUB = f"""\
[[encoders]]
name = "potion"
kind = "model2vec"
hub = "minishlab/potion-retrieval-32M"
revision = "{COMMIT}"
sha256 = "{DIGEST}"
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def load(*encoders: str):
    Path("leaderboard.toml").write_text(BOARD + "".join(encoders))
    return load_config(Path("leaderboard.toml"))


def errors_of(*encoders: str) -> list[str]:
    with pytest.raises(SubmissionErrors) as caught:
        load(*encoders)
    return [str(error).removeprefix("leaderboard.toml:") for error in caught.value.errors]


def test_without_any_the_built_in_ones_can_be_named():
    config = load()
    assert config.encoders == ()
    assert config.encoder_list == dict(BUILT_IN)
    assert (tuple(config.names.models), tuple(config.names.encoders)) == (("embedded/m",), tuple(BUILT_IN))


def test_an_encoder_comes_from_a_folder_or_from_a_commit_of_the_hub():
    config = load(FOLDER, HUB)
    assert list(config.encoder_list) == [*BUILT_IN, "mine", "potion"]
    assert config.encoder_list["mine"] == Encoder("mine", "model2vec", DIGEST, folder="models/mine")
    assert config.encoder_list["potion"] == Encoder(
        "potion", "model2vec", DIGEST, hub="minishlab/potion-retrieval-32M", revision=COMMIT
    )


@pytest.mark.parametrize(
    ("encoder", "said"),
    [
        (FOLDER.replace('folder = "models/mine"\n', ""), "12:8: encoders[0].name: expected either folder or hub, found neither"),
        (FOLDER + f'hub = "a/b"\nrevision = "{COMMIT}"\n', "14:10: encoders[0].folder: expected either folder or hub, found both"),
        (HUB.replace(f'revision = "{COMMIT}"\n', ""), "11:1: encoders[0].revision: expected the commit of the hub's repository, found nothing"),
        (FOLDER + f'revision = "{COMMIT}"\n', f'16:1: encoders[0].revision: expected no revision without a hub: a folder has none, found "{COMMIT}"'),
        (FOLDER.replace("mine", "all-minilm-l6-v2", 1), '12:8: encoders[0].name: expected a name that is not built in, found "all-minilm-l6-v2"'),
        (FOLDER.replace("mine", "wordllama-l2-256", 1), '12:8: encoders[0].name: expected a name that is not built in, found "wordllama-l2-256"'),
        (FOLDER.replace("model2vec", "minilm"), '13:8: encoders[0].kind: expected "model2vec", found "minilm"'),
        (FOLDER.replace("models/mine", ""), '14:10: encoders[0].folder: expected a folder, found ""'),
        (FOLDER.replace(DIGEST, DIGEST.upper()), f'15:10: encoders[0].sha256: expected a SHA-256: 64 hexadecimal digits, found "{DIGEST.upper()}"'),
        (FOLDER.replace(DIGEST, DIGEST[:63]), f'15:10: encoders[0].sha256: expected a SHA-256: 64 hexadecimal digits, found "{DIGEST[:63]}"'),
        (FOLDER.replace(DIGEST, f"sha256:{DIGEST}"), f'15:10: encoders[0].sha256: expected a SHA-256: 64 hexadecimal digits, found "sha256:{DIGEST}"'),
        (FOLDER.replace(DIGEST, DIGEST + "\\n"), f'15:10: encoders[0].sha256: expected a SHA-256: 64 hexadecimal digits, found "{DIGEST}\\n"'),
        (HUB.replace(COMMIT, "main"), '15:12: encoders[0].revision: expected a commit: 40 hexadecimal digits, found "main"'),
        (HUB.replace("minishlab/", ""), '14:7: encoders[0].hub: expected a repository of the model hub, such as "minishlab/potion-retrieval-32M", found "potion-retrieval-32M"'),
        (HUB.replace("minishlab/", "https://example.org/"), '14:7: encoders[0].hub: expected a repository of the model hub, such as "minishlab/potion-retrieval-32M", found "https://example.org/potion-retrieval-32M"'),
        (FOLDER.replace("folder", "path"), '14:1: encoders[0].path: expected one of "name", "kind", "folder", "hub", "revision", "sha256", found "path"'),
    ],
)  # fmt: skip
def test_each_error_has_its_place(encoder, said):
    assert errors_of(encoder) == [said]


def test_a_digest_is_needed():
    [error] = errors_of(FOLDER.replace(f'sha256 = "{DIGEST}"\n', ""))
    assert error.startswith(
        "11:1: encoders[0].sha256: expected a SHA-256: 64 hexadecimal digits, found nothing ("
    )


def test_names_differ():
    assert errors_of(FOLDER, HUB, FOLDER) == [
        '23:8: encoders[2].name: expected another name than that of encoders[0], found "mine"'
    ]


def test_all_that_is_wrong_comes_at_once():
    assert errors_of(
        FOLDER.replace("mine", "all-minilm-l6-v2", 1), HUB.replace("revision", "# revision")
    ) == [
        '12:8: encoders[0].name: expected a name that is not built in, found "all-minilm-l6-v2"',
        "16:1: encoders[1].revision: expected the commit of the hub's repository, found nothing",
    ]
