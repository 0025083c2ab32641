"""The metrics of what answers cost: tokens, calls, seconds."""

from __future__ import annotations

from leaderboard.scoring.metric import Case, Metric


def _tokens(case: Case) -> float | None:
    prompt, completion = case.record.prompt_tokens, case.record.completion_tokens
    return None if prompt is None or completion is None else float(prompt + completion)


def _count(tokens: int | None) -> float | None:
    return None if tokens is None else float(tokens)


COSTS: tuple[Metric, ...] = (
    Metric(
        "tokens",
        "Tokens a question",
        "Mean prompt and completion tokens a question, in the model's own usage, over all calls.",
        "the responses' usage",
        _tokens,
        kind="cost",
        percent=False,
        decimals=0,
        higher_is_better=False,
        unit="tokens",
        range=(0.0, None),
    ),
    Metric(
        "prompt_tokens",
        "Prompt tokens",
        "Mean prompt tokens a question, in the model's own usage, over all calls.",
        "the responses' usage",
        lambda case: _count(case.record.prompt_tokens),
        kind="cost",
        percent=False,
        decimals=0,
        higher_is_better=False,
        unit="tokens",
        range=(0.0, None),
    ),
    Metric(
        "cached_tokens",
        "Cached prompt tokens",
        "Mean prompt tokens a question that the endpoint had in its own cache, and charges less for.",
        "the responses' usage",
        lambda case: _count(case.record.cached_tokens),
        kind="cost",
        percent=False,
        decimals=0,
        higher_is_better=None,
        unit="tokens",
        range=(0.0, None),
    ),
    Metric(
        "completion_tokens",
        "Completion tokens",
        "Mean completion tokens a question, in the model's own usage, over all calls.",
        "the responses' usage",
        lambda case: _count(case.record.completion_tokens),
        kind="cost",
        percent=False,
        decimals=0,
        higher_is_better=False,
        unit="tokens",
        range=(0.0, None),
    ),
    Metric(
        "calls",
        "Calls a question",
        "Mean model calls a question.",
        "the records",
        lambda case: float(len(case.record.calls)),
        kind="cost",
        percent=False,
        higher_is_better=False,
        unit="calls",
        range=(0.0, None),
    ),
    Metric(
        "seconds",
        "Seconds a question",
        "Mean seconds that a question's calls took when they were recorded; it says as much about the machine as "
        "about the system.",
        "the recorded calls",
        lambda case: case.record.latency_s,
        kind="cost",
        percent=False,
        higher_is_better=False,
        unit="s",
        range=(0.0, None),
    ),
)
