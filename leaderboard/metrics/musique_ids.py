"""MuSiQue question ids: the number of hops and the composition shape stand in them."""

from __future__ import annotations

import re
from dataclasses import dataclass

GRAPHS = {
    "2hop": "1->2",
    "3hop1": "1->2->3",
    "3hop2": "{1,2}->3",
    "4hop1": "1->2->3->4",
    "4hop2": "{1,2}->3->4",
    "4hop3": "{1->2,3}->4",
}
"""Composition shape → which hop needs which hop's answer, from the decompositions of the public rows (spec § 1.5)."""

_ID = re.compile(rf"({'|'.join(GRAPHS)})__([0-9]+(?:_[0-9]+)+)")


@dataclass(frozen=True, slots=True)
class MusiqueId:
    """A parsed id. ``shape`` is a key of :data:`GRAPHS`; ``parts`` are the single-hop question ids, in hop order."""

    shape: str
    hops: int
    parts: tuple[str, ...]

    @property
    def graph(self) -> str:
        """The dependencies of the hops in words of :data:`GRAPHS`, such as ``{1,2}->3``."""
        return GRAPHS[self.shape]


def parse_musique_id(id: str) -> MusiqueId:
    """Return what the id of a MuSiQue question says, such as ``3hop2__127483_84553_10557``.

    Raises ``ValueError`` for an unknown shape, and where the number of single-hop ids isn't the number of hops.

    Source: spec § 1.5.
    """
    found = _ID.fullmatch(id)
    if not found:
        raise ValueError(
            f"expected a MuSiQue id such as '2hop__574419_270105' with one of the shapes {', '.join(GRAPHS)}, "
            f"found {id!r}"
        )
    shape, parts = found[1], tuple(found[2].split("_"))
    hops = int(shape[0])
    if len(parts) != hops:
        raise ValueError(f"expected {hops} single-hop ids in the MuSiQue id {id!r}, found {len(parts)}")
    return MusiqueId(shape, hops, parts)
