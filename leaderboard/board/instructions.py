"""The instructions that a run's requests carried, and how two texts of instructions differ."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from difflib import SequenceMatcher

from leaderboard.board.tables import InstructionLine
from leaderboard.calls.store import StoredCall
from leaderboard.results.runs import RunFolder
from leaderboard.results.tables import read_calls

Fields = tuple[tuple[str, ...], tuple[str, ...]]
"""A predictor's input and output fields: what tells it from the others of its program."""

CALLS_READ = 64
"""Calls lie in the order of their keys, which are digests: the first ones are of any question and predictor."""

MOST_COMPARED = 400
"""Lines. Longer texts are shown as wholly removed and added: comparing them could take minutes."""

_INPUTS, _OUTPUTS, _LAYOUT = "Your input fields are:", "Your output fields are:", "All interactions will be"
_OBJECTIVE = "your objective is:"
_FIELD = re.compile(r"^\d+\. `([^`]+)`", re.MULTILINE)


def recorded_instructions(run: RunFolder) -> dict[Fields, str]:
    """Return the instructions in the system messages of a run's first calls, by their predictor's fields.

    Only of requests in the chat protocol that programs use; where two texts go with the same fields, neither.
    Raises ``RunError`` for a damaged file.
    """
    found: dict[Fields, set[str]] = {}
    for call in read_calls(run.table("calls"), CALLS_READ):
        read = _of_system_message(_system_message(call))
        if read is not None:
            found.setdefault(read[0], set()).add(read[1])
    return {fields: text for fields, texts in found.items() if len(texts) == 1 for text in texts}


def plain(instructions: str) -> str:
    """Return instructions as they are sent: without common indentation, blank lines around, spaces at line ends."""
    return "\n".join(line.rstrip() for line in textwrap.dedent(instructions).splitlines()).strip("\n")


def difference(before: str, after: str) -> tuple[InstructionLine, ...]:
    """Return the lines of both texts, those that are in one alone marked; removed ones stand before added ones."""
    old, new = before.split("\n"), after.split("\n")
    if max(len(old), len(new)) > MOST_COMPARED:
        codes = [("replace", 0, len(old), 0, len(new))]
    else:
        codes = list(SequenceMatcher(None, old, new, autojunk=False).get_opcodes())
    lines: list[InstructionLine] = []
    for code, old_start, old_end, new_start, new_end in codes:
        if code == "equal":
            lines += [InstructionLine(kind="same", text=text) for text in old[old_start:old_end]]
        else:
            lines += [InstructionLine(kind="removed", text=text) for text in old[old_start:old_end]]
            lines += [InstructionLine(kind="added", text=text) for text in new[new_start:new_end]]
    return tuple(lines)


def _system_message(call: StoredCall) -> str:
    body = call.request.get("body")
    sent = body.get("messages") if isinstance(body, Mapping) else None
    first = sent[0] if isinstance(sent, list) and sent else None
    if not isinstance(first, Mapping) or first.get("role") != "system":
        return ""
    content = first.get("content")
    return content if isinstance(content, str) else ""


def _of_system_message(message: str) -> tuple[Fields, str] | None:
    head, found, objective = message.partition(_OBJECTIVE)
    inputs, _, rest = head.partition(_INPUTS)[2].partition(_OUTPUTS)
    outputs = rest.partition(_LAYOUT)[0]
    fields = tuple(_FIELD.findall(inputs)), tuple(_FIELD.findall(outputs))
    return (fields, plain(objective.removeprefix(" "))) if found and all(fields) else None
