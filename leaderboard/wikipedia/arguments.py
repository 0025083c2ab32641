"""A template's name and arguments, rendered when they are asked for."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Protocol

from mwparserfromhell.nodes import Template
from mwparserfromhell.wikicode import Wikicode

from leaderboard.wikipedia.characters import BREAK, JOINT, flat

_NOT_TEXT = re.compile(
    r"(?:https?:)?//.*|[\d.]+\s*(?:px|em|%)|#[0-9a-fA-F]{3,8}|.*\.(?:svg|png|jpe?g|gif|ogg|webm|pdf)|(?:left|right|center"
    r"|none|collapsed|expanded|autocollapse|state|show|hide|yes|no|y|n|off|on)|[a-z-]+\s*:\s*[^;\s]*;.*",
    re.IGNORECASE | re.DOTALL,
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD = re.compile(r"\w")
_PREFIX = re.compile(r"^(?::|template:|subst:|safesubst:|msgnw:)\s*")


class TextOf(Protocol):
    """What renders wikitext, and the title of the page it stands on."""

    title: str

    def text(self, code: Wikicode | None) -> str:
        """Return the text of parsed wikitext."""
        ...


class Arguments:
    """The arguments of one template. Positional ones are numbered from 0; names are lower-case, "_" as space."""

    def __init__(self, template: Template, renderer: TextOf) -> None:
        self._template, self._renderer = template, renderer

    @cached_property
    def spelled(self) -> str:
        """The name as it stands, on one line."""
        return flat(self._renderer.text(self._template.name)).replace("_", " ")

    @cached_property
    def name(self) -> str:
        """The lower-case name, without what may stand before it."""
        name = self.spelled.lower()
        while match := _PREFIX.match(name):
            name = name[match.end() :]
        return name

    @cached_property
    def _all(self) -> tuple[list[str], dict[str, str], dict[str, str]]:
        numbered: dict[int, str] = {}
        named: dict[str, str] = {}
        labels: dict[str, str] = {}
        place = 0
        for parameter in self._template.params:
            value = self._renderer.text(parameter.value)
            if not parameter.showkey:
                place += 1
                numbered[place] = value
                continue
            key = flat(self._renderer.text(parameter.name))
            if re.fullmatch(r"[1-9][0-9]?", key):
                numbered[int(key)] = value.strip()
            elif key:
                name = key.lower().replace("_", " ")
                named.setdefault(name, value.strip())
                labels.setdefault(name, _CAMEL.sub(" ", key).replace("_", " "))
        ordered = [numbered.get(number, "") for number in range(1, max(numbered, default=0) + 1)]
        return ordered, named, labels

    @property
    def blocks(self) -> list[str]:
        """The positional arguments, line ends and marks as they are."""
        return self._all[0]

    @property
    def named(self) -> dict[str, str]:
        """The named arguments in order, line ends and marks as they are."""
        return self._all[1]

    def label(self, name: str) -> str:
        """Return the name of a named argument as the page spells it, "EpisodeNumber" as two words."""
        return self._all[2][name]

    @cached_property
    def texts(self) -> list[str]:
        """The positional arguments, each on one line."""
        return [flat(block) for block in self.blocks]

    def text(self, place: int, default: str = "") -> str:
        """Return a positional argument on one line, ``default`` where it is absent or empty."""
        return (self.texts[place] if place < len(self.texts) else "") or default

    def get(self, *names: str) -> str:
        """Return the first named argument of these that isn't empty, on one line."""
        return next((text for name in names if (text := flat(self.named.get(name, "")))), "")

    def readable(self) -> list[str]:
        """Return the positional arguments that look like text, not like a size, colour, address, file or switch."""
        return [text for text in self.texts if looks_like_text(text)]

    def inline(self, place: int) -> str:
        """Return a positional argument for use inside a line; a ``<br>`` stays, line ends around it go."""
        block = self.blocks[place] if place < len(self.blocks) else ""
        return (
            block.strip("\n" + JOINT) if BREAK in block or "\n" in block.strip("\n") else block.strip(JOINT)
        )


def looks_like_text(text: str) -> bool:
    """Tell whether an argument is something a reader would see."""
    return bool(_WORD.search(text)) and not _NOT_TEXT.fullmatch(text[:500])
