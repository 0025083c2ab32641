"""Link items of FRAMES become canonical article keys."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.benchmarks.frames import load, parse_reasoning_types
from leaderboard.benchmarks.frames_links import article_keys, title_key

VECTORS = json.loads(
    (Path(__file__).parents[1] / "vectors" / "frames_links.json").read_text(encoding="utf-8")
)


def test_all_vectors_are_here():
    assert (len(VECTORS["links"]), len(VECTORS["reasoning_types"]), len(VECTORS["row_counts"])) == (16, 2, 5)


@pytest.mark.parametrize("vector", VECTORS["links"], ids=lambda vector: vector["id"])
def test_link_vector(vector):
    assert [link.key for link in article_keys(vector["element"])] == vector["keys"]


@pytest.mark.parametrize("vector", VECTORS["reasoning_types"], ids=lambda vector: vector["raw"])
def test_reasoning_type_vector(vector):
    assert list(parse_reasoning_types(vector["raw"])) == vector["expected"]


def test_questions_of_each_reasoning_type_in_the_published_file(real_data):
    questions = load(real_data / "frames", "full").questions
    counts = Counter(label for question in questions for label in question.groups["reasoning_type"])
    assert counts == VECTORS["row_counts"]


@pytest.mark.parametrize(
    ("element", "key", "problem"),
    [
        ("https://w.wiki/ASFv", None, "a short link: its page isn't known"),
        ("en.wikipedia.org/wiki/X", "en.wikipedia.org|X", "a link without scheme"),
        ("https://en.m.wikipedia.org/wiki/X", "en.wikipedia.org|X", "a link to the mobile host"),
        (
            "https://en.wikipedia.org/wiki/Category:X",
            "en.wikipedia.org|Category:X",
            "not an article: a Category page",
        ),
        (
            "https://en.wikipedia.org/wiki/Special:Search?search=x+y",
            "en.wikipedia.org|X y",
            "not an article: a search",
        ),
        (
            "https://en.wikipedia.org/wiki/X see also Y",
            "en.wikipedia.org|X",
            "prose after a link: see also Y",
        ),
        (
            "https://en.wikipedia.org/wiki/Men%2527s",
            "en.wikipedia.org|Men's",
            "percent-encoding more than once",
        ),
        (
            "https://en.wikipedia.org/wiki/Caf%E9",
            "en.wikipedia.org|Caf\ufffd",
            "percent-encoding that isn't UTF-8",
        ),
        ("https://en.wikipedia.org/wiki/a%00b", None, "not a link to a page"),
        ("https://example.org/page", None, "not a link to a page"),
        ("https://[half/wiki/X", None, "not a link that can be read"),
        ("https://a|b/wiki/X", None, "not a link to a page"),
        ("ftp://en.wikipedia.org/wiki/X", None, "not a web link"),
    ],
)
def test_an_odd_link_says_what_is_odd(element, key, problem):
    (link,) = article_keys(element)
    assert link.key == key
    assert problem in link.problems
    assert link.identity == (key or element)


def test_a_colon_in_a_title_is_no_namespace():
    (link,) = article_keys("https://en.wikipedia.org/wiki/Nier:_Automata")
    assert (link.key, link.problems) == ("en.wikipedia.org|Nier: Automata", ())


def test_a_title_alone_has_the_key_of_its_page():
    assert title_key("blue_moon ") == article_keys("https://en.wikipedia.org/wiki/Blue_moon")[0].key


def test_an_item_of_white_space_holds_no_link():
    assert article_keys(" \t ,") == []


def test_decoding_stops_after_three_rounds():
    (link,) = article_keys("https://en.wikipedia.org/wiki/A%252525252541")
    assert link.key == "en.wikipedia.org|A%252541"


@given(st.text(max_size=200) | st.text("|/:.,%#?&=_ wikiAm5http", max_size=60))
def test_any_text_gives_keys_with_host_and_title_or_none(element):
    for link in article_keys(element):
        assert link.identity
        if link.key is not None:
            host, _, title = link.key.partition("|")
            assert host and title == title.strip() != ""


PAGE_DIFFERENCES = {
    # question: (page of our key, page of the cleaned list, reason)
    "88": ("Polytrichum piliferum", None, "a search address: its search words name the page (spec § 3.3)"),
    "98": ("Bronco", None, "an index.php address: its title parameter names the page (spec § 3.3)"),
    "495": (
        "https://w.wiki/ASFv",
        None,
        "a short link: the page is unknown without a table; its address stands for it",
    ),
    "764": (
        "2021 French Open – Men's singles",
        "2021 French Open – Men%27s singles",
        "percent-encoded twice: decoded until nothing changes (spec § 3.3), where the list decodes once",
    ),
}


def test_the_pages_of_each_question_are_those_of_the_cleaned_list_but_for_four_that_are_explained(real_data):
    questions = load(real_data / "frames", "full").questions
    with (real_data / "frames" / "links_clean.jsonl").open(encoding="utf-8") as stream:
        listed = {
            str(row["index"]): [link["page"] for link in row["links"]] for row in map(json.loads, stream)
        }
    assert (len(listed), sum(map(len, listed.values()))) == (824, 2680)
    assert [question.id for question in questions] == list(listed)
    found = {}
    for question in questions:
        ours = [item.title for item in question.evidence]
        theirs = list(dict.fromkeys(listed[question.id]))
        for place, (own, other) in enumerate(zip(ours, theirs, strict=True)):
            if own != other:
                found[question.id, place] = (own, other)
    assert sorted(found.values(), key=str) == sorted(
        ((own, other) for own, other, _ in PAGE_DIFFERENCES.values()), key=str
    )
    assert {identity for identity, _ in found} == set(PAGE_DIFFERENCES)
