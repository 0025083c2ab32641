"""A number is rounded in one place, and its full value stands beside it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.board.tables import Column, Interval, Value
from leaderboard.site import numbers
from leaderboard.site.errors import SiteError

SHARE = Column(key="match", label="Match", hint="")
DIFFERENCE = SHARE.model_copy(update={"range": (-1.0, 1.0)})
P = Column(key="p", label="p", hint="", decimals=4, percent=False, small=True)
TOKENS = Column(key="tokens", label="Tokens", hint="", decimals=0, percent=False)
FINITE = st.floats(allow_nan=False, allow_infinity=False)


def cell(value, column=SHARE, **more):
    return str(numbers.cell(value, column, table="home", row="r", **more))


def attribute(markup, name):
    return (
        re.search(rf' data-{name}="([^"]*)"', markup)[1]
        .replace("&#46;", ".")
        .replace("&#45;", "-")
        .replace("&#43;", "+")
    )


@pytest.mark.parametrize(
    ("value", "column", "text"),
    [
        (0.5416666666666666, SHARE, "54.2"),
        (0.0125, SHARE, "1.2"),
        (0.0375, SHARE, "3.8"),
        (1.0, SHARE, "100.0"),
        (-0.0001, SHARE, "0.0"),
        (-0.125, SHARE, "−12.5"),
        (12345.5, TOKENS, "12,346"),
        (12344.5, TOKENS, "12,344"),
        (1e-9, TOKENS, "0"),
        (0.00004, P, "< 0.0001"),
        (0.00006, P, "0.0001"),
        (0.0, P, "0.0000"),
        (3.14159, Column(key="s", label="", hint="", decimals=2, percent=False), "3.14"),
    ],
)  # fmt: skip
def test_rounds_once_and_half_to_even(value, column, text):
    assert numbers.printed(value, column) == text


def test_prints_value_and_interval_and_whisker_from_the_same_digits():
    value = Value(value=13 / 24, n=24, interval=Interval(low=0.3507, high=0.7211, method="Wilson"))
    markup = cell(value)
    assert ">54&#46;2</span>" in markup and ">&#40;35&#46;1–72&#46;1&#41;</span>" in markup
    assert 'class="span" x1="35.1" x2="72.1"' in markup and 'class="point" x1="54.2" x2="54.2"' in markup
    assert attribute(markup, "n") == "24" and attribute(markup, "method") == "Wilson"


def test_an_interval_that_begins_below_0_has_a_word_between_its_limits_and_a_difference_no_whisker():
    value = Value(value=0.2, n=24, interval=Interval(low=-0.1, high=0.5, method="Wald"))
    assert ">&#40;−10&#46;0 to 50&#46;0&#41;</span>" in cell(value, DIFFERENCE)
    above = value.model_copy(update={"interval": Interval(low=0.1, high=0.3, method="Wald")})
    assert "whisker" not in cell(above, DIFFERENCE) and "whisker" in cell(above, SHARE)


@given(FINITE, FINITE, FINITE, FINITE)
def test_attributes_read_back_to_the_very_same_floats(value, low, high, deviation):
    interval = Interval(low=low, high=high, method="Wilson")
    markup = cell(Value(value=value, n=7, interval=interval, deviation=deviation), TOKENS)
    read = [float(attribute(markup, name)) for name in ("value", "low", "high", "deviation")]
    assert read == [value, low, high, deviation]


def test_the_deviation_of_several_runs_stands_behind_the_value_as_the_column_prints_it():
    interval = Interval(low=0.362292, high=0.977780, method="Wilson")
    markup = cell(Value(value=10 / 12, n=4, interval=interval, deviation=0.14433756729740646))
    # Value, deviation, interval: 83.3 ± 14.4 (36.2–97.8).
    assert re.findall(r">([^<>]+)</span>", markup) == [
        "83&#46;3",
        "± 14&#46;4",
        "&#40;36&#46;2–97&#46;8&#41;",
    ]
    assert attribute(markup, "deviation") == "0.14433756729740646"
    assert "± 2,512<" in cell(Value(value=1e4, n=4, deviation=2512.4), TOKENS).replace("&#44;", ",")


def test_a_single_run_prints_no_deviation_and_runs_that_agree_one_of_zero():
    assert "±" not in cell(Value(value=0.5, n=4)) and "data-deviation" not in cell(Value(value=0.5, n=4))
    assert "± 0&#46;0<" in cell(Value(value=0.5, n=4, deviation=0.0))


def test_an_unknown_value_is_a_dash_with_its_reason_and_no_value():
    markup = cell(Value(value=None, n=0, note="not run: <no endpoint>"))
    assert "data-value" not in markup and ">–</span>" in markup
    assert markup.count("not run&#58; &#60;no endpoint&#62;") == 2


def test_a_missing_value_is_unknown():
    assert "not known" in cell(None)


def test_an_incomplete_cell_shows_its_bounds():
    markup = cell(Value(value=None, n=24, bounds=(0.25, 0.5)))
    assert ">25&#46;0 to 50&#46;0</span>" in markup
    assert (attribute(markup, "bound-low"), attribute(markup, "bound-high")) == ("0.25", "0.5")
    assert 'x1="25.0" x2="50.0"' in markup and "point" not in markup


def test_n_stands_in_the_cell_where_asked():
    assert '<span class="n">n = 1&#44;024</span>' in cell(Value(value=0.5, n=1024), show_n=True)
    assert 'class="n"' not in cell(Value(value=0.5, n=1024))


def test_numbers_that_are_no_shares_have_no_whisker():
    assert "<svg" not in cell(
        Value(value=512.0, n=3, interval=Interval(low=0.1, high=0.2, method="x")), TOKENS
    )
    assert "<svg" not in cell(Value(value=0.5, n=3))


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_what_is_no_number_is_an_error(bad):
    with pytest.raises(SiteError, match="unknown value is None"):
        cell(Value(value=bad, n=1))
