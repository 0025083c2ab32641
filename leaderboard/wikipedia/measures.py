"""Templates of quantities: lengths, weights, money, places, fractions, shares. What a page states is printed, nothing converted."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from leaderboard.wikipedia.arguments import Arguments
from leaderboard.wikipedia.characters import PLUS
from leaderboard.wikipedia.template_names import MONEY

_UNITS = {
    "km2": "km²", "m2": "m²", "sqmi": "sq mi", "sqft": "sq ft", "sqkm": "km²", "m3": "m³", "km3": "km³", "cuft": "cu ft", "cumi": "cu mi",
    "c": "°C", "f": "°F", "°c": "°C", "°f": "°F", "foot": "ft", "feet": "ft", "mile": "mi", "miles": "mi", "acres": "acres", "acre": "acres",
    "impgal": "imp gal", "usgal": "US gal", "kmh": "km/h", "lbs": "lb", "metre": "m", "meter": "m", "m3/s": "m³/s", "cuft/s": "cu ft/s",
}  # fmt: skip
_BETWEEN = {
    "to": " to ", "-": "–", "–": "–", "and": " and ", "or": " or ", "by": " by ", "x": " × ", "×": " × ", "*": " × ", "+/-": " ± ",
    "±": " ± ", "to(-)": " to ", "and(-)": " and ", "+": " + ", "xx": " × ",
}  # fmt: skip
_NUMBER = re.compile(
    r"[-−+]?(?:[0-9][0-9,]*)?(?:\.[0-9]+)?(?:[+ ]?[0-9]+/[0-9]+)?(?:e[-+]?[0-9]+)?", re.IGNORECASE
)
_COUNT = re.compile(r"[-−]?[0-9]+(?:\.[0-9]+)?")


def grouped(number: str) -> str:
    """Return a plain number with commas between its thousands; any other text as it stands."""
    if not _COUNT.fullmatch(number) or len(number) > 40:
        return number
    sign = number[0] if number[0] in "-−" else ""
    whole, dot, fraction = number[len(sign) :].partition(".")
    groups = [whole[max(0, end - 3) : end] for end in range(len(whole), 0, -3)][::-1]
    return f"{sign}{','.join(groups)}{dot}{fraction}"


def convert(arguments: Arguments) -> str:
    """``convert``: the quantity and unit that the page states, ranges and "5 ft 10 in" included."""
    texts = [text for text in arguments.texts if text]
    if not texts:
        return ""
    found = grouped(texts[0])
    at = 1
    while at + 1 < len(texts) and texts[at].lower() in _BETWEEN and _number(texts[at + 1]):
        found += _BETWEEN[texts[at].lower()] + grouped(texts[at + 1])
        at += 2
    if at < len(texts):
        found += f" {_unit(texts[at])}"
        if (
            at + 2 < len(texts)
            and texts[at] in ("ft", "lb", "st", "yd", "mi", "foot")
            and _number(texts[at + 1])
        ):
            found += f" {grouped(texts[at + 1])} {_unit(texts[at + 2])}"
    return found


def _number(text: str) -> bool:
    return bool(text) and bool(_NUMBER.fullmatch(text))


def _unit(text: str) -> str:
    return _UNITS.get(text.lower(), text)


def height(arguments: Arguments) -> str:
    """``height`` and ``weight``: what is given, in its own units."""
    units = ("m", "cm", "ft", "in", "kg", "st", "lb")
    given = [f"{arguments.get(unit)} {unit}" for unit in units if arguments.get(unit)]
    return " ".join(given) or convert(arguments)


def money(arguments: Arguments) -> str:
    """``US$``, ``INR``, ``GBP`` and others: the sign before the sum."""
    sign, amount = MONEY[arguments.name], grouped(arguments.text(0))
    return f"{sign}{' ' if sign.isalpha() and len(sign) > 1 and amount else ''}{amount}"


def fraction(arguments: Arguments) -> str:
    """``frac``: "1/2", "3 1/2"; one number is one over it. What stands before it is added, not joined: "5 1/2"."""
    texts = [text for text in arguments.texts[:3] if text]
    if len(texts) == 3:
        return f"{PLUS}{texts[0]} {texts[1]}/{texts[2]}"
    return PLUS + ("/".join(texts) if len(texts) == 2 else f"1/{''.join(texts)}")


def percentage(arguments: Arguments) -> str:
    """``percentage``: the share of the first number in the second, rounded half up to the places of the third."""
    try:
        part, whole = (Decimal(arguments.text(place).replace(",", "")) for place in (0, 1))
        places = int(arguments.text(2) or arguments.get("decimals") or "0")
        share = (part * 100 / whole).quantize(Decimal(1).scaleb(-min(max(places, 0), 9)), ROUND_HALF_UP)
    except (InvalidOperation, ZeroDivisionError, ValueError):
        return " ".join(arguments.readable())
    return f"{share:f}%"


def value(arguments: Arguments) -> str:
    """``val``: number, uncertainty, power of ten and unit."""
    found = grouped(arguments.text(0))
    if error := arguments.text(1):
        found += f" ± {error}"
    if power := arguments.get("e"):
        found += f"×10^{power}"
    unit = arguments.get("u", "ul", "up")
    return f"{found} {unit}".strip()


def coordinates(arguments: Arguments) -> str:
    """``coord``: "51°30′N 0°7′W", "51.5, -0.12" in decimals; "" where it stands in the page's title alone."""
    if arguments.get("display").lower() in ("title", "t"):
        return ""
    parts: list[str] = []
    halves: list[str] = []
    for text in arguments.texts[:8]:
        if text.upper() in ("N", "S", "E", "W"):
            marks = "°′″"
            halves.append("".join(f"{p}{marks[i]}" for i, p in enumerate(parts[:3])) + text.upper())
            parts = []
        elif _COUNT.fullmatch(text):
            parts.append(text)
    return " ".join(halves) if halves else ", ".join(parts[:2])


MEASURES = {
    **dict.fromkeys(("convert", "cvt", "convinfobox"), convert),
    **dict.fromkeys(("height", "weight"), height),
    **dict.fromkeys(MONEY, money),
    **dict.fromkeys(("frac", "fraction", "sfrac", "tfrac", "dfrac"), fraction),
    **dict.fromkeys(("percentage", "percent", "pct", "percentage bar"), percentage),
    **dict.fromkeys(("val",), value),
    **dict.fromkeys(("coord", "coords"), coordinates),
}
"""Name → what prints the template."""
