"""The interpreter that holds the sample's answers to its facts."""

import pytest

from tests.sample.chains import BrokenChain, Fact, run_chain

FACTS = (
    Fact("Oskane", "length", "1,412", "Oskane", "The Oskane is 1,412 kilometres long."),
    Fact("Pellow", "length", "141", "Pellow", "The Pellow is 141 kilometres long."),
    Fact("Oskane", "mouth", "Karrow", "Oskane", "It ends at Karrow."),
    Fact("Karrow", "mayor", "Ida Moss", "Karrow", "Its mayor is Ida Moss."),
    Fact("Ida Moss", "birth", "2 March 1831", "Ida Moss", "Ida Moss was born on 2 March 1831."),
    Fact("Tam Ferrow", "birth", "30 January 1831", "Tam Ferrow", "Tam Ferrow was born on 30 January 1831."),
    Fact("Una Ferrow", "birth", "30 January 1831", "Una Ferrow", "Una Ferrow was born on 30 January 1831."),
)


def result(*steps: tuple[str, ...]) -> str:
    return run_chain([{"op": op, "args": args} for op, *args in steps], FACTS)[-1].result


@pytest.mark.parametrize(
    ("expected", "step"),
    [
        ("1,412", ("lookup", "Oskane", "length")),
        ("Pellow", ("subject_of", "length", "141")),
        ("Oskane", ("argmax", "length", "Pellow", "Oskane")),
        ("Pellow", ("argmin", "length", "Pellow", "Oskane")),
        ("Tam Ferrow", ("earliest", "birth", "Ida Moss", "Tam Ferrow")),
        ("1553", ("sum", "1,412", "141")),
        ("1271", ("difference", "141", "1,412")),
        ("a-b-c", ("concat", "-", "a", "b", "c")),
        ("IM", ("initials", "Ida Moss")),
        ("I", ("first_letter", "ida moss")),
        ("Moss", ("last_word", "Ida Moss")),
        ("MOSS", ("upper", "Moss")),
        ("yes", ("lower", "Yes")),
        ("ssoM", ("reverse", "Moss")),
        ("7", ("letters", "Ida Moss")),
        ("dmss", ("consonants", "Ida Moss")),
        ("12", ("last_digits", "2", "1,412")),
        ("Yes", ("same", "a", "a")),
        ("no", ("before", "2 March 2031", "1 March 2031")),
        ("Yes", ("greater", "4,200 crowns", "31 crowns")),
        ("Karrow", ("agree", "Karrow", "Karrow")),
        ("no", ("both", "Yes", "no")),
        ("Yes", ("negate", "no")),
        ("Insufficient information.", ("absent", "Oskane", "mayor")),
    ],
)
def test_each_step_does_what_the_readme_says(expected, step):
    assert result(step) == expected


def test_a_step_takes_the_results_of_earlier_ones_and_says_which():
    steps = [
        {"op": "lookup", "args": ["Oskane", "mouth"]},
        {"op": "lookup", "args": ["#1", "mayor"]},
        {"op": "concat", "args": [" of ", "#2", "#1"]},
    ]
    done = run_chain(steps, FACTS)
    assert [step.result for step in done] == ["Karrow", "Ida Moss", "Ida Moss of Karrow"]
    assert [step.needs for step in done] == [(), (1,), (1, 2)]
    assert [[fact.relation for fact in step.facts] for step in done] == [["mouth"], ["mayor"], []]


@pytest.mark.parametrize(
    "step",
    [
        ("lookup", "Oskane", "mayor"),
        ("subject_of", "length", "7"),
        ("absent", "Oskane", "mouth"),
        ("agree", "a", "b"),
        ("greater", "4 crowns", "3 boats"),
        ("both", "Yes", "perhaps"),
        ("sum", "none"),
        ("earliest", "birth", "Tam Ferrow", "Una Ferrow"),
        ("lookup", "#2", "mayor"),
    ],
)
def test_a_step_that_the_facts_do_not_support_breaks_the_chain(step):
    with pytest.raises(BrokenChain):
        result(step)


def test_two_facts_for_one_subject_and_relation_break_the_chain():
    with pytest.raises(BrokenChain, match="2 facts"):
        run_chain(
            [{"op": "lookup", "args": ["Oskane", "mouth"]}],
            [*FACTS, Fact("Oskane", "mouth", "Elsewhere", "Oskane", "…")],
        )
