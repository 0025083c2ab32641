"""What a wiki answers other than what was asked for, and what becomes of it."""

from __future__ import annotations

import gzip
import threading
import time
import tracemalloc
import zlib

import pytest

from leaderboard.fetching.faults import (
    BadResponse,
    Interrupted,
    RateLimited,
    Refused,
    ServerError,
    Timeout,
    Unreachable,
)
from leaderboard.fetching.identity import user_agent
from leaderboard.wikipedia.answers import Standing
from leaderboard.wikipedia.api import ActionApi, action_api
from leaderboard.wikipedia.exchange import Exchange
from leaderboard.wikipedia.hosts import Endpoints
from leaderboard.wikipedia.revisions import find_titles, revision_at
from tests.fetching.sources import free_address
from tests.wikipedia.peer import Fault, served_peer

EN = "en.wikipedia.org"
DATE = "2024-09-01T00:00:00Z"
KEM = Standing(EN, 101, "Kem", 0, f"https://{EN}/wiki/Kem", False)
JSON = {"Content-Type": "application/json"}


@pytest.fixture(autouse=True)
def kem(peer):
    return peer.wiki().add("Kem", ("2020-01-01T00:00:00Z", "a town"))


def find(api: ActionApi):
    return find_titles(api, EN, ["Kem"])["Kem"]


def text(api: ActionApi) -> str:
    return revision_at(api, EN, 101, DATE).wikitext


class TestWaiting:
    def test_a_lagging_database_is_given_the_time_it_asks(self, peer, api, waits):
        lag = {"error": {"code": "maxlag", "info": "Waiting for db-1: 8 seconds lagged.", "lag": 8}}
        headers = {"Retry-After": "7", "X-Database-Lag": "8"}
        peer.faults = [Fault(change=lambda _: lag, headers=headers)] * 2
        assert find(api) == KEM
        assert (waits, len(peer.asked)) == ([7.0, 7.0], 3)

    def test_without_a_time_it_is_given_five_seconds(self, peer, api, waits):
        peer.faults = [Fault(change=lambda _: {"error": {"code": "maxlag", "info": "Waiting."}})]
        assert find(api) == KEM
        assert waits == [5.0]

    def test_one_that_lags_on_is_told(self, peer, api, waits):
        peer.lag_s = 12
        with pytest.raises(
            RateLimited, match=r"^en\.wikipedia\.org: the API refuses: maxlag: Waiting for db-1: 12"
        ):
            find(api)
        assert waits == [5.0, 5.0, 5.0, 5.0, 8.0, 16.0, 30.0]

    @pytest.mark.parametrize("code", ["readonly", "internal_api_error_DBQueryError", "ratelimited"])
    def test_errors_that_pass_are_waited_for(self, peer, api, waits, code):
        peer.faults = [Fault(change=lambda _: {"error": {"code": code, "info": "Later."}})]
        assert find(api) == KEM
        assert waits == [0.5]

    @pytest.mark.parametrize("status", [429, 503])
    def test_a_status_that_says_when_to_come_back_is_heeded(self, peer, api, waits, status):
        peer.faults = [Fault(status=status, body=b"busy", headers={"Retry-After": "9"})]
        assert find(api) == KEM
        assert waits == [9.0]

    @pytest.mark.parametrize(("status", "kind"), [(429, RateLimited), (503, ServerError)])
    def test_one_that_asks_for_too_long_is_told_at_once(self, peer, api, waits, status, kind):
        peer.faults = [Fault(status=status, body=b"busy", headers={"Retry-After": "3600"})]
        with pytest.raises(kind, match=rf"^en\.wikipedia\.org answers {status} and asks to wait 3600 s$"):
            find(api)
        assert waits == []

    @pytest.mark.parametrize("status", [500, 502, 504])
    def test_a_server_that_breaks_is_asked_again(self, peer, api, waits, status):
        peer.faults = [Fault(status=status, body=b"<html>oops</html>")] * 2
        assert find(api) == KEM
        assert waits == [0.5, 1.0]

    def test_one_that_stays_broken_is_told_after_eight_tries(self, peer, api, waits):
        peer.faults = [Fault(status=500, body=b"oops")] * 20
        with pytest.raises(ServerError, match="answers 500") as raised:
            find(api)
        assert (raised.value.attempts, len(peer.asked)) == (8, 8)

    def test_a_run_told_to_stop_asks_nothing_more(self, peer, open_api):
        stop = threading.Event()
        stop.set()
        with pytest.raises(Interrupted):
            find(open_api(stop=stop))
        assert peer.asked == []


class TestRefusals:
    def test_an_error_of_the_api_is_told_with_its_code_and_not_asked_again(self, peer, api):
        refused = {"error": {"code": "permissiondenied", "info": "You\ncan't\x1b[31m do that."}}
        peer.faults = [Fault(change=lambda _: refused)]
        with pytest.raises(
            Refused,
            match=r"^en\.wikipedia\.org: the API refuses: permissiondenied: You can't \[31m do that\.$",
        ):
            find(api)
        assert len(peer.asked) == 1

    def test_more_than_fifty_titles_are_never_asked_for(self, peer, api):
        with pytest.raises(ValueError, match="at most 50 titles at once, not 51"):
            find_titles(api, EN, [f"P{number}" for number in range(51)])
        with pytest.raises(Refused, match="toomanyvalues"):
            list(api.query(EN, {"prop": "info", "titles": "|".join(f"P{number}" for number in range(51))}))

    def test_a_start_with_two_pages_is_refused_by_the_api(self, peer, api):
        peer.wiki().add("Other", ("2020-01-01T00:00:00Z", "x"))
        asked = {"prop": "revisions", "pageids": "101|102", "rvstart": DATE, "rvlimit": "1"}
        with pytest.raises(Refused, match="invalidparammix"):
            list(api.query(EN, asked))

    @pytest.mark.parametrize("status", [400, 403, 404, 414])
    def test_a_status_of_refusal_is_told(self, peer, api, status):
        peer.faults = [Fault(status=status, body=b"no")]
        with pytest.raises(Refused, match=rf"^en\.wikipedia\.org answers {status}$"):
            find(api)
        assert len(peer.asked) == 1

    def test_a_redirect_of_the_api_is_not_followed(self, peer, api):
        peer.faults = [Fault(status=302, body=b"", headers={"Location": f"{peer.url}/elsewhere"})]
        with pytest.raises(Refused, match="answers 302"):
            find(api)
        assert len(peer.asked) == 1

    @pytest.mark.parametrize("host", ["example.org", "en.wikipedia.org.example.org", "w.wiki", "localhost"])
    def test_no_other_host_is_asked(self, peer, api, host):
        with pytest.raises(ValueError, match="not a Wikipedia"):
            list(api.query(host, {"prop": "info"}))
        assert peer.asked == []


def spoil(path: str, value: object):
    """Return a change of the right answer: ``value`` in the place of what stands at ``path``, dropped if it is ``...``."""

    def change(answer):
        *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        place = answer
        for step in way:
            place = place[step]
        if value is ...:
            del place[last]
        else:
            place[last] = value
        return answer

    return change


class TestWrongAnswers:
    @pytest.mark.parametrize(
        ("body", "told"),
        [
            (b"<!DOCTYPE html><title>Log in</title>", "expected JSON from the API, found a web page"),
            (b"\n <HTML>", "expected JSON from the API, found a web page"),
            (b'{"batchcomplete": tr', "expected JSON from the API, found something else"),
            (b"", "expected JSON from the API, found something else"),
            (b"\xff\xfe", "expected JSON from the API, found something else"),
            (b'{"query": NaN}', "expected JSON from the API, found something else"),
            (b"[" * 200_000, "expected JSON from the API, found something else"),
            (b"[]", "expected an object from the API, found a list"),
            (b'{"query": []}', "query: expected an object, found a list"),
            (b'{"query": {"pages": {}}}', r"query\.pages: expected a list, found an object"),
            (b'{"error": "no"}', "error: expected an object with a code, found a text"),
            (b'{"error": {"code": 5}}', "error: expected an object with a code, found an object"),
            (b'{"warnings": ["a"]}', "warnings: expected an object, found a list"),
            (
                b'{"warnings": {"main": {"*": "a"}}}',
                "warnings: expected an object with a text, found an object",
            ),
            (b'{"continue": "on"}', "continue: expected an object, found a text"),
            (b'{"continue": {"titles": "Other"}}', "continue: expected texts to send back, found a text"),
            (b'{"continue": {"incontinue": null}}', "continue: expected texts to send back, found nothing"),
            (
                b'{"query": {"pages": [{"title": "\\ud800"}]}}',
                r"query\.pages\.title: expected a text, found half a character",
            ),
            (b"{}", "the answer says nothing of the title “Kem”"),
        ],
    )
    def test_are_asked_for_once_more_and_told(self, peer, api, body, told):
        peer.faults = [Fault(body=body, headers=JSON)] * 9
        with pytest.raises(BadResponse, match=told) as raised:
            find(api)
        assert (len(peer.asked), raised.value.attempts) == (2, 2)

    @pytest.mark.parametrize(
        ("path", "value", "told"),
        [
            ("query.pages.0.title", 5, r"query\.pages\.title: expected a text, found a number"),
            ("query.pages.0.title", ..., r"query\.pages\.title: expected a text, found nothing"),
            ("query.pages.0.title", "Other", "the answer says nothing of the title “Kem”"),
            ("query.pages.0.pageid", "101", r"query\.pages\.pageid: expected a number, found a text"),
            ("query.pages.0.pageid", True, r"query\.pages\.pageid: expected a number, found true or false"),
            ("query.pages.0.pageid", -1, r"query\.pages\.pageid: expected a number from 1, found -1"),
            ("query.pages.0.redirect", "", r"query\.pages\.redirect: expected true or false, found a text"),
            (
                "query.pages.0.canonicalurl",
                ...,
                r"query\.pages\.canonicalurl: expected a text, found nothing",
            ),
            (
                "query.pages.0.canonicalurl",
                "https://example.org/wiki/Kem",
                r"expected an address of https://en\.wikipedia\.org/wiki/, found “https://example\.org/wiki/Kem”",
            ),
            ("query.pages.0", "Kem", r"query\.pages: expected an object, found a text"),
            ("query.normalized", {}, r"query\.normalized: expected a list, found an object"),
            ("query.normalized", [{"from": "a"}], r"query\.normalized\.to: expected a text, found nothing"),
            ("query.interwiki", [[]], r"query\.interwiki: expected an object, found a list"),
        ],
    )
    def test_of_titles_are_told_by_the_field(self, peer, api, path, value, told):
        peer.faults = [Fault(change=spoil(path, value)) for _ in range(9)]
        with pytest.raises(BadResponse, match=told):
            find(api)
        assert len(peer.asked) == 2

    @pytest.mark.parametrize(
        ("path", "value", "told"),
        [
            ("query.pages", [], "expected the page 101 alone, found 0"),
            ("query.pages.0.pageid", 102, "expected the page 101 alone"),
            ("query.pages.0.revisions", {}, r"pages\.revisions: expected a list, found an object"),
            ("query.pages.0.revisions.0.revid", None, r"revisions\.revid: expected a number, found nothing"),
            (
                "query.pages.0.revisions.0.timestamp",
                "yesterday",
                r"revisions\.timestamp: expected a moment in UTC, found “yesterday”",
            ),
            (
                "query.pages.0.revisions.0.timestamp",
                "2024-13-01T00:00:00Z",
                r"expected a moment in UTC, found “2024-13-01T00:00:00Z”",
            ),
            (
                "query.pages.0.revisions.0.timestamp",
                "2024-09-01T00:00:01Z",
                r"expected at most 2024-09-01T00:00:00Z, found 2024-09-01T00:00:01Z",
            ),
            ("query.pages.0.revisions.0.slots", ..., r"revisions\.slots: expected an object, found nothing"),
            ("query.pages.0.revisions.0.slots.main", [], r"slots\.main: expected an object, found a list"),
            (
                "query.pages.0.revisions.0.slots.main.content",
                ...,
                r"main\.content: expected a text, found nothing",
            ),
            ("query.pages.0.revisions.0.slots.main.contentmodel", 1, r"contentmodel: expected a text"),
            ("query.pages.0.revisions.0.sha1", ..., r"revisions\.sha1: expected a text, found nothing"),
            ("query.pages.0.revisions.0.sha1", "", r"revisions\.sha1: expected 40 hex digits, found “”"),
            (
                "query.pages.0.revisions.0.slots.main.content",
                "a toWn",
                "revision 5001: the text doesn't have its checksum: expected "
                "6fcfff19a4f66636a8c0d08bdffda75d4304bb63, found 5120c6e0e9665534104206244d00a64de85ca117",
            ),
        ],
    )
    def test_of_revisions_are_told_by_the_field(self, peer, api, path, value, told):
        peer.faults = [Fault(change=spoil(path, value)) for _ in range(9)]
        with pytest.raises(BadResponse, match=told):
            text(api)
        assert len(peer.asked) == 2

    def test_once_are_forgiven(self, peer, api):
        peer.faults = [Fault(change=spoil("query.pages.0.revisions.0.slots.main.content", "a toWn"))]
        assert text(api) == "a town"

    def test_a_continuation_without_end_is_told(self, peer, api):
        def on(answer):
            return {**answer, "continue": {"incontinue": "0|Kem", "continue": "||"}}

        peer.faults = [Fault(change=on) for _ in range(20)]
        with pytest.raises(BadResponse, match="the answer's continuation doesn't end"):
            find(api)
        assert len(peer.asked) == 4

    def test_a_title_given_back_percent_encoded_is_matched(self, peer, api):
        peer.wiki().add("Å", ("2020-01-01T00:00:00Z", "x"))

        def encoded(answer):
            answer["query"]["normalized"] = [{"fromencoded": True, "from": "A%CC%8A", "to": "Å"}]
            return answer

        peer.faults = [Fault(change=encoded)]
        assert find_titles(api, EN, ["A\u030a"])["A\u030a"].title == "Å"


class TestBodies:
    def test_gzip_is_accepted_and_unpacked(self, peer, api):
        assert find(api) == KEM
        assert peer.asked[0].headers["accept-encoding"] == "gzip"

    def test_none_is_taken_as_it_is(self, peer, api):
        peer.gzip = False
        assert find(api) == KEM

    def test_one_that_unpacks_to_too_much_is_refused_without_being_unpacked(self, peer, open_api):
        bomb = gzip.compress(b" " * 50_000_000, 1)
        peer.faults = [Fault(body=bomb, headers={"Content-Encoding": "gzip"})] * 9
        api = open_api(most_bytes=1_000_000)
        tracemalloc.start()
        try:
            with pytest.raises(BadResponse, match="larger than 1,000,000 bytes"):
                find(api)
            assert tracemalloc.get_traced_memory()[1] < 10_000_000
        finally:
            tracemalloc.stop()
        assert len(peer.asked) == 2

    def test_a_plain_one_may_not_be_too_large_either(self, peer, open_api):
        peer.faults = [Fault(body=b" " * 5_000)] * 9
        with pytest.raises(BadResponse, match="larger than 4,000 bytes"):
            find(open_api(most_bytes=4_000))

    @pytest.mark.parametrize(
        ("body", "encoding", "told"),
        [
            (b"not gzip", "gzip", "can't be decompressed"),
            (gzip.compress(b"{}" * 500, mtime=0)[:-9], "gzip", "not one whole gzip stream"),
            (gzip.compress(b"{}", mtime=0) + b"more", "gzip", "not one whole gzip stream"),
            (
                gzip.compress(gzip.compress(b"{}", mtime=0), mtime=0),
                "gzip, gzip",
                "expected gzip or none, found 'gzip, gzip'",
            ),
            (zlib.compress(b"{}"), "deflate", "expected gzip or none, found 'deflate'"),
        ],
    )
    def test_what_can_not_be_unpacked_is_told(self, peer, api, body, encoding, told):
        peer.faults = [Fault(body=body, headers={"Content-Encoding": encoding})] * 9
        with pytest.raises(BadResponse, match=told):
            find(api)
        assert len(peer.asked) == 2

    def test_one_that_is_cut_off_is_asked_for_again(self, peer, api, waits):
        peer.faults = [Fault(keep=20)] * 2
        assert find(api) == KEM
        assert waits == [0.5, 1.0]

    def test_one_always_cut_off_is_told(self, peer, api):
        peer.faults = [Fault(keep=20)] * 20
        with pytest.raises(Unreachable, match=r"^en\.wikipedia\.org: the answer broke off or is no HTTP$"):
            find(api)
        assert len(peer.asked) == 8

    def test_one_shorter_than_promised_is_asked_for_again(self, peer, api):
        peer.faults = [Fault(promised=100_000)]
        assert find(api) == KEM
        assert len(peer.asked) == 2

    def test_one_longer_than_promised_is_a_wrong_answer(self, peer, api):
        peer.gzip = False
        peer.faults = [Fault(promised=30)] * 9
        with pytest.raises(BadResponse, match="expected JSON from the API, found something else"):
            find(api)
        assert len(peer.asked) == 2

    def test_one_that_drips_is_given_up_in_time(self, peer, open_api):
        peer.gzip = False
        peer.faults = [Fault(drip_s=0.02)] * 20
        began = time.monotonic()
        with pytest.raises(Timeout, match=r"^en\.wikipedia\.org gave no whole answer within 0\.2 s$"):
            find(open_api(timeout_s=0.2))
        assert len(peer.asked) == 8
        assert time.monotonic() - began < 8


class TestNobodyThere:
    def open_(self, told, waits) -> ActionApi:
        return ActionApi(Exchange(Endpoints({EN: free_address()})), told, sleep=waits.append)

    def test_from_the_beginning_is_told_at_once(self, told, waits):
        with (
            self.open_(told, waits) as api,
            pytest.raises(
                Unreachable, match=r"^en\.wikipedia\.org can't be reached: connection refused$"
            ) as raised,
        ):
            find(api)
        assert "127.0.0.1" not in str(raised.value)
        assert (waits, api.requests) == ([], 1)

    def test_after_an_answer_is_waited_for(self, told, waits):
        with served_peer() as peer:
            peer.wiki().add("Kem", ("2020-01-01T00:00:00Z", "a town"))
            peer.faults = [Fault(headers={"Connection": "close"})]
            api = ActionApi(Exchange(Endpoints(peer.endpoints)), told, sleep=waits.append)
            assert find(api) == KEM
        with api, pytest.raises(Unreachable):
            find(api)
        assert waits == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0]

    def test_settings_of_a_proxy_that_are_none_are_told_without_them(self, monkeypatch, told, waits):
        monkeypatch.delenv("NO_PROXY")
        monkeypatch.setenv("HTTPS_PROXY", "gopher://user:secret@example.org")
        with self.open_(told, waits) as api, pytest.raises(Refused, match="HTTPS_PROXY") as raised:
            find(api)
        assert "secret" not in str(raised.value)


class TestManners:
    def test_the_environment_may_say_where_the_wikis_are(self, peer, told, monkeypatch):
        monkeypatch.setenv("LEADERBOARD_WIKI_ENDPOINT", peer.template)
        with action_api(told) as opened:
            assert text(opened) == "a town"
        assert peer.asked[0].host == EN

    def test_every_request_says_who_asks(self, peer, api):
        text(api)
        find(api)
        assert {one.headers["user-agent"] for one in peer.asked} == {user_agent()}

    def test_warnings_are_told_once(self, peer, api, told):
        for _ in range(3):
            list(api.query(EN, {"prop": "info", "titles": "Kem", "colour": "red"}))
        assert told.said == ["en.wikipedia.org warns: main: Unrecognized parameter: colour."]
        assert api.warnings == tuple(told.said)
