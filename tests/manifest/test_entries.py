"""The manifest: an entry a benchmark, and files whose pins can be checked."""

import json
import re
from pathlib import Path

import pytest

from leaderboard.manifest import CORE, FOLDER, KEYS
from leaderboard.manifest.entries import ManifestError, entry, read_entry

VALID = (FOLDER / "multihop_rag.toml").read_text(encoding="utf-8")


def test_the_three_of_the_board_come_first():
    assert KEYS[:3] == CORE == ("frames", "musique", "multihop_rag")
    assert [entry(key).name for key in CORE] == ["FRAMES", "MuSiQue", "MultiHop-RAG"]


@pytest.mark.parametrize("key", KEYS)
def test_every_entry_can_be_cited_and_names_its_files_once(key):
    about = entry(key)
    assert f"arXiv:{about.arxiv}" in about.citation
    assert about.summary.endswith(".") and about.summary.count(". ") == 0
    names = [file.path for file in about.files]
    assert len(set(names)) == len(names)
    assert about.needed_files and about.defects
    for file in about.files:
        # A branch moves: it pins nothing, so there the digest must, now or by the lock file.
        revisions = [source.revision for source in file.sources if hasattr(source, "revision")]
        assert file.sha256 or all(re.fullmatch("[0-9a-f]{40}|main", revision) for revision in revisions)


def test_the_pins_are_those_of_the_published_files(real_data):
    told = (real_data / "README.md").read_text(encoding="utf-8")
    frames = json.loads((real_data / "SHA256.json").read_text(encoding="utf-8"))["frames/test.tsv"]
    (questions,) = [file for file in entry("frames").files if file.path == "test.tsv"]
    assert (questions.sha256, questions.bytes) == (frames["sha256"], frames["bytes"])
    for file in entry("multihop_rag").files:
        assert file.sha256 and f"{file.sha256}` ({file.bytes:,} bytes)" in told.replace("\n", " ")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('name = "MultiHop-RAG"\n', "", "name: Field required"),
        (
            "bytes = 5171312",
            "bytes = 0",
            "files.0.bytes: Input should be greater than or equal to 1, found 0",
        ),
        ("bytes = 5171312", 'sha1 = "x"', "files.0.sha1: Extra inputs are not permitted"),
        (
            'path = "MultiHopRAG.json"\nrole',
            'path = "../out.json"\nrole',
            "files.0.path: String should match",
        ),
        ("03cfb492", "03CFB492", "files.0.sha256: String should match"),
        ('loader = "leaderboard.benchmarks', 'loader = "os', "loader: String should match"),
        (
            '[[files]]\npath = "corpus.json"',
            '[[files]]\nmade = "wikipedia"\npath = "corpus.json"',
            "either sources or made",
        ),
        ("[[defects]]", "[[defects]", "expected TOML in UTF-8"),
    ],
)
def test_an_entry_that_is_wrong_is_refused_with_file_and_field(tmp_path, old, new, said):
    assert old in VALID
    path = tmp_path / "wrong.toml"
    path.write_text(VALID.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ManifestError) as caught:
        read_entry(path)
    assert f"{path}: " in str(caught.value) and said in str(caught.value)


def test_a_key_is_no_path():
    for key in ("squad", "../manifest/frames", str(Path("frames").absolute())):
        with pytest.raises(KeyError):
            entry(key)
