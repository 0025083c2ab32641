"""What a host sends in place of data without saying so, told by its first bytes."""

from __future__ import annotations

from pathlib import Path

_HEAD_BYTES = 1024


def what_else(path: Path) -> str:
    """Return in words what ``path`` holds instead of data, "" where it may be data.

    Known: nothing at all, a web page (a login or an error page sent with status 200), a pointer of Git LFS.
    """
    with path.open("rb") as stream:
        head = stream.read(_HEAD_BYTES)
    if not head:
        return "an empty file"
    if head.startswith(b"version https://git-lfs.github.com/spec/"):
        return "a pointer of Git LFS, not the file it points to"
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if text.startswith(b"<!doctype html") or (text.startswith(b"<") and b"<html" in text):
        return "a web page; a proxy or a login page may stand in between"
    return ""
