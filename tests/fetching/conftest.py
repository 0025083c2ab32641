"""Sources on this machine alone: no index of packages but a folder, no hub until a test has one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fetching.sources import Hub, free_address, served_hub


@pytest.fixture(autouse=True)
def wheels(monkeypatch, tmp_path) -> Path:
    """The folder where pip finds packages."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setenv("HF_ENDPOINT", free_address())
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def hub(monkeypatch) -> Iterator[Hub]:
    with served_hub() as played:
        monkeypatch.setenv("HF_ENDPOINT", played.url)
        yield played
