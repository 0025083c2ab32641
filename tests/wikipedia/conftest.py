"""Wikis on this machine alone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from leaderboard.wikipedia.api import ActionApi
from leaderboard.wikipedia.exchange import Exchange
from leaderboard.wikipedia.hosts import Endpoints
from tests.wikipedia.peer import Peer, served_peer


@dataclass
class Told:
    """A report that keeps what it was told."""

    at_: list[int] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def expect(self, total_bytes: int) -> None:
        pass

    def at(self, done_bytes: int) -> None:
        self.at_.append(done_bytes)

    def say(self, text: str) -> None:
        self.said.append(text)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.delenv("LEADERBOARD_WIKI_ENDPOINT", raising=False)


@pytest.fixture
def peer() -> Iterator[Peer]:
    with served_peer() as played:
        played.wiki()
        yield played


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def waits() -> list[float]:
    """How long was waited between tries; no test waits for real."""
    return []


@pytest.fixture
def open_api(peer, told, waits) -> Iterator[Callable[..., ActionApi]]:
    """Return an API that asks the peer; its waits are kept, not waited."""
    opened = []

    def open_(stop: threading.Event | None = None, **settings) -> ActionApi:
        exchange = Exchange(Endpoints(peer.endpoints), **settings)
        opened.append(exchange)
        return ActionApi(exchange, told, stop=stop, sleep=waits.append)

    yield open_
    for exchange in opened:
        exchange.close()


@pytest.fixture
def api(open_api) -> ActionApi:
    return open_api()
