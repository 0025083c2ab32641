"""The embedded model answers in this process, and says no in words."""

import subprocess
import sys

import pytest

from leaderboard.models.embedded import EmbeddedProvider
from leaderboard.models.embedded_models import embedded_model
from leaderboard.models.providers import Refused
from leaderboard.models.weights import WeightsError, weights_path

NAME = "embedded/qwen2.5-coder-0.5b"


def asked(question: str, **parameters) -> dict:
    messages = [
        {"role": "system", "content": "Answer with one word."},
        {"role": "user", "content": question},
    ]
    return {"model": NAME, "messages": messages, "temperature": 0.0, "max_tokens": 24} | parameters


@pytest.fixture(scope="module")
def provider():
    opened = EmbeddedProvider(NAME, context_tokens=1024)
    yield opened
    opened.close()


@pytest.mark.model
def test_a_simple_question_is_answered(provider):
    completion = provider.complete(asked("Which city is the capital of France?"))
    assert "Paris" in completion.text
    assert completion.finish_reason == "stop"
    assert completion.prompt_tokens > 10
    assert completion.completion_tokens >= 1
    assert completion.model_version == "qwen2.5-coder-0.5b"
    assert "/" not in completion.raw["model"]
    assert completion.latency_s > 0


@pytest.mark.model
def test_two_equal_requests_at_temperature_zero_agree(provider):
    question = asked("Which ocean lies between Europe and America?")
    provider.complete(question)
    second, third = provider.complete(question), provider.complete(question)
    assert second.text == third.text
    assert third.cached_tokens > 0


@pytest.mark.model
def test_distinct_seeds_draw_distinct_answers(provider):
    texts = {
        provider.complete(
            asked("Tell me about a town in one sentence.", temperature=1.0, seed=seed, max_tokens=12)
        ).text
        for seed in range(1, 4)
    }
    assert len(texts) > 1


@pytest.mark.model
def test_a_prompt_longer_than_the_context_is_refused_with_both_numbers(provider):
    with pytest.raises(
        Refused, match=r"the prompt has 30\d\d tokens, more than the context of 1024"
    ) as caught:
        provider.complete(asked("word " * 3000))
    assert not caught.value.retryable


@pytest.mark.model
def test_an_answer_that_runs_out_of_tokens_is_told(provider):
    completion = provider.complete(asked("Count from one to fifty.", max_tokens=3))
    assert completion.finish_reason == "length"
    assert completion.completion_tokens == 3


@pytest.mark.model
@pytest.mark.parametrize(
    "wrong",
    [{"messages": "hello"}, {"temperature": "hot"}, {"n": 2}, {"response_format": {"type": "poem"}}],
)
def test_a_request_it_cannot_read_is_refused(provider, wrong):
    with pytest.raises(Refused, match=NAME):
        provider.complete(asked("Who?") | wrong)


@pytest.mark.model
def test_a_closed_model_is_loaded_again():
    opened = EmbeddedProvider(NAME, threads=1, context_tokens=256)
    first = opened.start()
    assert opened.start() is first
    opened.close()
    assert "Paris" in opened.complete(asked("Which city is the capital of France?")).text
    opened.close()


def test_its_identity_is_the_digest_of_its_weights():
    provider = EmbeddedProvider("qwen2.5-coder-0.5b", threads=1)
    assert provider.logical_name == NAME
    assert provider.identity == {"weights_sha256": embedded_model(NAME).sha256}


def test_text_that_is_no_utf8_is_refused_before_anything_is_loaded():
    with pytest.raises(Refused, match="can't be written as JSON"):
        EmbeddedProvider(NAME, threads=1).complete(asked("\ud83d"))


def test_weights_that_cannot_be_had_say_what_to_do(tiny):
    with pytest.raises(WeightsError, match=r"put tiny\.gguf"):
        EmbeddedProvider("embedded/tiny", threads=1).complete(asked("Who?"))


def test_weights_that_are_no_model_are_refused(tiny, hub, content, monkeypatch):
    hub.content = content
    monkeypatch.setenv("HF_ENDPOINT", hub.url)
    with pytest.raises(Refused, match=r"embedded/tiny can't be loaded from tiny.gguf") as caught:
        EmbeddedProvider("embedded/tiny", threads=1).complete(asked("Who?"))
    assert caught.value.of_endpoint
    assert str(weights_path("tiny").parent) not in str(caught.value)


def test_an_unknown_model_is_told():
    with pytest.raises(WeightsError, match="no embedded model is called 'gpt'"):
        EmbeddedProvider("embedded/gpt")


@pytest.mark.parametrize("threads", ["0", "-1", "two", "1.5", "513", "\u0663", "9" * 5000])
def test_a_thread_count_that_is_none_is_told(monkeypatch, threads):
    monkeypatch.setenv("LEADERBOARD_THREADS", threads)
    with pytest.raises(
        WeightsError, match="LEADERBOARD_THREADS: expected a whole number from 1 to 512, found"
    ) as caught:
        EmbeddedProvider(NAME)
    assert repr(threads[:40]) in str(caught.value)


def test_the_thread_count_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("LEADERBOARD_THREADS", "3")
    assert repr(EmbeddedProvider(NAME)) == "EmbeddedProvider('qwen2.5-coder-0.5b', threads=3)"


def test_importing_the_providers_loads_no_heavy_library():
    heavy = "{'xllamacpp', 'httpx', 'rich', 'dspy', 'numpy'}"
    code = (
        "import sys, leaderboard.models.embedded, leaderboard.models.openai_compatible, leaderboard.models.weights;"
        f"print(sorted({heavy} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
