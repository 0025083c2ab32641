"""The headings of a page's readable text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of a page: its level (2 for "== A =="), its text, and where its line starts in the page's text.

    ``start`` counts characters from 0.
    """

    level: int
    title: str
    start: int
