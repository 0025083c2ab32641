"""``leaderboard.toml``: the board's title, track, benchmarks, models, prices and ceilings."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    Field,
    Strict,
    ValidationError,
)

from leaderboard.catalog.encoders import BUILT_IN, Encoder
from leaderboard.catalog.retrievers import EncoderName
from leaderboard.manifest import CORE, KEYS
from leaderboard.submissions.errors import (
    SubmissionError,
    SubmissionErrors,
    dotted,
    quoted,
)
from leaderboard.submissions.inheritance import Lineage
from leaderboard.submissions.load import Names
from leaderboard.submissions.per_benchmark import Groups, Headline, Limits
from leaderboard.submissions.reading import read_toml
from leaderboard.submissions.schema import Benchmark, Benchmarks, Expected, Line, ModelName, Table, each_once
from leaderboard.submissions.translation import NOTHING, Fault, faults

CONFIG_FILE = "leaderboard.toml"

_BASE_URL = r"^https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?$"


EndpointName = Annotated[
    str,
    Field(pattern=r"^[a-z0-9][a-z0-9-]{0,30}$"),
    Expected("the endpoint's logical name: at most 31 of a-z, 0-9 and -"),
]
BaseURL = Annotated[
    str,
    Field(pattern=_BASE_URL, max_length=300),
    Expected("an address that starts with https:// or http://, without user, password or query", secret=True),
]
VariableName = Annotated[
    str,
    Field(pattern=r"^[A-Z][A-Z0-9_]{1,62}$"),
    Expected("the name of an environment variable, such as OPENAI_API_KEY, never a key", secret=True),
]


HubName = Annotated[
    str,
    Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}$"),
    Expected('a repository of the model hub, such as "minishlab/potion-retrieval-32M"'),
]
Revision = Annotated[str, Field(pattern=r"^[0-9a-f]{40}$"), Expected("a commit: 40 hexadecimal digits")]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$"), Expected("a SHA-256: 64 hexadecimal digits")]
FolderName = Annotated[str, Field(min_length=1, max_length=1000), Expected("a folder")]


class Board(Table):
    """What the board is called and what it covers."""

    title: Line = Field(description="The board's title.")
    track: Literal["sample", "full"] = Field(
        description="The bundled sample of this project, or the published benchmark data."
    )
    benchmarks: Benchmarks = Field(
        default=CORE, description=f"The benchmarks that Overall is made of; {', '.join(CORE)} when left out."
    )
    also: Annotated[
        tuple[Benchmark, ...], Strict(False), Field(max_length=len(KEYS)), AfterValidator(each_once)
    ] = Field(default=(), description="Benchmarks with pages of their own that Overall leaves out.")

    @property
    def every_benchmark(self) -> tuple[Benchmark, ...]:
        """Those of Overall, then the others."""
        return (*self.benchmarks, *self.also)


class Questions(Limits):
    """Most questions of each benchmark, the first ones of its file; all when left out."""

    each: Groups = Field(
        default_factory=Groups.model_construct,
        description="Count in each group of a breakdown: so many of each.",
    )

    def limit(self, benchmark: Benchmark) -> int | None:
        """Return the most questions of ``benchmark``, ``None`` for all."""
        limit: int | None = getattr(self, benchmark)
        return limit

    def group(self, benchmark: Benchmark) -> str | None:
        """Return the breakdown in whose groups that limit counts, ``None`` over the whole file."""
        group: str | None = getattr(self.each, benchmark)
        return group


class Price(Table):
    """What a model costs, all four together or none; without a price the cost of a call is unknown."""

    input_usd: float = Field(ge=0, le=10_000, description="US dollars a million input tokens.")
    cached_usd: float = Field(ge=0, le=10_000, description="US dollars a million cached input tokens.")
    output_usd: float = Field(ge=0, le=10_000, description="US dollars a million output tokens.")
    date: datetime.date = Field(description="The day the price was looked up.")


class _Model(Table):
    name: ModelName = Field(description="The name submissions use.")
    endpoint: EndpointName = Field(description="The endpoint's logical name: calls are recorded under it.")
    context_tokens: int = Field(ge=256, le=10_000_000, description="Longest prompt and response together.")
    price: Price | None = Field(default=None, description="What the model costs.")


class EmbeddedModel(_Model):
    """A model that runs inside the program: its weights are fetched once."""

    kind: Literal["embedded"] = Field(description="Runs in this process.")


class OpenAIModel(_Model):
    """A model behind an endpoint that speaks the OpenAI protocol: hosted, vLLM, Ollama, llama.cpp."""

    kind: Literal["openai"] = Field(description="Speaks the OpenAI protocol.")
    base_url: BaseURL = Field(description="Where the endpoint is; never recorded, never part of a key.")
    api_key_env: VariableName | None = Field(
        default=None, description="Name of the environment variable that holds the key, when it needs one."
    )


Model = Annotated[EmbeddedModel | OpenAIModel, Field(discriminator="kind")]


class StaticEncoder(Table):
    """A static embedding model (model2vec) that submissions may name: a local folder, or a repository of the model hub."""

    name: EncoderName = Field(description="The name submissions use.")
    kind: Literal["model2vec"] = Field(description="A static embedding model that model2vec reads.")
    folder: FolderName | None = Field(
        default=None, description="The model's folder on this machine; never recorded, never part of a key."
    )
    hub: HubName | None = Field(default=None, description="The model's repository on the model hub.")
    revision: Revision | None = Field(
        default=None, description="The commit of the repository, so that its bytes stay the same."
    )
    sha256: Digest = Field(
        description="The model's digest, over its weights, tokenizer and configuration; a wrong one is told with the right one."
    )

    @property
    def encoder(self) -> Encoder:
        """The encoder as the catalog knows one."""
        return Encoder(
            self.name, "model2vec", self.sha256, self.folder or "", self.hub or "", self.revision or ""
        )


class Ceilings(Table):
    """What a build may spend at most, over all systems; enforced before each call."""

    usd: float | None = Field(default=None, ge=0, description="Most US dollars a build.")
    calls: int | None = Field(default=None, ge=0, description="Most live model calls a build.")


class BoardConfig(Table):
    """The whole of ``leaderboard.toml``."""

    board: Board = Field(description="What the board is called and what it covers.")
    questions: Questions = Field(default_factory=Questions, description="Most questions of each benchmark.")
    headline: Headline = Field(
        default_factory=Headline, description="The metric each benchmark is ranked by."
    )
    models: Annotated[tuple[Model, ...], Strict(False)] = Field(
        min_length=1, max_length=200, description="The models submissions may name."
    )
    encoders: Annotated[tuple[StaticEncoder, ...], Strict(False)] = Field(
        default=(), max_length=200, description="The encoders submissions may name, beside the built-in ones."
    )
    ceilings: Ceilings = Field(default_factory=Ceilings, description="What a build may spend at most.")

    @property
    def model_names(self) -> tuple[str, ...]:
        """The names submissions may use, in the order of the file."""
        return tuple(model.name for model in self.models)

    @property
    def encoder_list(self) -> dict[str, Encoder]:
        """Every encoder a submission may name, the built-in ones first."""
        return {**BUILT_IN, **{listed.name: listed.encoder for listed in self.encoders}}

    @property
    def names(self) -> Names:
        """What submissions may name of the board's lists."""
        return Names(self.model_names, tuple(self.encoder_list))

    def model_named(self, name: str) -> EmbeddedModel | OpenAIModel:
        """Return the model ``name``; raise ``KeyError`` for one that isn't listed."""
        for model in self.models:
            if model.name == name:
                return model
        raise KeyError(name)


def load_config(path: Path) -> BoardConfig:
    """Return the board's configuration in ``path``; raise ``SubmissionErrors`` with all that is wrong with it."""
    file = read_toml(path, secret=True)
    alone = Lineage((file,), file.data)
    try:
        config = BoardConfig.model_validate(file.data)
    except ValidationError as error:
        raise SubmissionErrors(_placed(alone, faults(error, BoardConfig))) from None
    if wrong := [*_twice(config), *_shown_twice(config), *_sources(config)]:
        raise SubmissionErrors(_placed(alone, wrong))
    return config


def _placed(alone: Lineage, found: list[Fault]) -> list[SubmissionError]:
    return sorted(alone.locate(fault) for fault in found)


def _twice(config: BoardConfig) -> Iterator[Fault]:
    for table, names in (
        ("models", config.model_names),
        ("encoders", tuple(encoder.name for encoder in config.encoders)),
    ):
        for index, name in enumerate(names):
            if name in names[:index]:
                first = dotted((table, names.index(name)))
                yield Fault((table, index, "name"), f"another name than that of {first}", quoted(name))


def _shown_twice(config: BoardConfig) -> Iterator[Fault]:
    """Yield the benchmarks that Overall has and leaves out."""
    for index, name in enumerate(config.board.also):
        if name in config.board.benchmarks:
            yield Fault(
                ("board", "also", index), "a benchmark that board.benchmarks doesn't have", quoted(name)
            )


def _sources(config: BoardConfig) -> Iterator[Fault]:
    """Yield what is wrong with where encoders come from: one source each, and no name that is built in."""
    for index, encoder in enumerate(config.encoders):
        path = ("encoders", index)
        if encoder.name in BUILT_IN:
            yield Fault((*path, "name"), "a name that is not built in", quoted(encoder.name))
        if (encoder.folder is None) == (encoder.hub is None):
            found = "neither" if encoder.hub is None else "both"
            yield Fault((*path, "folder" if encoder.folder else "name"), "either folder or hub", found)
        if encoder.hub is not None and encoder.revision is None:
            yield Fault((*path, "revision"), "the commit of the hub's repository", NOTHING, missing=True)
        if encoder.hub is None and encoder.revision is not None:
            expected = "no revision without a hub: a folder has none"
            yield Fault((*path, "revision"), expected, quoted(encoder.revision), at_key=True)
