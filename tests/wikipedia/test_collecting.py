"""Each link ends at one page as it stood at the date, or is vanished with a reason in words."""

from __future__ import annotations

import json

import pytest

from leaderboard.fetching.faults import Refused
from leaderboard.wikipedia.collecting import collect
from leaderboard.wikipedia.journal import JournalError
from leaderboard.wikipedia.pages import Link, Page, Vanished
from tests.wikipedia.invented import Edit
from tests.wikipedia.peer import Fault

EN = "en.wikipedia.org"
DATE = "2024-09-01T00:00:00Z"


def link(title: str, host: str = EN) -> Link:
    return Link(f"{host}|{title}", f"https://{host}/wiki/{title.replace(' ', '_')}")


@pytest.fixture
def collected(api, tmp_path, told):
    """Collect the pages of titles, or of links."""

    def run(*links: str | Link, **settings):
        wanted = [link(one) if isinstance(one, str) else one for one in links]
        return collect(api, wanted, tmp_path, told, **settings)

    return run


def reasons(result) -> list[str]:
    return [lost.reason for lost in result.vanished]


def test_a_page_is_its_newest_revision_of_the_date_or_before(peer, collected):
    article = peer.wiki().add(
        "Hilda Vane",
        ("2019-01-05T08:00:00Z", "Old."),
        ("2024-08-31T23:59:59Z", "'''Hilda Vane''' — née Å."),
        ("2024-09-01T00:00:01Z", "Later."),
    )
    assert collected("Hilda Vane").pages == (
        Page(
            key="en.wikipedia.org|Hilda Vane",
            title="Hilda Vane",
            page_id=101,
            revision=article.edits[1].number,
            timestamp="2024-08-31T23:59:59Z",
            url="https://en.wikipedia.org/wiki/Hilda_Vane",
            content_model="wikitext",
            wikitext="'''Hilda Vane''' — née Å.",
            links=("en.wikipedia.org|Hilda Vane",),
        ),
    )


def test_an_edit_of_the_very_moment_counts(peer, collected):
    peer.wiki().add("A", ("2020-01-01T00:00:00Z", "old"), (DATE, "that second"))
    assert collected("A").pages[0].wikitext == "that second"


def test_another_date_gives_another_revision(peer, collected):
    peer.wiki().add("A", ("2020-01-01T00:00:00Z", "old"), ("2023-01-01T00:00:00Z", "new"))
    assert collected("A", before="2022-06-01T00:00:00Z").pages[0].wikitext == "old"


def test_a_date_that_is_none_is_told(collected):
    with pytest.raises(
        ValueError, match=r"expected a moment such as 2024-09-01T00:00:00Z, found '2024-09-01'"
    ):
        collected("A", before="2024-09-01")


def test_the_question_for_a_revision_is_one_page_with_a_start_and_a_checksum(peer, collected):
    peer.wiki().add("A", ("2020-01-01T00:00:00Z", "old"))
    collected("A")
    info, revision = (one.parameters for one in peer.asked)
    common = {"action": "query", "format": "json", "formatversion": "2", "maxlag": "5"}
    assert info == {**common, "prop": "info", "inprop": "url", "titles": "A"}
    assert revision == {
        **common,
        "prop": "revisions",
        "pageids": "101",
        "rvprop": "ids|timestamp|content|contentmodel|sha1",
        "rvslots": "main",
        "rvlimit": "1",
        "rvdir": "older",
        "rvstart": DATE,
    }


def test_titles_are_asked_for_by_fifty_and_long_questions_by_post(peer, collected):
    titles = [f"Place number {number:03} of the {'long ' * 10}list" for number in range(120)]
    for title in titles:
        peer.wiki().add(title, ("2020-01-01T00:00:00Z", title))
    result = collected(*titles)
    assert [page.wikitext for page in result.pages] == titles
    questions = peer.questions("info")
    assert [len(one.parameters["titles"].split("|")) for one in questions] == [50, 50, 20]
    assert [one.method for one in questions] == ["POST", "POST", "GET"]
    assert questions[0].headers["promise-non-write-api-action"] == "true"
    assert len(peer.asked) == 3 + 120


def test_requests_never_overlap(peer, collected):
    for number in range(10):
        peer.wiki().add(f"P{number}", ("2020-01-01T00:00:00Z", "x"))
    collected(*(f"P{number}" for number in range(10)))
    assert all(one.ended <= after.began for one, after in zip(peer.asked, peer.asked[1:], strict=False))


def test_titles_are_matched_through_the_wikis_own_spelling(peer, collected):
    peer.wiki().add("Été à Kem", ("2020-01-01T00:00:00Z", "x"))
    result = collected("été_à  Kem", "E\u0301te\u0301 à Kem", "Été à Kem#History")
    assert result.vanished == ()
    assert [page.links for page in result.pages] == [
        (f"{EN}|été_à  Kem", f"{EN}|E\u0301te\u0301 à Kem", f"{EN}|Été à Kem#History")
    ]


def test_facts_that_come_in_several_answers_are_put_together(peer, collected):
    peer.info_at_once = 3
    for number in range(10):
        peer.wiki().add(f"P{number}", ("2020-01-01T00:00:00Z", str(number)))
    result = collected(*(f"P{number}" for number in range(10)))
    assert [page.url for page in result.pages] == [f"https://{EN}/wiki/P{number}" for number in range(10)]
    assert len(peer.questions("info")) == 4


def test_each_host_is_asked_by_itself(peer, api, tmp_path, told, open_api):
    peer.wiki().add("Sun", ("2020-01-01T00:00:00Z", "a star"))
    peer.wiki("simple.wikipedia.org").add("Sun", ("2020-01-01T00:00:00Z", "it is hot"))
    result = collect(open_api(), [link("Sun"), link("Sun", "simple.wikipedia.org")], tmp_path, told)
    assert [(page.key, page.wikitext) for page in result.pages] == [
        ("en.wikipedia.org|Sun", "a star"),
        ("simple.wikipedia.org|Sun", "it is hot"),
    ]


def test_a_module_comes_with_its_content_model_and_is_no_redirect(peer, collected):
    source = "#REDIRECT [[Elsewhere]]"
    peer.wiki().add("Module:Weather", Edit("2020-01-01T00:00:00Z", source, model="Scribunto"))
    (page,) = collected("Module:Weather").pages
    assert (page.title, page.content_model, page.wikitext) == ("Module:Weather", "Scribunto", source)


class TestRedirects:
    def test_as_they_stood_are_followed_and_both_links_lead_to_the_page(self, peer, collected):
        wiki = peer.wiki()
        wiki.add("Kem", ("2020-01-01T00:00:00Z", "a town"))
        wiki.add("Kem (town)", ("2021-01-01T00:00:00Z", "#redirect: [[kem#Streets|the town]] {{R}}"))
        (page,) = collected("Kem (town)", "Kem").pages
        assert (page.key, page.links) == (f"{EN}|Kem", (f"{EN}|Kem (town)", f"{EN}|Kem"))
        assert len(peer.questions("revisions")) == 2

    def test_made_after_the_date_are_pages_still(self, peer, collected):
        peer.wiki().add(
            "Old town", ("2020-01-01T00:00:00Z", "a text"), ("2025-01-01T00:00:00Z", "#REDIRECT [[Kem]]")
        )
        assert collected("Old town").pages[0].wikitext == "a text"

    def test_undone_after_the_date_are_redirects_still(self, peer, collected):
        peer.wiki().add("Kem", ("2020-01-01T00:00:00Z", "a town"))
        peer.wiki().add(
            "Port", ("2020-01-01T00:00:00Z", "#REDIRECT [[Kem]]"), ("2025-01-01T00:00:00Z", "a text")
        )
        assert collected("Port").pages[0].wikitext == "a town"

    def test_left_by_a_later_move_lead_to_the_moved_page(self, peer, collected):
        peer.wiki().add("Kem", ("2020-01-01T00:00:00Z", "a town"))
        peer.wiki().move("Kem", "Kem, Norrland", "2025-03-01T00:00:00Z")
        (page,) = collected("Kem").pages
        assert (page.key, page.wikitext, page.page_id) == (f"{EN}|Kem, Norrland", "a town", 101)
        assert (page.timestamp, page.links) == ("2020-01-01T00:00:00Z", (f"{EN}|Kem",))

    def test_five_in_a_row_are_followed_and_no_sixth(self, peer, collected):
        for number in range(6):
            peer.wiki().add(f"R{number}", ("2020-01-01T00:00:00Z", f"#REDIRECT [[R{number + 1}]]"))
        peer.wiki().add("R6", ("2020-01-01T00:00:00Z", "the end"))
        result = collected("R0", "R1")
        assert [(page.title, page.links) for page in result.pages] == [("R6", (f"{EN}|R1",))]
        assert result.vanished == (
            Vanished(
                f"{EN}|R0",
                "“R0” redirects: “R1” redirects: “R2” redirects: “R3” redirects: “R4” redirects: "
                "a redirect too, and more than 5 aren't followed",
            ),
        )

    def test_in_a_circle_are_vanished(self, peer, collected):
        peer.wiki().add("A", ("2020-01-01T00:00:00Z", "#REDIRECT [[B]]"))
        peer.wiki().add("B", ("2020-01-01T00:00:00Z", "#REDIRECT [[A]]"))
        assert reasons(collected("A")) == ["“A” redirects: “B” redirects: back to “A”, a circle"]

    @pytest.mark.parametrize(
        ("target", "reason"),
        [
            ("Gone", "there is no page “Gone” today: deleted, or never there"),
            ("fr:Kem", "“fr:Kem” is a link to another wiki (fr)"),
            ("Special:Random", "“Special:Random” is made when asked for and has no revisions"),
        ],
    )
    def test_to_no_page_are_vanished(self, peer, collected, target, reason):
        peer.wiki().add("A", ("2020-01-01T00:00:00Z", f"#REDIRECT [[:{target}]]"))
        assert reasons(collected("A")) == [f"“A” redirects: {reason}"]


@pytest.mark.parametrize(
    ("identity", "reason"),
    [
        (f"{EN}|Gone", "there is no page “Gone” today: deleted, or never there"),
        (f"{EN}|A[1]", '“A[1]” can\'t be a title: The title has "[" in it.'),
        (f"{EN}|A|B", "no title has a bar or control characters in it"),
        (f"{EN}|\x1fA", "no title has a bar or control characters in it"),
        (f"{EN}|de:Kem", "“de:Kem” is a link to another wiki (de)"),
        (f"{EN}|Special:Search", "“Special:Search” is made when asked for and has no revisions"),
        ("example.org|Kem", "example.org isn't a Wikipedia"),
        ("en.wikipedia.org.example.org|Kem", "en.wikipedia.org.example.org isn't a Wikipedia"),
        ("https://example.org/", "the link isn't one to a page of a wiki"),
    ],
)
def test_what_is_no_page_is_vanished_and_the_others_come(peer, collected, identity, reason):
    peer.wiki().add("Kem", ("2020-01-01T00:00:00Z", "a town"))
    result = collected(Link(identity, identity), "Kem")
    assert result.vanished == (Vanished(identity, reason),)
    assert [page.title for page in result.pages] == ["Kem"]


def test_a_page_younger_than_the_date_says_of_when_it_is(peer, collected):
    peer.wiki().add("New", ("2024-10-02T10:00:00Z", "a"), ("2025-01-01T00:00:00Z", "b"))
    assert reasons(collected("New")) == [
        "no revision before 2024-09-01T00:00:00Z; the first is of 2024-10-02T10:00:00Z"
    ]


@pytest.mark.parametrize("suppressed", [False, True])
def test_a_hidden_text_is_vanished(peer, collected, suppressed):
    hidden = Edit("2021-01-01T00:00:00Z", "secret", hidden=True, suppressed=suppressed)
    article = peer.wiki().add("A", ("2020-01-01T00:00:00Z", "open"), hidden)
    number = article.edits[1].number
    assert reasons(collected("A")) == [
        f"the text of revision {number} of 2021-01-01T00:00:00Z is hidden by the wiki"
    ]


def test_a_text_that_never_has_its_checksum_is_vanished_and_the_others_come(peer, collected):
    peer.wiki().add("A", Edit("2020-01-01T00:00:00Z", "a town", sha1="0" * 40))
    peer.wiki().add("B", ("2020-01-01T00:00:00Z", "a lake"))
    result = collected("A", "B")
    [reason] = reasons(result)
    assert "the text doesn't have its checksum: expected 0000" in reason
    assert [page.title for page in result.pages] == ["B"]


class TestShortLinks:
    def ask(self, collected):
        return collected(Link("https://w.wiki/3ab", "https://w.wiki/3ab"))

    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    @pytest.mark.parametrize(
        "location",
        [
            "https://en.wikipedia.org/wiki/Kem_%28town%29#Streets",
            "https://en.m.wikipedia.org/wiki/Kem_(town)",
            "//en.wikipedia.org/wiki/Kem_(town)?action=view",
        ],
    )
    def test_lead_where_their_answer_says(self, peer, collected, status, location):
        peer.short_links["/3ab"] = (status, location)
        peer.wiki().add("Kem (town)", ("2020-01-01T00:00:00Z", "a town"))
        (page,) = self.ask(collected).pages
        assert (page.key, page.links) == (f"{EN}|Kem (town)", ("https://w.wiki/3ab",))

    def test_may_lead_to_each_other(self, peer, collected):
        peer.short_links |= {"/3ab": (301, "/9z"), "/9z": (301, "https://en.wikipedia.org/wiki/Kem")}
        peer.wiki().add("Kem", ("2020-01-01T00:00:00Z", "a town"))
        assert self.ask(collected).pages[0].title == "Kem"

    @pytest.mark.parametrize(
        ("answers", "reason"),
        [
            ({}, "the short link leads nowhere (w.wiki answers 404)"),
            ({"/3ab": (200, "")}, "the short link leads nowhere (w.wiki answers 200)"),
            ({"/3ab": (301, "/9z"), "/9z": (301, "/3ab")}, "the short link leads in a circle"),
            (
                {"/3ab": (301, "https://example.org/wiki/Kem")},
                "the short link leads to no page of a Wikipedia: https://example.org/wiki/Kem",
            ),
            (
                {"/3ab": (301, "https://en.wikipedia.org/w/index.php?title=Kem")},
                "the short link leads to no page of a Wikipedia: "
                "https://en.wikipedia.org/w/index.php?title=Kem",
            ),
            (
                {"/3ab": (302, "http://127.0.0.1:1/wiki/Kem")},
                "the short link leads to no page of a Wikipedia: http://127.0.0.1:1/wiki/Kem",
            ),
            (
                {
                    "/3ab": (301, "/b"),
                    **{f"/{a}": (301, f"/{b}") for a, b in zip("bcdef", "cdefg", strict=True)},
                },
                "the short link leads on more than 5 times",
            ),
        ],
    )
    def test_that_lead_to_no_page_are_vanished_and_nobody_else_is_asked(
        self, peer, collected, answers, reason
    ):
        peer.short_links |= answers
        assert reasons(self.ask(collected)) == [reason]
        assert {one.host for one in peer.asked} == {"w.wiki"}


class TestResume:
    def lines(self, tmp_path) -> list[dict]:
        return [json.loads(line) for line in (tmp_path / "articles.fetching.jsonl").read_text().splitlines()]

    @pytest.fixture
    def wiki(self, peer):
        for name in "ABCD":
            peer.wiki().add(name, ("2020-01-01T00:00:00Z", f"text of {name}"))
        peer.wiki().add("R", ("2020-01-01T00:00:00Z", "#REDIRECT [[B]]"))
        return peer.wiki()

    LINKS = ("A", "R", "Gone", "B", "C", "D")

    def test_the_file_has_a_header_and_what_came(self, wiki, collected, tmp_path):
        collected("A", "Gone")
        page = {
            "key": f"{EN}|A",
            "title": "A",
            "page_id": 101,
            "revision": 5001,
            "timestamp": "2020-01-01T00:00:00Z",
            "url": f"https://{EN}/wiki/A",
            "content_model": "wikitext",
            "wikitext": "text of A",
        }
        assert self.lines(tmp_path) == [
            {"version": 1, "before": DATE},
            {"page": page},
            {"reached": f"{EN}|A", "host": EN, "page_id": 101},
            {"vanished": f"{EN}|Gone", "reason": "there is no page “Gone” today: deleted, or never there"},
        ]

    def test_a_finished_collection_asks_nothing_more(self, wiki, peer, collected, told):
        first = collected(*self.LINKS)
        asked = len(peer.asked)
        assert collected(*self.LINKS) == first
        assert len(peer.asked) == asked
        assert told.at_[-1] == 6

    def test_wherever_it_was_cut_off_the_result_is_the_same(self, wiki, peer, collected, tmp_path):
        whole = collected(*self.LINKS)
        path = tmp_path / "articles.fetching.jsonl"
        content = path.read_bytes()
        for end in range(0, len(content), 61):
            path.write_bytes(content[:end])
            peer.asked.clear()
            assert collected(*self.LINKS) == whole
            kept = content[:end].rpartition(b"\n")[0].count(b'{"page"')
            texts = [one for one in peer.questions("revisions") if one.parameters["pageids"] != "105"]
            assert len(texts) == 4 - kept

    def test_a_run_that_is_refused_in_the_middle_goes_on_there(self, wiki, peer, api, collected, told):
        refused = {"error": {"code": "blocked", "info": "No."}}
        peer.faults = [Fault(change=lambda _: refused, when=lambda asked: asked.get("pageids") == "103")]
        with pytest.raises(Refused, match="the API refuses: blocked: No"):
            collected(*self.LINKS)
        peer.asked.clear()
        assert [page.title for page in collected(*self.LINKS).pages] == ["A", "B", "C", "D"]
        assert [one.parameters["pageids"] for one in peer.questions("revisions")] == ["105", "103", "104"]
        assert "3 of 6 links were settled before" in told.said

    def test_other_links_find_the_pages_that_came(self, wiki, peer, collected):
        collected("A", "B", "Gone")
        peer.asked.clear()
        result = collected("R", "A")
        assert [(page.title, page.links) for page in result.pages] == [
            ("B", (f"{EN}|R",)),
            ("A", (f"{EN}|A",)),
        ]
        assert result.vanished == ()
        assert [one.parameters["pageids"] for one in peer.questions("revisions")] == ["105"]

    def test_a_file_of_another_date_is_kept_and_told(self, wiki, peer, collected, tmp_path):
        collected("A")
        before = self.lines(tmp_path)
        asked = len(peer.asked)
        with pytest.raises(
            JournalError,
            match=r"articles\.fetching\.jsonl holds pages as of '2024-09-01T00:00:00Z', wanted .*delete it",
        ):
            collected("A", before="2023-01-01T00:00:00Z")
        assert (self.lines(tmp_path), len(peer.asked)) == (before, asked)


def test_what_comes_out_stands_in_the_order_asked_for(peer, collected):
    for name in "ABC":
        peer.wiki().add(name, ("2020-01-01T00:00:00Z", name))
    peer.wiki().add("R", ("2020-01-01T00:00:00Z", "#REDIRECT [[B]]"))
    result = collected("Gone", "R", "A", "No", "C", "A", "B", "Gone")
    assert [(page.title, page.links) for page in result.pages] == [
        ("B", (f"{EN}|R", f"{EN}|B")),
        ("A", (f"{EN}|A",)),
        ("C", (f"{EN}|C",)),
    ]
    assert [lost.identity for lost in result.vanished] == [f"{EN}|Gone", f"{EN}|No"]


def test_a_page_deleted_while_it_is_asked_for_is_vanished(peer, collected):
    peer.wiki().add("A", ("2020-01-01T00:00:00Z", "x"))
    gone = {"batchcomplete": True, "query": {"pages": [{"pageid": 101, "missing": True}]}}
    peer.faults = [Fault(change=lambda _: gone, when=lambda asked: asked["prop"] == "revisions")]
    assert reasons(collected("A")) == ["the page 101 was deleted while its text was asked for"]


def test_a_text_too_large_for_the_first_answer_is_had_from_the_next(peer, collected):
    peer.wiki().add("A", ("2020-01-01T00:00:00Z", "large"))
    onward = {"rvcontinue": "2020-01-01T00:00:00Z|5001", "continue": "||"}

    def postponed(answer):
        del answer["batchcomplete"], answer["query"]["pages"][0]["revisions"]
        return {**answer, "continue": onward}

    peer.faults = [Fault(change=postponed, when=lambda asked: asked["prop"] == "revisions")]
    assert collected("A").pages[0].wikitext == "large"
    assert peer.asked[-1].parameters["rvcontinue"] == onward["rvcontinue"]


def test_the_report_counts_the_links_that_are_settled(peer, collected, told):
    peer.wiki().add("A", ("2020-01-01T00:00:00Z", "x"))
    peer.wiki().add("R", ("2020-01-01T00:00:00Z", "#REDIRECT [[A]]"))
    collected("R", "Gone", "A", "A")
    assert told.at_ == [0, 1, 2, 3]
