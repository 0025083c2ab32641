"""A file of no known digest is noted when it is first seen, and held to from then on."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from leaderboard.fetching.keeping import ensure_file, file_status
from leaderboard.fetching.pinned import ChangedUpstream, FetchError, HubPath
from tests.fetching.first_seen import CONTENT, NAME, OTHER, SHA256
from tests.fetching.web_host import (
    serve_well,
)

pytestmark = pytest.mark.usefixtures("hurried")


def today() -> str:
    return datetime.now(UTC).date().isoformat()


def test_a_file_is_noted_when_it_is_first_seen_and_held_to_from_then_on(host, file, folder, capsys):
    before = today()
    assert folder.ensure(file).read_bytes() == CONTENT
    noted = folder.noted()
    assert noted["first_seen"] in (before, today())
    assert noted == {
        "sha256": SHA256,
        "bytes": len(CONTENT),
        "source": f"{host.url}/data/dev.json",
        "first_seen": noted["first_seen"],
    }
    assert f"HotpotQA: first seen: sha256 {SHA256}, noted in data.lock.json" in capsys.readouterr().err
    assert folder.names() == ["dev.json", "dev.json.json"]
    assert file_status(file, folder.path, lockfile=folder.lockfile, name=NAME).state == "verified"
    folder.ensure(file)
    folder.ensure(file, offline=True)
    assert len(host.asked) == 1


def test_a_file_of_another_size_is_told_before_it_is_fetched(host, file, folder, capsys):
    folder.ensure(file)
    folder.final.unlink()
    host.files["/data/dev.json"] = OTHER
    text = folder.refused(file, capsys, kind=ChangedUpstream)
    assert "web: changed upstream: 127.0.0.1:" in text
    assert "has another file as dev.json: expected 300,047 bytes, found 299,046" in text
    assert f"take the entry of {NAME} out of {folder.lockfile.path} and run again." in text
    assert not folder.part.exists()


def test_a_file_that_changed_upstream_is_told_with_both_digests_and_what_to_do(host, file, folder, capsys):
    folder.ensure(file)
    folder.final.unlink()
    other = CONTENT[:-1] + b" "
    host.files["/data/dev.json"] = other
    text = folder.refused(file, capsys, kind=ChangedUpstream)
    found = hashlib.sha256(other).hexdigest()
    assert f"web: changed upstream: expected sha256 {SHA256}, found {found}; the file was deleted" in text
    assert text.endswith(
        f"To accept the new file, take the entry of {NAME} out of {folder.lockfile.path} and run again."
    )
    assert folder.names() == ["dev.json.json"]


def test_a_pinned_digest_that_no_longer_matches_is_told_as_well(host, file, folder, capsys):
    pinned = replace(file, sha256="0" * 64)
    text = folder.refused(pinned, capsys, kind=ChangedUpstream)
    assert f"changed upstream: expected sha256 {'0' * 64}, found {SHA256}" in text
    assert text.endswith("to accept it, pin its digest where the file is declared.")


def test_offline_asks_nobody(host, file, folder, capsys):
    text = folder.refused(file, capsys, offline=True)
    assert "offline: nothing was fetched" in text
    assert f"at {folder.final}" in text
    assert host.asked == []


def test_a_file_that_lies_there_is_noted_as_found_here(host, file, folder, capsys):
    folder.path.mkdir()
    folder.final.write_bytes(CONTENT)
    assert file_status(file, folder.path).state == "unverified"
    folder.ensure(file, offline=True)
    assert folder.noted() == {
        "sha256": SHA256,
        "bytes": len(CONTENT),
        "source": "found here",
        "first_seen": folder.noted()["first_seen"],
    }
    assert f"found here: sha256 {SHA256}, noted in data.lock.json" in capsys.readouterr().err
    assert host.asked == []


@pytest.mark.parametrize(
    ("content", "size_bytes", "found"),
    [
        (b"<html>", None, "found a web page"),
        (b"", None, "found an empty file"),
        (b"[]", 3, "found 2 bytes where 3 were expected"),
    ],
)
def test_what_lies_there_and_is_no_data_is_left_and_not_noted(file, folder, content, size_bytes, found):
    folder.path.mkdir()
    folder.final.write_bytes(content)
    before = folder.lockfile.path.read_bytes()
    with pytest.raises(FetchError) as caught:
        folder.ensure(replace(file, size_bytes=size_bytes))
    assert found in str(caught.value)
    assert "move it away and run again" in str(caught.value)
    assert folder.final.read_bytes() == content
    assert folder.lockfile.path.read_bytes() == before


def test_somebodys_other_file_is_left_and_told(host, file, folder):
    folder.ensure(file)
    folder.final.write_bytes(OTHER)
    assert file_status(file, folder.path, lockfile=folder.lockfile, name=NAME).state == "unverified"
    with pytest.raises(FetchError) as caught:
        folder.ensure(file)
    assert f"expected sha256 {SHA256} (first seen, {folder.lockfile.path})" in str(caught.value)
    assert f"found {hashlib.sha256(OTHER).hexdigest()}" in str(caught.value)
    assert folder.final.read_bytes() == OTHER
    assert len(host.asked) == 1


def test_another_digest_noted_meanwhile_is_an_error_and_stays(host, file, folder, capsys):
    def noted_meanwhile(http, played):
        folder.lockfile.note(NAME, sha256="f" * 64, size_bytes=3, source="https://host.example/dev.json")
        serve_well(http, played)

    host.faults = [noted_meanwhile]
    with pytest.raises(ChangedUpstream, match=f"expected sha256 {'f' * 64}"):
        folder.ensure(file)
    assert folder.noted()["sha256"] == "f" * 64
    assert folder.names() == []


def test_without_a_lock_file_an_unknown_digest_is_an_error(host, file, folder):
    with pytest.raises(FetchError, match="expected its SHA-256, found none, and no lock file"):
        ensure_file(file, folder.path)
    assert host.asked == []


def test_a_broken_lock_file_is_told_before_anybody_is_asked(host, file, folder):
    folder.lockfile.path.write_text('{\n  "a": 1,\n')
    with pytest.raises(FetchError, match=r"data\.lock\.json:3: expected JSON"):
        folder.ensure(file)
    assert host.asked == []


def test_a_declared_size_beside_another_one_noted_is_told(host, file, folder):
    folder.ensure(file)
    with pytest.raises(
        FetchError, match=r"expected 5 bytes as declared, found 300,047 noted in .*data\.lock"
    ):
        folder.ensure(replace(file, size_bytes=5))


def test_the_hub_is_asked_first_and_the_plain_address_after_it(host, hub, file, folder):
    hub.content = CONTENT
    both = replace(file, hub=HubPath("datasets/example/hotpot", "v1", "data/dev.json"))
    hub.faults = ["404"]
    folder.ensure(both)
    assert (len(hub.paths), len(host.asked)) == (1, 1)
    assert folder.noted()["source"] == f"{host.url}/data/dev.json"
