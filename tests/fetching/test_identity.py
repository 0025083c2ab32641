"""Every request says who asks, and a contact that can't stand in a header is refused before one is made."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from leaderboard.fetching.identity import ContactError, user_agent
from leaderboard.fetching.keeping import ensure_file
from tests.fetching.test_keeping import CONTENT, DATA, ON_HUB

PRODUCT = f"multihop-rag-leaderboard/{version('multihop-rag-leaderboard')}"


@pytest.fixture(autouse=True)
def no_contact(monkeypatch):
    monkeypatch.delenv("LEADERBOARD_CONTACT", raising=False)


@pytest.mark.parametrize("contact", [None, "", "  "])
def test_without_a_contact_it_is_the_projects_name_and_version(monkeypatch, contact):
    if contact is not None:
        monkeypatch.setenv("LEADERBOARD_CONTACT", contact)
    assert user_agent().partition(" (")[0] == PRODUCT
    assert "contact" not in user_agent()


@pytest.mark.parametrize(
    ("contact", "sent"),
    [
        ("board@example.org", "contact: board@example.org)"),
        ("https://example.org/~board ", "contact: https://example.org/~board)"),
        ("A. Board (a@b.org)", r"contact: A. Board \(a@b.org\))"),
        ("a\\b", r"contact: a\\b)"),
    ],
)
def test_a_contact_is_sent_as_a_comment(monkeypatch, contact, sent):
    monkeypatch.setenv("LEADERBOARD_CONTACT", contact)
    assert user_agent().startswith(f"{PRODUCT} (")
    assert user_agent().endswith(sent)


@pytest.mark.parametrize(
    ("contact", "found"),
    [
        ("a@b.org\r\nX-Evil: 1", r"found 'a@b.org\r\nX-Evil: 1' (18 characters)"),
        ("a@b.org\n", r"found 'a@b.org\n' (8 characters)"),
        ("jörg@example.org", "found 'jörg@example.org' (16 characters)"),
        ("a\tb", r"found 'a\tb' (3 characters)"),
        ("x" * 201, "(201 characters)"),
    ],
)
def test_a_contact_that_cannot_be_sent_is_told(monkeypatch, contact, found):
    monkeypatch.setenv("LEADERBOARD_CONTACT", contact)
    with pytest.raises(ContactError) as caught:
        user_agent()
    assert str(caught.value).startswith(
        "LEADERBOARD_CONTACT: expected an address to write to, in printable ASCII"
    )
    assert found in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_hub_is_told_who_asks(hub, tmp_path, monkeypatch):
    hub.content = CONTENT
    monkeypatch.setenv("LEADERBOARD_CONTACT", "a@b.org\n")
    with pytest.raises(ContactError):
        ensure_file(ON_HUB, tmp_path, progress=False)
    assert hub.paths == []
    monkeypatch.setenv("LEADERBOARD_CONTACT", "a@b.org")
    assert ensure_file(ON_HUB, tmp_path, progress=False).stat().st_size == DATA.size_bytes
    assert hub.who_asked[0].startswith(f"{PRODUCT} (")
    assert hub.who_asked[0].endswith("contact: a@b.org)")
