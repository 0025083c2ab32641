"""Templates of dates and ages, printed as "May 3, 1901", or "3 May 1901" with ``df``."""

from __future__ import annotations

from leaderboard.wikipedia.arguments import Arguments

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


def date(parts: list[str], day_first: bool = False) -> str:
    """Return year, month, day as text; as many as are numbers. What isn't a date comes back with blanks between."""
    whole = [part for part in parts if part]
    numbers = [int(part) for part in whole if part.isascii() and part.isdecimal() and len(part) <= 4]
    if not whole or len(numbers) != len(whole):
        return " ".join(whole)
    year, *rest = numbers
    if not rest or not 1 <= rest[0] <= 12:
        return str(year)
    month = MONTHS[rest[0] - 1]
    if len(rest) == 1 or not 1 <= rest[1] <= 31:
        return f"{month} {year}"
    return f"{rest[1]} {month} {year}" if day_first else f"{month} {rest[1]}, {year}"


def _day_first(arguments: Arguments) -> bool:
    return arguments.get("df", "dmy").lower() in ("y", "yes", "df", "dmy", "1", "true")


def single(arguments: Arguments) -> str:
    """``start date``, ``birth date and age``, ``dts`` …: the date alone; an age today is nobody's to say."""
    return date(arguments.texts[:3], _day_first(arguments))


def death(arguments: Arguments) -> str:
    """``death date and age``: the date with the age that follows from the date of birth."""
    died, born = arguments.texts[:3], arguments.texts[3:6]
    years = age(born, died)
    return date(died, _day_first(arguments)) + (f" (aged {years})" if years else "")


def death_year(arguments: Arguments) -> str:
    """``death year and age``: year of death, year of birth; the age is one of two years."""
    died, born = arguments.text(0), arguments.text(1)
    if not (_year(died) and _year(born)):
        return died
    years = int(died) - int(born)
    return f"{date([died, arguments.text(2)])} (aged {years - 1}–{years})"


def between(arguments: Arguments) -> str:
    """``age``: the years from one date to another; "" with one date alone, since it would be counted to today."""
    return age(arguments.texts[:3], arguments.texts[3:6])


def age(born: list[str], died: list[str]) -> str:
    """Return the full years between two dates, "" unless each is a year, a month and a day."""
    days = [part for part in (*born, *died) if part.isascii() and part.isdecimal() and len(part) <= 4]
    if len(days) != 6:
        return ""
    first, last = ([int(part) for part in parts] for parts in (born, died))
    years = last[0] - first[0] - (last[1:] < first[1:])
    return str(years) if years >= 0 else ""


def film(arguments: Arguments) -> str:
    """``film date``: year, month, day, place, and again; each as "date (place)"."""
    dates = []
    for start in range(0, len(arguments.texts), 4):
        parts = arguments.texts[start : start + 4]
        if when := date(parts[:3], _day_first(arguments)):
            dates.append(when + (f" ({parts[3]})" if len(parts) > 3 and parts[3] else ""))
    return "; ".join(dates)


def as_of(arguments: Arguments) -> str:
    """``as of``: "As of May 2001", in lower case with ``lc``; what ``alt`` says in its place."""
    if alternative := arguments.get("alt"):
        return alternative
    word = "since" if arguments.get("since") else "as of"
    if not arguments.get("lc"):
        word = word.capitalize()
    return f"{word} {single(arguments)}".strip()


def sortable(arguments: Arguments) -> str:
    """``dts``: a date as text, or its parts; ``format`` dmy sets the day first."""
    if len(arguments.texts) == 1 and not _year(arguments.text(0)):
        return arguments.text(0)
    first = _day_first(arguments) or arguments.get("format").lower() in ("dmy", "dm")
    parts = arguments.texts[:3]
    if len(parts) > 1 and parts[1].capitalize() in MONTHS:
        parts = [parts[0], str(MONTHS.index(parts[1].capitalize()) + 1), *parts[2:]]
    return date(parts, first)


def _year(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 4


DATES = {
    **dict.fromkeys(
        (
            "start date", "end date", "birth date", "death date", "birth date and age", "bda", "dob", "birth date2", "bd",
            "start date and age", "start-date and age", "birth year and age", "bya", "release date", "release date and age",
            "rd", "date", "launch date",
        ),
        single,
    ),
    **dict.fromkeys(("death date and age", "dda"), death),
    "death year and age": death_year,
    **dict.fromkeys(("age", "age in years", "age at date"), between),
    **dict.fromkeys(("film date", "filmdate", "video game release date"), film),
    **dict.fromkeys(("as of", "asof"), as_of),
    **dict.fromkeys(("dts", "dtsh", "date table sorting", "sort date"), sortable),
}  # fmt: skip
"""Name → what prints the template."""
