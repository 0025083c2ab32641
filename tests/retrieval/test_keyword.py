"""Keyword search: Σ count × length over literal keywords (spec § 4.4), worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.benchmarks.questions import Document
from leaderboard.retrieval.keyword import KeywordIndex, keyword_query
from leaderboard.retrieval.passages import Passage

STAR = Passage.whole(
    Document("star", "The North Star", "The North Star was a newspaper. Douglass published it.")
)
NELL = Passage.whole(Document("nell", "William Nell", "Nell wrote for the North Star. He started in Boston."))
ART = Passage.whole(Document("art", "Art", "An art fair."))
INDEX = KeywordIndex([STAR, NELL, ART])


def found(*keywords, k=5):
    return [(hit.passage.id, hit.score) for hit in INDEX.search(keyword_query(keywords), k)]


def test_a_keyword_counts_as_often_as_it_stands_in_title_and_text_times_its_length():
    assert found("north star") == [("star", 20.0), ("nell", 10.0)]


def test_keywords_count_independently_whatever_their_case():
    # "douglass" 1 × 8, "Nell" 2 × 4, "STAR" 2 × 4 in the first, and "started" holds it too: 1 + 1 in the second.
    assert found("Douglass", "Nell", "STAR") == [("nell", 16.0), ("star", 16.0)]


def test_a_keyword_is_found_inside_words():
    assert found("art") == [("art", 6.0), ("nell", 3.0)]


def test_counts_do_not_overlap():
    index = KeywordIndex([Passage("a", "a", "t", "aaaa")])
    assert [hit.score for hit in index.search("aa", 1)] == [4.0]


def test_what_holds_none_of_the_keywords_is_not_found():
    assert found("zeppelin") == []
    assert found() == []
    assert found("art", k=0) == []
    assert KeywordIndex([]).search("art", 3) == []


def test_ties_go_by_id_and_k_cuts_the_list():
    assert found("Douglass", "Nell", "STAR", k=1) == [("nell", 16.0)]


@pytest.mark.parametrize(
    ("keywords", "query"),
    [
        (["A B", "a  b", " C\n"], "a b\nc"),
        (["", "  "], ""),
        (["Cafe\u0301"], "café"),
    ],
)
def test_keywords_become_one_query_with_each_once(keywords, query):
    assert keyword_query(keywords) == query


@given(st.lists(st.text(max_size=8), max_size=4), st.integers(1, 3))
def test_scores_are_the_sum_of_the_single_keywords(keywords, k):
    query = keyword_query(keywords)
    for hit in INDEX.search(query, k):
        single = [INDEX.search(word, 3) for word in query.split("\n")]
        assert hit.score == sum(one.score for hits in single for one in hits if one.passage == hit.passage)


def test_a_text_in_another_unicode_form_is_found():
    index = KeywordIndex([Passage("a", "a", "Cafe\u0301", "x")])
    assert [hit.score for hit in index.search(keyword_query(["café"]), 1)] == [4.0]
