"""The Data page: what pins each file, and what this board read."""

from dataclasses import replace

from leaderboard.benchmarks.errata import listed
from leaderboard.benchmarks.questions import Defect
from leaderboard.board.data_page import data_page
from leaderboard.manifest.entries import entry
from tests.board.boards import FRAMES, MUSIQUE


def test_each_published_file_has_its_source_size_digest_and_licence():
    [frames, musique] = data_page([FRAMES, MUSIQUE]).benchmarks
    assert (frames.name, musique.name) == ("FRAMES", "MuSiQue")
    questions, articles = frames.files
    assert questions.sources == (
        "test.tsv of google/frames-benchmark on the model hub, revision 58d9fb6330f3ab1316d1eca12e5e8ef23dcc22ef",
    )
    assert questions.size == "484,887 bytes"
    assert questions.sha256 == "4255093c93b595b5b04c7c8dde290b48ec87d72ca0fb0b760d9dd02740d669ff"
    assert questions.licence == "Apache-2.0"
    assert articles.sources == ("made by leaderboard data fetch",)
    assert articles.licence == "CC BY-SA 4.0, by the authors of Wikipedia"
    assert articles.sha256.startswith("nobody published one")
    assert [note.name for note in musique.files] == [file.path for file in entry("musique").files]
    assert musique.defects == tuple((known.problem, known.repair) for known in entry("musique").defects)


def test_what_was_read_is_told_with_what_its_digest_means():
    published = entry("frames").files[0].sha256
    sources = {"test.tsv": published, "articles.parquet": "0f" * 32}
    defects = (Defect("test.tsv", 3, "white space around the answer", "trimmed"),)
    full = replace(FRAMES, track="full", sources=sources, defects=defects)
    [shown] = data_page([full]).benchmarks
    assert shown.read == (
        ("test.tsv", f"sha256 {published} (the published file, by its digest)"),
        ("articles.parquet", f"sha256 {'0f' * 32} (no published digest to hold it against)"),
    )
    counted = f"{len(FRAMES.questions)} questions, {len(FRAMES.documents)} documents, 1 defect handled"
    assert shown.read_words == f"{FRAMES.label}: {counted}"
    [sample] = data_page([replace(full, track="sample")]).benchmarks
    assert {words.partition(" (")[2] for _, words in sample.read} == {"written for this project)"}


def test_every_erratum_is_listed_and_none_shows_a_gold():
    [frames] = data_page([FRAMES]).benchmarks
    found = {erratum.question: erratum for erratum in frames.errata}
    assert found["324"].kind == "debris in the gold" and found["324"].action == "excluded"
    for erratum, shown in zip(listed("frames"), frames.errata, strict=True):
        assert shown.reason == erratum.reason and shown.source == erratum.source
        assert not any(gold in shown.model_dump_json() for gold in erratum.aliases if len(gold) > 12)
