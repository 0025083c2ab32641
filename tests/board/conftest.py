import pytest


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    """Indexes of the tiny corpora go where the test's own files are."""
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
