"""From a model of the board's list to the provider that answers, and why it may not be had."""

from __future__ import annotations

from leaderboard.calls.prices import price_of
from leaderboard.calls.spending import Ledger, Spent
from leaderboard.models.providers import Provider
from leaderboard.submissions.config import BoardConfig, EmbeddedModel, OpenAIModel

ENDPOINT_WORKERS = 8
"""Questions asked at a time of an endpoint; the embedded model has one slot."""


def open_provider(model: EmbeddedModel | OpenAIModel, *, fetch: bool = True) -> Provider:
    """Return the provider of a model; with ``fetch`` the weights of an embedded one are got when they are missing.

    Raises ``WeightsError`` when they cannot be had.
    """
    if isinstance(model, EmbeddedModel):
        from leaderboard.models.embedded import EmbeddedProvider
        from leaderboard.models.weights import ensure_weights

        if fetch:
            ensure_weights(model.name)
        return EmbeddedProvider(model.name, context_tokens=model.context_tokens)
    from leaderboard.models.openai_compatible import OpenAIProvider

    return OpenAIProvider(
        model.endpoint, str(model.base_url), model.api_key_env, model.name.partition("/")[2]
    )


def workers(model: EmbeddedModel | OpenAIModel) -> int:
    """Return how many questions are asked of a model at a time."""
    return 1 if isinstance(model, EmbeddedModel) else ENDPOINT_WORKERS


def open_ledger(config: BoardConfig, model: EmbeddedModel | OpenAIModel, spent: Spent) -> Ledger:
    """Return the ledger of a model under the board's ceilings. The embedded model costs nothing."""
    return Ledger(price_of(model), spent, most_usd=config.ceilings.usd, most_calls=config.ceilings.calls)
