"""The board's price table."""

from leaderboard.calls.prices import prices_of
from leaderboard.calls.spending import Price
from leaderboard.submissions.config import load_config

MODELS = """
[board]
title = "T"
track = "sample"
benchmarks = ["frames"]

[[models]]
name = "embedded/tiny"
kind = "embedded"
endpoint = "embedded"
context_tokens = 8192

[[models]]
name = "openai/dear"
kind = "openai"
endpoint = "openai"
base_url = "https://api.example/v1"
context_tokens = 8192
price = { input_usd = 0.15, cached_usd = 0.075, output_usd = 0.60, date = 2024-07-18 }

[[models]]
name = "openai/unpriced"
kind = "openai"
endpoint = "openai"
base_url = "https://api.example/v1"
context_tokens = 8192
"""


def test_the_embedded_model_is_free_and_one_without_a_price_is_not_in_the_table(tmp_path):
    path = tmp_path / "leaderboard.toml"
    path.write_text(MODELS, encoding="utf-8")
    assert prices_of(load_config(path)) == {
        "embedded/tiny": Price(0, 0, 0),
        "openai/dear": Price(0.15, 0.075, 0.6),
    }
