"""The board's price table: what each model of its list costs (rule R11)."""

from __future__ import annotations

from leaderboard.calls.spending import Price
from leaderboard.submissions.config import BoardConfig, EmbeddedModel, OpenAIModel


def price_of(model: EmbeddedModel | OpenAIModel) -> Price | None:
    """Return what a model of the board's list costs, None when that is unknown. The embedded model costs nothing."""
    if isinstance(model, EmbeddedModel):
        return Price(0.0, 0.0, 0.0)
    if model.price is None:
        return None
    return Price(model.price.input_usd, model.price.cached_usd, model.price.output_usd)


def prices_of(config: BoardConfig) -> dict[str, Price]:
    """Return model → price, of the models whose price is known."""
    return {model.name: price for model in config.models if (price := price_of(model)) is not None}
