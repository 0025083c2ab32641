"""A folder for submissions, named ``s`` so that the places in errors are short."""

from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("s").mkdir()
    return Path("s")
