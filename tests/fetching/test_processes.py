"""Several processes, a killed one, a disk that is full or can't be written: never half a file under its name."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.fetching.keeping import ensure_file
from leaderboard.fetching.pinned import WebPath
from tests.fetching.first_seen import CONTENT, SHA256, UNKNOWN, Folder, at
from tests.fetching.test_archive import MEMBER, WHOLE
from tests.fetching.web_host import etag, served_host, silent_after

FETCH = """
import sys
from dataclasses import replace
from pathlib import Path
from leaderboard.fetching.keeping import ensure_file
from leaderboard.fetching.lockfile import Lockfile
from leaderboard.fetching.pinned import FetchError, WebPath
from tests.fetching.first_seen import NAME, UNKNOWN
url, folder, lock = sys.argv[1:]
try:
    path = ensure_file(
        replace(UNKNOWN, web=WebPath(url)), Path(folder), lockfile=Lockfile(Path(lock)), name=NAME
    )
except FetchError as error:
    sys.exit(str(error))
print(path.stat().st_size)
"""
REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def url(host) -> str:
    host.files["/dev.json"] = CONTENT
    return f"{host.url}/dev.json"


def started(url: str, folder: Folder, **options) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", FETCH, url, str(folder.path), str(folder.lockfile.path)]
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY), "PYTHONDONTWRITEBYTECODE": "1"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, env=environment, text=True, **pipes, **options)


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def test_processes_that_need_the_same_file_ask_for_it_once(host, url, folder):
    host.delay_s = 2.0
    both = [ended(process) for process in [started(url, folder), started(url, folder)]]
    assert [(code, out.strip()) for code, out, _ in both] == [(0, "300047")] * 2
    assert sum("waiting for it" in err for _, _, err in both) == 1
    assert len(host.asked) == 1
    assert folder.noted()["sha256"] == SHA256


def test_a_killed_process_leaves_a_part_that_is_gone_on_with(host, url, folder):
    before = folder.lockfile.path.read_bytes()
    host.faults = [silent_after(200_000)]
    process = started(url, folder)
    deadline = time.monotonic() + 60
    while not (folder.part.exists() and folder.part.stat().st_size >= 100_000):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    assert ended(process)[0] == -signal.SIGKILL
    assert not folder.final.exists()
    assert folder.lockfile.path.read_bytes() == before
    kept = folder.part.stat().st_size
    code, out, err = ended(started(url, folder))
    assert (code, out.strip()) == (0, "300047"), err
    assert host.headers_asked("Range") == [None, f"bytes={kept}-"]
    assert host.headers_asked("If-Range") == [None, etag(CONTENT)]
    assert folder.final.read_bytes() == CONTENT


def test_a_version_that_changed_after_a_kill_is_not_mixed_with_the_old_part(host, url, folder):
    host.faults = [silent_after(200_000)]
    process = started(url, folder)
    deadline = time.monotonic() + 60
    while not (folder.part.exists() and folder.part.stat().st_size >= 100_000):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.kill()
    ended(process)
    other = CONTENT[::-1]
    host.files["/dev.json"] = other
    assert ended(started(url, folder))[0] == 0
    assert folder.final.read_bytes() == other
    assert folder.noted()["sha256"] == hashlib.sha256(other).hexdigest()


def test_a_limit_of_the_file_size_is_told_and_what_came_is_kept(host, url, folder):
    limit = 150_000

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    before = folder.lockfile.path.read_bytes()
    code, _, err = ended(started(url, folder, preexec_fn=limited))
    assert code == 1
    assert f"the questions and paragraphs of HotpotQA can't be kept in {folder.path}: a limit forbids" in err
    assert "Lift the limit (ulimit -f, the file system) and run again (what has come is kept)" in err
    assert not folder.final.exists()
    assert folder.lockfile.path.read_bytes() == before
    assert folder.part.stat().st_size <= limit
    assert ended(started(url, folder))[0] == 0
    assert host.headers_asked("If-Range")[1] == etag(CONTENT)
    assert folder.final.read_bytes() == CONTENT


@pytest.fixture
def small_disk(tmp_path) -> Path:
    """A disk of 256 kB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)]
    try:
        mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("needs the right to mount a small disk")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_disk_too_small_is_told_before_anything_is_written(host, url, folder, small_disk):
    folder.path = small_disk / "hotpotqa"
    code, _, err = ended(started(url, folder))
    assert code == 1
    assert (
        f"no space left for the questions and paragraphs of HotpotQA: 300,047 bytes are needed in {folder.path}"
        in err
    )
    assert "Make room and run again" in err
    assert folder.names() == []


def test_a_disk_too_small_for_what_is_in_an_archive_keeps_the_archive(host, folder, capsys, small_disk):
    host.files["/all.zip"] = WHOLE
    folder.path = small_disk / "hotpotqa"
    text = folder.refused(at(f"{host.url}/all.zip", MEMBER), capsys)
    assert f"300,047 bytes are needed in {folder.path}" in text
    assert folder.part.read_bytes() == WHOLE
    assert [name for name in folder.names() if "member" in name] == []


def test_a_disk_that_fills_up_is_told_and_what_came_is_kept(host, url, folder, small_disk):
    def without_size(http, played):
        http.send_response(200)
        http.send_header("ETag", etag(CONTENT))
        http.send_header("Transfer-Encoding", "chunked")
        http.end_headers()
        for start in range(0, len(CONTENT), 50_000):
            block = CONTENT[start : start + 50_000]
            http.wfile.write(f"{len(block):x}\r\n".encode() + block + b"\r\n")
        http.wfile.write(b"0\r\n\r\n")

    host.faults = [without_size]
    before = folder.lockfile.path.read_bytes()
    folder.path = small_disk / "hotpotqa"
    code, _, err = ended(started(url, folder))
    assert code == 1
    assert (
        f"no space left for the questions and paragraphs of HotpotQA: more is needed in {folder.path}" in err
    )
    assert "dev.json" not in folder.names()
    assert folder.lockfile.path.read_bytes() == before
    assert 0 < folder.part.stat().st_size < len(CONTENT)


@pytest.fixture
def closed_folder(folder, request) -> Path:
    """A folder that can't be written: by its mode, or for one who may write everywhere by its disk."""
    if os.geteuid() != 0:
        folder.path.mkdir()
        folder.path.chmod(0o555)
        yield folder.path
        folder.path.chmod(0o755)
        return
    disk = request.getfixturevalue("small_disk")
    (disk / "hotpotqa").mkdir()
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    yield disk / "hotpotqa"


def test_a_folder_that_cannot_be_written_is_told(host, url, folder, closed_folder):
    folder.path = closed_folder
    code, _, err = ended(started(url, folder))
    assert code == 1
    assert f"can't be kept in {closed_folder}" in err
    assert "Make the folder writable, or choose a folder elsewhere." in err
    assert host.asked == []
    assert list(closed_folder.iterdir()) == []


def test_two_files_of_one_lock_file_are_both_noted(host, folder):
    """Two benchmarks fetched side by side."""
    with served_host() as second:
        host.files["/dev.json"] = second.files["/dev.json"] = CONTENT
        folders = [Folder(folder.path / name, folder.lockfile) for name in ("a", "b")]
        threads = [
            threading.Thread(
                target=ensure_file,
                args=(replace(UNKNOWN, web=WebPath(f"{played.url}/dev.json")), place.path),
                kwargs={"lockfile": place.lockfile, "name": f"{place.path.name}/dev.json", "progress": False},
            )
            for played, place in zip((host, second), folders, strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    noted = json.loads(folder.lockfile.path.read_text())
    assert list(noted) == ["a/dev.json", "b/dev.json", "frames/test.tsv"]
