"""Only Wikipedias are asked, at their own address or at one that was set for them."""

from __future__ import annotations

import pytest

from leaderboard.wikipedia.hosts import (
    EndpointError,
    Endpoints,
    PageName,
    is_wiki,
    page_name,
    page_of_address,
    short_path,
)


@pytest.mark.parametrize("host", ["en.wikipedia.org", "simple.wikipedia.org", "zh-min-nan.wikipedia.org"])
def test_a_wikipedia_is_one(host):
    assert is_wiki(host)


@pytest.mark.parametrize(
    "host",
    [
        "wikipedia.org",
        "en.m.wikipedia.org",
        "en.wikipedia.org.",
        "en.wikipedia.org/x",
        "a@en.wikipedia.org",
        "w.wiki",
        "en.wikipedia.org:80",
        "EN.wikipedia.org",
        "en.wikipediaXorg",
        "en.wikipedia.org\n",
        ".wikipedia.org",
    ],
)
def test_anything_else_is_none(host):
    assert not is_wiki(host)


def test_a_host_answers_at_its_own_name_unless_told_otherwise(monkeypatch):
    assert Endpoints().base("en.wikipedia.org") == "https://en.wikipedia.org"
    monkeypatch.setenv("LEADERBOARD_WIKI_ENDPOINT", "http://127.0.0.1:1234/{host}/")
    chosen = Endpoints({"simple.wikipedia.org": "http://127.0.0.1:9/s/"})
    assert chosen.base("en.wikipedia.org") == "http://127.0.0.1:1234/en.wikipedia.org"
    assert chosen.base("w.wiki") == "http://127.0.0.1:1234/w.wiki"
    assert chosen.base("simple.wikipedia.org") == "http://127.0.0.1:9/s"


@pytest.mark.parametrize(
    ("template", "told"),
    [
        ("http://127.0.0.1:1234", r"expected an address with \{host\} in it once"),
        ("http://{host}/{host}", r"expected an address with \{host\} in it once"),
        ("ftp://127.0.0.1/{host}", r"expected http\(s\)://host without"),
        ("http://user:secret@127.0.0.1/{host}", r"expected http\(s\)://host without"),
        ("http://127.0.0.1:99999/{host}", r"expected http\(s\)://host without"),
        ("http://127.0.0.1:0/{host}", r"expected http\(s\)://host without"),
        ("http://127.0.0.1/{host}?key=secret", r"expected http\(s\)://host without"),
        ("http://127.0.0.1/{host}#a", r"expected http\(s\)://host without"),
        ("http://127.0.0.1/{host}/{0}", r"expected http\(s\)://host without"),
        ("http:///{host}", r"expected http\(s\)://host without"),
        ("{host}", r"expected http\(s\)://host without"),
    ],
)
def test_a_setting_that_is_no_address_is_told_and_not_repeated(monkeypatch, template, told):
    monkeypatch.setenv("LEADERBOARD_WIKI_ENDPOINT", template)
    with pytest.raises(EndpointError, match=rf"^LEADERBOARD_WIKI_ENDPOINT: {told}") as raised:
        Endpoints()
    assert "secret" not in str(raised.value)


def test_addresses_given_are_checked_too():
    with pytest.raises(EndpointError, match=r"endpoints: en\.wikipedia\.org: expected http"):
        Endpoints({"en.wikipedia.org": "127.0.0.1:80"})
    with pytest.raises(
        EndpointError, match=r"expected hosts of wikipedia\.org and w\.wiki, found 'example\.org'"
    ):
        Endpoints({"example.org": "http://127.0.0.1:80"})


def test_an_identity_names_a_page_where_it_has_a_host_and_a_title():
    assert page_name("en.wikipedia.org|A|B") == PageName("en.wikipedia.org", "A|B")
    assert page_name("en.wikipedia.org|E\u0301") == PageName("en.wikipedia.org", "É")
    assert page_name("https://w.wiki/3ab") is None
    assert page_name("https://example.org/a|b") is None
    assert page_name("en.wikipedia.org|") is None


@pytest.mark.parametrize(
    "url", ["https://w.wiki/3ab", "http://w.wiki/3ab", "w.wiki/3ab", "https://w.wiki/3ab#x"]
)
def test_a_short_link_is_read(url):
    assert short_path(url) == "/3ab"


@pytest.mark.parametrize(
    "url",
    ["https://w.wiki/", "https://w.wiki/a/b", "https://w.wiki:1/a", "https://x@w.wiki/a", "https://[/a", "a"],
)
def test_what_is_no_short_link_is_none(url):
    assert short_path(url) is None


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://en.wikipedia.org/wiki/Kem_%28town%29?a=b#c", ("en.wikipedia.org", "Kem (town)")),
        ("http://de.m.wikipedia.org/wiki/K%C3%A9m", ("de.wikipedia.org", "Kém")),
    ],
)
def test_an_address_of_a_page_is_read(address, name):
    assert page_of_address(address) == PageName(*name)


@pytest.mark.parametrize(
    "address",
    [
        "https://en.wikipedia.org/wiki/",
        "https://en.wikipedia.org/w/index.php?title=A",
        "https://example.org/wiki/A",
        "https://x:y@en.wikipedia.org/wiki/A",
        "https://en.wikipedia.org:8443/wiki/A",
        "javascript:alert(1)",
        "https://en.wikipedia.org/a/wiki/A",
        "https://en.wikipedia.org/wiki/_",
        "https://[::1/wiki/A",
    ],
)
def test_any_other_address_names_no_page(address):
    assert page_of_address(address) is None
