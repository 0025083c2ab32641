"""What identifies a model call: the SHA-256 of the canonical JSON of what is really sent (design § 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from leaderboard.files import digest_json

KEY_VERSION = 1


@dataclass(frozen=True, slots=True)
class Draw:
    """Which of several equal requests this is: ``rollout`` as the program numbers them, ``sample`` within one.

    ``repeat`` counts from 0 when the whole run is repeated; the first run's draws have two numbers.
    """

    rollout: int = 0
    sample: int = 0
    repeat: int = 0


def canonical_request(identity: Mapping[str, Any], body: Mapping[str, Any], draw: Draw) -> dict[str, Any]:
    """Return the request as it is stored and hashed.

    ``identity`` says who is asked: the board's logical endpoint name, never its URL, or the weights' digest.
    ``body`` is what is sent, in the chat-completions form: model, messages, sampling parameters, tools, format.
    """
    return {
        "key_version": KEY_VERSION,
        "asked": dict(identity),
        "body": dict(body),
        "draw": [draw.rollout, draw.sample, *([draw.repeat] if draw.repeat else [])],
    }


def call_key(request: Mapping[str, Any]) -> str:
    """Return the key of a canonical request: 64 hex digits."""
    return digest_json(dict(request))
