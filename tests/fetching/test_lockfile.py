"""A lock file holds what was first seen: it is merged, never overwritten, and a broken one is told by its line."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.fetching import lockfile as lockfile_module
from leaderboard.fetching.lockfile import LockEntry, Lockfile, LockfileError
from leaderboard.fetching.pinned import ChangedUpstream

A, B = "a" * 64, "b" * 64
SOURCE = "https://host.example/dev.json"


@pytest.fixture
def lock(tmp_path) -> Lockfile:
    return Lockfile(tmp_path / "deep" / "data.lock.json")


def test_a_file_that_is_not_there_has_no_entries(lock):
    assert lock.read() == {}
    assert lock.entry("two_wiki/dev.json") is None
    assert not lock.path.parent.exists()


def test_the_text_is_canonical(lock):
    before = datetime.now(UTC).date()
    noted = lock.note("musique/dev.jsonl", sha256=B, size_bytes=12, source="datasets/a/b@main: dev.jsonl")
    lock.note("frames/ü.tsv", sha256=A, size_bytes=0, source=SOURCE)
    day = noted.first_seen.isoformat()
    assert before <= noted.first_seen <= datetime.now(UTC).date()
    assert lock.path.read_text(encoding="utf-8") == (
        "{\n"
        '  "frames/ü.tsv": {\n'
        '    "bytes": 0,\n'
        f'    "first_seen": "{day}",\n'
        f'    "sha256": "{A}",\n'
        f'    "source": "{SOURCE}"\n'
        "  },\n"
        '  "musique/dev.jsonl": {\n'
        '    "bytes": 12,\n'
        f'    "first_seen": "{day}",\n'
        f'    "sha256": "{B}",\n'
        '    "source": "datasets/a/b@main: dev.jsonl"\n'
        "  }\n"
        "}\n"
    )
    assert lock.entry("musique/dev.jsonl") == noted


def test_the_same_digest_again_changes_nothing(lock):
    lock.note("a", sha256=A, size_bytes=1, source=SOURCE)
    text = lock.path.read_text().replace(datetime.now(UTC).date().isoformat(), "2024-02-29")
    lock.path.write_text(text)
    again = lock.note("a", sha256=A, size_bytes=1, source="elsewhere")
    assert again == LockEntry(A, 1, SOURCE, date(2024, 2, 29))
    assert lock.path.read_text() == text


def test_another_digest_is_an_error_and_the_first_one_stays(lock):
    first = lock.note("a", sha256=A, size_bytes=1, source=SOURCE)
    text = lock.path.read_bytes()
    with pytest.raises(ChangedUpstream) as caught:
        lock.note("a", sha256=B, size_bytes=1, source="https://other.example/a")
    assert str(caught.value) == (
        f"a changed upstream: expected sha256 {A} (first seen {first.first_seen}, {lock.path}), found {B} from "
        f"https://other.example/a. To accept the new file, take the entry of a out of {lock.path} and run again."
    )
    assert lock.path.read_bytes() == text


ENTRY = f'{{"sha256": "{A}", "bytes": 1, "source": "x", "first_seen": "2026-01-31"}}'


def lines(**changed: object) -> str:
    entry = {"sha256": A, "bytes": 1, "source": "x", "first_seen": "2026-01-31"} | changed
    return json.dumps({"before": json.loads(ENTRY), "name": entry}, indent=1)


@pytest.mark.parametrize(
    ("text", "line", "expected", "found"),
    [
        ("", 1, "JSON (Expecting value)", "the end of the file"),
        ('{\n"a": \n', 3, "JSON (Expecting value)", "the end of the file"),
        (f'{{\n"a": {ENTRY},\n\n]\n', 4, "JSON", "']\\n'"),
        (f'{{\n"a":\n<<<<<<< ours\n{ENTRY}\n=======\n{ENTRY}\n>>>>>>> theirs\n}}', 3, "JSON",
         "a conflict of two versions (<<<<<<<)"),
        ("[]", 1, "an object of names", "list"),
        ("[" * 100_000, 1, "JSON", "numbers too long or brackets too deep"),
        (f'{{\n"a": {ENTRY},\n"a": {ENTRY}}}', 3, "every name once", "'a' twice"),
        (f'{{\n"a\\n": {ENTRY}}}', 2, "a printable name of a file", "'a\\n'"),
        (f'{{"": {ENTRY}}}', 1, "a printable name of a file", "''"),
        ('{\n"a": 5}', 2, "sha256, bytes, source, first_seen of 'a'", "int"),
        ('{\n"a": {}}', 2, "sha256, bytes, source, first_seen of 'a'", "nothing"),
        (f'{{\n"a": {ENTRY[:-1]}, "more": 1}}}}', 2, "sha256, bytes, source, first_seen of 'a'",
         "bytes, first_seen, more, sha256, source"),
        (lines(sha256=A.upper()), 9, "64 lower-case hex digits as sha256 of 'name'", repr(A.upper())),
        (lines(sha256="a" * 63 + "\n"), 9, "64 lower-case hex digits as sha256 of 'name'", repr("a" * 63 + "\n")),
        (lines(bytes=-1), 10, "a whole number as bytes of 'name'", "-1"),
        (lines(bytes=True), 10, "a whole number as bytes of 'name'", "True"),
        (lines(bytes=float("nan")), 10, "a whole number as bytes of 'name'", "nan"),
        (lines(source="a\nb"), 11, "a line of text as source of 'name'", "'a\\nb'"),
        (lines(source=None), 11, "a line of text as source of 'name'", "None"),
        (lines(first_seen="2026-02-30"), 12, "a day such as 2026-01-31 as first_seen of 'name'", "'2026-02-30'"),
        (lines(first_seen="20260131"), 12, "a day such as 2026-01-31 as first_seen of 'name'", "'20260131'"),
        ('{"a": ' + "9" * 5_000 + "}", 1, "JSON", "numbers too long or brackets too deep"),
    ],
)  # fmt: skip
def test_a_broken_file_is_told_by_line_expected_and_found(lock, text, line, expected, found):
    lock.path.parent.mkdir()
    lock.path.write_text(text)
    for use in (lock.read, lambda: lock.note("new", sha256=A, size_bytes=1, source="x")):
        with pytest.raises(LockfileError) as caught:
            use()
        said = str(caught.value)
        assert said.startswith(f"{lock.path}:{line}: expected {expected}")
        assert f"found {found}. Correct the line, or take the file as it was committed last." in said
    assert lock.path.read_text() == text


def test_bytes_that_are_no_text_are_told(lock):
    lock.path.parent.mkdir()
    lock.path.write_bytes(b'{\n\n"\xff": 1}')
    with pytest.raises(LockfileError, match=r"data\.lock\.json:3: expected UTF-8, found byte 0xff"):
        lock.read()


def test_a_file_that_is_far_too_large_is_not_read(lock, monkeypatch):
    monkeypatch.setattr(lockfile_module, "LARGEST_BYTES", 10)
    lock.path.parent.mkdir()
    lock.path.write_bytes(b" " * 11)
    with pytest.raises(LockfileError, match="expected at most 10 bytes, found more"):
        lock.read()


def test_a_folder_in_its_place_is_told(lock):
    lock.path.mkdir(parents=True)
    with pytest.raises(LockfileError, match="can't be read: Is a directory; make it a readable file"):
        lock.read()


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(LockfileError) as caught:
        Lockfile(tmp_path / "file" / "data.lock.json").note("a", sha256=A, size_bytes=1, source="x")
    assert f"a (sha256 {A}) was not noted. Make the folder writable and run again." in str(caught.value)


@pytest.mark.parametrize(
    ("name", "sha256", "size_bytes"), [("", A, 1), ("a\nb", A, 1), ("a", "A" * 64, 1), ("a", A, -1)]
)
def test_what_could_not_be_read_again_is_not_written(lock, name, sha256, size_bytes):
    with pytest.raises(ValueError, match="no entry of a lock file"):
        lock.note(name, sha256=sha256, size_bytes=size_bytes, source="x")
    assert not lock.path.exists()


@given(st.text(max_size=200) | st.recursive(st.none() | st.text(), st.lists).map(json.dumps))
def test_whatever_stands_there_it_is_read_or_told(tmp_path_factory, text):
    lock = Lockfile(tmp_path_factory.mktemp("lock") / "data.lock.json")
    lock.path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        assert lock.read() == {}
    except LockfileError as error:
        assert f"{lock.path}:" in str(error)


NOTE = """
import sys
from pathlib import Path
from leaderboard.fetching.lockfile import Lockfile
path, who = sys.argv[1:]
for number in range(15):
    Lockfile(Path(path)).note(f"{who}/{number}", sha256="a" * 64, size_bytes=number, source="x")
"""


def test_what_several_processes_note_is_all_there(lock):
    environment = {"PYTHONPATH": str(Path(__file__).parents[2])}
    processes = [
        subprocess.Popen([sys.executable, "-c", NOTE, str(lock.path), who], env=environment) for who in "abc"
    ]
    assert [process.wait(timeout=120) for process in processes] == [0, 0, 0]
    assert set(lock.read()) == {f"{who}/{number}" for who in "abc" for number in range(15)}
    assert sorted(path.name for path in lock.path.parent.iterdir()) == [
        ".data.lock.json.lock",
        "data.lock.json",
    ]
