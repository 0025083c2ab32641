"""A stage for programs: its store and its indexes in a folder of the test."""

import pytest

from tests.programs.played import Stage


@pytest.fixture
def stage(tmp_path, monkeypatch):
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path / "cache"))
    opened = Stage(tmp_path)
    yield opened
    opened.store.close()
