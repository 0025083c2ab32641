"""The call store: commits before it returns, never unpickles, and says what to do when it cannot be used."""

from __future__ import annotations

import json
import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from leaderboard.calls.keys import Draw, call_key, canonical_request
from leaderboard.calls.store import CallStore, CallStoreError, StoredCall

IDENTITY = {"endpoint": "test"}


def request(text="hello", draw=None):
    body = {"model": "m", "messages": [{"role": "user", "content": text}], "temperature": 0.0}
    return canonical_request(IDENTITY, body, draw or Draw())


def call(text="hello", said="hi", draw=None):
    asked = request(text, draw)
    response = {
        "text": said,
        "finish_reason": "stop",
        "prompt_tokens": 3,
        "completion_tokens": 1,
        "cached_tokens": 0,
        "model_version": "m-1",
        "raw": {"id": "1"},
    }
    return StoredCall(call_key(asked), asked, response, 0.25, None, "2026-11-29T00:00:00+00:00")


@pytest.fixture
def store(tmp_path):
    opened = CallStore(tmp_path / "calls")
    yield opened
    opened.close()


def test_a_key_depends_on_everything_that_is_sent_and_on_the_draw():
    base = request()
    variants = [
        request("hello "),
        canonical_request({"endpoint": "other"}, base["body"], Draw()),
        canonical_request(IDENTITY, {**base["body"], "temperature": 0.1}, Draw()),
        canonical_request(IDENTITY, {**base["body"], "max_tokens": 5}, Draw()),
        canonical_request(IDENTITY, base["body"], Draw(rollout=1)),
        canonical_request(IDENTITY, base["body"], Draw(sample=1)),
    ]
    keys = {call_key(variant) for variant in [base, *variants]}
    assert len(keys) == 7


def test_a_key_does_not_depend_on_the_order_of_fields():
    body = request()["body"]
    turned = canonical_request(IDENTITY, dict(reversed(body.items())), Draw())
    assert call_key(turned) == call_key(request())


def test_the_key_of_a_known_request_never_changes():
    # A change here makes every recorded call of every board unfindable.
    assert call_key(request()) == "6fcd2185ed631f33af7e0418c05d5934a0b512402e9e253e5b5f0e75514d1fb5"


def test_a_call_comes_back_as_it_was_stored_and_survives_reopening(tmp_path):
    one = call(said="“ünïcode” \U0001f600 " + "x" * 100_000)
    first = CallStore(tmp_path / "calls")
    first.put(one)
    first.close()
    again = CallStore(tmp_path / "calls")
    assert again.get(one.key) == one
    assert again.get("f" * 64) is None
    again.close()


def test_the_first_recording_of_a_key_stays(store):
    store.put(call(said="first"))
    store.put(call(said="second"))
    assert store.get(call().key).response["text"] == "first"


def test_merging_reports_conflicts_and_adds_the_rest(store):
    store.put(call(said="mine"))
    conflicts = store.merge([call(said="theirs"), call("other")])
    assert conflicts == (call().key,)
    assert store.get(call().key).response["text"] == "mine"
    assert store.get(call("other").key) == call("other")


def test_two_equal_calls_in_flight_are_one_call(store):
    asked = []

    def ask(key):
        asked.append(key)
        time.sleep(0.2)
        return call()

    results = []
    threads = [threading.Thread(target=lambda: results.append(store.once(request(), ask))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(asked) == 1
    assert sorted(replayed for _, replayed in results) == [False] + [True] * 7


def test_what_is_returned_is_what_is_stored_where_another_process_was_first(store):
    other = CallStore(store.folder)

    def ask(key):
        other.put(call(said="theirs"))
        return call(said="mine")

    assert store.once(request(), ask) == (call(said="theirs"), False)
    assert store.get(call().key) == call(said="theirs")
    other.close()


def test_a_failed_call_leaves_nothing_and_the_next_one_asks_again(store):
    with pytest.raises(RuntimeError):
        store.once(request(), lambda _: (_ for _ in ()).throw(RuntimeError("down")))
    found, replayed = store.once(request(), lambda _: call())
    assert (found, replayed) == (call(), False)


def rows_of(store, sql, *values):
    with sqlite3.connect(store.folder / "cache.db") as database:
        database.execute(sql, values)


class Trap:
    def __reduce__(self):
        return (os.mkdir, (os.environ["TRAP"],))


@pytest.mark.parametrize("mode", [1, 2, 3, 4])
def test_a_crafted_row_is_refused_and_its_code_does_not_run(store, tmp_path, monkeypatch, mode):
    monkeypatch.setenv("TRAP", str(tmp_path / "trapped"))
    store.put(call())
    rows_of(
        store, "UPDATE Cache SET mode = ?, value = ? WHERE key = ?", mode, pickle.dumps(Trap()), call().key
    )
    with pytest.raises(CallStoreError, match="not text"):
        store.get(call().key)
    assert not (tmp_path / "trapped").exists()


@pytest.mark.parametrize(
    "text",
    ["not json", "[]", "{}", "null", "[" * 100_000, json.dumps({"key": "x"}), "\x00"],
    ids=["words", "list", "empty", "null", "deep", "partial", "nul"],
)
def test_a_row_that_is_not_a_call_is_an_error_that_names_it(store, text):
    store.put(call())
    rows_of(store, "UPDATE Cache SET value = ? WHERE key = ?", text, call().key)
    with pytest.raises(CallStoreError, match=f"call {call().key[:12]}"):
        store.get(call().key)


def test_a_row_stored_under_another_key_is_refused(store):
    store.put(call())
    rows_of(store, "UPDATE Cache SET key = ? WHERE key = ?", "a" * 64, call().key)
    with pytest.raises(CallStoreError, match="call aaaaaaaaaaaa"):
        store.get("a" * 64)


@pytest.mark.parametrize("damage", ["header", "zeros", "text"])
def test_a_damaged_database_names_the_folder_and_says_what_to_do(tmp_path, damage):
    folder = tmp_path / "calls"
    store = CallStore(folder)
    for number in range(200):
        store.put(call(f"q{number}"))
    store.close()
    for leftover in folder.glob("cache.db-*"):
        leftover.unlink()
    database = folder / "cache.db"
    content = bytearray(database.read_bytes())
    if damage == "header":
        content[:100] = b"\xff" * 100
    elif damage == "zeros":
        content[4096:] = bytes(len(content) - 4096)
    else:
        content = bytearray(b"this is not a database, it is a text file that took its place\n" * 200)
    database.write_bytes(content)
    with pytest.raises(CallStoreError) as caught:
        CallStore(folder)
    assert str(folder) in str(caught.value)
    assert "damaged" in str(caught.value) and "mv " in str(caught.value)
    assert database.read_bytes() == bytes(content), "nothing is thrown away"


def run(code, *arguments, **options):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
        **options,
    )


def test_a_read_only_store_is_refused_before_any_call(tmp_path):
    folder = tmp_path / "calls"
    CallStore(folder).close()
    for path in [*folder.iterdir(), folder]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    for parent in [tmp_path, *tmp_path.parents][:3]:
        parent.chmod(parent.stat().st_mode | 0o055)
    code = """
        import os, sys
        from pathlib import Path
        from leaderboard.calls.store import CallStore, CallStoreError
        if os.getuid() == 0:
            os.setgid(65534); os.setuid(65534)
        try:
            CallStore(Path(sys.argv[1]))
        except CallStoreError as error:
            print(error)
    """
    done = run(code, folder)
    assert "cannot be written" in done.stdout and str(folder) in done.stdout, done.stdout + done.stderr


def test_on_a_full_disk_the_response_is_kept_elsewhere_and_the_error_names_it(tmp_path):
    code = """
        import resource, signal, sys
        from pathlib import Path
        from leaderboard.calls.store import CallStore, CallStoreError
        from tests.calls.test_store import call
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        store = CallStore(Path(sys.argv[1]))
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
        kept = 0
        try:
            for number in range(1000):
                store.put(call(f"q{number}", said="x" * 20_000))
                kept += 1
        except CallStoreError as error:
            print(kept)
            print(error)
    """
    done = run(code, tmp_path / "calls", env={**os.environ, "TMPDIR": str(tmp_path)})
    kept, message = done.stdout.splitlines()
    assert 0 < int(kept) < 1000
    assert "the disk is full" in message
    rescued = Path(message.rsplit("saved as ", 1)[1])
    assert json.loads(rescued.read_text())["response"]["text"] == "x" * 20_000
    store = CallStore(tmp_path / "calls")
    assert all(store.get(call(f"q{number}").key) for number in range(int(kept))), (
        "what was acknowledged is there"
    )


def test_too_little_space_is_said_before_a_call_is_made(store, monkeypatch):
    free = 5 << 20
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("usage", (), {"free": free}))
    with pytest.raises(CallStoreError, match="5 MiB free, expected at least 64"):
        store.require_space()


def test_a_killed_process_loses_nothing_it_acknowledged(tmp_path):
    code = """
        import sys
        from pathlib import Path
        from leaderboard.calls.store import CallStore
        from tests.calls.test_store import call
        store = CallStore(Path(sys.argv[1]))
        for number in range(100_000):
            store.put(call(f"q{number}"))
            print(number, flush=True)
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "calls")],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    acknowledged = 0
    for line in process.stdout:
        acknowledged = int(line)
        if acknowledged == 50:
            process.send_signal(signal.SIGKILL)
    process.wait()
    assert acknowledged >= 50
    store = CallStore(tmp_path / "calls")
    assert all(store.get(call(f"q{number}").key) == call(f"q{number}") for number in range(acknowledged + 1))
