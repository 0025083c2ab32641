"""The metrics of what answers cost: tokens, calls, seconds."""

from __future__ import annotations

from functools import partial

from leaderboard.scoring.metric import Case, Metric


def _tokens(case: Case) -> float | None:
    prompt, completion = case.record.prompt_tokens, case.record.completion_tokens
    return None if prompt is None or completion is None else float(prompt + completion)


def _count(tokens: int | None) -> float | None:
    return None if tokens is None else float(tokens)


_cost = partial(Metric, kind="cost", percent=False, higher_is_better=False, range=(0.0, None))
_token_cost = partial(_cost, decimals=0, unit="tokens")

COSTS: tuple[Metric, ...] = (
    _token_cost(
        "tokens",
        "Tokens a question",
        "Mean prompt and completion tokens a question, in the model's own usage, over all calls.",
        "the responses' usage",
        _tokens,
    ),
    _token_cost(
        "prompt_tokens",
        "Prompt tokens",
        "Mean prompt tokens a question, in the model's own usage, over all calls.",
        "the responses' usage",
        lambda case: _count(case.record.prompt_tokens),
    ),
    _token_cost(
        "cached_tokens",
        "Cached prompt tokens",
        "Mean prompt tokens a question that the endpoint had in its own cache, and charges less for.",
        "the responses' usage",
        lambda case: _count(case.record.cached_tokens),
        higher_is_better=None,
    ),
    _token_cost(
        "completion_tokens",
        "Completion tokens",
        "Mean completion tokens a question, in the model's own usage, over all calls.",
        "the responses' usage",
        lambda case: _count(case.record.completion_tokens),
    ),
    _cost(
        "calls",
        "Calls a question",
        "Mean model calls a question.",
        "the records",
        lambda case: float(len(case.record.calls)),
        unit="calls",
    ),
    _cost(
        "seconds",
        "Seconds a question",
        "Mean seconds that a question's calls took when they were recorded; it says as much about the machine as "
        "about the system.",
        "the recorded calls",
        lambda case: case.record.latency_s,
        unit="s",
    ),
)
