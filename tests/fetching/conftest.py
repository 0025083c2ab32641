"""Sources on this machine alone: no index of packages but a folder, no hub until a test has one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from leaderboard.fetching import retrying
from leaderboard.fetching.pinned import PinnedFile
from tests.fetching.first_seen import CONTENT, Folder, at
from tests.fetching.sources import Hub, free_address, served_hub
from tests.fetching.web_host import Host, served_host


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


@pytest.fixture
def host() -> Iterator[Host]:
    """A host of plain files."""
    with served_host() as played:
        yield played


@pytest.fixture
def hurried(monkeypatch) -> None:
    """Waits between two tries that no test has to sit through."""
    monkeypatch.setattr(retrying, "FIRST_WAIT_S", 0.001)


@pytest.fixture
def folder(tmp_path) -> Folder:
    """A folder of data with its lock file."""
    return Folder.new(tmp_path)


@pytest.fixture
def file(host) -> PinnedFile:
    """A file of no known digest at a plain address; the host has it."""
    host.files["/data/dev.json"] = CONTENT
    return at(f"{host.url}/data/dev.json")
