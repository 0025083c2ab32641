"""An invented small wiki: pages with histories, named and stored by MediaWiki's rules."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass, field
from urllib.parse import quote

NAMESPACES = {"special": -1, "media": -2, "talk": 1, "file": 6, "template": 10, "category": 14, "module": 828}
INTERWIKI = ("fr", "de", "commons")


@dataclass
class Edit:
    """A revision: when, what, and what of it is kept from readers."""

    timestamp: str
    text: str
    hidden: bool = False
    suppressed: bool = False
    model: str = "wikitext"
    number: int = 0
    sha1: str | None = None  # another than the text's own


@dataclass
class Article:
    page_id: int
    title: str
    edits: list[Edit]

    @property
    def is_redirect(self) -> bool:
        newest = self.edits[-1]
        return newest.model == "wikitext" and newest.text.lstrip().lower().startswith("#redirect")


@dataclass
class Name:
    """A title as the wiki reads it: valid, of another wiki, or why not."""

    title: str = ""
    namespace: int = 0
    interwiki: str = ""
    invalid: str = ""


@dataclass
class InventedWiki:
    """Pages by title; histories go with their page when it is moved."""

    articles: dict[str, Article] = field(default_factory=dict)
    newest_id: int = 100
    newest_revision: int = 5000

    def add(self, title: str, *history: tuple[str, str] | Edit) -> Article:
        """Add a page; its history is (timestamp, text), oldest first."""
        edits = [one if isinstance(one, Edit) else Edit(*one) for one in history]
        for edit in edits:
            self.newest_revision += 1
            edit.number = self.newest_revision
        self.newest_id += 1
        self.articles[title] = Article(self.newest_id, title, edits)
        return self.articles[title]

    def move(self, old: str, new: str, timestamp: str, *, leave_redirect: bool = True) -> None:
        """Rename a page at a moment: it keeps its id and history; at the old title a redirect of a new id begins."""
        article = self.articles.pop(old)
        article.title = new
        self.articles[new] = article
        self.newest_revision += 1
        article.edits.append(Edit(timestamp, article.edits[-1].text, number=self.newest_revision))
        if leave_redirect:
            self.add(old, (timestamp, f"#REDIRECT [[{new}]]\n\n{{{{R from move}}}}"))

    def by_id(self, page_id: int) -> Article | None:
        return next((article for article in self.articles.values() if article.page_id == page_id), None)


def read_name(raw: str) -> Name:
    """Return a title as MediaWiki normalises it, or what is wrong with it."""
    text = unicodedata.normalize("NFC", raw).partition("#")[0]
    text = re.sub(r"[ _\u00a0\u3000]+", " ", text).strip().removeprefix(":").strip()
    if not text:
        return Name(invalid="The title is empty.")
    if bad := re.search(r"[<>\[\]{}|]|%[0-9A-Fa-f]{2}|[\x00-\x1f\x7f]", text):
        return Name(invalid=f'The title has "{bad.group()}" in it.')
    if len(text.encode()) > 255:
        return Name(invalid="The title is longer than 255 bytes.")
    prefix, colon, rest = text.partition(":")
    low = prefix.strip().lower()
    if colon and low in INTERWIKI:
        return Name(title=f"{low}:{rest.strip()}", interwiki=low)
    if colon and low in NAMESPACES and rest.strip():
        rest = rest.strip()
        return Name(title=f"{low.capitalize()}:{rest[0].upper()}{rest[1:]}", namespace=NAMESPACES[low])
    return Name(title=text[0].upper() + text[1:])


def address(host: str, title: str) -> str:
    return f"https://{host}/wiki/{quote(title.replace(' ', '_'), safe='/:(),')}"


def sha1(text: str) -> str:
    return hashlib.sha1(text.encode()).hexdigest()
