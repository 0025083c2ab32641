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
    with Ledger(None, spent).spending(BODY) as bill:
        assert bill.usage(10, 0, 5) is None
    assert (spent.calls, spent.usd) == (1, 0.0)


def refused(ledger, what):
    with pytest.raises(CeilingReached, match=what), ledger.spending(BODY):
        raise AssertionError("not reached")


def test_an_unknown_price_is_refused_under_a_ceiling_of_money():
    spent = Spent()
    refused(Ledger(None, spent, most_usd=100.0), "cannot be held without a price")
    assert spent.calls == 0


# 500 bytes and 16 for the message: 516 × 0.15 + 50 × 0.60 = 107.4 dollars a million
MOST = 107.4e-6


def test_a_call_that_could_pass_the_ceiling_is_not_made():
    spent = Spent(calls=3, usd=0.001)
    refused(Ledger(PRICE, spent, most_usd=0.001 + MOST - 1e-9), r"ceiling of 0\.00 USD")
    assert (spent.calls, spent.usd) == (3, 0.001)


@pytest.mark.parametrize("text", ["a1b2" * 5000, "日本語" * 400, "\U0001f600" * 100, "word " * 100])
def test_the_bound_is_at_least_a_token_a_byte(text):
    spent = Spent()
    body = {"messages": [{"role": "user", "content": text}], "max_tokens": 0}
    with Ledger(PRICE, spent).spending(body):
        assert spent.usd >= len(text.encode()) * PRICE.input_usd / 1e6


def test_what_was_reserved_is_replaced_by_what_was_paid():
    spent = Spent()
    with Ledger(PRICE, spent, most_usd=1.0).spending(BODY) as bill:
        assert spent.usd == pytest.approx(MOST)
        assert bill.usage(100, 0, 10) == pytest.approx(21e-6)
    assert (spent.calls, spent.usd) == (1, pytest.approx(21e-6))


def test_usage_that_is_not_told_counts_with_the_most_it_could_cost():
    spent = Spent()
    with Ledger(PRICE, spent, most_usd=1.0).spending(BODY) as bill:
        assert bill.usage(None, None, None) is None
    assert spent.usd == pytest.approx(MOST)


def test_a_failed_request_counts_as_a_call_and_costs_nothing_only_where_that_is_known():
    spent = Spent()
    ledger = Ledger(PRICE, spent, most_usd=1.0)
    with pytest.raises(OSError), ledger.spending(BODY) as bill:
        bill.nothing()
        raise OSError
    assert (spent.calls, spent.usd) == (1, 0.0)
    with pytest.raises(OSError), ledger.spending(BODY):
        raise OSError
    assert (spent.calls, spent.usd) == (2, pytest.approx(MOST))


def test_the_ceiling_of_calls_holds_over_all_ledgers_of_a_build():
    spent = Spent()
    for price in (PRICE, None):
        with Ledger(price, spent, most_calls=2).spending(BODY) as bill:
            bill.usage(1, 0, 1)
    refused(Ledger(None, spent, most_calls=2), "ceiling of 2 calls")


def test_the_embedded_model_costs_nothing_under_a_ceiling_of_nothing():
    with Ledger(Price(0, 0, 0), Spent(), most_usd=0.0).spending(BODY) as bill:
        assert bill.usage(1000, 0, 50) == 0.0
