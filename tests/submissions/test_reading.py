"""Files that can't be read as TOML: what they are, and where the fault stands."""

import os
import socket
from pathlib import Path

import pytest

from leaderboard.submissions.load import load_submission
from tests.submissions.faulty import errors_in, errors_of

GOOD = """\
[system]
name = "A"
authors = ["B"]
description = "C."

[lm]
model = "embedded/m"

[retriever]
kind = "bm25"

[program]
kind = "single_step"
"""


def changed(old: str, new: str) -> str:
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new)


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (
            changed('model = "embedded/m"', 'model "embedded/m"'),
            "7:7: expected valid TOML, found `\"embedded/m\"` (expected '=' after a key in a key/value pair)",
        ),
        ("[system]\nname = ", "2:8: expected valid TOML, found the end of the file (invalid value)"),
        (
            "[system\nname = 1\n",
            "1:8: expected valid TOML, found the end of the line "
            "(expected ']' at the end of a table declaration)",
        ),
        ("a = 1\na = 2\n", "2:6: expected valid TOML, found the end of the line (cannot overwrite a value)"),
        ('é = "a"\n', '1:1: expected valid TOML, found `é = "a"` (invalid statement)'),
        (
            "x = 'é' \x00\n",
            "1:9: expected valid TOML, found `\\x00` (expected newline or end of document after a statement)",
        ),
        (
            "x = 1 " + "y" * 500,
            "1:7: expected valid TOML, found `"
            + "y" * 77
            + "…` (expected newline or end of document after a statement)",
        ),
        (
            "x = " + "[" * 1900,
            "1:1: expected tables and arrays a few levels deep, found nesting too deep to read",
        ),
        (
            "x." + "a." * 4000 + "b = 1",
            "1:2001: expected lines of at most 2000 characters, found one of 8007",
        ),
    ],
)
def test_syntax_errors_stand_where_they_are(folder, bad, said):
    assert errors_in(folder, bad) == [f"s/xx.toml:{said}"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"a = 1\nb = '\xc3\xa9\xff'\n", "2:7: expected UTF-8, found the byte 0xff (byte 14 of the file)"),
        (b"\xff", "1:1: expected UTF-8, found the byte 0xff (byte 1 of the file)"),
        (GOOD.encode("utf-16-le"), "1:2: expected valid TOML, found `\\x00s\\x00y\\x00"),
        (
            b"\xef\xbb\xbf" + GOOD.encode(),
            "1:1: expected UTF-8 without a byte order mark, found a byte order mark",
        ),
        (b"x" * 10_000_000, "1:1: expected at most 65,536 bytes, found 10,000,000 bytes"),
        (b"#" * 65_537, "1:1: expected at most 65,536 bytes, found 65,537 bytes"),
    ],
)
def test_bytes_that_are_no_submission(folder, data, said):
    [error] = errors_in(folder, data)
    assert error.startswith(f"s/xx.toml:{said}")


def test_a_large_file_is_never_read(folder, monkeypatch):
    (folder / "xx.toml").write_bytes(b"x" * 10_000_000)
    monkeypatch.setattr(Path, "open", None)
    assert errors_of(folder / "xx.toml") == [
        "s/xx.toml:1:1: expected at most 65,536 bytes, found 10,000,000 bytes"
    ]


def test_links_out_of_the_folder_are_refused(folder):
    outside = folder.parent / "outside.toml"
    outside.write_text(GOOD)
    for target in (outside.absolute(), "../outside.toml", "/etc/passwd", "/nowhere/at/all"):
        (folder / "xx.toml").unlink(missing_ok=True)
        (folder / "xx.toml").symlink_to(target)
        assert errors_of(folder / "xx.toml") == [
            "s/xx.toml:1:1: expected a file of this folder, found a link that leaves it"
        ]


def test_a_link_within_the_folder_is_a_file(folder):
    (folder / "aa.toml").write_text(GOOD)
    (folder / "xx.toml").symlink_to("aa.toml")
    assert load_submission(folder / "xx.toml").key == "xx"


def test_what_is_no_regular_file_is_never_opened(folder):
    (folder / "folder.toml").mkdir()
    os.mkfifo(folder / "pipe.toml")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s/socket.toml")
    (folder / "loop.toml").symlink_to("loop.toml")
    (folder / "nearby.toml").write_text(GOOD)
    said = {
        "folder": "a regular file, found a folder",
        "pipe": "a regular file, found a device, pipe or socket",
        "socket": "a regular file, found a device, pipe or socket",
        "loop": "a file that can be read, found Too many levels of symbolic links",
        "near-by": 'a file, found nothing at this path (did you mean "nearby.toml"?)',
    }
    for name, rest in said.items():
        assert errors_of(folder / f"{name}.toml") == [f"s/{name}.toml:1:1: expected {rest}"]
