"""The index on disk: kept, checked, rebuilt, and never in the way."""

import json
import logging
import multiprocessing

import bm25s
import pytest

from leaderboard.retrieval.bm25 import BM25Retriever
from leaderboard.retrieval.passages import Passage

PASSAGES = [Passage(f"p{i}", f"p{i}", f"Title {i}", f"common word number{i}") for i in range(20)]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def no_building(*_args, **_kwargs):
    raise AssertionError("the index was built again")


def build_in_process(digests):
    digests.put(BM25Retriever(PASSAGES).digest)


def test_the_second_opening_loads_the_same_index(monkeypatch):
    built = BM25Retriever(PASSAGES)
    monkeypatch.setattr(bm25s.BM25, "index", no_building)
    loaded = BM25Retriever(PASSAGES)
    assert loaded.digest == built.digest
    assert loaded.search("common number7", 20) == built.search("common number7", 20)
    assert loaded.search("number7", 1)[0].passage == PASSAGES[7]


def test_the_folder_is_named_by_digest_and_holds_no_pickle_and_no_corpus(cache):
    digest = BM25Retriever(PASSAGES).digest
    assert [folder.name for folder in (cache / "indexes").iterdir()] == [digest]
    files = {path.name: path.read_bytes() for path in (cache / "indexes" / digest).iterdir()}
    assert set(files) == {
        "data.csc.index.npy",
        "indices.csc.index.npy",
        "indptr.csc.index.npy",
        "vocab.index.json",
        "params.index.json",
        "manifest.json",
    }
    for name, data in files.items():
        if name.endswith(".npy"):
            assert data.startswith(b"\x93NUMPY") and b"'|O'" not in data[:128]
        else:
            json.loads(data)


@pytest.mark.parametrize(
    ("change", "parameters"),
    [
        ({"text": "common word number0!"}, {}),
        ({"title": "Title"}, {}),
        ({"id": "q0"}, {}),
        ({}, {"k1": 1.2}),
        ({}, {"b": 0.75}),
    ],
    ids=["text", "title", "id", "k1", "b"],
)
def test_the_digest_follows_passages_and_parameters(change, parameters):
    first = {"id": "p0", "document": "p0", "title": "Title 0", "text": "common word number0"} | change
    changed = BM25Retriever([Passage(**first), *PASSAGES[1:]], **parameters)
    assert changed.digest != BM25Retriever(PASSAGES).digest


def test_a_border_moved_between_title_and_text_changes_the_digest():
    assert (
        BM25Retriever([Passage("a", "a", "b", "c")]).digest
        != BM25Retriever([Passage("a", "a", "bc", "")]).digest
    )


def _truncate(folder):
    path = folder / "data.csc.index.npy"
    path.write_bytes(path.read_bytes()[:-8])


def _flip(folder):
    path = folder / "data.csc.index.npy"
    data = bytearray(path.read_bytes())
    data[-1] ^= 0x40
    path.write_bytes(bytes(data))


@pytest.mark.parametrize(
    "damage",
    [
        _truncate,
        _flip,
        lambda folder: (folder / "vocab.index.json").unlink(),
        lambda folder: (folder / "manifest.json").unlink(),
        lambda folder: (folder / "manifest.json").write_text("{"),
        lambda folder: (folder / "manifest.json").write_text("{}"),
        lambda folder: (folder / "manifest.json").write_text("[1]"),
        lambda folder: (folder / "params.index.json").write_bytes(b"\xff"),
    ],
    ids=["truncated", "flipped bit", "no vocabulary", "no manifest", "half", "empty", "list", "bytes"],
)
def test_a_damaged_index_is_built_again_with_a_warning(cache, caplog, monkeypatch, damage):
    built = BM25Retriever(PASSAGES)
    damage(cache / "indexes" / built.digest)
    with caplog.at_level(logging.WARNING):
        again = BM25Retriever(PASSAGES)
    assert "is unusable and is built again" in caplog.text
    assert again.search("common number3", 20) == built.search("common number3", 20)
    assert [folder.name for folder in (cache / "indexes").iterdir()] == [built.digest]
    monkeypatch.setattr(bm25s.BM25, "index", no_building)
    BM25Retriever(PASSAGES)


def test_a_folder_with_the_index_of_another_corpus_is_not_believed(cache, caplog):
    small = BM25Retriever(PASSAGES[:3])
    large = BM25Retriever(PASSAGES)
    indexes = cache / "indexes"
    (indexes / large.digest).rename(indexes / "aside")
    (indexes / small.digest).rename(indexes / large.digest)
    assert BM25Retriever(PASSAGES).search("number7", 5) == large.search("number7", 5)
    assert "20 passages expected, 3 found" in caplog.text


def test_a_cache_that_cannot_be_written_is_only_a_warning(tmp_path, monkeypatch, caplog):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(blocked / "cache"))
    assert BM25Retriever(PASSAGES).search("number7", 1)[0].passage.id == "p7"
    assert "can't be saved and stays in memory" in caplog.text


def test_processes_that_build_at_once_leave_one_index(cache):
    context = multiprocessing.get_context("spawn")
    digests = context.Queue()
    workers = [context.Process(target=build_in_process, args=(digests,)) for _ in range(3)]
    for worker in workers:
        worker.start()
    found = {digests.get(timeout=60) for _ in workers}
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert [folder.name for folder in (cache / "indexes").iterdir()] == list(found)


def test_the_library_does_not_log_to_the_users_handlers(caplog):
    with caplog.at_level(logging.DEBUG):
        BM25Retriever(PASSAGES)
    assert caplog.text == ""
