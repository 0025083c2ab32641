"""What a template prints: by its name where that is known, else its arguments that look like text."""

from __future__ import annotations

import re
from collections.abc import Callable

from mwparserfromhell.nodes import Template

from leaderboard.wikipedia import infoboxes
from leaderboard.wikipedia.arguments import Arguments, TextOf
from leaderboard.wikipedia.characters import BREAK, LIST
from leaderboard.wikipedia.dates import DATES, date
from leaderboard.wikipedia.marks import PARAMETER
from leaderboard.wikipedia.measures import MEASURES, grouped
from leaderboard.wikipedia.template_names import (
    EVENTS,
    LANGUAGES,
    MONEY,
    SIGNS,
    WORDS,
    WRAPPERS,
    is_dropped,
    is_infobox,
)

_FUNCTION = re.compile(r"(#?[a-z]+):(.*)", re.DOTALL)
_SHIPS = {
    "uss",
    "hms",
    "hmas",
    "hmcs",
    "ss",
    "ms",
    "mv",
    "rms",
    "uscgc",
    "usns",
    "ins",
    "sms",
    "hmnzs",
    "rv",
    "mt",
    "ps",
    "sy",
}


def rendered(template: Template, renderer: TextOf, alone: bool) -> str:
    """Return a template's text. ``alone`` tells whether it stands on lines of its own.

    A template that isn't known prints the positional arguments that look like text with a space between; with two
    named arguments at least, and on lines of its own, it is a row of labels and values.
    """
    arguments = Arguments(template, renderer)
    name = arguments.name
    if not name or is_dropped(name):
        return ""
    if name == PARAMETER:
        return arguments.blocks[1] if len(arguments.blocks) > 1 else ""
    if is_infobox(name):
        return infoboxes.box(arguments)
    if name in MONEY and arguments.text(0):
        return MEASURES[name](arguments)
    if name in SIGNS:
        return SIGNS[name]
    if name in EVENTS:
        return " ".join([EVENTS[name], *arguments.readable()])
    if name in WORDS:
        return arguments.text(0, WORDS[name])
    for known in (DATES, MEASURES, _KNOWN):
        if name in known:
            return known[name](arguments)
    if name in WRAPPERS:
        return _wrapped(arguments, WRAPPERS[name])
    if name.startswith(("lang-", "langx")):
        return _language(arguments)
    if name in _SHIPS:
        return _ship(arguments)
    if match := _FUNCTION.fullmatch(name):
        return _function(match.group(1), arguments, renderer)
    if alone and infoboxes.has_values(arguments):
        return infoboxes.row(arguments)
    return " ".join(arguments.readable()) + infoboxes.rows_inside(arguments)


def _wrapped(arguments: Arguments, place: int) -> str:
    blocks = arguments.blocks
    if not blocks:
        return arguments.get("text", "content", "name")
    place = min(place, len(blocks) - 1)
    text = arguments.inline(place)
    return f"\n{text}\n" if LIST in text else text


def _function(name: str, arguments: Arguments, renderer: TextOf) -> str:
    """Print a parser function or variable: what stands after the colon of its name is its first argument."""
    first = arguments.spelled.partition(":")[2].strip()
    changes: dict[str, Callable[[str], str]] = {
        "formatnum": grouped,
        "lc": str.lower,
        "uc": str.upper,
        "ucfirst": lambda text: text[:1].upper() + text[1:],
        "lcfirst": lambda text: text[:1].lower() + text[1:],
        "nowrap": str,
    }
    if name in changes:
        return changes[name](first)
    if name == "#if":
        return arguments.text(0 if first else 1)
    if name == "#invoke" and infoboxes.has_values(arguments):
        return infoboxes.row(arguments)
    return ""


def _language(arguments: Arguments) -> str:
    code, place = (arguments.name[5:], 0) if arguments.name.startswith("lang-") else (arguments.text(0), 1)
    text = arguments.text(place, arguments.get("text"))
    label = "" if arguments.get("label").lower() == "none" else LANGUAGES.get(code.lower(), "")
    return f"{label}: {text}" if label and text else text


def _ship(arguments: Arguments) -> str:
    hull = arguments.text(1)
    found = f"{arguments.name.upper()} {arguments.text(0)}"
    return f"{found} ({hull})" if hull and arguments.text(2) not in ("2", "6") else found


def _sort_name(arguments: Arguments) -> str:
    return f"{arguments.text(0)} {arguments.text(1)}".strip()


def _sorted(arguments: Arguments) -> str:
    return arguments.text(1, arguments.text(0))


def _flag_icon(arguments: Arguments) -> str:
    country = arguments.text(0)
    return f"({country})" if country else ""


def _athlete(arguments: Arguments) -> str:
    country = arguments.text(1)
    return arguments.text(0) + (f" ({country})" if country else "")


def _listed(separator: str) -> Callable[[Arguments], str]:
    def render(arguments: Arguments) -> str:
        return separator.join(text for text in arguments.texts if text)

    return render


def _lines(arguments: Arguments) -> str:
    return BREAK.join(text for text in arguments.texts if text)


def _bullets(arguments: Arguments) -> str:
    items = arguments.blocks
    if len(items) == 1 and "\n" in items[0]:
        return f"\n{items[0].strip()}\n"
    title = arguments.get("title")
    return (
        "\n"
        + (f"{title}\n" if title else "")
        + "".join(f"{LIST}{text}\n" for text in arguments.texts if text)
    )


def _block(arguments: Arguments) -> str:
    text = (arguments.blocks[0] if arguments.blocks else arguments.named.get("text", "")).strip("\n")
    return f"\n{text}\n" if text else ""


def _quote(arguments: Arguments) -> str:
    text = (arguments.blocks[0] if arguments.blocks else "").strip() or arguments.get(
        "text", "quote", "content"
    )
    author = arguments.text(1, arguments.get("author", "source", "sign"))
    return f"\n{text}{f' — {author}' if author else ''}\n" if text else ""


def _circa(arguments: Arguments) -> str:
    return " – ".join(f"c. {text}" for text in arguments.texts[:2] if text) or "c."


def _before(word: str) -> Callable[[Arguments], str]:
    def render(arguments: Arguments) -> str:
        return f"{word} {'–'.join(text for text in arguments.texts[:2] if text)}".strip()

    return render


def _interlanguage(arguments: Arguments) -> str:
    return arguments.get("lt") or arguments.text(0)


def _url(arguments: Arguments) -> str:
    return arguments.text(1) or re.sub(r"^https?://|/$", "", arguments.text(0, arguments.get("1")))


def _last(arguments: Arguments) -> str:
    return next((text for text in reversed(arguments.texts) if text), "")


def _power(arguments: Arguments) -> str:
    text = arguments.text(0)
    return f"^{text}" if text and (text[0].isdigit() or text[0] in "-−") else text


def _medal(place: str) -> Callable[[Arguments], str]:
    def render(arguments: Arguments) -> str:
        words = " ".join(arguments.readable())
        return f"\n{place} medal: {words}\n" if words else place

    return render


def _medal_by_name(arguments: Arguments) -> str:
    kind = arguments.text(0).lower()
    words = " ".join(arguments.readable()[1:])
    if kind in ("gold", "silver", "bronze"):
        return f"\n{kind.capitalize()} medal: {words}\n"
    return f"\n{words}\n" if words else ""


def _marriage(arguments: Arguments) -> str:
    start, end = arguments.text(1), arguments.text(2)
    reason = arguments.get("reason", "end")
    dates = f"m. {start}" if start else ""
    if end:
        dates += f"; {reason} {end}" if reason else f"–{end}"
    return arguments.text(0) + (f" ({dates})" if dates else "")


def _nihongo(arguments: Arguments) -> str:
    native = ", ".join(text for text in arguments.texts[1:3] if text)
    first = arguments.text(0)
    return f"{first} ({native})" if first and native else first or native


def _range(arguments: Arguments) -> str:
    texts = arguments.texts
    middle = len(texts) // 2
    return f"{date(texts[:middle])} – {date(texts[middle:])}" if middle else _last(arguments)


def _nothing(arguments: Arguments) -> str:
    return ""


_KNOWN: dict[str, Callable[[Arguments], str]] = {
    **dict.fromkeys(("sortname", "sort name"), _sort_name),
    **dict.fromkeys(("sort", "nts", "ntsh", "number table sorting"), _sorted),
    **dict.fromkeys(
        ("flagicon", "flag icon", "flagdeco", "fbicon", "flagcountry icon", "flagicon image"), _flag_icon
    ),
    **dict.fromkeys(
        ("flagathlete", "flagiocathlete", "flagioc athlete", "flagmedalist", "flagiocmedalist"), _athlete
    ),
    **dict.fromkeys(("hlist", "hlist-comma", "comma separated entries", "cslist", "csv"), _listed(", ")),
    **dict.fromkeys(("ubl", "unbulleted list", "ublist", "ubt", "unbullet", "vlist", "flagioclist"), _lines),
    **dict.fromkeys(
        ("bulleted list", "bulletedlist", "blist", "ordered list", "numbered list", "collapsible list"),
        _bullets,
    ),
    **dict.fromkeys(
        ("plainlist", "plain list", "flatlist", "flat list", "columns-list", "columnslist", "columns"), _block
    ),
    **dict.fromkeys(
        ("quote", "blockquote", "cquote", "quote box", "quotebox", "rquote", "pull quote", "bquote"), _quote
    ),
    **dict.fromkeys(("circa", "c.", "ca."), _circa),
    **dict.fromkeys(("floruit", "fl."), _before("fl.")),
    **dict.fromkeys(("reign", "r."), _before("r.")),
    **dict.fromkeys(("born-in", "born in"), _before("born")),
    **dict.fromkeys(("ill", "interlanguage link", "interlanguage link multi", "illm"), _interlanguage),
    **dict.fromkeys(("url", "official url link", "website"), _url),
    **dict.fromkeys(
        ("font color", "font colour", "fontcolour", "font", "background colour", "resize"), _last
    ),
    **dict.fromkeys(("sup", "smallsup", "superscript", "e"), _power),
    **dict.fromkeys(("medalgold", "medal gold"), _medal("Gold")),
    **dict.fromkeys(("medalsilver", "medal silver"), _medal("Silver")),
    **dict.fromkeys(("medalbronze", "medal bronze"), _medal("Bronze")),
    "medal": _medal_by_name,
    **dict.fromkeys(("marriage", "married"), _marriage),
    **dict.fromkeys(("nihongo", "nihongo2", "nihongo3", "korean", "zh"), _nihongo),
    **dict.fromkeys(("start and end dates", "date range", "start and end date"), _range),
    **dict.fromkeys(("inflation", "inflation-fn", "inflation-year", "to usd", "#expr"), _nothing),
    **dict.fromkeys(("number", "formatnum", "num", "commas"), lambda arguments: grouped(arguments.text(0))),
}
