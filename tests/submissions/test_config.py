"""``leaderboard.toml``: what it may say, and what is said of what it may not."""

import datetime
from pathlib import Path

import pytest

from leaderboard.submissions.config import EmbeddedModel, OpenAIModel, load_config
from leaderboard.submissions.errors import SubmissionErrors

ROOT = Path(__file__).parents[2]
GOOD = """\
[board]
title = "T"
track = "sample"

[[models]]
name = "embedded/m"
kind = "embedded"
endpoint = "embedded"
context_tokens = 32768

[[models]]
name = "openai/gpt"
kind = "openai"
endpoint = "openai"
base_url = "https://api.openai.com/v1"
api_key_env = "OPENAI_API_KEY"
context_tokens = 128000
price = { input_usd = 0.15, cached_usd = 0.075, output_usd = 1, date = 2024-07-18 }
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def load(text: str):
    Path("leaderboard.toml").write_text(text)
    return load_config(Path("leaderboard.toml"))


def errors_of(old: str, new: str) -> list[str]:
    assert old in GOOD
    with pytest.raises(SubmissionErrors) as caught:
        load(GOOD.replace(old, new, 1))
    return [str(error).removeprefix("leaderboard.toml:") for error in caught.value.errors]


def test_the_sample_board_has_one_model_that_needs_nothing():
    config = load_config(ROOT / "leaderboard.toml")
    assert config.board.track == "sample"
    assert config.board.benchmarks == ("frames", "musique", "multihop_rag")
    [model] = config.models
    assert isinstance(model, EmbeddedModel)
    assert (model.name, model.context_tokens, model.price) == ("embedded/qwen2.5-coder-0.5b", 8192, None)


def test_its_commented_endpoint_is_valid_too():
    lines = (ROOT / "leaderboard.toml").read_text().split("\n")
    start = lines.index("# [[models]]")
    end = next(at for at in range(start, len(lines)) if not lines[at])
    used = [line.removeprefix("# ") for line in lines[start:end]]
    config = load("\n".join([*lines[:start], *used, *lines[end:]]))
    assert isinstance(config.models[1], OpenAIModel)


def test_models_prices_and_limits():
    config = load(GOOD + "[questions]\nframes = 10\n[ceilings]\nusd = 5\n")
    assert config.model_names == ("embedded/m", "openai/gpt")
    priced = config.model_named("openai/gpt").price
    assert priced is not None
    assert (priced.input_usd, priced.cached_usd, priced.output_usd) == (0.15, 0.075, 1.0)
    assert priced.date == datetime.date(2024, 7, 18)
    assert (config.questions.limit("frames"), config.questions.limit("musique")) == (10, None)
    assert (config.headline.frames, config.ceilings.usd, config.ceilings.calls) == ("match", 5.0, None)
    with pytest.raises(KeyError):
        config.model_named("openai/other")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"sample"', '"samples"', '3:9: board.track: expected one of "sample", "full", found "samples" (did you mean "sample"?)'),
        ("[board]", '[headline]\nmusique = "judge"\n[board]', '2:11: headline.musique: expected "match", found "judge" (there is no judge yet)'),
        ("[board]", '[headline]\nmusique = "em"\n[board]', '2:11: headline.musique: expected "match", found "em"'),
        ('"openai/gpt"', '"embedded/m"', '12:8: models[1].name: expected another name than that of models[0], found "embedded/m"'),
        ('kind = "openai"', 'kind = "open"', '13:8: models[1].kind: expected one of "embedded", "openai", found "open" (did you mean "openai"?)'),
        ('endpoint = "embedded"', 'endpoint = "embedded"\nbase_url = "http://localhost"', '9:1: models[0].base_url: expected one of "name", "endpoint", "context_tokens", "price", "kind", found "base_url"'),
        (", cached_usd = 0.075", "", "18:9: models[1].price.cached_usd: expected a number from 0 to 10000, found nothing (US dollars a million cached input tokens)"),
        ("2024-07-18", '"yesterday"', '18:72: models[1].price.date: expected a date such as 2024-07-18, found "yesterday"'),
        ("0.15", "nan", "18:23: models[1].price.input_usd: expected a number from 0 to 10000, found nan"),
        ("[board]", "[questions]\nframes = 0\n[board]", "2:10: questions.frames: expected a whole number at least 1, found 0"),
        ("[board]", '[questions.each]\nmusique = "hop"\n[board]', '2:11: questions.each.musique: expected one of "hops", "shape", found "hop" (did you mean "hops"?)'),
        ('"sample"', '"sample"\nalso = ["frames"]', '4:9: board.also[0]: expected a benchmark that board.benchmarks doesn\'t have, found "frames"'),
        ('track = "sample"', "", '1:1: board.track: expected one of "sample", "full", found nothing (the bundled sample of this project, or the published benchmark data)'),
        ("[board]", "[bord]\n[board]", '1:2: bord: expected one of the tables [board], [questions], [headline], [models], [encoders], [ceilings], found "bord" (did you mean "board"?)'),
    ],
)  # fmt: skip
def test_each_error_has_its_place(old, new, said):
    assert errors_of(old, new) == [said]


def test_a_board_has_a_model():
    with pytest.raises(SubmissionErrors) as caught:
        load("models = []\n[board]\ntitle = 'T'\ntrack = 'full'\n")
    assert str(caught.value) == (
        "leaderboard.toml:1:10: models: expected an array of 1 to 200 tables, found an array of 0"
    )


@pytest.mark.parametrize(
    ("field", "old", "secret"),
    [
        ("api_key_env", "OPENAI_API_KEY", "sk-1234567890"),
        ("base_url", "https://api.openai.com/v1", "https://user:sk-1234567890@host/v1"),
        ("base_url", "https://api.openai.com/v1", "https://host/v1?key=sk-1234567890"),
    ],
)
def test_a_key_pasted_in_a_wrong_place_is_not_shown(field, old, secret):
    [error] = errors_of(f'"{old}"', f'"{secret}"')
    assert f"models[1].{field}: expected" in error
    assert error.endswith("found something else, not shown here")
    assert "sk-" not in error


def test_a_key_has_no_field():
    [error] = errors_of('api_key_env = "OPENAI_API_KEY"', 'api_key = "sk-1234567890"')
    assert error.startswith("16:1: models[1].api_key: expected one of")
    assert error.endswith('found "api_key" (did you mean "api_key_env"?)')
    assert "sk-" not in error


def test_a_syntax_error_never_shows_a_key():
    [error] = errors_of('api_key_env = "OPENAI_API_KEY"', 'api_key_env "sk-1234567890"')
    assert error.startswith("16:13: expected valid TOML, found")
    assert "sk-" not in error


@pytest.mark.parametrize("url", ["ftp://x", "file:///etc/passwd", "localhost:8000", "http://", 'http://a b"'])
def test_an_address_is_http(url):
    [error] = errors_of("https://api.openai.com/v1", url.replace('"', ""))
    assert "models[1].base_url: expected an address that starts with https:// or http://" in error
