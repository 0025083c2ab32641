"""Prices and ceilings."""

from __future__ import annotations

import pytest

from leaderboard.calls.spending import CeilingReached, Ledger, Price, Spent

PRICE = Price(input_usd=0.15, cached_usd=0.075, output_usd=0.60)
BODY = {"messages": [{"role": "user", "content": "word " * 100}], "max_tokens": 50}


def test_a_call_costs_uncached_cached_and_output_tokens_each_at_its_price():
    # (1000 - 400) × 0.15 + 400 × 0.075 + 200 × 0.60 = 90 + 30 + 120 dollars a million
    assert PRICE.of(1000, 400, 200) == pytest.approx(240e-6)


def test_unknown_usage_costs_an_unknown_amount_never_nothing():
    assert PRICE.of(None, None, 5) is None
    assert PRICE.of(5, None, None) is None


def test_an_unknown_price_makes_the_cost_unknown():
    spent = Spent()
    with Ledger(None, spent, most_usd=0.0).spending(BODY) as bill:
        assert bill(10, 0, 5) is None
    assert (spent.calls, spent.usd) == (1, 0.0)


def test_a_call_that_could_pass_the_ceiling_is_not_made():
    # 100 words, bounded by 200 tokens: 200 × 0.15 + 50 × 0.60 = 60 dollars a million
    spent = Spent(calls=3, usd=0.001)
    with (
        pytest.raises(CeilingReached, match=r"ceiling of 0\.00 USD"),
        Ledger(PRICE, spent, most_usd=0.00105).spending(BODY),
    ):
        raise AssertionError("not reached")
    assert (spent.calls, spent.usd) == (3, 0.001)


def test_what_was_reserved_is_replaced_by_what_was_paid():
    spent = Spent()
    with Ledger(PRICE, spent, most_usd=1.0).spending(BODY) as bill:
        assert spent.usd == pytest.approx(60e-6)
        assert bill(100, 0, 10) == pytest.approx(21e-6)
    assert (spent.calls, spent.usd) == (1, pytest.approx(21e-6))


def test_usage_that_is_not_told_counts_with_the_most_it_could_cost():
    spent = Spent()
    with Ledger(PRICE, spent, most_usd=1.0).spending(BODY) as bill:
        assert bill(None, None, None) is None
    assert spent.usd == pytest.approx(60e-6)


def test_a_failed_call_costs_nothing_and_does_not_count():
    spent = Spent()
    with pytest.raises(OSError), Ledger(PRICE, spent, most_usd=1.0).spending(BODY):
        raise OSError
    assert (spent.calls, spent.usd) == (0, 0.0)


def test_the_ceiling_of_calls_holds_over_all_ledgers_of_a_build():
    spent = Spent()
    for price in (PRICE, None):
        with Ledger(price, spent, most_calls=2).spending(BODY) as bill:
            bill(1, 0, 1)
    with (
        pytest.raises(CeilingReached, match="ceiling of 2 calls"),
        Ledger(None, spent, most_calls=2).spending(BODY),
    ):
        raise AssertionError("not reached")


def test_the_embedded_model_costs_nothing_under_a_ceiling_of_nothing():
    with Ledger(Price(0, 0, 0), Spent(), most_usd=0.0).spending(BODY) as bill:
        assert bill(1000, 0, 50) == 0.0
