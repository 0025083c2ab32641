"""Reading what a model proposes to an optimizer: new instructions, a description of the program or of the data."""

from __future__ import annotations

from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError

from leaderboard.programs.answering import without_markers


class ProposalAdapter(dspy.ChatAdapter):  # type: ignore[misc]
    """dspy's chat protocol; where one text is asked for, an output without its marker is that text.

    It is what a program does with an answer (rule R1). Without it one code fence around a proposal, which small models
    like to write, would end a search after all the calls before it. What cannot be printed becomes a space: a proposal
    ends up in a state, on a page and in a terminal.
    """

    def __init__(self) -> None:
        super().__init__(use_json_adapter_fallback=False)

    def parse(self, signature: Any, completion: str) -> dict[str, Any]:
        """Return the output's fields. Raises ``AdapterParseError`` when one is missing, or the first one is empty."""
        completion = "".join(c if c.isprintable() or c in "\n\t" else " " for c in completion)
        fields = signature.output_fields
        first, *others = fields
        try:
            parsed: dict[str, Any] = super().parse(signature, completion)
        except AdapterParseError:
            text = without_markers(completion).strip("`").strip()
            if others or fields[first].annotation is not str:
                raise
            parsed = {first: text}
        if parsed[first] == "":
            raise AdapterParseError("ChatAdapter", signature, completion, "The proposal is empty.", parsed)
        return parsed
