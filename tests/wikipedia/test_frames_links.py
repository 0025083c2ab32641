"""All links of FRAMES through the client, against a wiki that knows every title."""

from __future__ import annotations

import ast
import csv

from leaderboard.benchmarks.frames_links import article_keys
from leaderboard.wikipedia.collecting import collect
from leaderboard.wikipedia.hosts import SHORT_HOST
from leaderboard.wikipedia.pages import Link
from tests.wikipedia.invented import read_name


def test_each_link_of_the_824_questions_leads_to_a_page_in_one_request_a_page(
    real_data, peer, open_api, tmp_path, told
):
    with (real_data / "frames" / "test.tsv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    found = [
        link for row in rows for item in ast.literal_eval(row["wiki_links"]) for link in article_keys(item)
    ]
    links = [Link(link.identity, link.url) for link in found]
    keys = {link.key for link in found if link.key}
    for key in keys:
        host, _, title = key.partition("|")
        name = read_name(title)
        assert not name.invalid, title
        if name.title not in peer.wiki(host).articles:
            peer.wiki(host).add(name.title, ("2024-01-01T00:00:00Z", f"text of {name.title}"))
    for link in found:
        if not link.key:
            title = "Behind a short link"
            peer.short_links[link.url.partition(SHORT_HOST)[2]] = (
                301,
                f"https://en.wikipedia.org/wiki/{title}",
            )
            peer.wiki().add(title, ("2024-01-01T00:00:00Z", f"text of {title}"))
    pages = sum(len(wiki.articles) for wiki in peer.wikis.values())

    api = open_api()
    result = collect(api, links, tmp_path, told)

    assert (len(rows), len({link.identity for link in links})) == (824, 2523)
    assert result.vanished == ()
    assert all(page.wikitext == f"text of {page.title}" for page in result.pages)
    assert len(result.pages) == pages
    assert {identity for page in result.pages for identity in page.links} == {link.identity for link in links}
    # for each wiki a batch of 50 titles, the short link's among them; a text a page; the short link itself
    batches = [-(-sum(page.host == host for page in result.pages) // 50) for host in peer.wikis]
    assert (api.requests, sum(batches)) == (2576, 52)
    assert api.requests == sum(batches) + pages + 1
    assert len(peer.questions("revisions")) == pages
