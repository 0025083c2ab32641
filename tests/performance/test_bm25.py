"""A saved index must be worth saving."""

import random
import time

import pytest

from leaderboard.retrieval.bm25 import BM25Retriever
from leaderboard.retrieval.passages import Passage


def generated(count: int) -> list[Passage]:
    chance = random.Random(0)
    words = [
        "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(3, 9))) for _ in range(30_000)
    ]
    return [
        Passage(
            f"d{i}",
            f"d{i}",
            f"Title {i}",
            " ".join(words[int(chance.paretovariate(0.6)) % 30_000] for _ in range(80)),
        )
        for i in range(count)
    ]


@pytest.mark.performance
def test_loading_an_index_is_at_least_three_times_as_fast_as_building_it(tmp_path, monkeypatch):
    monkeypatch.setenv("LEADERBOARD_CACHE_DIR", str(tmp_path))
    passages = generated(20_000)
    started = time.perf_counter()
    built = BM25Retriever(passages)
    building_s = time.perf_counter() - started
    started = time.perf_counter()
    loaded = BM25Retriever(passages)
    loading_s = time.perf_counter() - started
    query = " ".join(passages[17].text.split()[:6])
    assert loaded.search(query, 10) == built.search(query, 10)
    assert loading_s * 3 <= building_s, f"built in {building_s:.2f} s, loaded in {loading_s:.2f} s"
