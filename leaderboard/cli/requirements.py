"""A requirement register as it stands in a trace, on a terminal: a line a requirement, a line a change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from leaderboard.cli.terminal import one_line

LONGEST = 300
_STATUS_CELLS = 8
_STYLES = {"active": "bold", "answered": "green", "retired": "yellow"}


def requirement_note(name: str, value: Any) -> Text | None:
    """Return what a step notes as ``requirements`` or ``changes``; None for another note, or one of another form."""
    line = {"requirements": _requirement, "changes": _change}.get(name)
    if line is None or not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
        return None
    text = Text(f"{name}: ", style="dim")
    if not value:
        return text.append("none", style="not dim")
    for item in value:
        text.append("\n  ").append_text(line(item))
    return text


def _requirement(item: Mapping[str, Any]) -> Text:
    status = _word(item.get("status"))
    text = Text(f"{status:<{_STATUS_CELLS}} ", style=f"not dim {_STYLES.get(status, '')}".strip())
    text.append(f"{_word(item.get('id'))}  {_word(item.get('text'))}", style="not dim")
    if notes := _word(item.get("evidence_notes")):
        text.append(f"\n           {notes}", style="not dim")
    evidence = item.get("evidence")
    for one in evidence if isinstance(evidence, list) else []:
        if isinstance(one, Mapping):
            quote = f"  “{_word(one['quote'])}”" if one.get("quote") else ""
            text.append(f"\n           from {_word(one.get('passage'))}{quote}", style="dim")
    return text


def _change(item: Mapping[str, Any]) -> Text:
    before, after = item.get("from"), _word(item.get("to"))
    became = f"new, {after}" if before is None else f"{_word(before)} → {after}"
    same = before is not None and before == item.get("to")
    return Text(f"{_word(item.get('item'))}: {'noted' if same else became}", style="not dim")


def _word(value: Any) -> str:
    return one_line(value, LONGEST) if isinstance(value, str) else ""
