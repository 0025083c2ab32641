"""Shared by all tests: Hypothesis settings, and the folder of published benchmark files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests.project import Project

# A time limit an example would fail tests on a busy machine, and says nothing about the code.
settings.register_profile("leaderboard", deadline=None)
settings.load_profile("leaderboard")

REPOSITORY = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Folder of published benchmark files: ``LEADERBOARD_DATA_DIR``, else ``shared/data`` beside the repository."""
    named = os.environ.get("LEADERBOARD_DATA_DIR")
    folder = Path(named) if named else REPOSITORY.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"the published benchmark files aren't in {folder}: set LEADERBOARD_DATA_DIR")
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A board with one submission, "one", not yet configured."""
    made = Project(tmp_path)
    made.submit()
    return made
