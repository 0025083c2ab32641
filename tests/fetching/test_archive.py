"""A file comes out of a zip archive as it went in, or the archive is refused; its names are never paths."""

from __future__ import annotations

import hashlib
import io
import struct
import warnings
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from leaderboard.fetching.archive import ArchiveError, extract_member
from leaderboard.fetching.keeping import file_status
from leaderboard.fetching.pinned import ChangedUpstream
from leaderboard.fetching.progress import reporting
from tests.fetching.first_seen import CONTENT, SHA256, at
from tests.fetching.web_host import body, cut, etag

MEMBER = "data/dev.json"
README = b"read me"


def zipped(*entries: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(made, "w", method) as archive:
        warnings.simplefilter("ignore")  # of names that stand there twice
        for name, content in entries:
            archive.writestr(name, content)
    return made.getvalue()


WHOLE = zipped(("README.md", README), (MEMBER, CONTENT))


def encrypted() -> bytes:
    """``WHOLE`` with the flag of encryption in both headers of its member."""
    data = bytearray(WHOLE)
    for signature, flags_at, name_at in ((b"PK\x03\x04", 6, 30), (b"PK\x01\x02", 8, 46)):
        at = data.index(signature)
        while data[at + name_at : at + name_at + len(MEMBER)] != MEMBER.encode():
            at = data.index(signature, at + 1)
        data[at + flags_at] |= 1
    return bytes(data)


def lying(size_bytes: int) -> bytes:
    """``WHOLE`` with another uncompressed size of its member in the directory."""
    data = bytearray(WHOLE)
    at = data.rindex(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", size_bytes)
    return bytes(data)


def link() -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(MEMBER)
    made.external_attr = 0o120777 << 16
    return made


def extract(
    data: bytes, folder: Path, member: str = MEMBER, size_bytes: int | None = None, most: int = 1 << 20
) -> Path:
    archive, target = folder / "some.zip", folder / "out.json"
    archive.write_bytes(data)
    with reporting("some", None, wanted=False) as report:
        extract_member(archive, member, target, report, size_bytes=size_bytes, most_bytes=most)
    return target


def test_the_named_file_is_read_and_no_other(tmp_path):
    assert extract(WHOLE, tmp_path).read_bytes() == CONTENT
    assert extract(WHOLE, tmp_path, "README.md", size_bytes=7, most=0).read_bytes() == README
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["out.json", "some.zip"]


def test_another_entry_that_leads_out_of_the_folder_is_not_touched(tmp_path):
    assert extract(zipped(("../../escaped", b"x"), (MEMBER, CONTENT)), tmp_path).read_bytes() == CONTENT
    assert not list(tmp_path.parent.glob("**/escaped"))


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (zipped(("deep/dev.json", b"1"), ("a", b"1"), ("b", b"1"), ("c", b"1")),
         "has no 'data/dev.json'; found 'deep/dev.json', 'a', 'b' and 1 more"),
        (zipped(), "has no 'data/dev.json'; found no file"),
        (zipped((MEMBER, CONTENT), (MEMBER, b"other")), "has 'data/dev.json' 2 times; expected it once"),
        (encrypted(), "'data/dev.json' is encrypted in the archive"),
        (zipped((link(), b"/etc/passwd")), "no plain file in the archive, but a folder, a link or a device"),
        (zipped((MEMBER, CONTENT), method=zipfile.ZIP_LZMA), "is compressed by method 14; expected it stored or deflated"),
        (zipped((MEMBER, bytes(1_048_577))), "has 1,048,577 bytes, more than the 1,048,576 allowed"),
        (lying(1_000), "found one that is damaged or cut off (Bad CRC-32"),
        (lying(400_000), "found one that is damaged or cut off"),
        (WHOLE[:-30], "found one that is damaged or cut off (File is not a zip file)"),
        (WHOLE[:-200] + b"x" * 20 + WHOLE[-180:], "found one that is damaged or cut off"),
        (WHOLE.replace(b"PK\x03\x04", b"PK\x03\x05"), "found one that is damaged or cut off"),
        (b"<html>Log in</html>", "found a web page"),
        (b"", "found an empty file"),
    ],
    ids=["missing", "nothing", "twice", "encrypted", "link", "lzma", "bomb", "longer than told", "shorter than told",
         "cut", "bytes", "headers", "page", "empty"],
)  # fmt: skip
def test_an_archive_that_is_not_as_it_should_be_is_refused(tmp_path, data, told):
    with pytest.raises(ArchiveError) as caught:
        extract(data, tmp_path)
    assert told in str(caught.value)
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize("member", ["../dev.json", "a/../../dev.json", "/dev.json", "C:dev.json", "a/.."])
def test_a_member_that_leads_out_of_its_folder_is_refused(tmp_path, member):
    with pytest.raises(ArchiveError, match="leads out of its folder; expected a plain relative path"):
        extract(zipped((member, CONTENT)), tmp_path, member)


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(ArchiveError, match="no plain file"):
        extract(zipped(("data/", b"")), tmp_path, "data/")


def test_a_declared_size_is_held_to(tmp_path):
    with pytest.raises(ArchiveError, match=r"'data/dev\.json': expected 5 bytes, found 300,047"):
        extract(WHOLE, tmp_path, size_bytes=5)


SMALL = zipped(("README.md", README), (MEMBER, b"some text " * 20))


@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    damage=st.dictionaries(st.integers(0, len(SMALL) - 1), st.integers(0, 255), min_size=1, max_size=4),
    cut_at=st.just(len(SMALL)) | st.integers(1, len(SMALL)),
)
@example(damage={SMALL.index(b"PK\x05\x06") + 19: 255}, cut_at=len(SMALL))
@example(damage={SMALL.rindex(b"PK\x01\x02") + 45: 255}, cut_at=len(SMALL))
@example(damage={len(SMALL) - 6: 255}, cut_at=len(SMALL))
def test_whatever_is_damaged_the_file_is_right_or_the_archive_refused(tmp_path, damage, cut_at):
    data = bytearray(SMALL)
    for place, value in damage.items():
        data[place] = value
    try:
        assert extract(bytes(data[:cut_at]), tmp_path).read_bytes() == b"some text " * 20
    except ArchiveError:
        assert not (tmp_path / "out.json").exists()


@pytest.fixture
def file(host):
    host.files["/data/all.zip"] = WHOLE
    return at(f"{host.url}/data/all.zip", MEMBER)


def test_the_file_in_an_archive_is_noted_and_the_archive_deleted(host, file, folder):
    assert folder.ensure(file).read_bytes() == CONTENT
    assert folder.noted()["sha256"] == SHA256
    assert folder.noted()["bytes"] == len(CONTENT)
    assert folder.noted()["source"] == f"{host.url}/data/all.zip, member data/dev.json"
    assert folder.names() == ["dev.json", "dev.json.json"]


def test_an_archive_is_gone_on_with_after_a_break(host, file, folder, hurried):
    host.faults = [cut(200)]
    assert folder.ensure(file).read_bytes() == CONTENT
    assert host.headers_asked("If-Range") == [None, etag(WHOLE)]


def test_a_kept_archive_is_not_fetched_again_when_only_the_extraction_failed(host, file, folder, capsys):
    member = folder.part.with_name("dev.json.web.part.member")
    member.mkdir(parents=True)
    text = folder.refused(file, capsys)
    assert f"can't be kept in {folder.path}" in text
    assert folder.part.read_bytes() == WHOLE
    assert file_status(file, folder.path).state == "partial"
    member.rmdir()
    assert folder.ensure(file).read_bytes() == CONTENT
    assert len(host.asked) == 1


@pytest.mark.parametrize(
    "found", [WHOLE[:-1], WHOLE[:-30], zipped(("other.json", CONTENT)), b"<html>", encrypted()]
)
def test_a_broken_archive_is_told_deleted_and_never_noted(host, file, folder, capsys, found):
    host.faults = [body(found)]
    text = folder.refused(file, capsys)
    assert "web: all.zip of 127.0.0.1:" in text
    assert text.count("the archive was deleted") == 1
    assert f"put data/dev.json in all.zip of 127.0.0.1:{host.url.rpartition(':')[2]}" in text
    assert folder.names() == []


def test_an_archive_with_another_file_is_a_change_upstream(host, file, folder, capsys):
    folder.ensure(file)
    folder.final.unlink()
    other = b"x" + CONTENT[1:]
    host.files["/data/all.zip"] = zipped((MEMBER, other))
    text = folder.refused(file, capsys, kind=ChangedUpstream)
    assert f"expected sha256 {SHA256}, found {hashlib.sha256(other).hexdigest()}" in text
    assert folder.names() == ["dev.json.json"]
    host.files["/data/all.zip"] = zipped((MEMBER, other + b"y"))
    text = folder.refused(file, capsys, kind=ChangedUpstream)
    assert "changed upstream: all.zip of" in text
    assert "'data/dev.json': expected 300,047 bytes, found 300,048" in text


def test_a_page_in_an_archive_is_not_noted(host, file, folder, capsys):
    host.files["/data/all.zip"] = zipped((MEMBER, b"<!doctype html>"))
    assert "expected dev.json, found a web page" in folder.refused(file, capsys)


def test_the_limits_hold_for_the_archive_and_for_what_is_in_it(host, file, folder, capsys):
    text = folder.refused(file, capsys, most_bytes=len(WHOLE) - 1)
    assert "all.zip has more than the" in text
    text = folder.refused(file, capsys, most_bytes=len(WHOLE))
    assert f"'data/dev.json' has {len(CONTENT):,} bytes, more than the {len(WHOLE):,} allowed" in text
    declared = replace(file, size_bytes=len(CONTENT))
    assert folder.ensure(declared, most_bytes=len(WHOLE)).read_bytes() == CONTENT
