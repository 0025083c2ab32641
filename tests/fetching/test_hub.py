"""A file of unknown size comes whole or not at all, and never larger than allowed."""

from __future__ import annotations

import pytest

from leaderboard.fetching.hub import fetch_unpinned
from leaderboard.fetching.pinned import FetchError, HubPath

CONFIG = HubPath("example/static", "1f2e3d", "config.json")
CONTENT = b'{"normalize": true}' * 100


def test_the_file_is_written_and_its_size_told(hub, tmp_path):
    hub.content = CONTENT
    assert fetch_unpinned(CONFIG, tmp_path / "config.json", most_bytes=1_900) == 1_900
    assert (tmp_path / "config.json").read_bytes() == CONTENT
    assert hub.paths == ["/example/static/resolve/1f2e3d/config.json"]


def test_after_a_break_it_is_fetched_from_the_beginning(hub, tmp_path):
    hub.content = CONTENT
    hub.faults = ["cut"]
    assert fetch_unpinned(CONFIG, tmp_path / "config.json", most_bytes=1_900) == 1_900
    assert (tmp_path / "config.json").read_bytes() == CONTENT
    assert hub.ranges == [None, None]


def test_a_larger_file_is_refused_and_not_asked_again(hub, tmp_path):
    hub.content = CONTENT
    with pytest.raises(FetchError, match=r"config\.json has more than the 1,899 bytes allowed"):
        fetch_unpinned(CONFIG, tmp_path / "config.json", most_bytes=1_899)
    assert len(hub.paths) == 1


@pytest.mark.parametrize(
    ("fault", "told"),
    [("404", "answers 404 for config.json"), ("html", "a web page instead of config.json")],
)
def test_what_is_not_the_file_is_told(hub, tmp_path, fault, told):
    hub.faults = [fault]
    with pytest.raises(FetchError, match=told):
        fetch_unpinned(CONFIG, tmp_path / "config.json", most_bytes=1_900)
    assert not (tmp_path / "config.json").exists()


def test_a_hub_that_is_not_there_is_told(tmp_path):
    with pytest.raises(FetchError, match=r"can't be reached: connection refused .*HF_ENDPOINT"):
        fetch_unpinned(CONFIG, tmp_path / "config.json", most_bytes=1_900)
