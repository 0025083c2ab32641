"""Preparing a page's source for the parser: what is no text goes, what must stay as it stands is set aside."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from leaderboard.wikipedia.characters import BREAK, KEPT_END, KEPT_START, LESS, decoded

_DROPPED = (
    "ref|references|timeline|score|graph|templatedata|imagemap|hiero|mapframe|maplink|categorytree|inputbox"
    "|includeonly|indicator|templatestyles|section|style|script"
)
_LINES_AS_THEY_STAND = "pre|syntaxhighlight|source"
_AS_IT_STANDS = f"nowiki|math|chem|ce|{_LINES_AS_THEY_STAND}"
_RAW = re.compile(rf"<!--|<({_DROPPED}|{_AS_IT_STANDS}|gallery)(?=[\s/>])[^<>]*>", re.IGNORECASE)
_COMMENT_LINE = re.compile(r"[ \t]*\n")
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)([^<>]*)>")
_POWER = re.compile(r"(?<=[0-9])<sup>(?=[-−+]?[0-9])", re.IGNORECASE)
_BLOCK = re.compile(r"p|div|center|blockquote|hr|dd|dt|[uod]l|poem|h[1-6]")
_INLINE = re.compile(
    r"b|i|u|s|em|strong|small|big|span|font|sub|sup|tt|code|kbd|samp|var|abbr|cite|q|ins|del|strike|dfn|bd[io]|mark|time|data"
    r"|r[tpb]|ruby|wbr|a|noinclude|onlyinclude|translate|tvar|gallery|tbody|thead|tfoot|colgroup|col"
    rf"|{_DROPPED}|{_AS_IT_STANDS}"
)
_TABLE = {"table": "\n{|", "tr": "\n|-\n", "td": "\n|", "th": "\n!", "caption": "\n|+ "}
_QUOTES = re.compile("'{2,}")
_MAGIC = re.compile(
    r"__(?:NO)?(?:TOC|FORCETOC|EDITSECTION|GALLERY|INDEX|TITLECONVERT|TC|CONTENTCONVERT|CC|NEWSECTIONLINK|STATICREDIRECT"
    r"|HIDDENCAT|DISAMBIG|EXPECTUNUSEDCATEGORY)__"
)
_EARLY = re.compile(
    r"&(?:nbsp|thinsp|ensp|emsp|ndash|mdash|minus|times|hairsp|shy|zwnj|zwj|#160|#8211|#8212);"
)
_FILE_LINE = re.compile(r"\s*(?:(?:File|Image)\s*:)?\s*[^|\n]+\|", re.IGNORECASE)
_CAPTION = re.compile(r"\bcaption\s*=\s*(?:\"([^\"<>]*)\"|'([^'<>]*)')", re.IGNORECASE)


@dataclass
class Source:
    """A page's source without comments, references and tags. ``kept`` are the pieces set aside, by number."""

    text: str = ""
    kept: list[str] = field(default_factory=list)

    def keep(self, piece: str) -> str:
        """Set ``piece`` aside and return what stands in its place."""
        self.kept.append(piece)
        return f"{KEPT_START}{len(self.kept) - 1}{KEPT_END}"


def prepared(text: str) -> Source:
    """Return the source without comments, references, other tags, bold and italics, and magic words.

    ``text`` is cleaned text (``characters.cleaned``). A gallery becomes the lines of its captions, an HTML table
    a wiki table. Each step is one pass over the text; a lone less-than sign is text.
    """
    source = Source()
    plain = _raw_pieces(text, source)
    plain = _TAG.sub(_tag, _POWER.sub("^", plain))
    plain = _EARLY.sub(lambda match: decoded(match.group()), _MAGIC.sub("", plain)).replace("<", LESS)
    source.text = _QUOTES.sub(lambda match: "'" * _apostrophes(len(match.group())), plain)
    return source


def _apostrophes(count: int) -> int:
    """Return how many of ``count`` quote marks are text: two, three and five are italics, bold or both."""
    return 1 if count == 4 else max(0, count - 5)


def _raw_pieces(text: str, source: Source) -> str:
    """Take out the comments and the elements whose content isn't wikitext."""
    lower = text.lower() if text.isascii() else "".join(c.lower() if c.isascii() else c for c in text)
    found: list[str] = []
    exhausted: set[str] = set()
    dropped = _DROPPED.split("|")
    at = 0
    while match := _RAW.search(text, at):
        found.append(text[at : match.start()])
        at = match.end()
        name = (match.group(1) or "").lower()
        if not name:
            end = text.find("-->", at)
            at = len(text) if end < 0 else end + 3
            if (not found[-1] or found[-1].endswith("\n")) and (line := _COMMENT_LINE.match(text, at)):
                at = line.end()
            continue
        if match.group().endswith("/>"):
            continue
        end = -1 if name in exhausted else lower.find(f"</{name}", at)
        if end < 0:
            exhausted.add(name)
            continue
        content, close = text[at:end], text.find(">", end)
        at = len(text) if close < 0 else close + 1
        if name == "gallery":
            found.append(_gallery(match.group(), content))
        elif name not in dropped:
            whole = name in _LINES_AS_THEY_STAND.split("|") and "\n" in content
            piece = content.strip("\n") if whole else content
            kept = source.keep(decoded(piece) if name in ("nowiki", "pre") else piece)
            found.append(f"\n{kept}\n" if whole else kept)
    found.append(text[at:])
    return "".join(found)


def _gallery(opening: str, content: str) -> str:
    lines = [match.group(1) or match.group(2) or "" for match in _CAPTION.finditer(opening)]
    for line in content.split("\n"):
        if name := _FILE_LINE.match(line):
            lines.append(f"[[File:x|{line[name.end() :].strip()}]]")
    return "\n" + "".join(f"* {line.strip()}\n" for line in lines if line.strip())


def _tag(match: re.Match[str]) -> str:
    closing, name, attributes = match.group(1), match.group(2).lower(), match.group(3).strip()
    if name == "br":
        return BREAK
    if name == "li":
        return "" if closing else "\n* "
    if name in _TABLE:
        if closing:
            return "\n|}\n" if name == "table" else ""
        cell = name in ("td", "th")
        return _TABLE[name] + (f" {attributes} | " if cell and attributes and "|" not in attributes else "")
    if _BLOCK.fullmatch(name):
        return BREAK
    return "" if _INLINE.fullmatch(name) else match.group()
