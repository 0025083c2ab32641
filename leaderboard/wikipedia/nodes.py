"""The parsed nodes of wikitext as text: links, headings, lists, tables; templates in their own room."""

from __future__ import annotations

import re

from mwparserfromhell.nodes import (
    ExternalLink,
    Heading,
    HTMLEntity,
    Node,
    Tag,
    Template,
    Text,
    Wikilink,
)
from mwparserfromhell.wikicode import Wikicode

from leaderboard.wikipedia.characters import HEADING, JOINT, TABLE, flat
from leaderboard.wikipedia.tables import table_lines
from leaderboard.wikipedia.templates import rendered

_FILE = re.compile(r"\s*(?:file|image|media)\s*:", re.IGNORECASE)
_DROPPED_LINK = re.compile(r"\s*category\s*:", re.IGNORECASE)
_LANGUAGE = re.compile(r"\s*[a-z]{2,3}(?:-[a-z]{2,8}){0,2}:\S")
_FILE_OPTION = re.compile(
    r"(?:thumb(?:nail)?|frame|framed|frameless|border|left|right|cent(?:er|re)|none|baseline|sub|super|top|text-top|middle"
    r"|bottom|text-bottom|upright(?:=?[ \d.]*)|[x\d ]{1,12}px|(?:alt|link|class|lang|page|thumbtime|start|end|thumb|upright)"
    r"\s*=.*)",
    re.IGNORECASE | re.DOTALL,
)
_IN_BLOCK = re.compile(r"thumb|frame\b|framed", re.IGNORECASE)


class Renderer:
    """Turns parsed wikitext into text with the private marks of ``characters``. ``title`` is the page's own."""

    def __init__(self, title: str) -> None:
        self.title = title

    def text(self, code: Wikicode | None) -> str:
        """Return the text of the nodes, in order."""
        if code is None:
            return ""
        nodes = code.nodes
        return "".join(
            self._node(node, _alone(nodes, index) if isinstance(node, Template) else False)
            for index, node in enumerate(nodes)
        )

    def _node(self, node: Node, alone: bool) -> str:
        if isinstance(node, Text):
            return str(node.value)
        if isinstance(node, Template):
            return rendered(node, self, alone)
        if isinstance(node, Wikilink):
            return self._link(node)
        if isinstance(node, ExternalLink):
            if not node.brackets:
                return str(node.url)
            return self.text(node.title) if node.title is not None else ""
        if isinstance(node, Heading):
            return f"\n{HEADING}{node.level}{flat(self.text(node.title))}\n"
        if isinstance(node, HTMLEntity):
            return str(node)
        if isinstance(node, Tag):
            return self._tag(node)
        return ""

    def _tag(self, tag: Tag) -> str:
        if str(tag.tag) == "table":
            lines = table_lines(tag, self.text)
            return "\n" + "".join(f"{TABLE}{line.removeprefix(TABLE)}\n" for line in lines)
        return self.text(tag.contents)

    def _link(self, link: Wikilink) -> str:
        target = flat(self.text(link.title))
        if _DROPPED_LINK.match(target):
            return ""
        if _FILE.match(target):
            return self._file(link)
        shown = None if link.text is None else self.text(link.text)
        if shown is None and _LANGUAGE.match(target):
            return ""
        if shown is not None and shown.strip(JOINT + " \n"):
            return shown
        name = target.lstrip(":")
        if shown is not None:  # the pipe trick: without namespace and what tells namesakes apart
            name = re.sub(r" \([^()]*\)$", "", name.rpartition(":")[2])
        return name

    def _file(self, link: Wikilink) -> str:
        parts: list[list[Node]] = [[]]
        for node in link.text.nodes if link.text is not None else ():
            if isinstance(node, Text):
                first, *others = str(node.value).split("|")
                parts[-1].append(Text(first))
                parts.extend([Text(other)] for other in others)
            else:
                parts[-1].append(node)
        texts = [self.text(Wikicode(part)).strip() for part in parts]
        captions = [text for text in texts if text and not _FILE_OPTION.fullmatch(text.strip(JOINT))]
        if not captions:
            return ""
        if any(_IN_BLOCK.match(text) for text in texts if text != captions[-1]):
            return f"\n{captions[-1]}\n"
        return captions[-1]


def _alone(nodes: list[Node], index: int) -> bool:
    """Tell whether a node stands on lines of its own."""
    blank = JOINT + " \t"
    before = (
        str(nodes[index - 1].value).rstrip(blank) if index and isinstance(nodes[index - 1], Text) else None
    )
    after = nodes[index + 1] if index + 1 < len(nodes) else None
    following = str(after.value).lstrip(blank) if isinstance(after, Text) else None
    first = index == 0 or (before is not None and (before.endswith("\n") or (not before and index == 1)))
    last = after is None or (
        following is not None and (following.startswith("\n") or (not following and index + 2 == len(nodes)))
    )
    return first and last
