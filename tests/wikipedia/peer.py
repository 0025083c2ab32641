"""A MediaWiki Action API and a host of short links on the loopback, with the faults that real ones have.

The shapes are those of ``format=json&formatversion=2&errorformat=bc``: errors and lags inside status 200, flags that
are true or not there, ``normalized`` with ``fromencoded``, ``continue`` in place of ``batchcomplete``, at most 50
values, and ``rvstart`` with one page only.
"""

from __future__ import annotations

import gzip
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.loopback import served
from tests.wikipedia.invented import Article, Edit, InventedWiki, address, read_name, sha1

MOST_VALUES = 50
KNOWN = {
    "action",
    "format",
    "formatversion",
    "maxlag",
    "continue",
    "titles",
    "pageids",
    "prop",
    "inprop",
    "incontinue",
    "rvprop",
    "rvslots",
    "rvlimit",
    "rvdir",
    "rvstart",
    "rvcontinue",
}


@dataclass
class Fault:
    """An answer in the place of the right one, or what is done to that."""

    status: int = 200
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    change: Callable[[dict[str, Any]], Any] | None = None  # the right answer, spoilt
    promised: int | None = None  # Content-Length, where it isn't the body's
    keep: int | None = None  # how many bytes are sent before the connection is closed
    drip_s: float = 0.0  # a pause after every byte
    when: Callable[[dict[str, str]], bool] = lambda asked: True


@dataclass
class Asked:
    """A request as it came: the wiki's host, the path, method, parameters, headers by lower-case name."""

    host: str
    path: str
    method: str
    parameters: dict[str, str]
    headers: dict[str, str]
    began: float
    ended: float = 0.0


@dataclass
class Peer:
    """Wikis by host. ``faults`` are played one a request that they are for. ``gzip`` compresses where it is accepted."""

    url: str = ""
    wikis: dict[str, InventedWiki] = field(default_factory=dict)
    short_links: dict[str, tuple[int, str]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    lag_s: float = 0.0
    info_at_once: int = 500
    gzip: bool = True
    stopping: threading.Event = field(default_factory=threading.Event)

    @property
    def template(self) -> str:
        return f"{self.url}/{{host}}"

    @property
    def endpoints(self) -> dict[str, str]:
        return {host: f"{self.url}/{host}" for host in ("w.wiki", *self.wikis)}

    def wiki(self, host: str = "en.wikipedia.org") -> InventedWiki:
        return self.wikis.setdefault(host, InventedWiki())

    def questions(self, prop: str) -> list[Asked]:
        return [one for one in self.asked if one.parameters.get("prop") == prop]


@contextmanager
def served_peer() -> Iterator[Peer]:
    """Serve a peer on the loopback."""
    peer = Peer()
    lock = threading.Lock()

    def handle(http: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(http.path)
        _, host, *rest = parts.path.split("/")
        length = int(http.headers.get("Content-Length") or 0)
        form = http.rfile.read(length).decode() if length else parts.query
        parameters = dict(parse_qsl(form, keep_blank_values=True))
        headers = {name.lower(): value for name, value in http.headers.items()}
        asked = Asked(host, "/" + "/".join(rest), http.command, parameters, headers, time.monotonic())
        with lock:
            peer.asked.append(asked)
            fault = next((one for one in peer.faults if one.when(parameters)), None)
            if fault:
                peer.faults.remove(fault)
        try:
            _respond(peer, http, asked, fault or Fault())
        finally:
            asked.ended = time.monotonic()

    with served(handle) as url:
        peer.url = url
        yield peer
        peer.stopping.set()


def _respond(peer: Peer, http: BaseHTTPRequestHandler, asked: Asked, fault: Fault) -> None:
    status, headers, body = fault.status, {"Content-Type": "application/json; charset=utf-8"}, fault.body
    if asked.host == "w.wiki" and body is None and status == 200:
        status, location = peer.short_links.get(asked.path, (404, ""))
        headers, body = {"Content-Type": "text/html"}, b"<!DOCTYPE html><title>short</title>"
        headers |= {"Location": location} if location else {}
    elif body is None and status == 200:
        value, more = _answer(peer, asked)
        headers |= more
        body = json.dumps(fault.change(value) if fault.change else value, ensure_ascii=False).encode()
        if peer.gzip and "gzip" in asked.headers.get("accept-encoding", ""):
            body, headers["Content-Encoding"] = gzip.compress(body), "gzip"
    body = body or b""
    headers["Content-Length"] = str(len(body) if fault.promised is None else fault.promised)
    if fault.body is not None or fault.drip_s or fault.keep is not None or fault.promised is not None:
        headers["Connection"] = "close"  # else the next answer may meet what is left of this one
    # head and body go out one by one, and without this each body waits 40 ms for the head to be confirmed
    http.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    http.send_response(status)
    for name, text in (headers | fault.headers).items():
        http.send_header(name, text)
    http.end_headers()
    if fault.drip_s:
        for number in range(len(body)):
            http.wfile.write(body[number : number + 1])
            http.wfile.flush()
            if peer.stopping.wait(fault.drip_s):
                break
    else:
        http.wfile.write(body if fault.keep is None else body[: fault.keep])


def _error(code: str, info: str, **more: object) -> dict[str, Any]:
    return {"error": {"code": code, "info": info, **more, "docref": "See the manual."}, "servedby": "mw-1"}


def _answer(peer: Peer, asked: Asked) -> tuple[dict[str, Any], dict[str, str]]:
    given = asked.parameters
    if asked.path != "/w/api.php" or asked.host not in peer.wikis:
        return _error("nosuchwiki", "There is no such wiki."), {}
    if (given.get("action"), given.get("format"), given.get("formatversion")) != ("query", "json", "2"):
        return _error("badvalue", 'Unrecognized value for parameter "action".'), {}
    if "maxlag" in given and peer.lag_s > float(given["maxlag"]):
        waited = {"Retry-After": str(max(int(given["maxlag"]), 5)), "X-Database-Lag": str(int(peer.lag_s))}
        told = {"lag": peer.lag_s, "host": "db-1", "type": "db"}
        return _error("maxlag", f"Waiting for db-1: {peer.lag_s} seconds lagged.", **told), waited
    for name in ("titles", "pageids"):
        if name in given and len(given[name].split("|")) > MOST_VALUES:
            told = {"parameter": name, "limit": 50, "lowlimit": 50, "highlimit": 500}
            return _error("toomanyvalues", f'Too many values supplied for "{name}".', **told), {}
    value = _query(peer, asked)
    if unknown := sorted(given.keys() - KNOWN):
        told = {"main": {"warnings": f"Unrecognized parameter: {', '.join(unknown)}."}}
        value = {"warnings": told, **value}
    return value, {}


def _query(peer: Peer, asked: Asked) -> dict[str, Any]:
    wiki, given = peer.wikis[asked.host], asked.parameters
    query: dict[str, Any] = {}
    pages: list[dict[str, Any]] = []
    found: list[Article] = []
    for raw in given["titles"].split("|") if "titles" in given else ():
        name = read_name(raw)
        if name.invalid:
            pages.append({"title": raw, "invalidreason": name.invalid, "invalid": True})
            continue
        if raw != name.title:
            entry = {"fromencoded": False, "from": raw, "to": name.title}
            query.setdefault("normalized", []).append(entry)
        if name.interwiki:
            query.setdefault("interwiki", []).append({"title": name.title, "iw": name.interwiki})
        elif name.namespace < 0:
            pages.append({"ns": name.namespace, "title": name.title, "special": True})
        elif article := wiki.articles.get(name.title):
            if article not in found:
                found.append(article)
        elif not any(page.get("title") == name.title for page in pages):
            pages.append({"ns": name.namespace, "title": name.title, "missing": True})
    for number in map(int, given["pageids"].split("|")) if "pageids" in given else ():
        if article := wiki.by_id(number):
            found.append(article)
        else:
            pages.append({"pageid": number, "missing": True})
    shown = [
        {"pageid": article.page_id, "ns": read_name(article.title).namespace, "title": article.title}
        for article in found
    ]
    query["pages"] = [*pages, *shown]
    if not query["pages"] and "interwiki" in query:
        del query["pages"]
    onward: dict[str, str] | None = None
    if given["prop"] == "info":
        onward = _add_info(peer, asked.host, given, found, pages, shown)
    elif len(found) > 1 and {"rvstart", "rvlimit", "rvdir"} & given.keys():
        return _error("invalidparammix", '"rvstart" and such may only be used with a single page.')
    elif found:
        onward = _add_revisions(given, found[0], shown[0])
    return {**({"continue": onward} if onward else {"batchcomplete": True}), "query": query}


def _add_info(
    peer: Peer,
    host: str,
    given: dict[str, str],
    found: list[Article],
    pages: list[dict[str, Any]],
    shown: list[dict[str, Any]],
) -> dict[str, str] | None:
    start = int(given.get("incontinue", "0|").partition("|")[0])
    end = start + peer.info_at_once
    for article, page in list(zip(found, shown, strict=True))[start:end]:
        page |= {"contentmodel": article.edits[-1].model, "pagelanguage": "en", "length": 5}
        page |= {"lastrevid": article.edits[-1].number, "touched": "2025-01-01T00:00:00Z"}
        page |= {"redirect": True} if article.is_redirect else {}
        own = address(host, article.title)
        page |= {"fullurl": own, "editurl": f"{own}?action=edit", "canonicalurl": own}
    for page in pages:
        if page.get("missing") and "title" in page:
            own = address(host, page["title"])
            page |= {"contentmodel": "wikitext", "fullurl": own, "canonicalurl": own}
    return {"incontinue": f"{end}|Next", "continue": "||"} if end < len(found) else None


def _add_revisions(given: dict[str, str], article: Article, page: dict[str, Any]) -> dict[str, str] | None:
    older = given.get("rvdir", "older") == "older"
    edits = sorted(article.edits, key=lambda edit: (edit.timestamp, edit.number), reverse=older)
    start = given.get("rvcontinue", given.get("rvstart", "")).partition("|")[0]
    if start:
        edits = [edit for edit in edits if (edit.timestamp <= start if older else edit.timestamp >= start)]
    limit = int(given.get("rvlimit", "10"))
    wanted = given.get("rvprop", "ids|timestamp").split("|")
    for number, edit in enumerate(edits[:limit]):
        parent = edits[number + 1].number if older and number + 1 < len(edits) else 0
        shown: dict[str, Any] = {"revid": edit.number, "parentid": parent, "timestamp": edit.timestamp}
        if "sha1" in wanted:
            shown |= {"sha1hidden": True} if edit.hidden else {"sha1": _checksum(edit)}
        if "content" in wanted:
            main: dict[str, Any] = {"contentmodel": edit.model}
            main |= (
                {"texthidden": True}
                if edit.hidden
                else {"contentformat": "text/x-wiki", "content": edit.text}
            )
            shown["slots"] = {"main": main}
        if edit.suppressed:
            shown["suppressed"] = True
        page.setdefault("revisions", []).append(shown)
    if len(edits) > limit:
        return {"rvcontinue": f"{edits[limit].timestamp}|{edits[limit].number}", "continue": "||"}
    return None


def _checksum(edit: Edit) -> str:
    return sha1(edit.text) if edit.sha1 is None else edit.sha1
