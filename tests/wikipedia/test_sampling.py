"""A sample is drawn by a seed among the articles of the date, and never holds a gold page."""

from __future__ import annotations

import pytest

from leaderboard.wikipedia.sampling import SampleError, sample_pages
from tests.wikipedia.invented import Edit

EN = "en.wikipedia.org"


@pytest.fixture(autouse=True)
def wiki(peer):
    """Ids 101 to 232: of each eleven, four articles, and one each of what isn't taken."""
    wiki = peer.wiki()
    for ten in range(12):
        for number in range(4):
            wiki.add(f"Article {ten}-{number}", ("2020-01-01T00:00:00Z", f"text {ten}-{number}"))
        wiki.add(f"Redirect {ten}", ("2020-01-01T00:00:00Z", "#REDIRECT [[Article 1-1]]"))
        wiki.add(
            f"Once a redirect {ten}",
            ("2020-01-01T00:00:00Z", "#REDIRECT [[Article 1-1]]"),
            ("2025-01-01T00:00:00Z", "x"),
        )
        wiki.add(
            f"A redirect since {ten}",
            ("2020-01-01T00:00:00Z", "x"),
            ("2025-01-01T00:00:00Z", "#REDIRECT [[Article 1-1]]"),
        )
        wiki.add(f"Talk:Article {ten}", ("2020-01-01T00:00:00Z", "talk"))
        wiki.add(f"Young {ten}", ("2024-12-01T00:00:00Z", "young"))
        wiki.add(f"Hidden {ten}", Edit("2020-01-01T00:00:00Z", "hidden", hidden=True))
        wiki.add(f"Sheet {ten}", Edit("2020-01-01T00:00:00Z", "a {}", model="css"))
    return wiki


@pytest.fixture
def sample(api, tmp_path, told):
    def draw(count: int, seed: int, folder: str = "a", **settings):
        settings = {"newest_id": 300, **settings}
        return sample_pages(api, EN, count, seed, tmp_path / folder, told, **settings)

    return draw


def titles(pages) -> list[str]:
    return [page.title for page in pages]


def test_only_articles_that_were_there_are_taken(sample, told):
    pages = sample(48, 7)
    assert sorted(titles(pages)) == sorted(
        f"Article {ten}-{number}" for ten in range(12) for number in range(4)
    )
    assert all(page.wikitext == page.title.replace("Article", "text") for page in pages)
    assert told.at_ == list(range(1, 49))


def test_a_seed_gives_its_sample_again_and_a_larger_one_begins_with_it(sample):
    assert titles(sample(10, 7, "b")) == titles(sample(10, 7, "c")) == titles(sample(20, 7, "d"))[:10]
    assert titles(sample(10, 8, "e")) != titles(sample(10, 7, "f"))


def test_gold_pages_are_left_out(sample):
    gold = {f"{EN}|{title}" for title in titles(sample(10, 7))}
    others = sample(30, 7, exclude=gold)
    assert len(others) == 30
    assert not gold & {page.key for page in others}


def test_ids_are_looked_at_by_fifty(sample, peer):
    sample(48, 7)
    assert {len(one.parameters["pageids"].split("|")) for one in peer.questions("info")} == {50}
    assert len(peer.questions("info")) <= 6


def test_a_wiki_too_small_is_told_after_all_its_ids(sample, peer):
    with pytest.raises(
        SampleError,
        match=r"^en\.wikipedia\.org: expected 49 articles as of 2024-09-01T00:00:00Z, found 48 among 300 page ids",
    ):
        sample(49, 7)
    assert len(peer.questions("info")) == 6


def test_the_number_of_draws_is_bounded_in_a_wiki_that_is_nearly_empty(sample, peer):
    with pytest.raises(SampleError, match="found 0 among 1,000 page ids"):
        sample(1, 7, newest_id=10**9)
    assert len(peer.questions("info")) == 20


def test_texts_that_came_are_not_asked_for_again(sample, peer):
    first = sample(10, 7)
    peer.asked.clear()
    assert sample(10, 7) == first
    drawn = {str(page.page_id) for page in first}
    assert not drawn & {one.parameters["pageids"] for one in peer.questions("revisions")}


def test_none_are_had_for_nothing(sample, peer):
    assert sample(0, 7) == ()
    assert peer.asked == []
