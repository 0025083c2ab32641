"""Repeated queries and new documents of a system that searches more than once (spec § 4.3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.metrics.queries import new_documents, repeated_query_share

ROUNDS = st.lists(st.lists(st.sampled_from("abcdef"), max_size=6), max_size=5)


def test_the_first_of_equal_queries_is_no_repeat():
    assert repeated_query_share(["a", "b", "a", "a"]) == 0.5
    assert repeated_query_share(["a", "b", "a"]) == 1 / 3
    assert repeated_query_share(["a"]) == 0.0


def test_without_queries_there_is_no_share():
    assert repeated_query_share([]) is None


@pytest.mark.parametrize(
    "again",
    [
        "WHO WROTE STRASSE CAFÉ",
        "  who wrote\tStraße\u00a0 café\n",
        "Who wrote Straße cafe\u0301",
    ],
    ids=["case", "white space", "decomposed"],
)
def test_queries_that_look_alike_are_equal(again):
    assert repeated_query_share(["Who wrote Straße café", again]) == 0.5


@pytest.mark.parametrize("other", ["Who wrote Cafe?", "Whowrote cafe", "Who wrote café", "cafe who wrote"])
def test_other_words_or_signs_are_another_query(other):
    assert repeated_query_share(["Who wrote cafe", other]) == 0.0


@given(st.lists(st.sampled_from(["a", "A", "a ", "b", "ab", ""]), min_size=1))
def test_the_share_counts_queries_that_equal_an_earlier_one(queries):
    keys = [query.strip().lower() for query in queries]
    repeats = sum(key in keys[:place] for place, key in enumerate(keys))
    assert repeated_query_share(queries) == repeats / len(queries)


def test_a_document_is_new_once():
    assert new_documents([["a", "b", "a"], ["b", "c"], [], ["a", "c"], ["d"]]) == (2, 1, 0, 0, 1)
    assert new_documents([]) == ()


@given(ROUNDS)
def test_new_documents_add_up_to_the_distinct_ones_of_any_beginning(rounds):
    new = new_documents(rounds)
    assert len(new) == len(rounds)
    for count in range(len(rounds) + 1):
        assert sum(new[:count]) == len({document for part in rounds[:count] for document in part})
